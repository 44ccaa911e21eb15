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
from comitia._kernels.sums import padded
from comitia.engine.compiled import LabelRows
from comitia.engine.protocol import DRAWN, NOTHING, Centers, Counted, Engine, Pass
from comitia.engine.row_blocks import Micro, Units

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from comitia._kernels.contingency import Tables

__all__ = ["DeviceEngine", "DeviceRows"]

Tensor = Any
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


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
        if max(8 * self.block.n_objects, limits.DEVICE_CELLS) < K**2:
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

    def row_sums(self, values: Floats) -> Tensor:
        """Sum of the values of the clusters of each object, B v."""
        from comitia._kernels.device import row_totals

        weights = padded(values, self.block.offsets)
        return row_totals(self.codes, self.starts, weights)

    def unit_scales(
        self, table: Floats, degrees: Tensor, floor: float
    ) -> tuple[Tensor, Tensor]:
        """What makes the rows of B times a table unit vectors, and the new squares."""
        from comitia._kernels.device import row_norms

        rows_of = padded(table, self.block.offsets)
        lengths = row_norms(self.codes, self.starts, rows_of)
        least = floor * degrees
        scale = (1.0 / (lengths + least)).where(lengths > least, lengths.new_zeros(()))
        return scale, (scale * lengths) ** 2

    def best_column(self, table: Floats, offset: Floats) -> tuple[Tensor, Tensor]:
        """First of the largest entries in each row of B times a table, and that."""
        from comitia._kernels.device import nearest_rows

        scores, each = padded(table, self.block.offsets), self.block.n_clusters_each
        return nearest_rows(self.codes, self.starts, each, scores, None, -offset, None)

    def mean_rows(self, table: Floats, weights: Floats) -> Any:
        """Weighted mean of the table rows of the clusters of each object."""
        from comitia._kernels.device import mean_rows

        tables = (padded(values, self.block.offsets) for values in (table, weights))
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
        few = limits.MANY_ROWS, limits.DEVICE_GLANCE_ROWS
        found = distinct_rows(self.codes, block.n_clusters_each, *few)
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
        self, micro: Micro, squares: Any, scale: Any, *, by_clustering: bool = False
    ) -> DeviceRows:
        """Rows of B, each times its scale, for Lloyd's algorithm."""
        return DeviceRows(micro, scale, squares, by_clustering=by_clustering)

    def put(self, rows: Any) -> Tensor:
        """An array with a row for each object, where the labels are."""
        return to_tensor(rows, self.block.device)


# -- what k-means runs on --------------------------------------------------------------


