"""Sums over many labels, in compiled kernels."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from comitia._kernels.sums import (
    ROWS_PER_THREAD,
    over_ranges,
    over_tasks,
    padded,
    place_of_first,
    steps,
)
from comitia._labels import narrowest
from comitia.config import memory_budget, require_memory
from comitia.engine.protocol import DRAWN, Centers, Counted, HostEngine, Pass, worst_of
from comitia.engine.row_blocks import Micro, Units, add
from comitia.engine.sparse import sparse_contingency
from comitia.engine.tables import tables_fit

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from comitia._kernels.contingency import Tables

__all__ = ["CompiledEngine", "LabelRows", "join_rows"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


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
        from comitia._kernels.contingency import weighted_contingency

        integers = np.empty(len(values), dtype=np.int64)
        for rows in steps(0, len(values)):
            rounded = np.rint(values[rows] * scale)
            if finer is not None:
                rounded = np.rint((values[rows] - rounded / scale) * finer)
            integers[rows] = rounded
        if counts is not None:
            integers *= counts
        block, K = self.block, int(self.block.offsets[-1])
        require_memory(
            8 * K * K,
            f"the table of the weight that each two of {K} clusters share",
            "give fewer clusters",
        )
        out = np.zeros((K, K), dtype=np.int64)
        given = block.codes, block.n_clusters_each, block.offsets, integers, out
        work = partial(weighted_contingency, *given)
        if block.n_objects > ROWS_PER_THREAD:
            over_tasks(work, block.n_clusterings)
        else:
            work(0, block.n_clusterings)
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
        weights = padded(values, self.block.offsets)
        row_totals(self.block.codes, self.starts, weights, out)
        return out

    def unit_scales(
        self, table: Floats, degrees: Floats, floor: float
    ) -> tuple[Floats, Floats]:
        """What makes the rows of B times a table unit vectors, and the new squares."""
        from comitia._kernels.label_rows import unit_scales

        codes, rows_of = self.block.row_codes, padded(table, self.block.offsets)
        scale, squares = np.empty(len(codes)), np.empty(len(codes))

        def work(start: int, stop: int) -> None:
            rows = slice(start, stop)
            given = self.starts, rows_of, degrees[rows], floor
            unit_scales(codes[rows], *given, scale[rows], squares[rows])

        over_ranges(work, len(codes))
        return scale, squares

    def best_column(
        self, table: Floats, offset: Floats
    ) -> tuple[NDArray[np.int32], Floats]:
        """First of the largest entries in each row of B times a table, and that."""
        rows = LabelRows(Micro(self.block), np.ones(self.block.n_objects), np.empty(0))
        return rows.nearest(Centers(table, -offset, None, 0.0))

    def mean_rows(self, table: Floats, weights: Floats) -> Floats:
        """Weighted mean of the table rows of the clusters of each object."""
        from comitia._kernels.label_rows import mean_rows

        means = np.empty((self.block.n_objects, table.shape[1]))
        tables = (padded(values, self.block.offsets) for values in (table, weights))
        given = self._places, *tables, means
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
        self,
        micro: Micro,
        squares: Floats,
        scale: Floats | None,
        *,
        by_clustering: bool = False,
    ) -> LabelRows:
        """Rows of B, each times its scale, for Lloyd's algorithm."""
        scale = np.ones(micro.ensemble.n_objects) if scale is None else scale
        return LabelRows(micro, scale, squares, by_clustering=by_clustering)


# -- what k-means runs on --------------------------------------------------------------


