"""What k-means runs on: rows of labels, rows of a sparse matrix, or points.

The kinds of rows answer the same questions: which centre is nearest, what are the
scores of a few centres, what are the sums of each cluster, what are these rows in full.
None of them stores more than it was given. Rows of labels are in ``label_rows``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from comitia._kernels.sums import fixed_scale, over_ranges
from comitia.engine.row_blocks import Blocks, LocalBlocks

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = [
    "DRAWN",
    "FLOATS",
    "NOTHING",
    "Counted",
    "FloatRows",
    "Pass",
    "PointRows",
    "Rows",
    "SparseRows",
    "Units",
    "assigned",
    "n_changed",
    "one_block",
    "worst_of",
]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# Squared distances below this share of the squared length are rounding errors.
NOTHING = 1e-13

# Weights are drawn from as integers whose sum is below this.
DRAWN = 2.0**52


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


FLOATS = Units(1.0, 1.0, 1.0)


@dataclass(frozen=True)
class Counted:
    """What one pass over some rows says of the clusters."""

    sums: Any  # (k, p), in units
    mass: Any  # (k,) or (k, M), in units
    sizes: Integers  # rows of each cluster
    n_changed: int

    def __add__(self, other: Counted) -> Counted:
        return Counted(
            self.sums + other.sums,
            self.mass + other.mass,
            self.sizes + other.sizes,
            self.n_changed + other.n_changed,
        )


class Pass(NamedTuple):
    """One pass over the rows of a block."""

    labels: NDArray[np.int32]
    counted: Counted


def n_changed(labels: NDArray[np.int32], before: NDArray[np.int32] | None) -> int:
    """How many labels are not as before.

    Parameters
    ----------
    labels : ndarray of shape (n,)
        The labels.

    before : ndarray of shape (n,), or None
        Those before; None if there were none.

    Returns
    -------
    n_changed : int
        All of them if there were none.
    """
    return len(labels) if before is None else int(np.count_nonzero(labels != before))


class Rows(Protocol):
    """Weighted rows; a centre is a table column, scored by row @ table - penalty."""

    @property
    def weights(self) -> Floats:
        """Weight of each row."""

    @property
    def squares(self) -> Floats:
        """Squared length of each row."""

    @property
    def units(self) -> Units:
        """What one is in the sums."""

    def nearest(
        self, table: Floats, penalty: Floats, absent: Floats | None
    ) -> tuple[NDArray[np.int32], Floats]:
        """The centre with the largest score for each row, and that score."""

    def scores(self, table: Floats) -> Floats:
        """All scores, without a penalty."""

    def count(
        self,
        labels: NDArray[np.int32],
        before: Pass | None,
        n_clusters: int,
    ) -> Counted:
        """What these labels say of the clusters, and how many are not as before."""

    def total(self) -> Any:
        """Weighted sum of the squared lengths, times ``units.square``."""

    def assign(
        self,
        table: Floats,
        penalty: Floats,
        absent: Floats | None,
        before: Pass | None,
    ) -> Pass:
        """The nearest centres, and what they say of the clusters: one pass."""

    def dense(self, which: Integers) -> Floats:
        """Some of the rows, in full."""

    def present(self, which: Integers) -> Floats:
        """The mass that each of some rows would have alone, with weight one."""

    def worst(self, costs: Any) -> tuple[float, Floats, Floats]:
        """The largest of the costs, its row in full and the mass of that.

        The cost is zero where all are rounding errors.
        """

    @property
    def n_objects(self) -> int:
        """Number of objects that the rows stand for."""

    def weigh_objects(self) -> int:
        """Weight of all objects together, in the integers that are drawn from."""

    def draw(self, at: Integers) -> Integers:
        """The rows of the objects that reach these cumulated weights."""

    def take(self, which: Integers) -> Rows:
        """Some of the rows where they are, each with weight one; units are not set."""

    def take_counted(self, which: Integers) -> Rows:
        """As :meth:`take`; where rows stand for many objects, equal ones are one."""

    def here(self) -> Rows:
        """The rows in memory."""

    def largest(self) -> Floats:
        """Largest weight of an object; and times its scale, its squared length."""

    def with_units(self, units: Units) -> Rows:
        """The same rows, summed in these units; or as they are, if as floats."""


def worst_of(rows: Rows, costs: Floats) -> tuple[float, Floats, Floats]:
    """The row in memory that costs most.

    Parameters
    ----------
    rows : Rows
        The rows.

    costs : ndarray of shape (n_rows,)
        What each costs.

    Returns
    -------
    cost, row, mass : float, ndarray of shape (1, p), ndarray
        Its cost, zero if all are rounding errors; the row in full, and its mass.
    """
    costs = np.where(costs > NOTHING * rows.squares, costs, 0.0)
    which = np.array([costs.argmax()])
    return float(costs[which[0]]), rows.dense(which), rows.present(which)


def assigned(
    rows: Rows,
    table: Floats,
    penalty: Floats,
    absent: Floats | None,
    before: Pass | None,
) -> Pass:
    """A pass in two steps: all nearest centres, then what they say of the clusters.

    Parameters
    ----------
    rows : Rows
        The rows.

    table, penalty, absent, before : ndarray, ndarray, ndarray or None, Pass or None
        As for :meth:`Rows.assign`.

    Returns
    -------
    passed : Pass
        The pass.
    """
    labels, _ = rows.nearest(table, penalty, absent)
    return Pass(labels, rows.count(labels, before, len(penalty)))


class FloatRows(ABC):
    """What rows that are summed as floats have in common."""

    units = FLOATS
    weights: Floats
    squares: Floats

    @abstractmethod
    def sums(self, labels: NDArray[np.int32], n_clusters: int) -> Floats:
        """Weighted sum of the rows of each cluster."""

    def mass(self, labels: NDArray[np.int32], n_clusters: int) -> Floats:
        """Weight of each cluster, (k,) or by clustering (k, M)."""
        weights = np.bincount(labels, self.weights, minlength=n_clusters)
        return weights.astype(np.float64, copy=False)

    def count(
        self, labels: NDArray[np.int32], before: Pass | None, n_clusters: int
    ) -> Counted:
        return Counted(
            self.sums(labels, n_clusters),
            self.mass(labels, n_clusters),
            np.bincount(labels, minlength=n_clusters),
            n_changed(labels, None if before is None else before.labels),
        )

    def total(self) -> float:
        return float(self.squares @ self.weights)

    def assign(
        self: Rows,
        table: Floats,
        penalty: Floats,
        absent: Floats | None,
        before: Pass | None,
    ) -> Pass:
        return assigned(self, table, penalty, absent, before)

    def worst(self: Rows, costs: Floats) -> tuple[float, Floats, Floats]:
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

    def take_counted(self: Rows, which: Integers) -> Rows:
        return self.take(which)

    def here(self: Rows) -> Rows:
        return self

    def largest(self) -> Floats:
        return np.ones(3)

    def with_units(self: Rows, units: Units) -> Rows:
        return self


class SparseRows(FloatRows):
    """Rows of a sparse matrix: fuzzy and overlapping memberships, and few labels.

    Parameters
    ----------
    B : csr_array of shape (n_rows, p)
        The rows.

    weights, squares : ndarray of shape (n_rows,)
        Weight and squared length of each row.

    missing : ndarray of bool of shape (n_rows, M), default=None
        Where an object has no label, when that stays out of means and distances.
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

    def take(self, which: Integers) -> SparseRows:
        missing = None if self.missing is None else self.missing[which]
        return SparseRows(
            self.B[which], np.ones(len(which)), self.squares[which], missing
        )


class PointRows(FloatRows):
    """Points of a data matrix.

    Parameters
    ----------
    X : ndarray of shape (n_points, p)
        The points.

    weights, squares : ndarray of shape (n_points,)
        Weight and squared length of each.
    """

    def __init__(self, X: Floats, weights: Floats, squares: Floats) -> None:
        self.X = X
        self.weights = weights
        self.squares = squares

    def nearest(
        self, table: Floats, penalty: Floats, absent: Floats | None
    ) -> tuple[NDArray[np.int32], Floats]:
        from comitia._kernels.label_rows import nearest_points

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
        from comitia._kernels.label_rows import sum_points

        sums = np.zeros((n_clusters, self.X.shape[1]))
        # One range: sums of floats would depend on how many there are.
        sum_points(self.X, labels, self.weights, sums)
        return sums

    def dense(self, which: Integers) -> Floats:
        return self.X[which]

    def present(self, which: Integers) -> Floats:
        return np.ones(len(which))

    def take(self, which: Integers) -> PointRows:
        return PointRows(self.X[which], np.ones(len(which)), self.squares[which])


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
