"""Sums over labels that live on a device, through PyTorch.

Only what is as small as the clusters, or as a sample, comes into memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from comitia import sizes as limits
from comitia._arrays import require_device_memory, to_numpy, to_tensor
from comitia.engine.device_rows import DeviceRows
from comitia.engine.merged_rows import Micro
from comitia.engine.protocol import Engine

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from comitia._kernels.contingency import Tables

__all__ = ["DeviceEngine"]

Tensor = Any
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# Objects that are looked at first: with many different rows among them, all objects
# need not be sorted.
_GLANCE = 1 << 17

# Cells of a table of all clusters that is made although there are fewer objects.
_CELLS = 1 << 24


class DeviceEngine(Engine):
    """Sums over labels where they are; the answers are those of labels in memory."""

    @property
    def codes(self) -> Tensor:
        """The labels, (n_clusterings, n_objects)."""
        return self.block.storage.codes

    def sizes(self) -> Integers:
        """Size of each cluster."""
        each = self.block.n_clusters_each.tolist()
        return np.concatenate(
            [
                to_numpy(codes.bincount(minlength=k + 1)[:k])
                for codes, k in zip(self.codes, each, strict=True)
            ]
        )

    def contingency(self) -> csr_array:
        """How many objects each two clusters share, B'B."""
        from scipy.sparse import csr_array

        K = int(self.block.offsets[-1])
        # With very many clusters a table of all of them is mostly zeros.
        if max(8 * self.block.n_objects, _CELLS) < K**2:
            return self.block.whole.contingency()
        return csr_array(self.block.dense_contingency.astype(np.float64))

    def dense_contingency(self) -> Integers:
        """The same as a full matrix of integers."""
        from comitia._kernels.device import count_pairs

        K = int(self.block.offsets[-1])
        require_device_memory(
            K * K,
            f"the table of the objects that {K} clusters share",
            self.block.device,
        )
        return count_pairs(self.codes, self.block.n_clusters_each)

    def count_tables(self) -> Iterator[Tables]:
        """The table of every two different clusterings, some at a time."""
        from comitia._kernels.contingency import tables_of

        block = self.block
        return tables_of(block.dense_contingency, block.n_clusters_each, block.offsets)

    def weighted_tables(
        self,
        values: Tensor,
        counts: Integers | None,
        scale: float,
        finer: float | None = None,
    ) -> Integers:
        """B' diag(a) B times ``scale``, rounded object by object."""
        from comitia._kernels.device import weighted_contingency

        rounded = (values * scale).round_()
        if finer is not None:
            rounded = ((values - rounded / scale) * finer).round_()
        integers = rounded.long()
        if counts is not None:
            integers *= to_tensor(counts, self.block.device)
        return weighted_contingency(self.codes, self.block.n_clusters_each, integers)

    def overlaps(self, labels: Tensor, n_labels: int) -> Integers:
        """Objects that each cluster shares with each label, (K, n_labels)."""
        from comitia._kernels.device import count_with

        each = self.block.n_clusters_each
        return count_with(labels, n_labels, self.codes, each).T

    def overlaps_with(self, m: int) -> Integers:
        """The same for the labels of one clustering."""
        return self.overlaps(self.labels(m), int(self.block.n_clusters_each[m]))

    def n_votes(self) -> Integers:
        """In how many clusterings each object is."""
        block = self.block
        if block.kind == "hard":
            return np.broadcast_to(np.int64(block.n_clusterings), (block.n_objects,))
        votes = self.codes.new_zeros(block.n_objects).int()
        for codes, k in zip(self.codes, block.n_clusters_each, strict=True):
            votes += codes != int(k)
        return to_numpy(votes.long())

    def labels(self, m: int) -> Tensor:
        """Labels of one clustering, int32, -1 where there is none."""
        labels = self.codes[m].int()
        labels[labels == int(self.block.n_clusters_each[m])] = -1
        return labels

    def n_differing(self, m: int, labels: Tensor) -> int:
        """How many labels of one clustering are not these."""
        return int((self.labels(m) != labels).sum())

    def row_sums(self, values: Floats) -> Tensor:
        """Sum of the values of the clusters of each object, B v."""
        from comitia._kernels.device import row_totals

        return row_totals(self.codes, self.starts, self.padded(values))

    def unit_scales(
        self, table: Floats, degrees: Tensor, floor: float
    ) -> tuple[Tensor, Tensor]:
        """What makes the rows of B times a table unit vectors, and their new squares.

        Rows shorter than ``floor`` times their degree are rounding errors: zero.
        """
        from comitia._kernels.device import row_norms

        lengths = row_norms(self.codes, self.starts, self.padded(table))
        least = floor * degrees
        scale = (1.0 / (lengths + least)).where(lengths > least, lengths.new_zeros(()))
        return scale, (scale * lengths) ** 2

    def best_column(self, table: Floats) -> Any:
        """First of the largest entries in each row of B times a table."""
        from comitia._kernels.device import nearest_rows

        block, nothing = self.block, np.zeros(table.shape[1])
        starts, padded = self.starts, self.padded(table)
        return nearest_rows(
            self.codes, starts, block.n_clusters_each, padded, None, nothing, None
        )[0]

    def mean_rows(self, table: Floats, weights: Floats) -> Any:
        """Weighted mean of the table rows of the clusters of each object."""
        from comitia._kernels.device import mean_rows

        tables = self.padded(table), self.padded(weights)
        return mean_rows(self.codes, self.starts.astype(np.uint64), *tables)

    def vote_table(
        self, targets: Integers, n_labels: int, weights: Floats
    ) -> NDArray[np.float64]:
        """Weight of the clusters of each object by what they vote for."""
        return self.block.whole.engine.vote_table(targets, n_labels, weights)

    def winners(self, targets: Integers, n_labels: int, weights: Floats) -> Any:
        """The label with most votes of each object, the lowest of equals, or -1."""
        from comitia._kernels.device import plurality

        counts = self.plurality_counts(targets, n_labels, weights)
        return plurality(self.codes, self.starts.astype(np.uint64), *counts)

    def merged(self, each: Tensor | None, scale: Tensor | None) -> Micro:
        """The different rows, in memory, where they are few.

        With more than ``MANY_ROWS`` different ones they stay where they are: what is
        summed over them is the same, merged or not.
        """
        from comitia._kernels.device import distinct_rows

        block = self.block
        found = distinct_rows(
            self.codes, block.n_clusters_each, limits.MANY_ROWS, _GLANCE
        )
        if found is None:
            return Micro(block, None, None, each, scale)
        first, inverse, counts = found
        values: list[Any] = []
        for given in (each, scale):
            if given is None:
                values.append(None)
                continue
            ours = given[first]
            if not bool((ours[inverse] == given).all()):  # equal rows differ in this
                return Micro(block, None, None, each, scale)
            values.append(to_numpy(ours))
        small = block.with_codes(to_numpy(self.codes[:, first]))
        return Micro(small, to_numpy(counts), inverse, *values)

    def lloyd_rows(
        self, micro: Micro, scale: Any, squares: Any, by_clustering: bool
    ) -> DeviceRows:
        """Rows of B, each times its scale, for Lloyd's algorithm."""
        return DeviceRows(micro, scale, squares, by_clustering=by_clustering)

    def put(self, rows: Any) -> Tensor:
        """An array with a row for each object, where the labels are."""
        return to_tensor(rows, self.block.device)
