"""Rows of labels: what k-means runs on when it partitions an ensemble.

A row of the indicator matrix is read from the labels and never stored. What is summed
over rows is integers, so that the sums do not depend on blocks, threads or workers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from comitia._kernels.sums import fixed_scale, over_ranges, steps
from comitia.engine.lloyd_rows import (
    DRAWN,
    FLOATS,
    Counted,
    Pass,
    Rows,
    Units,
    n_changed,
    worst_of,
)
from comitia.engine.merged_rows import Micro, MicroRows
from comitia.engine.row_blocks import Blocks, add

if TYPE_CHECKING:
    from comitia.ensemble import Ensemble

__all__ = ["LabelRows", "join_rows", "label_rows", "with_units"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# Writes the nearest centre of some of the rows, and its score.
Finder = Callable[[slice, NDArray[np.int32], Floats], None]


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
    return with_units(rows, micro.n_counted)


def with_units(rows: Blocks, n_counted: int) -> Blocks:
    """Give rows the units in which their sums fit.

    Parameters
    ----------
    rows : Blocks of Rows
        Those of labels get new units; others are summed as floats.

    n_counted : int
        How many objects they stand for.

    Returns
    -------
    rows : Blocks of Rows
        The rows.
    """
    largest = np.max(list(rows.map(_largest).gather()), axis=0)
    units = Units(*(fixed_scale(float(value), n_counted) for value in largest))
    return rows.map(_with_units, units=units)


def _scale_of(micro: Micro) -> Floats | None:
    return micro.scale


def _rows_of(
    micro: Micro, squares: Floats, scale: Floats | None, *, by_clustering: bool = False
) -> Rows:
    return micro.ensemble.engine.lloyd_rows(micro, scale, squares, by_clustering)


def _largest(rows: Rows) -> Floats:
    return rows.largest()


def _with_units(rows: Rows, *, units: Units) -> Rows:
    return rows.with_units(units)


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
        units: Units = FLOATS,
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
        return self.micro.weights

    def largest(self) -> Floats:
        """Largest weight of an object; and times its scale, its squared length."""
        if self.micro.n_rows == 0:
            return np.zeros(3)
        each = 1.0 if self.each is None else self.each
        return np.array(
            [np.max(each), np.max(each * self.scale), np.max(each * self.squares)]
        )

    def with_units(self, units: Units) -> LabelRows:
        """The same rows, summed in these units."""
        return type(self)(
            self.micro,
            self.scale,
            self.squares,
            units,
            by_clustering=self.by_clustering,
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

    def _integers(
        self, values: Floats | float, unit: float, rows: slice = slice(None)
    ) -> Integers:
        """Weight of each row times a value: of one object, rounded, times their count.

        Rounded before they are counted, so that merging makes no difference.
        """
        if self.each is not None:
            values = values * self.each[rows]
        integers = np.rint(np.asarray(values) * unit).astype(np.int64)
        if self.micro.counts is not None:
            integers = integers * self.micro.counts[rows]
        n_rows = len(range(*rows.indices(self.micro.n_rows)))
        return np.ascontiguousarray(np.broadcast_to(integers, (n_rows,)))

    def nearest(
        self, table: Floats, penalty: Floats, absent: Floats | None
    ) -> tuple[NDArray[np.int32], Floats]:
        find = self._finder(table, penalty, absent)
        labels = np.empty(self.micro.n_rows, dtype=np.int32)
        best = np.empty(self.micro.n_rows)

        def work(start: int, stop: int) -> None:
            rows = slice(start, stop)
            find(rows, labels[rows], best[rows])

        over_ranges(work, len(labels))
        return labels, best

    def _finder(self, table: Floats, penalty: Floats, absent: Floats | None) -> Finder:
        """What finds the nearest centre of some of the rows, and its score."""
        from comitia._kernels.label_rows import nearest_rows

        padded, starts = self._padded(table), self._starts
        each, codes = self.ensemble.n_clusters_each, self.ensemble.row_codes
        if absent is None or not self.by_clustering:
            absent = np.empty((0, table.shape[1]))

        def find(rows: slice, labels: NDArray[np.int32], best: Floats) -> None:
            nearest_rows(
                codes[rows],
                starts,
                each,
                padded,
                self.scale[rows],
                penalty,
                absent,
                labels,
                best,
            )

        return find

    def assign(
        self,
        table: Floats,
        penalty: Floats,
        absent: Floats | None,
        before: Pass | None,
    ) -> Pass:
        labels = np.empty(self.micro.n_rows, dtype=np.int32)
        find = self._finder(table, penalty, absent)
        return Pass(labels, self._tallied(labels, before, len(penalty), find))

    def _tallied(
        self,
        labels: NDArray[np.int32],
        before: Pass | None,
        n_clusters: int,
        find: Finder | None,
    ) -> Counted:
        """Count the clusters, after finding the label of each row where asked to.

        Step by step: nothing is made that is as long as the rows.
        """
        parts: list[Counted] = []

        def work(start: int, stop: int) -> None:
            tally = _Tally(self, n_clusters)
            for rows in steps(start, stop):
                here = labels[rows]
                if find is not None:
                    find(rows, here, np.empty(len(here)))
                old = None if before is None else before.labels[rows]
                tally.add(rows, here, old)
            parts.append(tally.counted())

        over_ranges(work, len(labels))
        # Integers: the order in which the ranges finish does not matter.
        return add(*parts)

    def scores(self, table: Floats) -> Floats:
        from comitia._kernels.label_rows import score_rows

        codes = self.ensemble.row_codes
        out = np.empty((len(codes), table.shape[1]))
        score_rows(codes, self._starts, self._padded(table), self.scale, out)
        return out

    def count(
        self, labels: NDArray[np.int32], before: Pass | None, n_clusters: int
    ) -> Counted:
        return self._tallied(labels, before, n_clusters, None)

    def total(self) -> int:
        unit = self.units.square
        return sum(
            int(self._integers(self.squares[rows], unit, rows).sum())
            for rows in steps(0, self.micro.n_rows)
        )

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

    @property
    def n_objects(self) -> int:
        inverse = self.micro.inverse
        return self.micro.n_rows if inverse is None else len(inverse)

    def weigh_objects(self) -> int:
        return self.n_objects if self.each is None else int(self._drawn().sum())

    @property
    def _draw_unit(self) -> float:
        return self.units.weight / 2.0**62 * DRAWN

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

    def worst(self, costs: Floats) -> tuple[float, Floats, Floats]:
        return worst_of(self, costs)

    def take(self, which: Integers) -> LabelRows:
        return self._rows_at(which, None)

    def take_counted(self, which: Integers) -> LabelRows:
        if self.micro.inverse is None:
            return self.take(which)
        return self._rows_at(*np.unique(which, return_counts=True))

    def _rows_at(self, which: Integers, counts: Integers | None) -> LabelRows:
        small = self.ensemble
        codes = np.ascontiguousarray(small.codes[:, which])
        return LabelRows(
            Micro.of(small.with_codes(codes, compiled=True), counts),
            self.scale[which],
            self.squares[which],
            by_clustering=self.by_clustering,
        )

    def here(self) -> LabelRows:
        return self


class _Tally:
    """Integer sums over label rows, step by step."""

    def __init__(self, rows: LabelRows, n_clusters: int) -> None:
        self.rows = rows
        self.real = rows._real
        self.sums = np.zeros((n_clusters, len(self.real)), dtype=np.int64)
        shape = self.sums.shape if rows.by_clustering else (n_clusters,)
        self.mass = np.zeros(shape, dtype=np.int64)
        self.sizes = np.zeros(n_clusters, dtype=np.int64)
        self.n_changed = 0

    def add(
        self,
        some: slice,
        labels: NDArray[np.int32],
        before: NDArray[np.int32] | None,
    ) -> None:
        """Add some of the rows."""
        from comitia._kernels.label_rows import sum_labels, sum_rows

        rows = self.rows
        codes, starts = rows.ensemble.row_codes[some], rows._starts
        scaled = rows._integers(rows.scale[some], rows.units.row, some)
        sum_rows(codes, starts, labels, scaled, self.sums)
        weights = rows._integers(1.0, rows.units.weight, some)
        if rows.by_clustering:
            sum_rows(codes, starts, labels, weights, self.mass)
        else:
            sum_labels(labels, weights, self.mass)
        self.sizes += np.bincount(labels, minlength=len(self.sizes))
        self.n_changed += n_changed(labels, before)

    def counted(self) -> Counted:
        """What was added up."""
        mass = self.mass
        if self.rows.by_clustering:
            begins = self.rows.ensemble.offsets[:-1]
            mass = np.add.reduceat(mass[:, self.real], begins, axis=1)
        # The order in memory matters for what is summed along rows later.
        sums = np.ascontiguousarray(self.sums[:, self.real])
        return Counted(sums, mass, self.sizes, self.n_changed)


def join_rows(parts: list[Rows]) -> Rows:
    """Rows that were taken from several blocks, as one, in memory.

    Parameters
    ----------
    parts : list of Rows
        In the order of the blocks, with the same units; of labels where there are
        several.

    Returns
    -------
    rows : Rows
        All of them.
    """
    if len(parts) == 1:
        return parts[0].here()
    here: list[Any] = [part.here() for part in parts]
    first: LabelRows = here[0]
    codes = np.concatenate([part.ensemble.codes for part in here], axis=1)
    return LabelRows(
        Micro.of(first.ensemble.with_codes(codes, compiled=True)),
        np.concatenate([part.scale for part in here]),
        np.concatenate([part.squares for part in here]),
        first.units,
        by_clustering=any(part.by_clustering for part in here),
    )
