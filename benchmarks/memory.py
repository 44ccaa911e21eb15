"""Does the memory budget hold? Every method in a process that may have 2 GB.

``python -m benchmarks.memory [--methods lwea,eac] [--sizes 100,2000]``

Each method is fitted at each size in a process of its own whose address space is
limited (``RLIMIT_AS``), to 2 GB unless ``--limit`` says otherwise. The libraries alone
map about 0.7 GB of that; what is left is what the budget of :mod:`comitia.config` sees.
A method keeps its promise when it finishes, or refuses with an error of comitia before
it allocates. An allocation that fails, or a process that dies, breaks it. A fit that
takes more than ``--seconds`` of processor time is stopped, and has kept its promise so
far; ``peak_mb`` is what it had until then.

The labels are drawn at random, so that nearly all objects have rows of their own and
micro-objects save nothing. Finished rows are kept, so a run that was stopped goes on;
a fit that was stopped is done again by a run that gives it more seconds.
``memory.json`` beside ``memory.csv`` has the machine, the versions and the date.
``--critical`` fits what was refused in ``memory.csv``, at the size at which it is just
not refused: there a method has to have asked for all that it takes. The rows go into
``memory_critical.csv``.
``--smoke`` is the part that the tests run: quadratic methods at 200 000 objects, which
have to refuse, and the rest at sizes at which it has to finish.
"""

from __future__ import annotations

import argparse
import csv
import functools
import inspect
import json
import math
import multiprocessing
import os
import re
import resource
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from benchmarks.__main__ import machine

RESULTS = Path(__file__).parent / "results"
SIZES = (100, 2000, 20_000, 200_000)
LIMIT = 2 * 10**9
COLUMNS = (
    "method",
    "scales",
    "needs",
    "n_objects",
    "status",
    "cpu_s",
    "peak_mb",
    "message",
)
# What keeps the promise, and what breaks it.
KEPT, BROKEN = ("finished", "refused"), ("out of memory", "crashed", "failed")
# Quadratic in time alone: their tree is built without a matrix. A fit of 6 000 objects
# has to do with less than half of the memory that the matrix would take.
MATRIX_FREE = {"aces", "asa", "bagherinia_2021", "banerjee_2021", "berikov_2014", "eac"}
MATRIX_FREE |= {"lwea", "ozogur_2020", "pividori_2016", "rouba_2017", "wea", "weac"}
MATRIX_FREE |= {"berikov_2018", "mdec"}
N_MATRIX_FREE, HEADROOM = 6000, 120 * 10**6
# From so many objects on a method has one start and few rounds, also where its card
# asks for more: the memory is the same, and the fit comes to its end.
N_MANY = 20_000
ONE_START = {"n_init": 1, "n_rounds": 4, "max_iter": 3}
# An hour at 200 000 objects, for indices that look at each two of them in each of four.
ONE_REPRESENTATION = {"yang_chen_2011": {"representations": ("statistics",)}}
# Linear, but not in a second.
SLOW = {"hgpa", "lourenco_2013"}
N_CLUSTERINGS, N_CLUSTERS_EACH, N_FEATURES, N_TIMES = 10, 20, 4, 20
_UNITS = {"kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_JUST = 0.96  # the budget is not the same to the last megabyte in every process
# How many seconds of the clock a second of the processor may take.
_PATIENCE = 10

Row = dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line asks for; 1 if a promise was broken."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.memory", description=__doc__
    )
    parser.add_argument("--methods", help="ids, separated by commas; default all")
    parser.add_argument("--sizes", help="numbers of objects, separated by commas")
    parser.add_argument("--limit", type=int, default=LIMIT, help="bytes of a process")
    parser.add_argument("--seconds", type=int, default=3600, help="of CPU, for one fit")
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--critical", action="store_true")
    parser.add_argument("--out", type=Path, help="where the rows are kept")
    asked = parser.parse_args(arguments)
    asked.out = asked.out or RESULTS / f"memory{'_critical' * asked.critical}.csv"
    sizes = [*map(int, asked.sizes.split(","))] if asked.sizes else SIZES
    chosen = asked.methods.split(",") if asked.methods else None
    fits = smoke_fits() if asked.smoke else all_fits(chosen, sizes)
    if asked.critical:
        fits = critical_fits(RESULTS / "memory.csv", chosen)
    rows = run([*fits], asked.out, asked.limit, asked.seconds)
    broken = [row for row in rows if row["status"] in BROKEN]
    for row in broken:
        print("  {method} at {n_objects}: {status}; {message}".format_map(row))
    print(f"{len(rows)} fits, {len(broken)} broke their promise; {asked.out}")
    return 1 if broken else 0


