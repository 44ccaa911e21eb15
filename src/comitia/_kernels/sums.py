"""What sums over many rows share: integers, row ranges, threads. Numba is not loaded.

Weights are summed as integers, so that a sum does not depend on the order of its terms.
Ranges of rows run on plain threads, without a threading layer to start.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.exceptions import ComitiaError

__all__ = [
    "ROWS_PER_THREAD",
    "fixed_point",
    "fixed_scale",
    "over_ranges",
    "over_tasks",
    "padded",
    "place_of_first",
    "steps",
    "thread_count",
    "xlogx",
    "xlogx_scale",
]

# Fewer rows are not worth the hand-over to a thread.
ROWS_PER_THREAD = 1 << 16

# Rows of one step. What is made for them fits the caches, and memory of that size is
# used again: arrays of many megabytes are fetched from the system each time.
_STEP = 1 << 15


def fixed_point(weights: ArrayLike, n_terms: int) -> tuple[NDArray[np.int64], float]:
    r"""Write weights as int64 multiples of a power of two.

    Integer addition is associative: sums of the result are the same for every order
    of rows, blocks, threads and workers, which sums of floats are not.

    .. math::
        w \approx \mathrm{round}(w \, s) \, / \, s, \qquad
        s = 2^e, \quad n_\text{terms} \, \max |w| \, s < 2^{62}.

    The integers and the scale :math:`s` are returned; a sum of so many terms fits
    int64, and divided by the scale it is a sum of weights.

    Examples
    --------
    >>> integers, scale = fixed_point([0.5, 0.25], n_terms=4)
    >>> integers.sum() / scale
    np.float64(0.75)
    """
    weights = np.asarray(weights, dtype=np.float64)
    scale = fixed_scale(float(np.abs(weights).max(initial=0.0)), n_terms)
    return np.rint(weights * scale).astype(np.int64), scale


def fixed_scale(largest: float, n_terms: int) -> float:
    """Scale, a power of two, at which a sum of n_terms weights fits int64."""
    if not math.isfinite(largest):
        raise ComitiaError("weights must be finite; got NaN or infinity.")
    # frexp: largest < 2**a and n_terms < 2**b, also where their product overflows.
    _, a = math.frexp(largest)
    _, b = math.frexp(max(int(n_terms), 1))
    # Two to a power outside this range is no float64.
    exponent = 0 if largest == 0.0 else min(max(62 - a - b, -1022), 1023)
    return math.ldexp(1.0, exponent)


def xlogx_scale(n: int) -> float:
    """Scale at which sums of c ln c over a table, n ln n at most, fit int64."""
    return fixed_scale(n * math.log(max(n, 2)), 1)


def xlogx(counts: ArrayLike, scale: float) -> NDArray[np.int64]:
    """The values c ln c, rounded times the scale, with 0 ln 0 = 0."""
    counts = np.asarray(counts, dtype=np.float64)
    return np.rint(counts * np.log(np.maximum(counts, 1.0)) * scale).astype(np.int64)


def thread_count() -> int:
    """How many threads kernels may use: numba's setting."""
    import numba

    return int(numba.get_num_threads())


def over_ranges(
    work: Callable[[int, int], None], n_rows: int, cost: float = 1.0
) -> None:
    """Call ``work(start, stop)`` for ranges that cover all rows.

    The kernels release the GIL, so plain threads run them side by side. This starts
    in a millisecond; numba's own parallel loops take a third of a second for the
    first one in a process, and longer to compile. They also end the process when two
    threads run them at once, or a fork of a process that has run one, unless the
    threading layer happens to be one that bears it.

    What is written for one range must not depend on the others, so that their number
    does not matter. ``cost`` is how much work a row is, where a row of labels is 1.
    """
    n_ranges = min(n_rows, int(n_rows * cost / ROWS_PER_THREAD))
    if n_ranges > 1:  # numba is not asked about threads that nobody needs
        n_ranges = min(n_ranges, thread_count())
    if n_ranges <= 1:
        work(0, n_rows)
        return
    from concurrent.futures import ThreadPoolExecutor

    ends = [n_rows * t // n_ranges for t in range(n_ranges + 1)]
    with ThreadPoolExecutor(n_ranges) as pool:
        for done in [pool.submit(work, ends[t], ends[t + 1]) for t in range(n_ranges)]:
            done.result()


def over_tasks(work: Callable[[int, int], None], n_tasks: int) -> None:
    """Call ``work(lo, hi)`` for ranges of tasks that differ in cost.

    As :func:`over_ranges`, with more ranges than threads, each taken by the thread
    that is free. Each task is worth the hand-over to a thread.
    """
    import numba

    n_threads = min(int(numba.get_num_threads()), n_tasks)
    if n_threads <= 1:
        work(0, n_tasks)
        return
    from concurrent.futures import ThreadPoolExecutor

    n_ranges = min(8 * n_threads, n_tasks)
    ends = [n_tasks * t // n_ranges for t in range(n_ranges + 1)]
    with ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(work, ends[:-1], ends[1:]))


def steps(start: int, stop: int) -> Iterator[slice]:
    """Cut a range of rows into steps."""
    for lo in range(start, stop, _STEP):
        yield slice(lo, min(lo + _STEP, stop))


def place_of_first(offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each clustering begins in padded tables.

    They have one row more than clusters behind each clustering, for no label.
    """
    return offsets[:-1] + np.arange(len(offsets) - 1)


def padded(
    values: NDArray[Any], offsets: NDArray[np.int64], missing: float = 0
) -> NDArray[Any]:
    """Values of the clusters, and behind each clustering one for no label.

    The row of a cluster lies in one piece, whatever the order of the values is: kernels
    that add up rows take a quarter of the time then.
    """
    return np.insert(np.ascontiguousarray(values), offsets[1:], missing, axis=0)