class LabelRows:
    """Rows of B, read from the labels; what is summed over them is integers.

    ``scale`` and ``squares`` are factor and squared length of each row, ``units`` what
    one is in integers. With ``by_clustering`` missing labels stay out of means and
    distances.
    """

    def __init__(
        self,
        micro: Micro,
        scale: Floats,
        squares: Floats,
        units: Units | None = None,
        *,
        by_clustering: bool = False,
    ) -> None:
        self.micro = micro
        self.ensemble = micro.ensemble
        self.each: Any = micro.each
        self.scale = scale
        self.squares = squares
        self.units = units or Units()
        self.by_clustering = by_clustering and micro.ensemble.kind == "partial"
        self.n_rows = micro.ensemble.n_objects
        self.n_objects = self.n_rows if micro.inverse is None else len(micro.inverse)
        self.starts = place_of_first(micro.ensemble.offsets)

    @property
    def weights(self) -> Floats:
        """Weight of each row: of all its objects together."""
        return self.micro.weights

    @property
    def _real(self) -> NDArray[np.bool_]:
        """Which rows of a padded table are clusters."""
        ends = self.starts + self.ensemble.n_clusters_each
        real = np.ones(int(ends[-1]) + 1, dtype=bool)
        real[ends] = False
        return real

    def largest(self) -> Floats:
        if self.n_rows == 0:
            return np.zeros(3)
        each = 1.0 if self.each is None else self.each
        return np.array(
            [np.max(each), np.max(each * self.scale), np.max(each * self.squares)]
        )

    def with_units(self, units: Units) -> LabelRows:
        return type(self)(
            self.micro,
            self.scale,
            self.squares,
            units,
            by_clustering=self.by_clustering,
        )

    def _integers(self, values: Floats | float, unit: float, rows: slice) -> Integers:
        """Weight of each row times a value: of one object, rounded, times their count.

        Rounded before they are counted, so that merging makes no difference.
        """
        if self.each is not None:
            values = values * self.each[rows]
        integers = np.rint(np.asarray(values) * unit).astype(np.int64)
        if self.micro.counts is not None:
            integers = integers * self.micro.counts[rows]
        n_rows = len(range(*rows.indices(self.n_rows)))
        return np.ascontiguousarray(np.broadcast_to(integers, (n_rows,)))

    def _scoring(self, centers: Centers) -> tuple[NDArray[Any], ...]:
        """What says how near each row is: labels, places, tables."""
        ensemble, absent = self.ensemble, centers.absent
        if absent is None or not self.by_clustering:
            absent = np.empty((0, len(centers.penalty)))
        table = padded(centers.table, ensemble.offsets)
        return ensemble.row_codes, ensemble.n_clusters_each, table, absent

    def nearest(self, centers: Centers) -> tuple[NDArray[np.int32], Floats]:
        from comitia._kernels.label_rows import nearest_rows

        codes, each, table, absent = self._scoring(centers)
        labels, best = np.empty(self.n_rows, dtype=np.int32), np.empty(self.n_rows)

        def work(start: int, stop: int) -> None:
            rows = slice(start, stop)
            given = self.starts, each, table, self.scale[rows], centers.penalty, absent
            nearest_rows(codes[rows], *given, labels[rows], best[rows])

        over_ranges(work, self.n_rows)
        return labels, best

    def assign(
        self,
        before: Pass | None,
        *,
        centers: Centers,
        labels: NDArray[np.int32] | None = None,
    ) -> Pass:
        # Step by step: nothing but the labels is made that is as long as the rows.
        from comitia._kernels.label_rows import nearest_rows, sum_labels, sum_rows

        codes, each, table, absent = self._scoring(centers)
        real, units, k = self._real, self.units, len(centers.penalty)
        found = np.empty(self.n_rows, np.int32) if labels is None else labels
        parts: list[Counted] = []

        def work(start: int, stop: int) -> None:
            sums = np.zeros((k, len(real)), dtype=np.int64)
            mass = np.zeros(sums.shape if self.by_clustering else k, dtype=np.int64)
            sizes, n_changed = np.zeros(k, dtype=np.int64), 0
            for rows in steps(start, stop):
                here, scale, some = found[rows], self.scale[rows], codes[rows]
                if labels is None:
                    given = self.starts, each, table, scale, centers.penalty, absent
                    nearest_rows(some, *given, here, np.empty(len(here)))
                scaled = self._integers(scale, units.row, rows)
                weights = self._integers(1.0, units.weight, rows)
                sum_rows(some, self.starts, here, scaled, sums)
                if self.by_clustering:
                    sum_rows(some, self.starts, here, weights, mass)
                else:
                    sum_labels(here, weights, mass)
                sizes += np.bincount(here, minlength=k)
                if before is None:
                    n_changed += len(here)
                else:
                    n_changed += int(np.count_nonzero(here != before.labels[rows]))
            if self.by_clustering:
                mass = np.add.reduceat(
                    mass[:, real], self.ensemble.offsets[:-1], axis=1
                )
            # The order in memory matters for what is summed along rows later.
            sums = np.ascontiguousarray(sums[:, real])
            parts.append(Counted(sums, mass, sizes, n_changed))

        over_ranges(work, self.n_rows)
        # Integers: the order in which the ranges finish does not matter.
        return Pass(found, add(*parts))

    def scores(self, table: Floats) -> Floats:
        from comitia._kernels.label_rows import score_rows

        codes, tables = self.ensemble.row_codes, padded(table, self.ensemble.offsets)
        out = np.empty((len(codes), table.shape[1]))
        score_rows(codes, self.starts, tables, self.scale, out)
        return out

    def total(self) -> int:
        unit = self.units.square
        return sum(
            int(self._integers(self.squares[rows], unit, rows).sum())
            for rows in steps(0, self.n_rows)
        )

    def dense(self, which: Integers) -> Floats:
        real = self._real
        rows = np.zeros((len(which), len(real)))
        columns = self.starts + self.ensemble.codes[:, which].T
        rows[np.arange(len(which))[:, None], columns] = self.scale[which, None]
        return rows[:, real]

    def present(self, which: Integers) -> Floats:
        if not self.by_clustering:
            return np.ones(len(which))
        each = self.ensemble.n_clusters_each
        return (each != self.ensemble.codes[:, which].T).astype(np.float64)

    def weigh_objects(self) -> int:
        return self.n_objects if self.each is None else int(self._drawn().sum())

    def _drawn(self) -> Any:
        """Weight of each object as an integer; at least one for the heaviest."""
        assert self.each is not None
        unit = self.units.weight / 2.0**62 * DRAWN
        weights = np.rint(self.each * unit).astype(np.int64)
        return weights if self.micro.inverse is None else weights[self.micro.inverse]

    def draw(self, at: Integers) -> Integers:
        objects = at
        if self.each is not None:
            objects = np.searchsorted(np.cumsum(self._drawn()), at, side="right")
        return objects if self.micro.inverse is None else self.micro.inverse[objects]

    def worst(self, costs: Floats) -> tuple[float, Floats, Floats]:
        return worst_of(self, costs)

    def take(self, which: Integers, *, counted: bool = False) -> LabelRows:
        counts = None
        if counted and self.micro.inverse is not None:
            which, counts = np.unique(which, return_counts=True)
        codes = np.ascontiguousarray(self.ensemble.codes[:, which])
        return LabelRows(
            Micro(self.ensemble.with_codes(codes, compiled=True), counts),
            self.scale[which],
            self.squares[which],
            by_clustering=self.by_clustering,
        )

    def here(self) -> LabelRows:
        return self


def join_rows(parts: list[Any]) -> Any:
    """Rows that were taken from several blocks, as one, in memory.

    The blocks are in order and have the same units; several are blocks of labels.
    """
    if len(parts) == 1:
        return parts[0].here()
    here: list[LabelRows] = [part.here() for part in parts]
    codes = np.concatenate([part.ensemble.codes for part in here], axis=1)
    return LabelRows(
        Micro(here[0].ensemble.with_codes(codes, compiled=True)),
        np.concatenate([part.scale for part in here]),
        np.concatenate([part.squares for part in here]),
        here[0].units,
        by_clustering=any(part.by_clustering for part in here),
    )