def all_fits(ids: Sequence[str] | None, sizes: Sequence[int]) -> Iterator[Fit]:
    """Every method at every size, the small sizes first."""
    from comitia.catalogue import method_classes

    classes = [c for c in method_classes() if ids is None or c.card.id in ids]
    for n in sizes:
        yield from ((cls, n) for cls in classes)


def smoke_fits() -> Iterator[Fit]:
    """Methods on labels alone, at a size that tells and takes seconds."""
    for cls, _ in all_fits(None, [0]):
        if cls.card.needs == ("labels",):
            if cls.card.id in MATRIX_FREE:
                yield cls, N_MATRIX_FREE
            elif cls.card.scales == "quadratic":
                yield cls, 200_000
            else:
                yield cls, 2000 if cls.card.id in SLOW else 20_000


def critical_fits(source: Path, ids: Sequence[str] | None = None) -> Iterator[Fit]:
    """What refused, at a size whose square just fits into the budget."""
    from comitia.catalogue import method

    with source.open(newline="") as file:
        refused = [row for row in csv.DictReader(file) if row["status"] == "refused"]
    # The smallest size that is refused says most exactly what is asked for.
    refused.sort(key=lambda row: -int(row["n_objects"]))
    for name, row in {row["method"]: row for row in refused}.items():
        need, budget = (
            float(number) * _UNITS[unit]
            for number, unit in re.findall(r"([\d.]+) ([kMGT]B)", row["message"])[:2]
        )
        if ids is None or name in ids:
            yield (
                method(name),
                int(_JUST * int(row["n_objects"]) * (budget / need) ** 0.5),
            )


Fit = tuple[Any, int]


