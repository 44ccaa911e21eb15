"""From a laptop to a cluster: time and memory of the linear methods as n grows.

``python -m benchmarks.scale [part ...] [--smoke] [--work FOLDER] [--out FOLDER]``

Labels are planted block by block and written to disk first. Each line is measured in a
process of its own: CPU seconds from the opened ensemble to the labels, and the peak of
the whole process, interpreter and libraries included. Parts: ``memory``, ``linkage``,
``dask``, ``disk`` (a hundred million objects), ``growth``, and ``last``, the doubling
that ends at ten million.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import ONE_THREAD, ROOT

RESULTS = Path(__file__).parent / "results"
COLUMNS = (
    "part",
    "run",
    "method",
    "n",
    "M",
    "k",
    "blocks",
    "cpu_s",
    "wall_s",
    "peak_gb",
    "worker_gb",
    "ratio",
    "same_labels",
    "target",
    "passed",
)
GROWING = ("lwgp", "gp_mgla", "sec", "kcc", "voting", "mcla")
BLOCK_ROWS = 250_000
NOISE = 0.5

# CPU time of workers over that in memory: the start of the processes counts.
DASK_TARGET = "same labels, <= 0.5 GB per worker, <= 2.5 x the CPU in memory"

Result = dict[str, Any]


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.scale", description=__doc__
    )
    parser.add_argument("parts", nargs="*", help="default: all")
    parser.add_argument("--smoke", action="store_true", help="tiny sizes")
    parser.add_argument(
        "--methods", default="", help="of growth, separated by commas; default: all"
    )
    parser.add_argument("--work", type=Path, help="where the labels go")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--case", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.case:
        print(json.dumps(CASES[asked.parts[0]](**json.loads(asked.case))))
        return 0
    unknown = set(asked.parts) - set(PARTS)
    if unknown:
        parser.error(f"there is no part {unknown.pop()!r}; give {', '.join(PARTS)}")
    with tempfile.TemporaryDirectory(dir=asked.work) as work:
        for part in asked.parts or PARTS:
            methods = asked.methods.split(",") if asked.methods else GROWING
            given = {"methods": methods} if part == "growth" else {}
            rows = []
            for row in PARTS[part](Path(work), 1000 if asked.smoke else 1, **given):
                rows.append({"part": part, **row})
                print(_line(rows[-1]), flush=True)
            write(asked.out, part, rows, smoke=asked.smoke)
    return 0


def write(folder: Path, part: str, rows: list[Result], *, smoke: bool) -> None:
    """Replace the lines of one part in the table, and say what they were run on.

    Lines of growth stay where their method was not run.
    """
    from benchmarks.__main__ import machine

    path = folder / "scale.csv"
    kept = []
    methods = {row.get("method") for row in rows}
    some = part == "growth" and methods < {*GROWING}
    if path.exists():
        with path.open(newline="") as file:
            kept = [
                row
                for row in csv.DictReader(file)
                if row["part"] != part or (some and row["method"] not in methods)
            ]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(
            file, COLUMNS, extrasaction="ignore", lineterminator="\n"
        )
        writer.writeheader()
        writer.writerows([*kept, *rows])
    about_path = path.with_suffix(".json")
    about = json.loads(about_path.read_text()) if about_path.exists() else {}
    which = f" --methods {','.join(sorted(map(str, methods)))}" if some else ""
    about[part + which] = {
        "command": f"python -m benchmarks.scale {part}{which}"
        f"{' --smoke' if smoke else ''}",
        **machine(),
    }
    about_path.write_text(json.dumps(about, indent=1) + "\n")


# -- the parts ------------------------------------------------------------------------


def in_memory(work: Path, smaller: int) -> Iterator[Result]:
    """LWGP on an ensemble in memory."""
    for n, k, cpu, peak in ((1_000_000, 50, 6, 0.5), (10_000_000, 20, 40, 1.5)):
        folder = planted(work, n // smaller, 20, k)
        got = in_process("fit", folder=str(folder), method="lwgp", k=k)
        passed = got["cpu_s"] <= cpu and got["peak_gb"] <= peak
        yield {
            "run": "in memory",
            **got,
            "target": f"<= {cpu} s CPU, <= {peak} GB",
            "passed": passed,
        }


def linkage(work: Path, smaller: int) -> Iterator[Result]:
    """Average linkage of a hundred thousand objects."""
    folder = work / "voronoi"
    n = 100_000 // smaller
    in_process("voronoi", folder=str(folder), n=n)
    got = in_process("fit", folder=str(folder), method="lwea", k=20)
    passed = got["cpu_s"] <= 60 and got["peak_gb"] <= 0.5
    yield {
        "run": "average linkage",
        **got,
        "target": "<= 60 s CPU, <= 0.5 GB",
        "passed": passed,
    }


def on_workers(work: Path, smaller: int) -> Iterator[Result]:
    """LWGP on the blocks of two worker processes, against the same in memory."""
    folder = planted(work, 10_000_000 // smaller, 20, 20)
    alone = in_process("fit", folder=str(folder), method="lwgp", k=20)
    yield {"run": "in memory", **alone}
    opened = in_process("fit", folder=str(folder), method="lwgp", k=20, how="open")
    yield {"run": "disk blocks", **_compared(opened, alone)}
    got = _compared(
        in_process("fit", folder=str(folder), method="lwgp", k=20, how="dask"), alone
    )
    passed = got["same_labels"] and got["worker_gb"] <= 0.5 and got["ratio"] <= 2.5
    yield {
        "run": "two Dask workers",
        **got,
        "target": DASK_TARGET,
        "passed": passed,
    }


def on_disk(work: Path, smaller: int) -> Iterator[Result]:
    """A hundred million objects on disk."""
    folder = planted(work, 100_000_000 // smaller, 10, 20, block_rows=4_000_000)
    got = in_process("fit", folder=str(folder), method="lwgp", k=20, how="open")
    yield {
        "run": "disk blocks",
        **got,
        "target": "<= 6 GB",
        "passed": got["peak_gb"] <= 6,
    }


def growth(
    work: Path, smaller: int, methods: Sequence[str] = GROWING
) -> Iterator[Result]:
    """Each doubling of n, from a hundred thousand to beyond ten million."""
    sizes = [100_000 * 2**doubling for doubling in range(8)]
    yield from _doublings(work, [n // smaller for n in sizes], methods)


def last_doubling(work: Path, smaller: int) -> Iterator[Result]:
    """The doubling that ends at ten million, which ``growth`` passes by."""
    sizes = [n // smaller for n in (5_000_000, 10_000_000)]
    yield from _doublings(work, sizes, GROWING)


def _doublings(
    work: Path, sizes: Sequence[int], methods: Sequence[str]
) -> Iterator[Result]:
    """The best of five at each size.

    Each of the five is a process of its own: in one process the later ones would find
    the memory of the earlier ones in use already, as long as n is small.
    """
    for method in methods:
        before = None
        for n in sizes:
            folder = planted(work, n, 10, 20)
            given = {"folder": str(folder), "method": method, "k": 20}
            got = min(
                (in_process("fit", **given) for _ in range(5)),
                key=lambda run: run["cpu_s"],
            )
            ratio: float | None = None if before is None else got["cpu_s"] / before
            before = got["cpu_s"]
            yield {
                "run": "growth",
                **got,
                "ratio": ratio,
                "target": "" if ratio is None else "<= 2.1 x per doubling",
                "passed": "" if ratio is None else ratio <= 2.1,
            }


PARTS: dict[str, Callable[..., Iterator[Result]]] = {
    "memory": in_memory,
    "linkage": linkage,
    "dask": on_workers,
    "disk": on_disk,
    "growth": growth,
    "last": last_doubling,
}


def _compared(got: Result, alone: Result) -> Result:
    return {
        **got,
        "ratio": got["cpu_s"] / alone["cpu_s"],
        "same_labels": got["digest"] == alone["digest"],
    }


# -- what runs in a process of its own ------------------------------------------------


def in_process(case: str, **given: Any) -> Result:
    """Run a case with one thread in a fresh process."""
    command = [sys.executable, "-m", "benchmarks.scale", case]
    done = subprocess.run(
        [*command, "--case", json.dumps(given)],
        env={**os.environ, **ONE_THREAD},
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.strip().splitlines()[-1])


def planted(work: Path, n: int, M: int, k: int, block_rows: int = BLOCK_ROWS) -> Path:
    """A folder of planted labels, made once."""
    folder = work / f"planted-{n}-{M}-{k}"
    if not folder.exists():
        size = {"n": n, "M": M, "k": k, "block_rows": min(block_rows, n)}
        in_process("plant", folder=str(folder), **size)
    return folder


def plant(folder: str, n: int, M: int, k: int, block_rows: int) -> Result:
    """Write noisy copies of a random partition, block by block."""
    from comitia._store import BlockWriter

    writer = BlockWriter(folder, np.full(M, k))
    n_rows = [min(block_rows, n - lo) for lo in range(0, n, block_rows)]
    for number, rows in enumerate(n_rows):
        rng = np.random.default_rng(number)
        truth = rng.integers(k, size=rows, dtype=np.uint8)
        codes = np.repeat(truth[None], M, axis=0)
        wrong = rng.random((M, rows), dtype=np.float32) < NOISE
        codes[wrong] = rng.integers(k, size=int(wrong.sum()), dtype=np.uint8)
        writer.write(number, codes)
    writer.finish(n_rows)
    return {}


def voronoi(folder: str, n: int) -> Result:
    """Write the ensemble that average linkage is measured on."""
    from benchmarks.ensembles import voronoi_ensemble

    voronoi_ensemble(n, 20, (min(10, n // 4), min(100, n // 2))).save(folder)
    return {}


def fit(folder: str, method: str, k: int, how: str = "load") -> Result:
    """Fit a method on a folder; the kernels have been loaded before."""
    import comitia

    made = comitia.method(method)(n_clusters=k, random_state=0)
    _warm_up(comitia, made)
    if how == "dask":
        from comitia.distributed import client_for

        before = _cpu(children=True)
        start = time.perf_counter()
        with client_for(n_workers=2) as client:
            ensemble = comitia.Ensemble.open(folder, client=client)
            made.fit(ensemble)
            peaks = client.run(_peak_gb)
        spent = {
            "worker_gb": max(peaks.values()),
            "cpu_s": _cpu(children=True) - before,
        }
    else:
        before = _cpu()
        start = time.perf_counter()
        ensemble = getattr(comitia.Ensemble, how)(folder)
        made.fit(ensemble)
        spent = {"cpu_s": _cpu() - before}
    return {
        "method": method,
        "n": ensemble.n_objects,
        "M": ensemble.n_clusterings,
        "k": k,
        "blocks": len(ensemble.rows_each),
        "wall_s": time.perf_counter() - start,
        "peak_gb": _peak_gb(),
        "digest": hashlib.sha256(made.labels_.tobytes()).hexdigest(),
        **spent,
    }


CASES: dict[str, Callable[..., Result]] = {
    "plant": plant,
    "voronoi": voronoi,
    "fit": fit,
}


def _warm_up(comitia: Any, made: Any) -> None:
    """Load the kernels: of large ensembles with many different rows."""
    from sklearn.base import clone

    labels = np.random.RandomState(0).randint(4, size=(60_000, 9))
    if made.card.scales != "linear":
        labels = labels[:6000]
    clone(made).set_params(n_clusters=3).fit(comitia.Ensemble(labels))


def _cpu(children: bool = False) -> float:
    spent = resource.getrusage(resource.RUSAGE_SELF)
    total = spent.ru_utime + spent.ru_stime
    if children:  # those that have ended and were waited for
        below = resource.getrusage(resource.RUSAGE_CHILDREN)
        total += below.ru_utime + below.ru_stime
    return total


def _peak_gb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


def _line(row: Result) -> str:
    shown = {
        name: round(value, 3) if isinstance(value, float) else value
        for name, value in row.items()
        if name in COLUMNS and value not in (None, "")
    }
    return "  ".join(f"{name}={value}" for name, value in shown.items())


if __name__ == "__main__":
    sys.exit(main())
