"""Rows of labels that live on a device, with the answers of those in memory.

Only what is as small as the clusters, or as a sample, comes into memory: the sample
that k-means starts on, the sums of its clusters, a row that starts a cluster anew.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._arrays import to_numpy, to_tensor
from comitia._kernels import device as kernels
from comitia.engine.label_rows import LabelRows
from comitia.engine.lloyd_rows import FLOATS, NOTHING, Counted, Pass, Units, assigned
from comitia.engine.merged_rows import Micro

__all__ = ["DeviceRows"]

Tensor = Any
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class DeviceRows(LabelRows):
    """Rows of B, read from labels on a device.

    As :class:`LabelRows`, with tensors in place of arrays. Rows are not merged, and a
    scale of None is one.
    """

    @property
    def each(self) -> Any:
        """Weight of each row; None for one."""
        return self.micro.each

    @property
    def _codes(self) -> Tensor:
        return self.ensemble.storage.codes

    @property
    def _each(self) -> Integers:
        return self.ensemble.n_clusters_each

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
        """Largest weight, and largest weight times scale and squared length."""
        if self.micro.n_rows == 0:
            return np.zeros(3)
        each = 1.0 if self.each is None else self.each
        values = (each, each * self._factor, each * self.squares)
        return np.array([v if isinstance(v, float) else float(v.max()) for v in values])

    def nearest(
        self, table: Floats, penalty: Floats, absent: Floats | None
    ) -> tuple[Tensor, Tensor]:
        return kernels.nearest_rows(
            self._codes,
            self._starts,
            self._each,
            self._padded(table),
            self.scale,
            penalty,
            absent if self.by_clustering else None,
        )

    def scores(self, table: Floats) -> Tensor:
        return kernels.score_rows(
            self._codes, self._starts, self._padded(table), self.scale
        )

    def sums(self, labels: Tensor, n_clusters: int) -> Integers:
        integers = self._integers(self._factor, self.units.row)
        return self._histogram(labels, n_clusters, integers)

    def _histogram(self, labels: Tensor, n_clusters: int, integers: Any) -> Integers:
        codes, each = self._codes, self._each
        if isinstance(integers, int):
            return integers * kernels.count_with(labels, n_clusters, codes, each)
        return kernels.sum_rows(codes, each, labels, integers, n_clusters)

    def mass(self, labels: Tensor, n_clusters: int) -> Integers:
        integers = self._integers(1.0, self.units.weight)
        if self.by_clustering:
            counts = self._histogram(labels, n_clusters, integers)
            return np.add.reduceat(counts, self.ensemble.offsets[:-1], axis=1)
        if isinstance(integers, int):
            return integers * self.sizes(labels, n_clusters)
        return kernels.sum_labels(labels, integers, n_clusters)

    def sizes(self, labels: Tensor, n_clusters: int) -> Integers:
        """Rows of each cluster."""
        return to_numpy(labels.bincount(minlength=n_clusters))

    def total(self) -> int:
        return int(self._integers(self.squares, self.units.square).sum())

    def assign(
        self,
        table: Floats,
        penalty: Floats,
        absent: Floats | None,
        before: Pass | None,
    ) -> Pass:
        return assigned(self, table, penalty, absent, before)

    def count(self, labels: Tensor, before: Pass | None, n_clusters: int) -> Counted:
        """Sums are integers: what has moved is taken from one cluster, and added."""
        if before is None:
            return self._counted(labels, n_clusters, len(labels))
        old, known = before
        moved = (labels != old).nonzero()[:, 0]
        if 2 * len(moved) > len(labels):
            return self._counted(labels, n_clusters, len(moved))
        some = self._some(moved)
        to = some._counted(labels[moved], n_clusters, len(moved))
        away = some._counted(old[moved], n_clusters, len(moved))
        return Counted(
            known.sums + to.sums - away.sums,
            known.mass + to.mass - away.mass,
            known.sizes + to.sizes - away.sizes,
            len(moved),
        )

    def _counted(self, labels: Tensor, n_clusters: int, n_changed: int) -> Counted:
        return Counted(
            self.sums(labels, n_clusters),
            self.mass(labels, n_clusters),
            self.sizes(labels, n_clusters),
            n_changed,
        )

    def _some(self, which: Tensor) -> DeviceRows:
        """Some of the rows, as they are."""
        each = None if self.each is None else self.each[which]
        return self._some_of(which, each, self.units)

    def _some_of(self, which: Tensor, each: Tensor | None, units: Units) -> DeviceRows:
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
        return (self.each * self._draw_unit).round_().long()

    def draw(self, at: Integers) -> Integers:
        if self.each is None:
            return at
        import torch

        ends, asked = self._drawn().cumsum(0), to_tensor(at, self.ensemble.device)
        return to_numpy(torch.searchsorted(ends, asked, right=True))

    def take(self, which: Integers) -> DeviceRows:
        return self._some_of(to_tensor(which, self.ensemble.device), None, FLOATS)

    def take_counted(self, which: Integers) -> DeviceRows:
        return self.take(which)

    def here(self) -> LabelRows:
        """The rows in memory; they have no weights of their own."""
        scale = np.ones(self.micro.n_rows) if self.scale is None else self.scale
        return LabelRows(
            Micro.of(self.ensemble.with_codes(to_numpy(self._codes), compiled=True)),
            to_numpy(scale),
            to_numpy(self.squares),
            self.units,
            by_clustering=self.by_clustering,
        )
