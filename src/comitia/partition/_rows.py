"""What k-means runs on: rows of labels, rows of a sparse matrix, or points.

The three kinds of rows answer the same four questions: which centre is nearest, what
are the scores of a few centres, what are the sums of each cluster, what are these rows
in full. None of them stores more than it was given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._kernels.chunks import over_ranges
from comitia._kernels.fixedpoint import fixed_point
from comitia.ensemble import Ensemble, MicroObjects

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = [
    "LabelRows",
    "PointRows",
    "Rows",
    "SparseRows",
    "merged",
    "row_sums",
    "rows_of",
]

Floats = NDArray[np.float64]

# With fewer equal rows than this leaves, merging them saves nothing.
_WORTH_MERGING = 0.8


class Rows(Protocol):
    """Weighted rows; a centre is a table column, scored by row @ table - penalty."""

    weights: Floats

    def nearest(
        self, table: Floats, penalty: Floats, absent: Floats | None
    ) -> tuple[NDArray[np.int32], Floats]:
        """The centre with the largest score for each row, and that score."""

    def scores(self, table: Floats) -> Floats:
        """All scores, without a penalty."""

    def sums(self, labels: NDArray[np.int32], n_clusters: int) -> Floats:
        """Weighted sum of the rows of each cluster."""

    def mass(self, labels: NDArray[np.int32], n_clusters: int) -> Floats:
        """Sum of the weights of each cluster, (k,), or by clustering, (k, M)."""

    def dense(self, which: NDArray[np.int64]) -> Floats:
        """Some of the rows, in full."""

    def present(self, which: NDArray[np.int64]) -> Floats:
        """The mass that each of some rows would have alone, with weight one."""

    def take(self, which: NDArray[np.int64], weights: Floats) -> Rows:
        """Some of the rows, with new weights."""


def rows_of(
    ensemble: Ensemble,
    weights: Floats,
    scale: Floats | None = None,
    *,
    by_clustering: bool = False,
) -> LabelRows | SparseRows:
    """The rows of the indicator matrix B, each times its scale.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    weights : ndarray of shape (n_objects,)
        Weight of each row.

    scale : ndarray of shape (n_objects,), default=None
        Factor of each row; 1 by default.

    by_clustering : bool, default=False
        Whether objects without a label in a clustering stay out of its part of the
        centres, and of the distances. Otherwise the row is zero there.

    Returns
    -------
    rows : LabelRows or SparseRows
        Label rows when the ensemble is hard.
    """
    if scale is None:
        scale = np.ones(ensemble.n_objects)
    missing = None
    if by_clustering and (ensemble.n_votes < ensemble.n_clusterings).any():
        missing = ensemble.row_codes == ensemble.n_clusters_each.astype(
            ensemble.row_codes.dtype
        )
    if not ensemble.is_sparse:
        return LabelRows(
            ensemble.row_codes, ensemble.n_clusters_each, weights, scale, missing
        )
    from scipy.sparse import diags_array

    return SparseRows(
        (diags_array(scale) @ ensemble.membership).tocsr(), weights, missing
    )


def merged(ensemble: Ensemble) -> MicroObjects:
    """Objects with equal rows as one, where that saves work.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    Returns
    -------
    micro : MicroObjects
        The merged ensemble, its counts, and where each object went; the ensemble
        itself when nearly all of its rows differ.
    """
    micro = ensemble.distinct()
    n = ensemble.n_objects
    if len(micro.counts) <= _WORTH_MERGING * n:
        return micro
    return MicroObjects(ensemble, np.ones(n, dtype=np.int64), np.arange(n))


def row_sums(ensemble: Ensemble, cluster_values: ArrayLike) -> Floats:
    """Sum of the values of the clusters that each object is in.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    cluster_values : array-like of shape (n_clusters,)
        A value for each cluster; memberships multiply it.

    Returns
    -------
    sums : ndarray of shape (n_objects,)
        The product of B and the values. With the sizes of the clusters it is the
        degree of each object in the graph B B'.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> votes = Ensemble([[0, 0], [0, 1], [1, 1]])
    >>> row_sums(votes, votes.sizes)
    array([3., 4., 3.])
    """
    values = np.asarray(cluster_values, dtype=np.float64)
    if ensemble.is_sparse:
        return np.asarray(ensemble.membership @ values)
    from comitia._kernels.tcut import row_totals

    starts = ensemble.offsets[:-1] + np.arange(ensemble.n_clusterings)
    out = np.empty(ensemble.n_objects)
    # A missing label reads the zero behind the values of its clustering.
    row_totals(
        ensemble.codes, starts, np.insert(values, ensemble.offsets[1:], 0.0), out
    )
    return out


def _summed(labels: NDArray[np.int32], weights: Floats, n_clusters: int) -> Floats:
    """Sum of the weights of each cluster."""
    return np.bincount(labels, weights, minlength=n_clusters).astype(np.float64)


class LabelRows:
    """Rows of B, read from the labels."""

    def __init__(
        self,
        row_codes: NDArray[Any],
        n_each: NDArray[np.int64],
        weights: Floats,
        scale: Floats,
        missing: NDArray[np.bool_] | None,
    ) -> None:
        self.row_codes = row_codes
        self.n_each = n_each
        self.weights = weights
        self.scale = scale
        self.missing = missing
        # In padded tables clustering m has k_m + 1 rows; the last is for no label.
        self.starts = np.r_[0, np.cumsum(n_each + 1)[:-1]]
        self.real = np.ones(int((n_each + 1).sum()), dtype=bool)
        self.real[self.starts + n_each] = False
        self._fixed = fixed_point(weights * scale, len(weights))

    def _padded(self, table: Floats) -> Floats:
        padded = np.zeros((len(self.real), table.shape[1]))
        padded[self.real] = table
        return padded

    def nearest(
        self, table: Floats, penalty: Floats, absent: Floats | None
    ) -> tuple[NDArray[np.int32], Floats]:
        from comitia._kernels.lloyd import nearest_rows

        padded = self._padded(table)
        if absent is None or self.missing is None:
            absent = np.empty((0, table.shape[1]))
        labels = np.empty(len(self.weights), dtype=np.int32)
        best = np.empty(len(self.weights))

        def work(start: int, stop: int) -> None:
            nearest_rows(
                self.row_codes[start:stop],
                self.starts,
                self.n_each,
                padded,
                self.scale[start:stop],
                penalty,
                absent,
                labels[start:stop],
                best[start:stop],
            )

        over_ranges(work, len(labels))
        return labels, best

    def scores(self, table: Floats) -> Floats:
        from comitia._kernels.lloyd import score_rows

        out = np.empty((len(self.weights), table.shape[1]))
        score_rows(self.row_codes, self.starts, self._padded(table), self.scale, out)
        return out

    def _histogram(
        self, labels: NDArray[np.int32], n_clusters: int, integers: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        from comitia._kernels.lloyd import sum_rows

        parts = []

        def work(start: int, stop: int) -> None:
            part = np.zeros((n_clusters, len(self.real)), dtype=np.int64)
            sum_rows(
                self.row_codes[start:stop],
                self.starts,
                labels[start:stop],
                integers[start:stop],
                part,
            )
            parts.append(part)

        over_ranges(work, len(labels))
        # Integers: the order in which the ranges finish does not matter.
        return sum(parts[1:], parts[0])[:, self.real]

    def sums(self, labels: NDArray[np.int32], n_clusters: int) -> Floats:
        integers, scale = self._fixed
        return self._histogram(labels, n_clusters, integers) / scale

    def mass(self, labels: NDArray[np.int32], n_clusters: int) -> Floats:
        if self.missing is None:
            return _summed(labels, self.weights, n_clusters)
        integers, scale = fixed_point(self.weights, len(labels))
        counts = self._histogram(labels, n_clusters, integers)
        firsts = np.r_[0, np.cumsum(self.n_each)[:-1]]
        return np.add.reduceat(counts, firsts, axis=1) / scale

    def dense(self, which: NDArray[np.int64]) -> Floats:
        padded = np.zeros((len(which), len(self.real)))
        columns = self.starts + self.row_codes[which]
        padded[np.arange(len(which))[:, None], columns] = self.scale[which, None]
        return padded[:, self.real]

    def present(self, which: NDArray[np.int64]) -> Floats:
        if self.missing is None:
            return np.ones(len(which))
        return (~self.missing[which]).astype(np.float64)

    def take(self, which: NDArray[np.int64], weights: Floats) -> LabelRows:
        missing = None if self.missing is None else self.missing[which]
        return LabelRows(
            self.row_codes[which], self.n_each, weights, self.scale[which], missing
        )


class SparseRows:
    """Rows of a sparse matrix: fuzzy and overlapping memberships."""

    def __init__(
        self, B: csr_array, weights: Floats, missing: NDArray[np.bool_] | None = None
    ) -> None:
        self.B = B
        self.weights = weights
        self.missing = missing

    def nearest(
        self, table: Floats, penalty: Floats, absent: Floats | None
    ) -> tuple[NDArray[np.int32], Floats]:
        scores = self.B @ table - penalty
        if absent is not None and self.missing is not None:
            scores += self.missing @ absent
        labels = scores.argmax(axis=1).astype(np.int32)
        return labels, scores[np.arange(len(labels)), labels]

    def scores(self, table: Floats) -> Floats:
        return self.B @ table

    def sums(self, labels: NDArray[np.int32], n_clusters: int) -> Floats:
        return (self._chosen(labels, n_clusters) @ self.B).toarray()

    def mass(self, labels: NDArray[np.int32], n_clusters: int) -> Floats:
        if self.missing is None:
            return _summed(labels, self.weights, n_clusters)
        return self._chosen(labels, n_clusters) @ (1.0 - self.missing)

    def _chosen(self, labels: NDArray[np.int32], n_clusters: int) -> csr_array:
        from scipy.sparse import csr_array

        n = len(labels)
        return csr_array((self.weights, (labels, np.arange(n))), shape=(n_clusters, n))

    def dense(self, which: NDArray[np.int64]) -> Floats:
        return self.B[which].toarray()

    def present(self, which: NDArray[np.int64]) -> Floats:
        if self.missing is None:
            return np.ones(len(which))
        return (~self.missing[which]).astype(np.float64)

    def take(self, which: NDArray[np.int64], weights: Floats) -> SparseRows:
        missing = None if self.missing is None else self.missing[which]
        return SparseRows(self.B[which], weights, missing)


class PointRows:
    """Points of a data matrix."""

    def __init__(self, X: Floats, weights: Floats) -> None:
        self.X = X
        self.weights = weights

    def nearest(
        self, table: Floats, penalty: Floats, absent: Floats | None
    ) -> tuple[NDArray[np.int32], Floats]:
        from comitia._kernels.lloyd import nearest_points

        table = np.ascontiguousarray(table)
        labels = np.empty(len(self.X), dtype=np.int32)
        best = np.empty(len(self.X))

        def work(start: int, stop: int) -> None:
            nearest_points(
                self.X[start:stop], table, penalty, labels[start:stop], best[start:stop]
            )

        over_ranges(work, len(labels))
        return labels, best

    def scores(self, table: Floats) -> Floats:
        return self.X @ table

    def sums(self, labels: NDArray[np.int32], n_clusters: int) -> Floats:
        from comitia._kernels.lloyd import sum_points

        sums = np.zeros((n_clusters, self.X.shape[1]))
        # One range: sums of floats would depend on how many there are.
        sum_points(self.X, labels, self.weights, sums)
        return sums

    def mass(self, labels: NDArray[np.int32], n_clusters: int) -> Floats:
        return _summed(labels, self.weights, n_clusters)

    def dense(self, which: NDArray[np.int64]) -> Floats:
        return self.X[which]

    def present(self, which: NDArray[np.int64]) -> Floats:
        return np.ones(len(which))

    def take(self, which: NDArray[np.int64], weights: Floats) -> PointRows:
        return PointRows(self.X[which], weights)
