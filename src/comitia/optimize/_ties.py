"""Choices that rounding must not make: each processor has its own order of sums."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Run = TypeVar("Run")

# Costs that differ by less than this share are equal. Sums of a million terms differ
# by about 1e-13 between processors, runs that end in the same place by the square of
# their tolerance.
SAME = 1e-9


def first_lowest(costs: NDArray[np.float64]) -> NDArray[np.intp]:
    """Where each row is lowest; the first place of those that are equal."""
    lowest = costs.min(axis=-1, keepdims=True)
    within = costs <= lowest + SAME * np.abs(lowest)
    return np.asarray(within.argmax(axis=-1))


def is_lower(one: Any, other: Any) -> Any:
    """Whether a cost is lower than another by more than rounding; arrays one by one."""
    return one + SAME * abs(one) < other


def without_last_bits(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values with 30 bits, which are equal where they were so but for rounding."""
    mantissa, exponent = np.frexp(values)
    return np.asarray(np.ldexp(np.rint(mantissa * 2.0**30) / 2.0**30, exponent))


def lowest_run(runs: Iterable[Run], cost: Callable[[Run], float]) -> Run:
    """The run that costs least; the first of those that are equal.

    Starts that end in the same place differ by rounding, and number their clusters
    in different orders. Runs are taken one by one, so that only two are kept.
    """
    runs = iter(runs)
    best = next(runs)
    for run in runs:
        if is_lower(cost(run), cost(best)):
            best = run
    return best
