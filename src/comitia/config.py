"""The memory budget, which every n x n asks first, and the precision on devices.

Examples
--------
>>> import comitia
>>> with comitia.config.limit("2 GB"):
...     comitia.config.memory_budget()
2000000000
"""

import contextlib
import os
import re
from collections.abc import Iterator
from contextvars import ContextVar

from comitia.exceptions import ComitiaError, MemoryBudgetError

__all__ = [
    "limit",
    "memory_budget",
    "precision",
    "require_memory",
    "set_memory_budget",
    "set_precision",
]

# The share of the free memory that one step may take unless the user says otherwise.
_SHARE_OF_FREE = 0.6

_budget: ContextVar[int | None] = ContextVar("comitia_memory_budget", default=None)
_precision: ContextVar[str] = ContextVar("comitia_precision", default="float64")

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY_UNITS = {"k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


def memory_budget() -> int:
    """Bytes that one step may allocate.

    Returns
    -------
    budget : int
        What was set, or 60 % of the memory that is free now.
    """
    budget = _budget.get()
    return int(_SHARE_OF_FREE * _free_memory()) if budget is None else budget


def set_memory_budget(budget: int | str | None) -> None:
    """Set the memory budget for the rest of this thread.

    Parameters
    ----------
    budget : int, str or None
        Bytes, or a text such as ``"4 GB"`` or ``"512 MiB"``. ``None`` goes back to
        60 % of the memory that is free.
    """
    _budget.set(None if budget is None else _parse_bytes(budget))


@contextlib.contextmanager
def limit(budget: int | str | None) -> Iterator[None]:
    """Set the memory budget inside a ``with`` block.

    Parameters
    ----------
    budget : int, str or None
        As for :func:`set_memory_budget`.
    """
    token = _budget.set(None if budget is None else _parse_bytes(budget))
    try:
        yield
    finally:
        _budget.reset(token)


def require_memory(n_bytes: int, what: str, instead: str = "") -> None:
    """Refuse a step that does not fit into the budget, before it allocates.

    Parameters
    ----------
    n_bytes : int
        What the step is about to allocate.

    what : str
        The step, in words, for the message.

    instead : str, default=""
        What would work, in words.
    """
    budget = memory_budget()
    if n_bytes > budget:
        raise MemoryBudgetError(
            f"{what} needs {_in_words(n_bytes)} of memory; the budget is "
            f"{_in_words(budget)}. Raise it with comitia.config.set_memory_budget"
            + (f", or {instead}." if instead else ".")
        )


def precision() -> str:
    """Type of the numbers on a device, for ``fit(…, device=…)``.

    Returns
    -------
    precision : {"float64", "float32"}
        What was set, or ``"float64"``. NumPy computes in ``"float64"`` whatever it is.
    """
    return _precision.get()


def set_precision(precision: str | None) -> None:
    """Set the type of the numbers on a device for the rest of this thread.

    Parameters
    ----------
    precision : {"float64", "float32"} or None
        ``"float32"`` takes half of the memory and, on most graphics cards, a fraction
        of the time; results agree with those in double precision to about four digits.
        ``None`` goes back to ``"float64"``.

    Examples
    --------
    >>> import comitia
    >>> comitia.config.set_precision("float32")
    >>> comitia.config.precision()
    'float32'
    >>> comitia.config.set_precision(None)
    """
    if precision not in (None, "float32", "float64"):
        raise ComitiaError(
            f'precision={precision!r} is not known; use "float64" or "float32".'
        )
    _precision.set(precision or "float64")


def _free_memory() -> int:
    """Bytes a new allocation can get: the machine's, or the container's if less."""
    free = _first_number("/proc/meminfo", r"MemAvailable:\s+(\d+) kB", unit=1024)
    if free is None:
        free = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    most = _first_number("/sys/fs/cgroup/memory.max", r"(\d+)")
    used = _first_number("/sys/fs/cgroup/memory.current", r"(\d+)")
    if most is not None and used is not None:
        free = min(free, max(most - used, 0))
    return free


def _first_number(path: str, pattern: str, unit: int = 1) -> int | None:
    try:
        with open(path) as file:
            found = re.search(pattern, file.read())
    except OSError:
        return None
    return int(found[1]) * unit if found else None


def _parse_bytes(budget: int | str) -> int:
    if isinstance(budget, str):
        found = re.fullmatch(r"\s*([\d.]+)\s*([kmgt]?)(i?)b?\s*", budget.lower())
        if not found or (found[3] and not found[2]):
            raise ValueError(
                f'budget={budget!r} is not a size; write bytes, "4 GB" or "512 MiB".'
            )
        unit = _BINARY_UNITS[found[2]] if found[3] else _UNITS[found[2]]
        budget = int(float(found[1]) * unit)
    if budget <= 0:
        raise ValueError(f"budget={budget} must be positive; give a size in bytes.")
    return int(budget)


def _in_words(n_bytes: float) -> str:
    for unit in ("bytes", "kB", "MB", "GB"):
        if n_bytes < 1000:
            return f"{n_bytes:.3g} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:.3g} TB"
