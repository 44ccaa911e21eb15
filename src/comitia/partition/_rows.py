"""What k-means runs on: rows of labels, rows of a sparse matrix, or points.

The three kinds of rows answer the same questions: which centre is nearest, what are
the scores of a few centres, what are the sums of each cluster, what are these rows in
full. None of them stores more than it was given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from comitia._kernels.chunks import over_ranges
from comitia._kernels.fixedpoint import fixed_scale
from comitia.blocks import Blocks, LocalBlocks
from comitia.device_ensemble import DeviceEnsemble
from comitia.ensemble import Ensemble
from comitia.partition._micro import Micro, MicroRows

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = [
    "LabelRows",
    "PointRows",
    "Rows",
    "SomeRows",
    "SparseRows",
    "Units",
    "join_rows",
    "label_rows",
    "one_block",
]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Units(NamedTuple):
    """What one is, in the integers that are summed in place of floats.

    They follow from all rows together, so that every block has the same.

    Attributes
    ----------
    weight : float
        Of weights.

    row : float
        Of weights times the scale of a row.

    square : float
        Of weights times squared lengths.
    """

    weight: float
    row: float
    square: float


class Rows(Protocol):
    """Weighted rows; a centre is a table column, scored by row @ table - penalty."""

    weights: Floats
    squares: Floats

    def nearest(
        self, table: Floats, penalty: Floats, absent: Floats | None
    ) -> tuple[NDArray[np.int32], Floats]:
        """The centre with the largest score for each row, and that score."""

    def scores(self, table: Floats) -> Floats:
        """All scores, without a penalty."""

    def sums(self, labels: NDArray[np.int32], n_clusters: int) -> Any:
        """Weighted sum of the rows of each cluster, times ``units.row``."""

    def mass(self, labels: NDArray[np.int32], n_clusters: int) -> Any:
        """Weight of each cluster, (k,) or by clustering (k, M), in ``units.weight``."""

    def total(self) -> Any:
        """Weighted sum of the squared lengths, times ``units.square``."""

    def dense(self, which: NDArray[np.int64]) -> Floats:
        """Some of the rows, in full."""

    def present(self, which: NDArray[np.int64]) -> Floats:
        """The mass that each of some rows would have alone, with weight one."""

    def weigh_objects(self) -> int:
        """Weight of all objects together, in the integers that are drawn from."""

    def draw(self, at: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows of the objects that reach these cumulated weights."""

    def take(self, which: NDArray[np.int64]) -> Rows:
        """Some of the rows, each with weight one."""

    units: Units


_FLOATS = Units(1.0, 1.0, 1.0)

# Weights are drawn from as integers whose sum is below this.
_DRAWN = 2.0**52


def label_rows(
    micro: MicroRows, squares: Blocks, scale: Blocks | None = None, **options: Any
) -> Blocks:
    """The rows of the indicator matrix B, each times its scale.

    Parameters
    ----------
    micro : MicroRows
        The rows, with their weights and scales.

    squares : Blocks of ndarray
        Squared length of each row.

    scale : Blocks of ndarray, default=None
        Scale of each row, in place of that in ``micro``.

    **options : dict
        ``by_clustering=True`` leaves objects without a label in a clustering out of
        its part of the centres, and of the distances. Otherwise the row is zero there.

    Returns
    -------
    rows : Blocks of LabelRows or SparseRows
        Label rows where the ensemble is hard.
    """
    if scale is None:
        scale = micro.rows.map(_scale_of)
    rows = micro.rows.map(_rows_of, squares, scale, **options)
    largest = np.max(list(rows.map(_largest).gather()), axis=0)
    units = Units(*(fixed_scale(float(value), micro.n_counted) for value in largest))
    return rows.map(_with_units, units=units)


def _scale_of(micro: Micro) -> Floats | None:
    if micro.scale is not None or micro.ensemble.device is not None:
        return micro.scale
    return np.ones(micro.n_rows)


