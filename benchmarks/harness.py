"""How a benchmark is measured.

A topic is a module ``benchmarks/bench_<topic>.py`` with one function
``run(scale) -> list[Row]``; ``scale`` is "full" for the sizes of the targets or
"smoke" for tiny ones that only show that the benchmark runs. Each topic runs in a
process of its own whose thread pools are pinned to one thread (:data:`ONE_THREAD`).

CPU time is what counts, because it is what a busy machine disturbs least:
:func:`cpu` takes the best of several runs after a warm-up. Two things need a fresh
process and are measured on a *case*, a function at module level that builds its input
and returns what is to be measured::

    def linkage_case(n, n_clusterings):
        ensemble = voronoi_ensemble(n, n_clusterings)
        return lambda: ensemble_linkage(ensemble)


    wall2_s = two_thread_wall(linkage_case, 10_000, 20)
    peak = peak_mb(linkage_case, 10_000, 20, warm_up=(200, 5))
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

__all__ = [
    "ONE_THREAD",
    "TWO_THREADS",
    "Row",
    "cpu",
    "peak_mb",
    "run_topic",
    "topics",
    "two_thread_wall",
]

ROOT = Path(__file__).resolve().parent.parent


def _threads(n: int) -> dict[str, str]:
    pools = ("NUMBA", "OMP", "OPENBLAS", "MKL", "BLIS", "VECLIB", "POLARS")
    return {f"{pool}_NUM_THREADS": str(n) for pool in pools} | {
        "VECLIB_MAXIMUM_THREADS": str(n),
        "POLARS_MAX_THREADS": str(n),
    }


ONE_THREAD = _threads(1)
TWO_THREADS = _threads(2)

# Set in the process of a smoke run, which does everything there.
SMOKE = "COMITIA_SMOKE_RUN"


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Parameters
    ----------
    kernel : str
        What is measured.

    size : str
        On what, such as ``"n=1e5 M=100 k=10-100"``.

    ours_s : float
        Our CPU time in seconds, one thread.

    peer : str
        Whom it is compared with; empty for none.

    peer_s : float or None
        The CPU time of the peer in seconds, one thread.

    target : float, str or None
        What must be reached. A number is the least ratio. A text is one or more
        bounds, such as ``">= 200 x"`` (ratio), ``"<= 1.5 s"`` (ours_s) or
        ``"<= 0.5 GB, >= 35 x"`` (peak memory and ratio).

    ratio : float, default=None
        Peer over ours; made of the two times when it is not given.

    wall2_s : float, default=None
        Our wall time on two threads.

    peak_mb : float, default=None
        Our peak memory above that of the process after its imports, in 1e6 bytes.

    note : str, default=""
        What a reader has to know: fewer repeats, an extrapolation, a mean NMI.

    passed : bool, default=None
        The verdict where the target is not a bound on a number of this row.
    """

    kernel: str
    size: str
    ours_s: float | None
    peer: str = ""
    peer_s: float | None = None
    target: float | str | None = None
    ratio: float | None = None
    wall2_s: float | None = None
    peak_mb: float | None = None
    note: str = ""
    passed: bool | None = None

    def __post_init__(self) -> None:
        if self.ratio is None and self.peer_s is not None and self.ours_s:
            object.__setattr__(self, "ratio", self.peer_s / self.ours_s)

    @property
    def target_text(self) -> str:
        """The target as it is printed."""
        if self.target is None:
            return ""
        if isinstance(self.target, str):
            return self.target
        return f">= {self.target:g} x"

    @property
    def verdict(self) -> bool | None:
        """Whether every bound of the target holds; None without a target."""
        if self.passed is not None:
            return self.passed
        if self.target is None:
            return None
        return all(self._holds(*bound) for bound in _bounds(self.target_text))

    def _holds(self, sign: str, bound: float, unit: str) -> bool:
        got, scale = {
            "x": (self.ratio, 1.0),
            "s": (self.ours_s, 1.0),
            "ms": (self.ours_s, 1e-3),
            "mb": (self.peak_mb, 1.0),
            "gb": (self.peak_mb, 1000.0),
        }[unit]
        if got is None:
            return False
        return got >= bound * scale if sign == ">=" else got <= bound * scale


def _bounds(target: str) -> list[tuple[str, float, str]]:
    """Split "<= 0.5 GB, >= 35 x" into (sign, number, unit)."""
    found = re.findall(r"(>=|<=|≥|≤)\s*([\d.e+]+)\s*(x|×|ms|s|MB|GB)?\b", target)
    # "×" is no word character, so \b does not close it; it is also the default unit.
    if not found:
        raise ValueError(
            f'target={target!r} has no bound in it; write it like ">= 6 x" or "<= 2 s".'
        )
    plain = {"≥": ">=", "≤": "<=", "×": "x", "": "x"}
    return [
        (plain.get(sign, sign), float(number), plain.get(unit, unit).lower())
        for sign, number, unit in found
    ]


