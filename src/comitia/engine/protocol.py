"""What an engine answers: sums over the objects of one row block.

Tables, sums of rows, votes and distinct rows are methods of :class:`Engine`; nearest
rows and what else k-means asks for are methods of :class:`KMeansRows`. Each has a
sparse, a compiled and a device implementation, in the modules of these names.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from comitia._arrays import to_numpy
from comitia._kernels.sums import fixed_point, padded, place_of_first
from comitia._lazy import cached_property
from comitia.engine.row_blocks import Micro, Units, merge_in_memory

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scipy.sparse import csr_array

    from comitia._kernels.contingency import Tables
    from comitia.ensemble import Ensemble

__all__ = [
    "DRAWN",
    "NOTHING",
    "Ballots",
    "Centers",
    "Counted",
    "Engine",
    "HostEngine",
    "KMeansRows",
    "Pass",
    "worst_of",
]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# Three thirds and two halves differ in the last few bits of their sum; votes that
# differ in this many bits at the most are a tie.
_GUARD_BITS = 16

# Squared distances below this share of the squared length are rounding errors.
NOTHING = 1e-13

# Weights are drawn from as integers whose sum is below this.
DRAWN = 2.0**52


class Ballots(NamedTuple):
    """Who votes for what, as the kernels read it.

    Clustering m has ``k_m + 1`` places, the last for objects that it leaves out.
    """

    choice: NDArray[np.uint64]  # the label of each place; n_labels for no vote
    fixed: Integers  # the weight of each place in fixed point
    scale: float  # what sums of fixed-point weights are divided by


@dataclass(eq=False, repr=False)
class Engine(ABC):
    """Sums over the objects of one row block.

    The block is an ensemble. Weighted sums that several blocks add up to are integers,
    so that neither blocks nor threads nor workers can change a result.
    """

    # Whether tables are counted one by one; otherwise all are one sparse product.
    counts_tables: ClassVar[bool] = True

    block: Ensemble

    @cached_property
    def starts(self) -> Integers:
        """First place of each clustering in padded tables."""
        return place_of_first(self.block.offsets)

    # -- tables: what clusters share -------------------------------------------------

    @abstractmethod
    def sizes(self) -> NDArray[Any]:
        """Size of each cluster; the summed memberships of a fuzzy one."""

    @abstractmethod
    def contingency(self) -> csr_array:
        """How many objects each two clusters share, B'B."""

    @abstractmethod
    def dense_contingency(self) -> Integers:
        """The same as a full matrix of integers, for hard clusterings."""

    @abstractmethod
    def count_tables(self) -> Iterator[Tables]:
        """The table of every two different clusterings, some at a time."""

    @abstractmethod
    def weighted_tables(
        self,
        values: Any,
        counts: Integers | None,
        scale: float,
        finer: float | None = None,
    ) -> Any:
        """B' diag(a) B times ``scale``, with weights ``values * counts`` of the rows.

        With ``finer``, what rounding to ``scale`` took from the values, times that.
        An array of integers, or a sparse matrix of floats.
        """

    @abstractmethod
    def overlaps(self, labels: Any, n_labels: int) -> NDArray[Any]:
        """Objects that each cluster shares with each label, (K, n_labels)."""

    def overlaps_with(self, m: int) -> NDArray[Any]:
        """The same for the labels of one clustering."""
        return self.overlaps(self.labels(m), int(self.block.n_clusters_each[m]))

    # -- rows: what the clusters of an object say ------------------------------------

    @abstractmethod
    def n_votes(self) -> Integers:
        """In how many clusterings each object is."""

    @abstractmethod
    def labels(self, m: int) -> Any:
        """Labels of one clustering, int32, -1 where there is none."""

    @abstractmethod
    def row_sums(self, values: Floats) -> Any:
        """Sum of the values of the clusters of each object, B v."""

    @abstractmethod
    def unit_scales(self, table: Floats, degrees: Any, floor: float) -> tuple[Any, Any]:
        """What makes the rows of B times a table unit vectors, and their new squares.

        Rows shorter than ``floor`` times their degree are rounding errors: zero.
        """

    @abstractmethod
    def best_column(
        self, table: Floats, offset: Floats
    ) -> tuple[NDArray[np.int32], Floats]:
        """First of the largest entries in each row of B times a table, and that entry.

        The offset, one number for each column, is added to every row.
        """

    @abstractmethod
    def mean_rows(self, table: Floats, weights: Floats) -> Any:
        """Weighted mean of the table rows of the clusters of each object.

        Objects whose clusters all weigh nothing get zeros.
        """

    @abstractmethod
    def vote_table(
        self, targets: Integers, n_labels: int, weights: Floats
    ) -> NDArray[np.float64]:
        """Weight of the clusters of each object by what they vote for."""

    @abstractmethod
    def winners(
        self, targets: Integers, n_labels: int, weights: Floats
    ) -> NDArray[np.int32]:
        """The label with most votes of each object, the lowest of equals, or -1."""

    # -- what k-means runs on --------------------------------------------------------

    @abstractmethod
    def merged(self, each: Any, scale: Any) -> Micro:
        """The different rows, where merging equal ones saves work.

        ``each`` is the weight of an object and ``scale`` a factor of its row; rows in
        which these differ are not equal.
        """

    @abstractmethod
    def lloyd_rows(
        self, micro: Micro, squares: Any, scale: Any, *, by_clustering: bool = False
    ) -> KMeansRows:
        """Rows of B, each times its scale, for Lloyd's algorithm.

        With ``by_clustering``, missing labels stay out of means and distances.
        """

    @abstractmethod
    def put(self, rows: Any) -> Any:
        """An array with a row for each object, where the labels are."""

    # -- votes in fixed point --------------------------------------------------------

    def ballots(
        self, targets: Integers, n_labels: int, weights: Floats, free_bits: int = 0
    ) -> Ballots:
        """What each cluster votes for, and its weight in fixed point.

        The lowest ``free_bits`` of the weights stay zero.
        """
        silent = targets < 0
        fixed, scale = fixed_point(
            np.where(silent, 0.0, weights), self.block.n_clusterings << free_bits
        )
        choice = padded(
            np.where(silent, n_labels, targets), self.block.offsets, n_labels
        )
        return Ballots(
            choice.astype(np.uint64),
            padded(fixed << free_bits, self.block.offsets),
            scale * (1 << free_bits),
        )

    def plurality_counts(
        self, targets: Integers, n_labels: int, weights: Floats
    ) -> tuple[Integers, Integers, int, int]:
        """Ballots for counts that are one integer each.

        Bits of a count, from the lowest: the label as ``n_labels - r``, the guard, the
        votes. Returned are the ballot of each place, the count of each label before
        the first vote, the mask without the guard, and where the votes begin.
        """
        label_bits = int(n_labels).bit_length()
        drop = label_bits + _GUARD_BITS
        choice, fixed, _ = self.ballots(targets, n_labels, weights, label_bits)
        blank = (1 << (drop - 1)) + n_labels - np.arange(n_labels + 1)
        keep = ~((1 << drop) - (1 << label_bits))
        return fixed | choice.astype(np.int64), blank, keep, drop