def _rows_of(
    micro: Micro, squares: Floats, scale: Floats, *, by_clustering: bool = False
) -> LabelRows | SparseRows:
    ensemble = micro.ensemble
    if isinstance(ensemble, DeviceEnsemble):
        from comitia.partition._on_device import DeviceRows

        return DeviceRows(micro, scale, squares, by_clustering=by_clustering)
    if not ensemble.is_sparse:
        return LabelRows(micro, scale, squares, by_clustering=by_clustering)
    from scipy.sparse import diags_array

    missing = None
    if by_clustering and (ensemble.n_votes < ensemble.n_clusterings).any():
        missing = ensemble.row_codes == ensemble.n_clusters_each.astype(
            ensemble.row_codes.dtype
        )
    return SparseRows(
        (diags_array(scale) @ ensemble.membership).tocsr(),
        _weights_of(micro),
        squares,
        missing,
    )


def _weights_of(micro: Micro) -> Floats:
    weights = np.ones(micro.n_rows) if micro.each is None else micro.each
    return weights if micro.counts is None else weights * micro.counts


def _largest(rows: LabelRows | SparseRows) -> Floats:
    if isinstance(rows, SparseRows):
        return np.ones(3)
    return rows.largest()


def _with_units(
    rows: LabelRows | SparseRows, *, units: Units
) -> LabelRows | SparseRows:
    if isinstance(rows, SparseRows):
        return rows
    return type(rows)(
        rows.micro,
        rows.scale,
        rows.squares,
        units,
        by_clustering=rows.by_clustering,
    )


def _summed(labels: NDArray[np.int32], weights: Floats, n_clusters: int) -> Floats:
    """Sum of the weights of each cluster."""
    return np.bincount(labels, weights, minlength=n_clusters).astype(np.float64)


