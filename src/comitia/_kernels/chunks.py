"""Row ranges on several threads, without a threading layer to start."""

from collections.abc import Callable, Iterator

__all__ = ["over_ranges", "over_tasks", "steps", "thread_count"]

# A range should be worth the hand-over to a thread.
_MIN_ROWS = 1 << 16

# Rows of one step. What is made for them fits the caches, and memory of that size is
# used again: arrays of many megabytes are fetched from the system each time.
_STEP = 1 << 15


def thread_count() -> int:
    """How many threads kernels may use: numba's setting.

    Returns
    -------
    n_threads : int
        ``NUMBA_NUM_THREADS``, or what :func:`numba.set_num_threads` says.
    """
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

    Parameters
    ----------
    work : callable
        Handles the rows from start to stop - 1. What it writes for one range must
        not depend on the other ranges, so that their number does not matter.

    n_rows : int
        Number of rows.

    cost : float, default=1.0
        How much work a row is, where a row of labels is 1.
    """
    n_ranges = min(n_rows, int(n_rows * cost / _MIN_ROWS))
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
    that is free.

    Parameters
    ----------
    work : callable
        Does the tasks from lo to hi - 1. A task writes what no other task writes, so
        that the ranges cannot change the result.

    n_tasks : int
        Number of tasks; each is worth the hand-over to a thread.
    """
    n_threads = min(thread_count(), n_tasks)
    if n_threads <= 1:
        work(0, n_tasks)
        return
    from concurrent.futures import ThreadPoolExecutor

    n_ranges = min(8 * n_threads, n_tasks)
    ends = [n_tasks * t // n_ranges for t in range(n_ranges + 1)]
    with ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(work, ends[:-1], ends[1:]))


def steps(start: int, stop: int) -> Iterator[slice]:
    """Cut a range of rows into steps.

    Parameters
    ----------
    start, stop : int
        The first row, and the one behind the last.

    Yields
    ------
    rows : slice
        The rows of one step.
    """
    for lo in range(start, stop, _STEP):
        yield slice(lo, min(lo + _STEP, stop))