class HostEngine(Engine):
    """Sums over labels that are NumPy arrays, in memory or mapped into it."""

    def n_votes(self) -> Integers:
        """In how many clusterings each object is."""
        block = self.block
        if block.kind == "hard":
            # One number that is read n times: nothing of that size is made.
            return np.broadcast_to(np.int64(block.n_clusterings), (block.n_objects,))
        none = block.n_clusters_each[:, None].astype(block.codes.dtype)
        return (block.codes != none).sum(axis=0)

    def labels(self, m: int) -> NDArray[np.int32]:
        """Labels of one clustering, int32, -1 where there is none."""
        labels = self.block.codes[m].astype(np.int32)
        labels[labels == int(self.block.n_clusters_each[m])] = -1
        return labels

    merged = merge_in_memory

    def put(self, rows: Any) -> NDArray[Any]:
        """An array with a row for each object, where the labels are."""
        return to_numpy(rows)


# -- what k-means runs on --------------------------------------------------------------


class Centers(NamedTuple):
    """Centres as a score table, and what the clusters they belong to cost.

    The distance of a row to a centre falls with ``row @ table - penalty``.
    """

    table: Floats  # (p, k)
    penalty: Floats  # (k,)
    absent: Floats | None  # (M, k): what each clustering brings to the penalty
    objective: float


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


class KMeansRows(Protocol):
    """Weighted rows of labels, of a sparse matrix, or points.

    None of them stores more than it was given.
    """

    @property
    def weights(self) -> Floats:
        """Weight of each row."""

    @property
    def squares(self) -> Floats:
        """Squared length of each row."""

    @property
    def units(self) -> Units:
        """What one is in the sums."""

    @property
    def n_objects(self) -> int:
        """Number of objects that the rows stand for."""

    def nearest(self, centers: Centers) -> tuple[NDArray[np.int32], Floats]:
        """The centre with the largest score for each row, and that score."""

    def scores(self, table: Floats) -> Floats:
        """All scores, without a penalty."""

    def assign(
        self,
        before: Pass | None,
        *,
        centers: Centers,
        labels: NDArray[np.int32] | None = None,
    ) -> Pass:
        """The nearest centres, and what they say of the clusters: one pass.

        With ``labels``, these instead. Changes are counted against ``before``.
        """

    def total(self) -> Any:
        """Weighted sum of the squared lengths, times ``units.square``."""

    def dense(self, which: Integers) -> Floats:
        """Some of the rows, in full."""

    def present(self, which: Integers) -> Floats:
        """The mass that each of some rows would have alone, with weight one."""

    def worst(self, costs: Any) -> tuple[float, Floats, Floats]:
        """The largest of the costs, its row in full and the mass of that.

        The cost is zero where all are rounding errors.
        """

    def weigh_objects(self) -> int:
        """Weight of all objects together, in the integers that are drawn from."""

    def draw(self, at: Integers) -> Integers:
        """The rows of the objects that reach these cumulated weights."""

    def take(self, which: Integers, *, counted: bool = False) -> KMeansRows:
        """Some of the rows where they are, each with weight one; units are not set.

        With ``counted``, rows that stand for many objects and are taken several times
        are one.
        """

    def here(self) -> KMeansRows:
        """The rows in memory."""

    def largest(self) -> Floats:
        """Largest weight of an object; and times its scale, its squared length."""

    def with_units(self, units: Units) -> KMeansRows:
        """The same rows, summed in these units; or as they are, if as floats."""


def worst_of(rows: KMeansRows, costs: Floats) -> tuple[float, Floats, Floats]:
    """The row in memory that costs most, as ``KMeansRows.worst``."""
    costs = np.where(costs > NOTHING * rows.squares, costs, 0.0)
    which = np.array([costs.argmax()])
    return float(costs[which[0]]), rows.dense(which), rows.present(which)
