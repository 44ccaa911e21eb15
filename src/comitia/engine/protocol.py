"""What an engine answers: sums over the objects of one row block."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comitia._kernels.sums import fixed_point

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scipy.sparse import csr_array

    from comitia._kernels.contingency import Tables
    from comitia.engine.lloyd_rows import Rows
    from comitia.engine.merged_rows import Micro
    from comitia.ensemble import Ensemble

__all__ = ["Ballots", "Engine"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# Three thirds and two halves differ in the last few bits of their sum; votes that
# differ in this many bits at the most are a tie.
_GUARD_BITS = 16


class Ballots(NamedTuple):
    """Who votes for what, as the kernels read it.

    Clustering m has ``k_m + 1`` places, the last for objects that it leaves out.
    """

    choice: NDArray[np.uint64]  # the label of each place; n_labels for no vote
    fixed: Integers  # the weight of each place in fixed point
    scale: float  # what sums of fixed-point weights are divided by


class Engine(ABC):
    """Sums over the objects of one row block.

    Weighted sums that several blocks add up to are integers, so that neither blocks
    nor threads nor workers can change a result.

    Parameters
    ----------
    block : Ensemble
        The labels, or memberships, of the objects.
    """

    # Whether tables are counted one by one; otherwise all are one sparse product.
    counts_tables: ClassVar[bool] = True

    def __init__(self, block: Ensemble) -> None:
        self.block = block

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

    @abstractmethod
    def overlaps_with(self, m: int) -> NDArray[Any]:
        """The same for the labels of one clustering."""

    # -- rows: what the clusters of an object say ------------------------------------

    @abstractmethod
    def n_votes(self) -> Integers:
        """In how many clusterings each object is."""

    @abstractmethod
    def labels(self, m: int) -> Any:
        """Labels of one clustering, int32, -1 where there is none."""

    @abstractmethod
    def n_differing(self, m: int, labels: Any) -> int:
        """How many labels of one clustering are not these."""

    @abstractmethod
    def row_sums(self, values: Floats) -> Any:
        """Sum of the values of the clusters of each object, B v."""

    @abstractmethod
    def unit_scales(self, table: Floats, degrees: Any, floor: float) -> tuple[Any, Any]:
        """What makes the rows of B times a table unit vectors, and their new squares.

        Rows shorter than ``floor`` times their degree are rounding errors: zero.
        """

    @abstractmethod
    def best_column(self, table: Floats) -> NDArray[np.int32]:
        """First of the largest entries in each row of B times a table."""

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
        self, micro: Micro, scale: Any, squares: Any, by_clustering: bool
    ) -> Rows:
        """Rows of B, each times its scale, for Lloyd's algorithm."""

    @abstractmethod
    def put(self, rows: Any) -> Any:
        """An array with a row for each object, where the labels are."""

    # -- what kernels of every kind read ---------------------------------------------

    @property
    def starts(self) -> Integers:
        """First place of each clustering in padded tables."""
        return self.block.offsets[:-1] + np.arange(self.block.n_clusterings)

    def padded(self, values: NDArray[Any], missing: float = 0) -> NDArray[Any]:
        """Values of the clusters, and behind each clustering one for no label."""
        return np.insert(values, self.block.offsets[1:], missing, axis=0)

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
        choice = self.padded(np.where(silent, n_labels, targets), n_labels)
        return Ballots(
            choice.astype(np.uint64),
            self.padded(fixed << free_bits),
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
