"""The memory budget, which every n x n asks first, and the precision on devices.

Examples
--------
>>> import comitia
>>> with comitia.config.limit("2 GB"):
...     comitia.config.memory_budget()
2000000000
"""

import contextlib
import math
import os
import re
import sys
from collections.abc import Iterator
from contextvars import ContextVar
from numbers import Real
from typing import Any

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

# To ask the system what is free takes longer than a step with so few bytes.
_LITTLE = 2**20

# Where nobody tells how much memory there is: that of a small machine.
_UNKNOWN = 4 * 10**9

# Where the bytes that are available stand in Windows' MEMORYSTATUSEX, in 8 bytes each.
_AVAILABLE = 2

_budget: ContextVar[int | None] = ContextVar("comitia_memory_budget", default=None)
_precision: ContextVar[str] = ContextVar("comitia_precision", default="float64")

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY_UNITS = {"k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


def memory_budget() -> int:
    """Bytes that one step may allocate.

    Returns
    -------
    budget : int
        What was set, or 60 % of the memory that is free now: of the machine, or of
        the container, ``ulimit -v`` or ``ulimit -d`` where they leave less. On macOS,
        which does not tell what is free, it is 60 % of all there is.

    Examples
    --------
    >>> from comitia import config
    >>> with config.limit("512 MiB"):
    ...     config.memory_budget()
    536870912
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

    Examples
    --------
    >>> from comitia import config
    >>> config.set_memory_budget("4 GB")
    >>> config.memory_budget()
    4000000000
    >>> config.set_memory_budget(None)
    """
    _budget.set(None if budget is None else _parse_bytes(budget))


@contextlib.contextmanager
def limit(budget: int | str | None) -> Iterator[None]:
    """Set the memory budget inside a ``with`` block.

    Parameters
    ----------
    budget : int, str or None
        As for :func:`set_memory_budget`.

    Examples
    --------
    >>> from comitia import config
    >>> with config.limit("1 kB"):
    ...     config.memory_budget()
    1000
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

    Examples
    --------
    >>> from comitia import config
    >>> with config.limit("1 MB"):
    ...     config.require_memory(8 * 1000**2, "a matrix of 1000 objects")
    Traceback (most recent call last):
    ...
    comitia.exceptions.MemoryBudgetError: a matrix of 1000 objects needs ...
    """
    if n_bytes <= _LITTLE and _budget.get() is None:
        return
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

    Examples
    --------
    >>> from comitia import config
    >>> config.precision()
    'float64'
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
        raise ComitiaError(f'precision={precision!r} is none of "float32", "float64".')
    _precision.set(precision or "float64")


def _free_memory() -> int:
    """Bytes a new allocation can get: of the machine, the container, the process."""
    free = _free_on_this_machine()
    return max(min([free, *_free_in_cgroups(), *_free_under_limits()]), 0)


def _free_on_this_machine() -> int:
    """What Linux or Windows say is free; what there is at all elsewhere."""
    free = _first_number("/proc/meminfo", r"MemAvailable:\s+(\d+) kB", unit=1024)
    if free is None and sys.platform == "win32":
        free = _free_on_windows()
    if free is None:
        try:
            free = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        except (AttributeError, OSError, ValueError):  # a system without these names
            free = _UNKNOWN
    return free


def _free_on_windows() -> int | None:
    """Bytes of physical memory that are free, None if Windows does not say."""
    import ctypes

    # MEMORYSTATUSEX: two 32-bit numbers, then seven of 64 bits.
    status = (ctypes.c_uint64 * 8)()
    length = ctypes.sizeof(status)
    ctypes.cast(status, ctypes.POINTER(ctypes.c_uint32))[0] = length
    kernel: Any = ctypes.windll.kernel32  # type: ignore[attr-defined,unused-ignore]
    if not kernel.GlobalMemoryStatusEx(ctypes.byref(status)):
        return None
    return int(status[_AVAILABLE])


def _free_in_cgroups(root: str = "/sys/fs/cgroup") -> list[int]:
    """Bytes left to the cgroup of this process and to those that it is part of."""
    left = []
    for line, top, most, used in _CGROUP_VERSIONS:
        # In a container its own cgroup is the root; on a host it stands in /proc.
        path = _first_match("/proc/self/cgroup", rf"(?m)^{line}:/(.*)$") or ""
        parts = [part for part in path.split("/") if part]
        for depth in range(len(parts) + 1):
            folder = "/".join([root + top, *parts[:depth]])
            n_most = _first_number(f"{folder}/memory.{most}", r"(\d+)")
            n_used = _first_number(f"{folder}/memory.{used}", r"(\d+)")
            if n_most is not None and n_used is not None:
                # Files read long ago count as used and go when memory is short.
                stale = _first_number(f"{folder}/memory.stat", r"inactive_file (\d+)")
                left.append(n_most - n_used + (stale or 0))
    return left


# Version 2 and 1 of the kernel's interface: how the line in /proc begins, where the
# folders are, and what the files are called.
_CGROUP_VERSIONS = (
    ("0:", "", "max", "current"),
    (r"\d+:memory", "/memory", "limit_in_bytes", "usage_in_bytes"),
)


def _free_under_limits() -> list[int]:
    """Bytes left to this process under ``ulimit -v`` and ``ulimit -d``."""
    try:
        import resource
    except ImportError:  # there is no such thing on Windows
        return []
    left = []
    for limited, used in (("RLIMIT_AS", "VmSize"), ("RLIMIT_DATA", "VmData")):
        most, _ = resource.getrlimit(getattr(resource, limited))
        if most != resource.RLIM_INFINITY:
            now = _first_number("/proc/self/status", rf"{used}:\s+(\d+) kB", unit=1024)
            left.append(most - (now or 0))
    return left


def _first_number(path: str, pattern: str, unit: int = 1) -> int | None:
    found = _first_match(path, pattern)
    return int(found) * unit if found else None


def _first_match(path: str, pattern: str) -> str | None:
    try:
        with open(path, encoding="utf-8") as file:
            found = re.search(pattern, file.read())
    except OSError:
        return None
    return found[1] if found else None


def _parse_bytes(budget: int | str) -> int:
    if isinstance(budget, str):
        size = r"\s*(\d+\.?\d*)\s*([kmgt]?)(i?)b?\s*"
        found = re.fullmatch(size, budget.lower())
        if not found or (found[3] and not found[2]):
            raise ComitiaError(
                f'budget={budget!r} is not a size; write bytes, "4 GB" or "512 MiB".'
            )
        unit = _BINARY_UNITS[found[2]] if found[3] else _UNITS[found[2]]
        budget = int(float(found[1]) * unit)
    if not isinstance(budget, Real) or not 0 < budget < math.inf:
        raise ComitiaError(f"budget={budget!r} must be positive; give a size in bytes.")
    return int(budget)


def _in_words(n_bytes: float) -> str:
    for unit in ("bytes", "kB", "MB", "GB"):
        if n_bytes < 1000:
            return f"{n_bytes:.3g} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:.3g} TB"
