"""Sums as products with the sparse indicator matrix: memberships, and few labels.

Nothing here loads numba, which takes longer than the sums over few labels do.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from comitia._kernels.sums import fixed_scale
from comitia.config import require_memory
from comitia.engine.protocol import (
    DRAWN,
    Centers,
    Counted,
    HostEngine,
    KMeansRows,
    Pass,
    worst_of,
)
from comitia.engine.row_blocks import Micro, Units

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from comitia._kernels.contingency import Tables

__all__ = [
    "FloatRows",
    "SparseEngine",
    "SparseRows",
    "largest_votes",
    "sparse_contingency",
]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# What these clusters share with all others tells how much memory all of them take.
_SAMPLED_CLUSTERS = 100


class SparseEngine(HostEngine):
    """Sums as products with the indicator matrix B."""

    counts_tables = False

    @property
    def B(self) -> csr_array:
        """The indicator matrix, CSR of shape (n_objects, K)."""
        return self.block.membership

    def sizes(self) -> NDArray[Any]:
        """Size of each cluster; the summed memberships of a fuzzy one."""
        if not self.block.is_hard:
            return np.asarray(self.B.sum(axis=0)).ravel()
        return np.concatenate(
            [
                np.bincount(codes, minlength=k + 1)[:k]
                for codes, k in zip(
                    self.block.codes, self.block.n_clusters_each, strict=True
                )
            ]
        )

    def contingency(self) -> csr_array:
        """How many objects each two clusters share, B'B."""
        return sparse_contingency(self.B)

    def dense_contingency(self) -> Integers:
        """The same as a full matrix of integers, for hard clusterings."""
        return self.contingency().toarray().astype(np.int64)

    def count_tables(self) -> Iterator[Tables]:
        """The table of every two different clusterings, some at a time."""
        from comitia._kernels.contingency import tables_of

        block = self.block
        return tables_of(self.dense_contingency(), block.n_clusters_each, block.offsets)

    def weighted_tables(
        self,
        values: Floats,
        counts: Integers | None,
        scale: float,
        finer: float | None = None,
    ) -> csr_array:
        """B' diag(a) B times ``scale``; nothing is rounded, so nothing is finer."""
        from scipy.sparse import csr_array, diags_array

        if finer is not None:
            K = self.B.shape[1]
            return csr_array((K, K))
        a = values if counts is None else values * counts
        # The scale is a power of two: the product is exact.
        return (self.B.T @ (diags_array(a) @ self.B)) * scale

    def overlaps(self, labels: NDArray[np.int32], n_labels: int) -> NDArray[Any]:
        """Objects that each cluster shares with each label, (K, n_labels)."""
        from scipy.sparse import csr_array

        known = np.flatnonzero(labels >= 0)
        onehot = csr_array(
            (np.ones(len(known)), (known, labels[known])),
            shape=(len(labels), n_labels),
        )
        return np.asarray((self.B.T @ onehot).toarray())

    def row_sums(self, values: Floats) -> Floats:
        """Sum of the values of the clusters of each object, B v."""
        return np.asarray(self.B @ values)

    def unit_scales(
        self, table: Floats, degrees: Floats, floor: float
    ) -> tuple[Floats, Floats]:
        """What makes the rows of B times a table unit vectors, and the new squares."""
        points = self.B @ table
        lengths, least = np.sqrt((points * points).sum(axis=1)), floor * degrees
        scale = np.zeros_like(lengths)
        # An object that no column reaches stays at the origin; scaling would blow up
        # rounding errors.
        np.divide(1.0, lengths + least, out=scale, where=lengths > least)
        return scale, (scale * lengths) ** 2

    def best_column(
        self, table: Floats, offset: Floats
    ) -> tuple[NDArray[np.int32], Floats]:
        """First of the largest entries in each row of B times a table, and that."""
        scores = np.asarray(self.B @ table) + offset
        best = scores.argmax(axis=1)
        return best.astype(np.int32), scores[np.arange(len(best)), best]

    def mean_rows(self, table: Floats, weights: Floats) -> Floats:
        """Weighted mean of the table rows of the clusters of each object."""
        totals = np.asarray(self.B @ weights)[:, None]
        sums = np.asarray(self.B @ (weights[:, None] * table))
        return np.divide(sums, totals, out=np.zeros_like(sums), where=totals > 0)

    def vote_table(
        self, targets: Integers, n_labels: int, weights: Floats
    ) -> NDArray[np.float64]:
        """Weight of the clusters of each object by what they vote for."""
        if self.block.is_hard:
            ballots = self.ballots(targets, n_labels, weights)
            sums = self._summed(ballots.choice, ballots.fixed, n_labels)
            return sums[:, :n_labels] / ballots.scale
        ballot = np.zeros((len(targets), n_labels))
        voting = np.flatnonzero(targets >= 0)
        ballot[voting, targets[voting]] = weights[voting]
        return np.asarray(self.B @ ballot)

    def winners(
        self, targets: Integers, n_labels: int, weights: Floats
    ) -> NDArray[np.int32]:
        """The label with most votes of each object, the lowest of equals, or -1."""
        if not self.block.is_hard:
            return largest_votes(self.vote_table(targets, n_labels, weights))
        votes, blank, keep, drop = self.plurality_counts(targets, n_labels, weights)
        name = keep & ((1 << drop) - 1)
        counts = blank + self._summed(votes & name, votes & ~name, n_labels)
        best = (counts & keep).max(axis=1)
        labels = np.where(best >> drop > 0, n_labels - (best & name), -1)
        return labels.astype(np.int32)

    def _summed(self, choice: NDArray[Any], fixed: Integers, n_labels: int) -> Integers:
        """Fixed-point votes of each object for each label, and for none of them."""
        sums = np.zeros((self.block.n_objects, n_labels + 1), dtype=np.int64)
        everyone = np.arange(len(sums))
        for start, codes in zip(self.starts, self.block.codes, strict=True):
            place = start + codes.astype(np.int64)
            sums[everyone, choice[place].astype(np.int64)] += fixed[place]
        return sums

    def lloyd_rows(
        self,
        micro: Micro,
        squares: Floats,
        scale: Floats | None,
        *,
        by_clustering: bool = False,
    ) -> SparseRows:
        """Rows of B, each times its scale, for Lloyd's algorithm."""
        from scipy.sparse import diags_array

        ensemble, missing = micro.ensemble, None
        if by_clustering and ensemble.has_missing:
            codes = ensemble.row_codes
            missing = codes == ensemble.n_clusters_each.astype(codes.dtype)
        B = ensemble.membership
        return SparseRows(
            B if scale is None else (diags_array(scale) @ B).tocsr(),
            micro.weights,
            squares,
            missing,
        )