class LabelRows:
    """Rows of B, read from the labels; what is summed over them is integers.

    Parameters
    ----------
    micro : Micro
        The rows, how many objects each stands for, and what these weigh.

    scale, squares : ndarray of shape (n_rows,)
        Factor and squared length of each row.

    units : Units
        What one is in integers.

    by_clustering : bool, default=False
        Whether missing labels stay out of means and distances.
    """

    def __init__(
        self,
        micro: Micro,
        scale: Floats,
        squares: Floats,
        units: Units = _FLOATS,
        *,
        by_clustering: bool = False,
    ) -> None:
        self.micro = micro
        self.scale = scale
        self.squares = squares
        self.units = units
        self.by_clustering = by_clustering and micro.ensemble.kind == "partial"

    @property
    def each(self) -> Floats | None:
        """Weight of each object of a row; None for one."""
        return self.micro.each

    @property
    def ensemble(self) -> Ensemble:
        """The labels."""
        return self.micro.ensemble

    @property
    def weights(self) -> Floats:
        """Weight of each row: of all its objects together."""
        return _weights_of(self.micro)

    def largest(self) -> Floats:
        """Largest weight of an object; and times its scale, its squared length."""
        each = 1.0 if self.each is None else self.each
        return np.array(
            [np.max(each), np.max(each * self.scale), np.max(each * self.squares)]
        )

    @property
    def _starts(self) -> Integers:
        # In padded tables clustering m has k_m + 1 rows; the last is for no label.
        return self.ensemble.offsets[:-1] + np.arange(self.ensemble.n_clusterings)

    @property
    def _real(self) -> NDArray[np.bool_]:
        """Which rows of a padded table are clusters."""
        each = self.ensemble.n_clusters_each
        real = np.ones(int((each + 1).sum()), dtype=bool)
        real[self._starts + each] = False
        return real

    def _padded(self, table: Floats) -> Floats:
        real = self._real
        padded = np.zeros((len(real), table.shape[1]))
        padded[real] = table
        return padded

    def _integers(self, values: Floats | float, unit: float) -> Integers:
        """Weight of each row times a value: of one object, rounded, times their count.

        Rounded before they are counted, so that merging makes no difference.
        """
        if self.each is not None:
            values = values * self.each
        rounded = np.rint(np.asarray(values) * unit).astype(np.int64)
        if self.micro.counts is not None:
            return rounded * self.micro.counts
        return np.broadcast_to(rounded, (self.micro.n_rows,))

    def nearest(
        self, table: Floats, penalty: Floats, absent: Floats | None
    ) -> tuple[NDArray[np.int32], Floats]:
        from comitia._kernels.lloyd import nearest_rows

        padded, starts = self._padded(table), self._starts
        each, codes = self.ensemble.n_clusters_each, self.ensemble.row_codes
        if absent is None or not self.by_clustering:
            absent = np.empty((0, table.shape[1]))
        labels = np.empty(len(codes), dtype=np.int32)
        best = np.empty(len(codes))

        def work(start: int, stop: int) -> None:
            nearest_rows(
                codes[start:stop],
                starts,
                each,
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

        codes = self.ensemble.row_codes
        out = np.empty((len(codes), table.shape[1]))
        score_rows(codes, self._starts, self._padded(table), self.scale, out)
        return out

    def _histogram(
        self, labels: NDArray[np.int32], n_clusters: int, integers: Integers
    ) -> Integers:
        from comitia._kernels.lloyd import sum_rows

        real, starts, codes = self._real, self._starts, self.ensemble.row_codes
        integers = np.ascontiguousarray(integers)
        parts: list[Integers] = []

        def work(start: int, stop: int) -> None:
            part = np.zeros((n_clusters, len(real)), dtype=np.int64)
            rows = slice(start, stop)
            sum_rows(codes[rows], starts, labels[rows], integers[rows], part)
            parts.append(part)

        over_ranges(work, len(labels))
        # Integers: the order in which the ranges finish does not matter. The order in
        # memory does, for what is summed along rows later.
        return np.ascontiguousarray(sum(parts[1:], parts[0])[:, real])

    def sums(self, labels: NDArray[np.int32], n_clusters: int) -> Integers:
        integers = self._integers(self.scale, self.units.row)
        return self._histogram(labels, n_clusters, integers)

    def mass(self, labels: NDArray[np.int32], n_clusters: int) -> Integers:
        integers = self._integers(1.0, self.units.weight)
        if self.by_clustering:
            counts = self._histogram(labels, n_clusters, integers)
            return np.add.reduceat(counts, self.ensemble.offsets[:-1], axis=1)
        from comitia._kernels.lloyd import sum_labels

        mass = np.zeros(n_clusters, dtype=np.int64)
        sum_labels(labels, np.ascontiguousarray(integers), mass)
        return mass

    def total(self) -> int:
        return int(self._integers(self.squares, self.units.square).sum())

    def dense(self, which: NDArray[np.int64]) -> Floats:
        real = self._real
        padded = np.zeros((len(which), len(real)))
        columns = self._starts + self.ensemble.codes[:, which].T
        padded[np.arange(len(which))[:, None], columns] = self.scale[which, None]
        return padded[:, real]

    def present(self, which: NDArray[np.int64]) -> Floats:
        if not self.by_clustering:
            return np.ones(len(which))
        each = self.ensemble.n_clusters_each
        return (each != self.ensemble.codes[:, which].T).astype(np.float64)

    def weigh_objects(self) -> int:
        if self.each is None:
            inverse = self.micro.inverse
            return self.micro.n_rows if inverse is None else len(inverse)
        return int(self._drawn().sum())

    @property
    def _draw_unit(self) -> float:
        return self.units.weight / 2.0**62 * _DRAWN

    def _drawn(self) -> Integers:
        """Weight of each object as an integer; at least one for the heaviest."""
        assert self.each is not None
        weights = np.rint(self.each * self._draw_unit).astype(np.int64)
        return weights if self.micro.inverse is None else weights[self.micro.inverse]

    def draw(self, at: NDArray[np.int64]) -> NDArray[np.int64]:
        objects = at
        if self.each is not None:
            objects = np.searchsorted(np.cumsum(self._drawn()), at, side="right")
        return objects if self.micro.inverse is None else self.micro.inverse[objects]

    def take(self, which: NDArray[np.int64]) -> LabelRows:
        small = self.ensemble
        codes = np.ascontiguousarray(small.codes[:, which])
        ensemble = SomeRows(codes, small)
        micro = Micro(ensemble, None, None, None, None)
        scale, squares = self.scale[which], self.squares[which]
        return LabelRows(
            micro, scale, squares, self.units, by_clustering=self.by_clustering
        )


class SomeRows(Ensemble):
    """Rows of an ensemble with all of its clusters; sums over them are compiled."""

    def __init__(self, codes: NDArray[Any], source: Ensemble) -> None:
        self._set(codes, source.n_clusters_each, None, source.kind)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._set(**state)

    @property
    def is_sparse(self) -> bool:
        """False: what the sample is drawn from is compiled, too."""
        return False


class SparseRows:
    """Rows of a sparse matrix: fuzzy and overlapping memberships, and few labels."""

    units = _FLOATS

    def __init__(
        self,
        B: csr_array,
        weights: Floats,
        squares: Floats,
        missing: NDArray[np.bool_] | None = None,
    ) -> None:
        self.B = B
        self.weights = weights
        self.squares = squares
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

    def total(self) -> float:
        return float(self.squares @ self.weights)

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

    def weigh_objects(self) -> int:
        return int(_drawn_from(self.weights)[-1])

    def draw(self, at: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.searchsorted(_drawn_from(self.weights), at, side="right")

    def take(self, which: NDArray[np.int64]) -> SparseRows:
        missing = None if self.missing is None else self.missing[which]
        return SparseRows(
            self.B[which], np.ones(len(which)), self.squares[which], missing
        )


class PointRows:
    """Points of a data matrix."""

    units = _FLOATS

    def __init__(self, X: Floats, weights: Floats, squares: Floats) -> None:
        self.X = X
        self.weights = weights
        self.squares = squares

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

    def total(self) -> float:
        return float(self.squares @ self.weights)

    def dense(self, which: NDArray[np.int64]) -> Floats:
        return self.X[which]

    def present(self, which: NDArray[np.int64]) -> Floats:
        return np.ones(len(which))

    def weigh_objects(self) -> int:
        return int(_drawn_from(self.weights)[-1])

    def draw(self, at: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.searchsorted(_drawn_from(self.weights), at, side="right")

    def take(self, which: NDArray[np.int64]) -> PointRows:
        return PointRows(self.X[which], np.ones(len(which)), self.squares[which])


def _drawn_from(weights: Floats) -> Integers:
    """Cumulated weights as integers."""
    unit = fixed_scale(float(weights.max()), len(weights)) / 2.0**62 * _DRAWN
    return np.cumsum(np.rint(weights * unit).astype(np.int64))


def join_rows(parts: list[Any]) -> Any:
    """Rows that were taken from several blocks, as one.

    Parameters
    ----------
    parts : list of Rows
        In the order of the blocks.

    Returns
    -------
    rows : Rows
        All of them.
    """
    if len(parts) == 1:
        return parts[0]
    first: LabelRows = parts[0]
    codes = np.concatenate([part.ensemble.codes for part in parts], axis=1)
    return LabelRows(
        Micro(SomeRows(codes, first.ensemble), None, None, None, None),
        np.concatenate([part.scale for part in parts]),
        np.concatenate([part.squares for part in parts]),
        first.units,
        by_clustering=any(part.by_clustering for part in parts),
    )


def one_block(rows: Rows) -> Blocks:
    """Rows of this process as the only block.

    Parameters
    ----------
    rows : Rows
        The rows.

    Returns
    -------
    blocks : Blocks
        Their handle.
    """
    return LocalBlocks([rows])