def run(fits: Sequence[Fit], path: Path, limit: int, seconds: int) -> list[Row]:
    """Do the fits that the file does not have yet; return the rows of all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    settings = {"limit_bytes": limit, "seconds": seconds, "random_state": 0}
    about = {"topic": "memory", **settings, **machine()}
    path.with_suffix(".json").write_text(json.dumps(about, indent=2) + "\n")
    rows: dict[tuple[str, int], Row] = {}
    if path.exists():
        with path.open(newline="") as file:
            rows = {(r["method"], int(r["n_objects"])): r for r in csv.DictReader(file)}
    for cls, n in fits:
        row = rows.get((cls.card.id, n))
        if row is None or (
            row["status"] == "too slow" and float(row["cpu_s"]) < seconds
        ):
            row = attempt(cls, n, limit, seconds)
            rows[cls.card.id, n] = row
            _write(path, rows.values())
            line = "  {method} {n_objects} {status} {cpu_s} s"
            print(line.format_map(row), flush=True)
    return [rows[cls.card.id, n] for cls, n in fits]


def _write(path: Path, rows: Iterable[Row]) -> None:
    """Replace the file, so that it is whole whenever a run is stopped."""
    new = path.with_suffix(".new")
    with new.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    new.replace(path)


def attempt(cls: Any, n: int, limit: int = LIMIT, seconds: int = 120) -> Row:
    """Fit one method in a process that may not have more than ``limit`` bytes."""
    return {
        "method": cls.card.id,
        "scales": cls.card.scales,
        "needs": " ".join(cls.card.needs),
        "n_objects": n,
        **in_fork(seconds, _fit_limited, cls, n, limit, seconds),
    }


def in_fork(seconds: int, work: Callable[..., None], *arguments: Any) -> Row:
    """Do work in a process of its own; what it answers, and its peak.

    The work gets a connection, then the arguments. It limits its own processor time
    (``RLIMIT_CPU``) and sends a status, a message and its seconds.
    """
    _prepare_forks()
    ours, theirs = multiprocessing.Pipe(duplex=False)
    child = os.fork()
    if child == 0:
        _end_with(work, theirs, *arguments)
    theirs.close()
    outcome: Row = {"status": "too slow", "message": "", "cpu_s": seconds}
    silent = waited = False
    # The system counts its processor time. One that waits for something, on a machine
    # that has much else to do, is given up in the end, with the time that it had.
    if ours.poll(_PATIENCE * seconds):
        try:
            outcome |= ours.recv()
        except EOFError:  # it died without a word
            silent = True
    else:
        waited = True
        os.kill(child, signal.SIGKILL)
    ours.close()
    _, ended, used = os.wait4(child, 0)
    code = os.waitstatus_to_exitcode(ended)
    if silent and code != -signal.SIGXCPU:
        outcome |= {"status": "crashed", "message": f"exit code {code}"}
    if waited:
        outcome["cpu_s"] = round(used.ru_utime + used.ru_stime, 2)
        outcome["message"] = f"given up after {_PATIENCE * seconds} s of the clock"
    return outcome | {"peak_mb": round(used.ru_maxrss / 1000)}


@functools.cache
def _prepare_forks() -> None:
    """Import the libraries here, once, and all that numba loads with a first kernel."""
    import sklearn.cluster  # noqa: F401
    from numba.core.registry import cpu_target

    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()


def table(rows: Sequence[Row]) -> list[list[str]]:
    """What came of each method at each size: a head, then a line for each method."""
    sizes = _sizes(rows)
    told = {(row["method"], int(row["n_objects"])): _told(row) for row in rows}
    body = [
        [method, *(told.get((method, n), "") for n in sizes)]
        for method in sorted({row["method"] for row in rows})
    ]
    return [["method", *map(_grouped, sizes)], *body]


def totals(rows: Sequence[Row]) -> list[list[str]]:
    """How many methods finished, refused and so on: a head, then a line for each size.

    The peak is the largest of any, in megabytes, libraries and input included.
    """
    body = []
    for n in _sizes(rows):
        some = [row for row in rows if int(row["n_objects"]) == n]
        status = [row["status"] for row in some]
        counts = [
            status.count("finished"),
            status.count("refused"),
            status.count("too slow"),
            sum(map(status.count, BROKEN)),
            max(int(row["peak_mb"]) for row in some),
        ]
        body.append([_grouped(n), *map(str, counts)])
    head = ["objects", "finished", "refused", "stopped", "broken", "largest peak (MB)"]
    return [head, *body]


def _sizes(rows: Sequence[Row]) -> list[int]:
    return sorted({int(row["n_objects"]) for row in rows})


def _grouped(n: int) -> str:
    """Thousands apart, by a space that does not break."""
    return f"{n:,}".replace(",", "\N{NO-BREAK SPACE}")


def _told(row: Row) -> str:
    """A cell: how it ended, and the most memory that it had."""
    word = "stopped" if row["status"] == "too slow" else row["status"]
    return f"{word}, {row['peak_mb']} MB"


def _end_with(work: Callable[..., None], *arguments: Any) -> NoReturn:
    """Do the work of a fork; whatever comes of it, the fork ends here."""
    code = 1
    try:
        work(*arguments)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _fit_limited(
    answer: Connection, cls: Any, n: int, limit: int, seconds: int
) -> None:
    from comitia.exceptions import ComitiaError

    warnings.simplefilter("ignore")  # random labels converge late
    # Kernels that this machine has not compiled yet take time and memory of their own.
    arguments, keywords = given(cls, 60)
    try:
        quick(cls).fit(*arguments, **keywords)
    except ImportError as error:  # of a package that is an extra
        answer.send({"status": "not installed", "message": f"{error}"})
        return
    arguments, keywords = given(cls, n)
    method = quick(cls, n)
    if n == N_MATRIX_FREE and cls.card.id in MATRIX_FREE:
        limit = _mapped() + HEADROOM
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    begin = time.process_time()
    last = math.ceil(begin + seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (last, last + 1))
    try:
        method.fit(*arguments, **keywords)
        status, message = "finished", ""
    except ComitiaError as error:
        status, message = "refused", f"{type(error).__name__}: {error}"
    except MemoryError as error:
        status, message = "out of memory", f"{error}"
    except Exception as error:
        status, message = "failed", f"{type(error).__name__}: {error}"
    spent = time.process_time() - begin
    answer.send({"status": status, "message": message, "cpu_s": round(spent, 1)})


def _mapped() -> int:
    """Bytes of address space that the process has now."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize()


