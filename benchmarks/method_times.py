"""How long does each method take? Every method on labels alone, and three on data.

``python -m benchmarks.method_times [--methods lwea,eac] [--sizes 2000,20000]``

Each method is fitted with its defaults, on one thread, in a process of its own, after a
small fit that compiles the kernels. What is counted is processor time, so that a busy
machine tells the same. A method may take ten seconds for 2 000 objects in 20
clusterings and a minute for 20 000, or refuse in words, mostly what the memory budget
(4 GB here) does not allow. Three on data or series, once the slowest, have 20 s for 300
objects.

There are two ensembles. ``planted`` is a partition into ten clusters of which each
clustering has 35 % of the labels at random, so that all objects have rows of their own;
``voronoi`` has 10 to 100 clusters in each clustering, and objects that always meet.
Finished rows are kept, so a run that was stopped goes on; ``--again`` does those asked
for once more. ``method_times.json`` beside ``method_times.csv`` has the machine, the
versions and the date.
"""

from __future__ import annotations

import argparse
import csv
import inspect
import json
import math
import resource
import sys
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.__main__ import machine
from benchmarks.ensembles import planted_labels, voronoi_ensemble
from benchmarks.memory import in_fork

RESULTS = Path(__file__).parent / "results"
COLUMNS = (
    "method",
    "input",
    "n_objects",
    "status",
    "cpu_s",
    "most_s",
    "peak_mb",
    "message",
)
# Processor seconds that a fit may take, by the number of objects.
MOST = {300: 20, 2000: 10, 20_000: 60}
N_CLUSTERINGS, N_CLUSTERS, NOISE, BUDGET = 20, 10, 0.35, "4 GB"
ON_DATA = {
    "mwk_central": "features",
    "zhou_zhu_2017": "features",
    "yang_jiang_2018": "series",
}
N_FEATURES, N_TIMES = 40, 60

Row = dict[str, Any]


class Fit(NamedTuple):
    """A method, what it is given, and how many objects."""

    cls: Any
    input: str
    n: int


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line asks for; 1 if a method took too long."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.method_times", description=__doc__
    )
    parser.add_argument("--methods", help="ids, separated by commas; default all")
    parser.add_argument("--sizes", help="numbers of objects, separated by commas")
    parser.add_argument("--seconds", type=int, help="stop a fit then; default 2 x most")
    parser.add_argument("--again", action="store_true", help="also what is done")
    parser.add_argument("--out", type=Path, default=RESULTS / "method_times.csv")
    asked = parser.parse_args(arguments)
    sizes = [*map(int, asked.sizes.split(","))] if asked.sizes else [*MOST]
    chosen = asked.methods.split(",") if asked.methods else None
    rows = run([*fits(chosen, sizes)], asked.out, asked.seconds, again=asked.again)
    late = [row for row in rows if not kept(row)]
    for row in late:
        print("  {method}, {n_objects} {input}: {cpu_s} s; {message}".format_map(row))
    print(f"{len(rows)} fits, {len(late)} took too long; {asked.out}")
    return 1 if late else 0


def fits(ids: Sequence[str] | None, sizes: Sequence[int]) -> Iterator[Fit]:
    """Methods on labels at every size above 300, those on data at 300."""
    from comitia.catalogue import method_classes

    classes = [c for c in method_classes() if ids is None or c.card.id in ids]
    for n in sizes:
        for cls in classes:
            if cls.card.needs == ("labels",) and n != min(MOST):
                yield from (Fit(cls, name, n) for name in ("planted", "voronoi"))
            elif cls.card.id in ON_DATA and n == min(MOST):
                yield Fit(cls, ON_DATA[cls.card.id], n)


def kept(row: Row) -> bool:
    """Whether a fit refused, could not be tried, or ended in time."""
    in_time = float(row["cpu_s"]) <= float(row["most_s"])
    return row["status"] in ("refused", "not installed") or (
        row["status"] == "finished" and in_time
    )


