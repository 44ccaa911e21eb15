"""Sums as products with the sparse indicator matrix: memberships, and few labels.

Nothing here loads numba, which takes longer than the sums over few labels do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from comitia.config import require_memory
from comitia.engine.host import HostEngine
from comitia.engine.lloyd_rows import SparseRows
from comitia.engine.merged_rows import Micro

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from comitia._kernels.contingency import Tables

__all__ = ["SparseEngine", "largest_votes", "sparse_contingency"]

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

    def overlaps_with(self, m: int) -> NDArray[Any]:
        """The same for the labels of one clustering."""
        return self.overlaps(self.labels(m), int(self.block.n_clusters_each[m]))

    def row_sums(self, values: Floats) -> Floats:
        """Sum of the values of the clusters of each object, B v."""
        return np.asarray(self.B @ values)

    def _row_norms(self, table: Floats) -> Floats:
        points = self.B @ table
        return np.sqrt((points * points).sum(axis=1))

    def best_column(self, table: Floats) -> NDArray[np.int32]:
        """First of the largest entries in each row of B times a table."""
        return np.asarray(self.B @ table).argmax(axis=1).astype(np.int32)

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
        self, micro: Micro, scale: Floats | None, squares: Floats, by_clustering: bool
    ) -> SparseRows:
        """Rows of B, each times its scale, for Lloyd's algorithm."""
        from scipy.sparse import diags_array

        ensemble, missing = micro.ensemble, None
        if by_clustering and (ensemble.n_votes < ensemble.n_clusterings).any():
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
    """The product B'B, if the memory budget allows it.

    Parameters
    ----------
    B : csr_array of shape (n_objects, K)
        The indicator matrix.

    Returns
    -------
    shared : csr_array of shape (K, K)
        What each two clusters share.
    """
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
    """The label with most votes in each row of a table.

    Parameters
    ----------
    table : ndarray of shape (n_objects, n_labels)
        Votes, not negative.

    Returns
    -------
    labels : ndarray of shape (n_objects,)
        The first of those that are equal up to rounding; -1 without votes.
    """
    most = table.max(axis=1, keepdims=True, initial=0.0)
    winner: NDArray[np.int32] = (
        (table >= most * (1 - 2.0**-40)).argmax(axis=1).astype(np.int32)
    )
    winner[most.ravel() == 0] = -1
    return winner