def quick(cls: Any, n: int = 0) -> Any:
    """A method with few members and rounds: memory does not depend on them."""
    from comitia.generate import KMeansGenerator

    known = inspect.signature(cls).parameters
    settings = {
        "n_clusters": 5,
        "generator": KMeansGenerator(n_clusterings=4),
        "n_clusterings": 4,
        "n_rounds": 4,
        "max_iter": 3,
        "random_state": 0,
        **cls.card.quick,
    }
    if n >= N_MANY:
        settings |= ONE_START | ONE_REPRESENTATION.get(cls.card.id, {})
    return cls(**{name: settings[name] for name in settings if name in known})


def given(cls: Any, n: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What the method is fitted on: arguments and keywords of ``fit``."""
    from comitia.ensemble import Ensemble

    needs, rng = cls.card.needs, np.random.RandomState(0)
    X = rng.rand(n, N_FEATURES)
    keywords: dict[str, Any] = {}
    if "constraints" in needs:
        keywords = {"must_link": [(0, 1)], "cannot_link": [(0, 2)]}
    if "labels" in needs:
        labels = rng.randint(0, N_CLUSTERS_EACH, size=(n, N_CLUSTERINGS))
        if needs == ("labels",):
            return (Ensemble(labels),), keywords
        keywords["ensemble"] = Ensemble(labels)
    if "graph" in needs:
        return (_graph(n, rng),), keywords
    if "dendrograms" in needs:
        return ([_tree(n), _tree(n)],), keywords
    if "views" in needs:
        return ([X[:, :2], X[:, 2:]],), keywords
    if "series" in needs:
        return (rng.rand(n, 1, N_TIMES),), keywords
    return (X,), keywords


def _graph(n: int, rng: np.random.RandomState) -> Any:
    from scipy.sparse import coo_array

    near = (np.arange(4 * n) // 4 + rng.randint(1, 10, size=4 * n)) % n
    edges = coo_array((np.ones(4 * n), (np.arange(4 * n) // 4, near)), shape=(n, n))
    graph = (edges + edges.T).tocsr()
    graph.data[:] = 1.0
    return graph


def _tree(n: int) -> NDArray[np.float64]:
    # Nodes are merged in the order in which they appear, two by two.
    steps = np.arange(n - 1)
    tree = np.column_stack([2 * steps, 2 * steps + 1, steps + 1, steps]).astype(float)
    sizes = np.ones(2 * n - 1)
    for i in steps:
        sizes[n + i] = sizes[2 * i] + sizes[2 * i + 1]
    tree[:, 3] = sizes[n:]
    return tree


if __name__ == "__main__":
    sys.exit(main())