def sparse_contingency(B: csr_array) -> csr_array:
    """The product B'B, if the memory budget allows it."""
    K = B.shape[1]
    step = -(-K // _SAMPLED_CLUSTERS)
    sampled = step * (B[:, ::step].T @ B).nnz
    require_memory(
        16 * sampled,
        f"the table of the objects that each two of {K} clusters share",
        "give fewer clusterings",
    )
    return (B.T @ B).tocsr()


def largest_votes(table: Floats) -> NDArray[np.int32]:
    """The label with most votes in each row of a table of votes, not negative.

    The first of those that are equal up to rounding; -1 without votes.
    """
    most = table.max(axis=1, keepdims=True, initial=0.0)
    winner: NDArray[np.int32] = (
        (table >= most * (1 - 2.0**-40)).argmax(axis=1).astype(np.int32)
    )
    winner[most.ravel() == 0] = -1
    return winner


# -- what k-means runs on --------------------------------------------------------------


class FloatRows(ABC):
    """What rows that are summed as floats have in common."""

    units = Units()
    weights: Floats
    squares: Floats

    @abstractmethod
    def nearest(self, centers: Centers) -> tuple[NDArray[np.int32], Floats]:
        """The centre with the largest score for each row, and that score."""

    @abstractmethod
    def sums(self, labels: NDArray[np.int32], n_clusters: int) -> Floats:
        """Weighted sum of the rows of each cluster."""

    def mass(self, labels: NDArray[np.int32], n_clusters: int) -> Floats:
        """Weight of each cluster, (k,) or by clustering (k, M)."""
        weights = np.bincount(labels, self.weights, minlength=n_clusters)
        return weights.astype(np.float64, copy=False)

    def assign(
        self,
        before: Pass | None,
        *,
        centers: Centers,
        labels: NDArray[np.int32] | None = None,
    ) -> Pass:
        n_clusters = len(centers.penalty)
        if labels is None:
            labels = self.nearest(centers)[0]
        changed = len(labels)
        if before is not None:
            changed = int(np.count_nonzero(labels != before.labels))
        sums, mass = self.sums(labels, n_clusters), self.mass(labels, n_clusters)
        sizes = np.bincount(labels, minlength=n_clusters)
        return Pass(labels, Counted(sums, mass, sizes, changed))

    def total(self) -> float:
        return float(self.squares @ self.weights)

    def worst(self: KMeansRows, costs: Floats) -> tuple[float, Floats, Floats]:
        return worst_of(self, costs)

    @property
    def n_objects(self) -> int:
        return len(self.weights)

    def weigh_objects(self) -> int:
        return int(self._drawn_from()[-1])

    def draw(self, at: Integers) -> Integers:
        return np.searchsorted(self._drawn_from(), at, side="right")

    def _drawn_from(self) -> Integers:
        """Cumulated weights as integers."""
        largest, n = float(self.weights.max()), len(self.weights)
        unit = fixed_scale(largest, n) / 2.0**62 * DRAWN
        return np.cumsum(np.rint(self.weights * unit).astype(np.int64))

    def here(self: KMeansRows) -> KMeansRows:
        return self

    def largest(self) -> Floats:
        return np.ones(3)

    def with_units(self: KMeansRows, units: Units) -> KMeansRows:
        return self


class SparseRows(FloatRows):
    """Rows of a sparse matrix: fuzzy and overlapping memberships, and few labels.

    ``missing``, (n_rows, M), says where an object has no label, when that stays out of
    means and distances.
    """

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

    def nearest(self, centers: Centers) -> tuple[NDArray[np.int32], Floats]:
        scores = self.B @ centers.table - centers.penalty
        if centers.absent is not None and self.missing is not None:
            scores += self.missing @ centers.absent
        labels = scores.argmax(axis=1).astype(np.int32)
        return labels, scores[np.arange(len(labels)), labels]

    def scores(self, table: Floats) -> Floats:
        return self.B @ table

    def sums(self, labels: NDArray[np.int32], n_clusters: int) -> Floats:
        return (self._chosen(labels, n_clusters) @ self.B).toarray()

    def mass(self, labels: NDArray[np.int32], n_clusters: int) -> Floats:
        if self.missing is None:
            return super().mass(labels, n_clusters)
        return self._chosen(labels, n_clusters) @ (1.0 - self.missing)

    def _chosen(self, labels: NDArray[np.int32], n_clusters: int) -> csr_array:
        from scipy.sparse import csr_array

        n = len(labels)
        return csr_array((self.weights, (labels, np.arange(n))), shape=(n_clusters, n))

    def dense(self, which: Integers) -> Floats:
        return self.B[which].toarray()

    def present(self, which: Integers) -> Floats:
        if self.missing is None:
            return np.ones(len(which))
        return (~self.missing[which]).astype(np.float64)

    def take(self, which: Integers, *, counted: bool = False) -> SparseRows:
        missing = None if self.missing is None else self.missing[which]
        return SparseRows(
            self.B[which], np.ones(len(which)), self.squares[which], missing
        )
