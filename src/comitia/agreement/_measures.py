"""The measures, as functions of a few sums over the contingency table."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comitia.exceptions import ComitiaError

__all__ = ["MEASURES", "Floats", "Measure", "PairSums", "TableSums", "divide"]

Floats = NDArray[np.float64]


class TableSums(NamedTuple):
    """What is counted in a table; arrays for many tables."""

    n: Floats  # objects that both cluster
    pairs: Floats  # pairs of these objects
    both: Floats  # pairs that are together in both clusterings
    one: Floats  # … in the first
    other: Floats  # … in the second
    h_one: Floats  # entropy of the first clustering, in nats
    h_other: Floats  # of the second
    h_both: Floats  # of the table


class PairSums(NamedTuple):
    """What the measures need to know of two clusterings; arrays for many pairs."""

    n: Floats  # the fields of TableSums
    pairs: Floats
    both: Floats
    one: Floats
    other: Floats
    h_one: Floats
    h_other: Floats
    h_both: Floats
    k_one: NDArray[np.int64]  # clusters of the first clustering
    k_other: NDArray[np.int64]  # of the second
    n_objects: int

    @property
    def information(self) -> Floats:
        """Mutual information; rounding may not make it negative."""
        return np.maximum(self.h_one + self.h_other - self.h_both, 0.0)


class Measure(NamedTuple):
    """A measure of agreement and how to read it."""

    of: Callable[[PairSums], Floats]  # the measure of PairSums
    larger_is_alike: bool  # whether clusterings that are more alike have larger values
    # lowest, highest: the range of values
    lowest: float
    highest: float


def divide(numerator: Floats, denominator: Floats, otherwise: float) -> Floats:
    """Divide, with a value where the denominator is zero."""
    safe = np.where(denominator == 0, 1.0, denominator)
    return np.where(denominator == 0, otherwise, numerator / safe)


def _normalized(sums: PairSums, by: Floats) -> Floats:
    """I / by, with phi_degenerate: 1 if both entropies are zero, 0 if one is."""
    no_one, no_other = sums.h_one == 0, sums.h_other == 0
    value = np.minimum(divide(sums.information, by, 0.0), 1.0)
    return np.where(no_one | no_other, (no_one & no_other).astype(np.float64), value)


def _nmi_sqrt(sums: PairSums) -> Floats:
    return _normalized(sums, np.sqrt(sums.h_one * sums.h_other))


def _nmi_max(sums: PairSums) -> Floats:
    return _normalized(sums, np.maximum(sums.h_one, sums.h_other))


def _nmi_min(sums: PairSums) -> Floats:
    return _normalized(sums, np.minimum(sums.h_one, sums.h_other))


def _nmi_arithmetic(sums: PairSums) -> Floats:
    return _normalized(sums, (sums.h_one + sums.h_other) / 2)


def _nmi_joint(sums: PairSums) -> Floats:
    return _normalized(sums, sums.h_both)


def _nmi_logk(sums: PairSums) -> Floats:
    differ = sums.k_one != sums.k_other
    if differ.any():
        at = int(np.argmax(differ))
        raise ComitiaError(
            "nmi_logk needs clusterings with equal numbers of clusters; got "
            f"{sums.k_one.flat[at]} and {sums.k_other.flat[at]}. nmi_sqrt does without."
        )
    return _normalized(sums, np.log(sums.k_one))


def _rand(sums: PairSums) -> Floats:
    apart = sums.pairs - sums.one - sums.other + sums.both
    return divide(sums.both + apart, sums.pairs, 1.0)


def _adjusted_rand(sums: PairSums) -> Floats:
    only_one, only_other = sums.one - sums.both, sums.other - sums.both
    apart = sums.pairs - sums.one - only_other
    value = divide(
        2.0 * (sums.both * apart - only_one * only_other),
        sums.one * (only_one + apart) + sums.other * (only_other + apart),
        1.0,
    )
    # Equal clusterings have no pair to correct for chance, even where 0 / 0 looms.
    return np.where((only_one == 0) & (only_other == 0), 1.0, value)


def _f_measure(sums: PairSums) -> Floats:
    return divide(2.0 * sums.both, sums.one + sums.other, 1.0)


def _jaccard(sums: PairSums) -> Floats:
    return divide(sums.both, sums.one + sums.other - sums.both, 1.0)


def _fowlkes_mallows(sums: PairSums) -> Floats:
    neither = (sums.one == 0) & (sums.other == 0)
    value = divide(sums.both, np.sqrt(sums.one * sums.other), 0.0)
    return np.where(neither, 1.0, np.minimum(value, 1.0))


def _mutual_information(sums: PairSums) -> Floats:
    return sums.information


def _variation_of_information(sums: PairSums) -> Floats:
    return np.maximum(2.0 * sums.h_both - (sums.h_one + sums.h_other), 0.0)


#: The measures by name.
MEASURES: dict[str, Measure] = {
    "nmi_sqrt": Measure(_nmi_sqrt, True, 0.0, 1.0),
    "nmi_max": Measure(_nmi_max, True, 0.0, 1.0),
    "nmi_min": Measure(_nmi_min, True, 0.0, 1.0),
    "nmi_arithmetic": Measure(_nmi_arithmetic, True, 0.0, 1.0),
    "nmi_joint": Measure(_nmi_joint, True, 0.0, 1.0),
    "nmi_logk": Measure(_nmi_logk, True, 0.0, 1.0),
    "mutual_information": Measure(_mutual_information, True, 0.0, np.inf),
    "rand": Measure(_rand, True, 0.0, 1.0),
    "adjusted_rand": Measure(_adjusted_rand, True, -0.5, 1.0),
    "f_measure": Measure(_f_measure, True, 0.0, 1.0),
    "jaccard": Measure(_jaccard, True, 0.0, 1.0),
    "fowlkes_mallows": Measure(_fowlkes_mallows, True, 0.0, 1.0),
    "variation_of_information": Measure(_variation_of_information, False, 0.0, np.inf),
}