def cpu(func: Callable[[], Any], repeats: int = 5, *, warm_up: bool = True) -> float:
    """CPU seconds of one call: the best of several, after one that is not counted.

    Parameters
    ----------
    func : callable
        Called without arguments.

    repeats : int, default=5
        Number of counted calls. Give fewer for slow peers, and say so in the row.

    warm_up : bool, default=True
        Call once before; only a peer that takes minutes does without.

    Returns
    -------
    seconds : float
        The least ``time.process_time`` of one call.
    """
    if warm_up:
        func()
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        func()
        best = min(best, time.process_time() - start)
    # The clock has a resolution; a ratio must not divide by zero.
    return max(best, 1e-7)


def two_thread_wall(
    case: Callable[..., Any] | str, *args: Any, repeats: int = 3
) -> float:
    """Wall seconds of a case on two threads, in a fresh process.

    Parameters
    ----------
    case : callable or str
        A function at module level that returns what is measured, or its address
        ``"module:function"``. A case that returns nothing callable is itself measured.

    *args : int, float, str or None
        What the case is called with.

    repeats : int, default=3
        The best of so many, after a warm-up.

    Returns
    -------
    seconds : float
        The best wall time.
    """
    return float(_measure("wall", case, args, TWO_THREADS, repeats=repeats))


def peak_mb(
    case: Callable[..., Any] | str,
    *args: Any,
    warm_up: Sequence[Any] | None = None,
) -> float:
    """Peak memory of a case in a fresh process, above that after its imports.

    Parameters
    ----------
    case : callable or str
        As for :func:`two_thread_wall`. Its input is counted.

    *args : int, float, str or None
        What the case is called with.

    warm_up : sequence, default=None
        Arguments of a small call made before, which imports modules and compiles
        kernels. Without it, these are counted.

    Returns
    -------
    peak : float
        In 1e6 bytes.
    """
    return float(
        _measure(
            "peak",
            case,
            args,
            ONE_THREAD,
            warm_up=None if warm_up is None else list(warm_up),
        )
    )


def _measure(
    what: str,
    case: Callable[..., Any] | str,
    args: Sequence[Any],
    threads: dict[str, str],
    **options: Any,
) -> Any:
    if not isinstance(case, str):
        case = f"{case.__module__}:{case.__qualname__}"
    task = {"what": what, "case": case, "args": list(args), **options}
    if SMOKE in os.environ:  # the figures say nothing there
        return _answer(task)
    return _in_process(task, threads)


def _in_process(task: dict[str, Any], threads: dict[str, str]) -> Any:
    """Do a task in a fresh interpreter; the last line it prints is the answer."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.harness", json.dumps(task)],
        cwd=ROOT,
        env={**os.environ, **threads},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{task} ended with code {done.returncode}; see above.")
    return json.loads(done.stdout.strip().splitlines()[-1])


def topics() -> list[str]:
    """Names of the topics: every ``bench_<topic>.py`` of this folder.

    Returns
    -------
    topics : list of str
        Sorted.
    """
    files = Path(__file__).parent.glob("bench_*.py")
    return sorted(file.stem.removeprefix("bench_") for file in files)


def run_topic(topic: str, scale: str) -> list[Row]:
    """Run one topic in a process of its own, on one thread.

    Parameters
    ----------
    topic : str
        One of :func:`topics`.

    scale : {"full", "smoke"}
        Whether to run the sizes of the targets or tiny ones.

    Returns
    -------
    rows : list of Row
        What it measured.
    """
    settings = ONE_THREAD | ({SMOKE: "1"} if scale == "smoke" else {})
    rows = _in_process({"what": "topic", "topic": topic, "scale": scale}, settings)
    return [Row(**row) for row in rows]


def _build(case: str, args: Sequence[Any]) -> Callable[[], Any]:
    module, _, function = case.partition(":")
    made = getattr(importlib.import_module(module), function)
    built = made(*args)
    return built if callable(built) else lambda: made(*args)


def _wall(case: str, args: Sequence[Any], repeats: int) -> float:
    func = _build(case, args)
    func()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        func()
        times.append(time.perf_counter() - start)
    return min(times)


def _peak(case: str, args: Sequence[Any], warm_up: Sequence[Any] | None) -> float:
    module, _, function = case.partition(":")
    made = getattr(importlib.import_module(module), function)

    def once(arguments: Sequence[Any]) -> None:
        built = made(*arguments)
        if callable(built):
            built()

    if warm_up is not None:
        once(warm_up)
    before = _restart_high_water()
    once(args)
    return max(_high_water() - before, 0) / 1e6


def _restart_high_water() -> int:
    """Forget the peak so far; the memory in use now is the base line."""
    # Not on every system: there, the peak of the imports stays in.
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return _high_water()


def _high_water() -> int:
    # ru_maxrss of a child begins at the peak of its parent on Linux; VmHWM does not.
    try:
        status = Path("/proc/self/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024  # type: ignore[index]
    except (OSError, TypeError):
        import resource

        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _answer(task: dict[str, Any]) -> Any:
    what = task.pop("what")
    if what == "topic":
        module = importlib.import_module(f"benchmarks.bench_{task['topic']}")
        return [asdict(row) for row in module.run(task["scale"])]
    return (_wall if what == "wall" else _peak)(**task)


def _main(task: dict[str, Any]) -> None:
    answer = json.dumps(_answer(task), default=float)
    sys.stdout.flush()
    print(f"\n{answer}")


if __name__ == "__main__":
    _main(json.loads(sys.argv[1]))
