"""Sums over many labels, in compiled kernels."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from comitia._kernels.sums import over_ranges, steps, thread_count
from comitia._labels import narrowest
from comitia.config import memory_budget, require_memory
from comitia.engine.host import HostEngine
from comitia.engine.label_rows import LabelRows
from comitia.engine.merged_rows import Micro
from comitia.engine.sparse import sparse_contingency

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from comitia._kernels.contingency import Tables

__all__ = ["CompiledEngine"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# Fewer objects than this are not worth a second thread.
_MANY = 1 << 16


class CompiledEngine(HostEngine):
    """Sums by kernels that read the labels of hard clusterings."""

    def sizes(self) -> Integers:
        """Size of each cluster."""
        from comitia._kernels.contingency import cluster_sizes

        return cluster_sizes(self.block.codes, self.block.n_clusters_each)

    def contingency(self) -> csr_array:
        """How many objects each two clusters share, B'B."""
        from scipy.sparse import csr_array

        block = self.block
        K = int(block.offsets[-1])
        # Tables are scattered into a full matrix first, which must have room and not
        # be mostly zeros.
        if not tables_fit(block) or memory_budget() < 4 * K * K:
            return sparse_contingency(block.membership)
        from comitia._kernels.contingency import contingency_csr

        parts = contingency_csr(
            block.codes, block.n_clusters_each, block.offsets, block.sizes
        )
        return csr_array(parts, shape=(K, K))

    def dense_contingency(self) -> Integers:
        """The same as a full matrix of integers."""
        from comitia._kernels.contingency import contingency_dense

        block = self.block
        return contingency_dense(
            block.codes, block.n_clusters_each, block.offsets, block.sizes
        ).astype(np.int64)

    def count_tables(self) -> Iterator[Tables]:
        """The table of every two different clusterings, some at a time."""
        from comitia._kernels.contingency import all_tables

        return all_tables(self.block.codes, self.block.n_clusters_each)

    def weighted_tables(
        self,
        values: Floats,
        counts: Integers | None,
        scale: float,
        finer: float | None = None,
    ) -> Integers:
        """B' diag(a) B times ``scale``, rounded object by object."""
        integers = np.empty(len(values), dtype=np.int64)
        for rows in steps(0, len(values)):
            rounded = np.rint(values[rows] * scale)
            if finer is not None:
                rounded = np.rint((values[rows] - rounded / scale) * finer)
            integers[rows] = rounded
        if counts is not None:
            integers *= counts
        return self._integer_tables(integers)

    def _integer_tables(self, integers: Integers) -> Integers:
        from comitia._kernels.contingency import weighted_contingency

        block = self.block
        K = int(block.offsets[-1])
        require_memory(
            8 * K * K,
            f"the table of the weight that each two of {K} clusters share",
            "give fewer clusters",
        )
        out = np.zeros((K, K), dtype=np.int64)
        n_threads = thread_count() if block.n_objects > _MANY else 1
        given = block.codes, block.n_clusters_each, block.offsets, integers

        def work(first: int) -> None:
            weighted_contingency(*given, first, n_threads, out)

        if n_threads == 1:
            work(0)
        else:
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(n_threads) as pool:
                list(pool.map(work, range(n_threads)))
        return out

    def overlaps(self, labels: NDArray[np.int32], n_labels: int) -> Integers:
        """Objects that each cluster shares with each label, (K, n_labels)."""
        kind = np.promote_types(narrowest(n_labels), self.block.codes.dtype)
        coded = np.empty(len(labels), kind)
        for rows in steps(0, len(labels)):
            # Read as unsigned, -1 is the largest of all, and becomes n_labels.
            coded[rows] = np.minimum(labels[rows].view(np.uint32), np.uint32(n_labels))
        return self._tables_against(coded, n_labels)

    def overlaps_with(self, m: int) -> Integers:
        """The same for the labels of one clustering."""
        return self._tables_against(
            self.block.codes[m], int(self.block.n_clusters_each[m])
        )

    def _tables_against(self, coded: NDArray[Any], k: int) -> Integers:
        """The tables of all clusterings with one, in which k is no label."""
        from comitia._kernels.contingency import tables_against

        block = self.block
        # One type for labels and clusterings, so that the kernel is compiled once.
        codes = block.codes.astype(coded.dtype, copy=False)
        each, places = block.n_clusters_each, block.offsets
        shared = np.empty((int(places[-1]), k), dtype=np.int64)
        for tables in tables_against(coded, k, codes, each):
            for m, counts in zip(
                tables.second, np.split(tables.counts, tables.begin[1:-1]), strict=True
            ):
                shared[places[m] : places[m + 1]] = counts.reshape(k, each[m]).T
        return shared

    def row_sums(self, values: Floats) -> Floats:
        """Sum of the values of the clusters of each object, B v."""
        from comitia._kernels.label_rows import row_totals

        out = np.empty(self.block.n_objects)
        # A missing label reads the zero behind the values of its clustering.
        row_totals(self.block.codes, self.starts, self.padded(values), out)
        return out

    def _row_norms(self, table: Floats) -> Floats:
        from comitia._kernels.label_rows import row_norms

        codes, starts, padded = self.block.row_codes, self.starts, self.padded(table)
        out = np.empty(len(codes))

        def work(start: int, stop: int) -> None:
            row_norms(codes[start:stop], starts, padded, out[start:stop])

        over_ranges(work, len(codes))
        return out

    def best_column(self, table: Floats) -> NDArray[np.int32]:
        """First of the largest entries in each row of B times a table."""
        everyone = Micro.of(self.block)
        rows = self.lloyd_rows(everyone, None, np.empty(0), by_clustering=False)
        return rows.nearest(table, np.zeros(table.shape[1]), None)[0]

    def mean_rows(self, table: Floats, weights: Floats) -> Floats:
        """Weighted mean of the table rows of the clusters of each object."""
        from comitia._kernels.label_rows import mean_rows

        means = np.empty((self.block.n_objects, table.shape[1]))
        given = self._places, self.padded(table), self.padded(weights), means
        over_ranges(partial(mean_rows, self.block.codes, *given), len(means))
        return means

    def vote_table(
        self, targets: Integers, n_labels: int, weights: Floats
    ) -> NDArray[np.float64]:
        """Weight of the clusters of each object by what they vote for."""
        from comitia._kernels.label_rows import vote_table

        votes = np.empty((self.block.n_objects, n_labels))
        given = self._places, *self.ballots(targets, n_labels, weights), votes
        over_ranges(partial(vote_table, self.block.codes, *given), len(votes))
        return votes

    def winners(
        self, targets: Integers, n_labels: int, weights: Floats
    ) -> NDArray[np.int32]:
        """The label with most votes of each object, the lowest of equals, or -1."""
        from comitia._kernels.label_rows import plurality

        labels = np.empty(self.block.n_objects, dtype=np.int32)
        counts = self.plurality_counts(targets, n_labels, weights)
        given = self.block.codes, self._places, *counts, labels
        over_ranges(partial(plurality, *given), len(labels))
        return labels

    @property
    def _places(self) -> NDArray[np.uint64]:
        # Unsigned: numba then has no negative indices to wrap around.
        return self.starts.astype(np.uint64)

    def lloyd_rows(
        self, micro: Micro, scale: Floats | None, squares: Floats, by_clustering: bool
    ) -> LabelRows:
        """Rows of B, each times its scale, for Lloyd's algorithm."""
        scale = np.ones(micro.n_rows) if scale is None else scale
        return LabelRows(micro, scale, squares, by_clustering=by_clustering)


def tables_fit(ensemble: Any) -> bool:
    """Whether full tables of clusters are worth it, and are not mostly zeros.

    Parameters
    ----------
    ensemble : Ensemble
        A hard one.

    Returns
    -------
    fit : bool
        False where clusters are nearly as many as objects; a sparse product is better
        there.
    """
    largest = np.sort(ensemble.n_clusters_each)[-2:]
    cells = int(largest[0]) * int(largest[-1])
    return cells <= max(8 * ensemble.n_objects, 2**16)
