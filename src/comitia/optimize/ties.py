"""Choices that rounding must not make: each processor has its own order of sums."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "first_lowest",
    "is_lower",
    "lowest_run",
    "merged_ties",
    "without_last_bits",
]

Run = TypeVar("Run")

# Costs that differ by less than this share are equal. Sums of a million terms differ
# by about 1e-13 between processors, runs that end in the same place by the square of
# their tolerance.
SAME = 1e-9


def first_lowest(costs: NDArray[np.float64]) -> NDArray[np.intp]:
    """Where each row is lowest; the first place of those that are equal.

    Parameters
    ----------
    costs : ndarray of shape (..., n)
        The rows, along the last axis.

    Returns
    -------
    places : ndarray of shape (...)
        A place in each row.
    """
    lowest = costs.min(axis=-1, keepdims=True)
    within = costs <= lowest + SAME * np.abs(lowest)
    return np.asarray(within.argmax(axis=-1))


def is_lower(one: Any, other: Any) -> Any:
    """Whether a cost is lower than another by more than rounding.

    Parameters
    ----------
    one, other : float or ndarray
        The costs; arrays are compared one by one.

    Returns
    -------
    lower : bool or ndarray of bool
        Whether ``one`` is lower.
    """
    return one + SAME * abs(one) < other


def merged_ties(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values in which those that differ by rounding alone are equal.

    Unlike :func:`without_last_bits` no two neighbours fall on different sides of a
    border: sorted values become one where the next is nearer than a share of the
    largest.

    Parameters
    ----------
    values : ndarray of shape (n,)
        The values; no NaN.

    Returns
    -------
    merged : ndarray of shape (n,)
        Each value, or the lowest of those that equal it.
    """
    finite = np.abs(values[np.isfinite(values)])
    order = np.argsort(values, kind="stable")
    ascending = values[order]
    apart = ascending[1:] > ascending[:-1] + SAME * finite.max(initial=0.0)
    starts = np.flatnonzero(np.r_[True, apart])[: len(values)]
    merged = np.empty_like(values)
    merged[order] = np.repeat(ascending[starts], np.diff(np.r_[starts, len(values)]))
    return merged


def without_last_bits(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values with 30 bits, which are equal where they were so but for rounding.

    Parameters
    ----------
    values : ndarray
        The values.

    Returns
    -------
    rounded : ndarray
        The values without their last bits.
    """
    mantissa, exponent = np.frexp(values)
    return np.asarray(np.ldexp(np.rint(mantissa * 2.0**30) / 2.0**30, exponent))


def lowest_run(runs: Iterable[Run], cost: Callable[[Run], float]) -> Run:
    """The run that costs least; the first of those that are equal.

    Starts that end in the same place differ by rounding, and number their clusters
    in different orders. Runs are taken one by one, so that only two are kept.

    Parameters
    ----------
    runs : iterable
        The runs.

    cost : callable
        What a run costs.

    Returns
    -------
    run : object
        One of the runs.
    """
    runs = iter(runs)
    best = next(runs)
    for run in runs:
        if is_lower(cost(run), cost(best)):
            best = run
    return best