def run(
    fits: Sequence[Fit], path: Path, seconds: int | None = None, *, again: bool = False
) -> list[Row]:
    """Do the fits that the file does not have yet; return the rows of all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    about = {"topic": "method_times", "n_clusterings": N_CLUSTERINGS, "budget": BUDGET}
    about |= {"random_state": 0, **machine()}
    path.with_suffix(".json").write_text(json.dumps(about, indent=2) + "\n")
    rows: dict[tuple[str, str, int], Row] = {}
    if path.exists():
        with path.open(newline="") as file:
            rows = {_key(row): row for row in csv.DictReader(file)}
    keys = [(fit.cls.card.id, fit.input, fit.n) for fit in fits]
    for fit, key in zip(fits, keys, strict=True):
        most = seconds or 2 * _most(fit.n)
        if again or key not in rows or _had_less(rows[key], most):
            rows[key] = attempt(fit, most)
            write(path, rows.values())
            line = "  {method} {input} {n_objects} {status} {cpu_s} s"
            print(line.format_map(rows[key]), flush=True)
    return [rows[key] for key in keys]


def attempt(fit: Fit, seconds: int) -> Row:
    """Fit one method in a process that ends after so many processor seconds."""
    return {
        "method": fit.cls.card.id,
        "input": fit.input,
        "n_objects": fit.n,
        "most_s": _most(fit.n),
        **in_fork(seconds, _fit_timed, fit, seconds),
    }


def _most(n: int) -> int:
    """What the smallest size of the table that is not smaller may take."""
    return MOST[min((size for size in MOST if size >= n), default=max(MOST))]


def _had_less(row: Row, seconds: int) -> bool:
    """Whether a fit was stopped before it had that much processor time."""
    return row["status"] == "too slow" and float(row["cpu_s"]) < seconds


def _key(row: Mapping[str, Any]) -> tuple[str, str, int]:
    return row["method"], row["input"], int(row["n_objects"])


def write(path: Path, rows: Iterable[Row]) -> None:
    """Replace the file, so that it is whole whenever a run is stopped."""
    new = path.with_suffix(".new")
    with new.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(rows, key=lambda row: _key(row)[::-1]))
    new.replace(path)


def _fit_timed(answer: Connection, fit: Fit, seconds: int) -> None:
    import numba
    from threadpoolctl import threadpool_limits

    import comitia
    from comitia.exceptions import ComitiaError

    numba.set_num_threads(1)
    warnings.simplefilter("ignore")
    try:  # kernels that this machine has not compiled yet take time of their own
        _default(fit.cls, 3).fit(given(fit.input, 60))
    except ImportError as error:  # of a package that is an extra
        answer.send({"status": "not installed", "message": f"{error}", "cpu_s": 0.0})
        return
    method, values = _default(fit.cls, N_CLUSTERS), given(fit.input, fit.n)
    begin = time.process_time()
    last = math.ceil(begin + seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (last, last + 1))
    status, message = "finished", ""
    try:
        with comitia.config.limit(BUDGET), threadpool_limits(1):
            method.fit(values)
    except ComitiaError as error:
        status, message = "refused", f"{error}".split(". ")[0]
    except Exception as error:
        status, message = "failed", f"{type(error).__name__}: {error}"
    spent = time.process_time() - begin
    answer.send({"status": status, "message": message, "cpu_s": round(spent, 2)})


def _default(cls: Any, n_clusters: int) -> Any:
    """A method as it comes."""
    known = inspect.signature(cls).parameters
    settings = {"n_clusters": n_clusters, "random_state": 0}
    return cls(**{name: settings[name] for name in settings if name in known})


def given(what: str, n: int) -> Any:
    """What a method is fitted on."""
    from comitia.ensemble import Ensemble

    if what == "voronoi":
        return voronoi_ensemble(n, N_CLUSTERINGS)
    labels, truth = planted_labels(n, N_CLUSTERS, N_CLUSTERINGS, NOISE)
    if what == "planted":
        return Ensemble(labels)
    rng = np.random.default_rng(0)
    if what == "series":
        phases = truth[:, None] + np.arange(N_TIMES) / 6
        return (np.sin(phases) + rng.normal(size=phases.shape))[:, None, :]
    centers = rng.normal(size=(N_CLUSTERS, N_FEATURES))
    return centers[truth] + rng.normal(size=(n, N_FEATURES))


if __name__ == "__main__":
    sys.exit(main())