class DeviceRows(LabelRows):
    """Rows of B, read from labels on a device.

    As :class:`LabelRows`, with tensors in place of arrays. Rows are not merged, and a
    scale of None is one.
    """

    @property
    def _codes(self) -> Tensor:
        return self.ensemble.storage.codes

    @property
    def _factor(self) -> Any:
        return 1.0 if self.scale is None else self.scale

    def _integers(self, values: Any, unit: float, rows: slice = slice(None)) -> Any:
        """Weight of each row times a value, or one integer that all of them have."""
        if self.each is not None:
            values = values * self.each
        if isinstance(values, float):
            return int(np.rint(values * unit))
        return (values * unit).round_().long()

    def largest(self) -> Floats:
        if self.n_rows == 0:
            return np.zeros(3)
        each = 1.0 if self.each is None else self.each
        values = (each, each * self._factor, each * self.squares)
        return np.array([v if isinstance(v, float) else float(v.max()) for v in values])

    def nearest(self, centers: Centers) -> tuple[Tensor, Tensor]:
        from comitia._kernels.device import nearest_rows

        return nearest_rows(
            self._codes,
            self.starts,
            self.ensemble.n_clusters_each,
            padded(centers.table, self.ensemble.offsets),
            self.scale,
            centers.penalty,
            centers.absent if self.by_clustering else None,
        )

    def scores(self, table: Floats) -> Tensor:
        from comitia._kernels.device import score_rows

        tables = padded(table, self.ensemble.offsets)
        return score_rows(self._codes, self.starts, tables, self.scale)

    def assign(
        self,
        before: Pass | None,
        *,
        centers: Centers,
        labels: Tensor | None = None,
    ) -> Pass:
        if labels is None:
            labels = self.nearest(centers)[0]
        k, n = len(centers.penalty), len(labels)
        if before is None:
            return Pass(labels, self._counted(labels, k, n))
        # Sums are integers: what has moved is taken from one cluster, and added.
        old, known = before
        moved = (labels != old).nonzero()[:, 0]
        if 2 * len(moved) > n:
            return Pass(labels, self._counted(labels, k, len(moved)))
        each = None if self.each is None else self.each[moved]
        some = self._some(moved, each, self.units)
        to = some._counted(labels[moved], k, len(moved))
        away = some._counted(old[moved], k, len(moved))
        counted = Counted(
            known.sums + to.sums - away.sums,
            known.mass + to.mass - away.mass,
            known.sizes + to.sizes - away.sizes,
            len(moved),
        )
        return Pass(labels, counted)

    def _counted(self, labels: Tensor, n_clusters: int, n_changed: int) -> Counted:
        from comitia._kernels.device import sum_labels

        sums = self._histogram(
            labels, n_clusters, self._integers(self._factor, self.units.row)
        )
        sizes = to_numpy(labels.bincount(minlength=n_clusters))
        weights = self._integers(1.0, self.units.weight)
        if self.by_clustering:
            counts = self._histogram(labels, n_clusters, weights)
            mass = np.add.reduceat(counts, self.ensemble.offsets[:-1], axis=1)
        elif isinstance(weights, int):
            mass = weights * sizes
        else:
            mass = sum_labels(labels, weights, n_clusters)
        return Counted(sums, mass, sizes, n_changed)

    def _histogram(self, labels: Tensor, n_clusters: int, integers: Any) -> Integers:
        from comitia._kernels.device import count_with, sum_rows

        codes, each = self._codes, self.ensemble.n_clusters_each
        if isinstance(integers, int):
            return integers * count_with(labels, n_clusters, codes, each)
        return sum_rows(codes, each, labels, integers, n_clusters)

    def total(self) -> int:
        return int(self._integers(self.squares, self.units.square).sum())

    def _some(
        self, which: Tensor, each: Tensor | None, units: Units | None
    ) -> DeviceRows:
        """Some of the rows, as they are."""
        some = self.ensemble.with_codes(self._codes[:, which])
        return DeviceRows(
            Micro(some, None, None, each, None),
            None if self.scale is None else self.scale[which],
            self.squares[which],
            units,
            by_clustering=self.by_clustering,
        )

    def worst(self, costs: Tensor) -> tuple[float, Floats, Floats]:
        costs = costs.where(costs > NOTHING * self.squares, costs.new_zeros(()))
        which = int(costs.argmax())
        row = self.take(np.array([which])).here()
        first = np.zeros(1, dtype=np.int64)
        return float(costs[which]), row.dense(first), row.present(first)

    def dense(self, which: Integers) -> Floats:
        return self.take(which).here().dense(np.arange(len(which)))

    def present(self, which: Integers) -> Floats:
        return self.take(which).here().present(np.arange(len(which)))

    def _drawn(self) -> Tensor:
        return (self.each * (self.units.weight / 2.0**62 * DRAWN)).round_().long()

    def draw(self, at: Integers) -> Integers:
        if self.each is None:
            return at
        import torch

        ends, asked = self._drawn().cumsum(0), to_tensor(at, self.ensemble.device)
        return to_numpy(torch.searchsorted(ends, asked, right=True))

    def take(self, which: Integers, *, counted: bool = False) -> DeviceRows:
        return self._some(to_tensor(which, self.ensemble.device), None, None)

    def here(self) -> LabelRows:
        """The rows in memory; they have no weights of their own."""
        scale = np.ones(self.n_rows) if self.scale is None else self.scale
        return LabelRows(
            Micro(self.ensemble.with_codes(to_numpy(self._codes), compiled=True)),
            to_numpy(scale),
            to_numpy(self.squares),
            self.units,
            by_clustering=self.by_clustering,
        )
