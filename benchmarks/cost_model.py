"""What an object costs, stage by stage, and what ten thousand million would cost.

``python -m benchmarks.cost_model [--smoke] [--out FOLDER]``

A table of ten features in Parquet is clustered twenty times and combined by LWGP in row
blocks, at two sizes, each in a process of its own on one thread. What grows with the
number of objects is the difference of the two, divided by that of the sizes; what is
left is the cost of the members, which are fitted on samples. ``docs/scale.rst`` says
what follows for 1e10 objects.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import ONE_THREAD, ROOT

RESULTS = Path(__file__).parent / "results"
COLUMNS = ("stage", "cpu_us", "bytes", "fixed_cpu_s", "cpu_h_1e10", "tb_1e10")
FEATURES, MEMBERS, K = 10, 20, 20
SIZES = (1_000_000, 3_000_000)
MANY = 1e10

Result = dict[str, Any]


def main(arguments: list[str] | None = None) -> int:
    """Measure at two sizes, and keep what an object costs."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.cost_model", description=__doc__
    )
    parser.add_argument("--smoke", action="store_true", help="tiny sizes")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--case", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.case:
        print(json.dumps(measured(asked.case)))
        return 0
    sizes = [n // 50 for n in SIZES] if asked.smoke else [*SIZES]
    rows = model(sizes, [in_process(n) for n in sizes])
    for row in rows:
        print(row)
    write(asked.out, rows, sizes)
    return 0


def model(sizes: list[int], seen: list[Result]) -> list[Result]:
    """What grows with the number of objects, and what does not."""
    (few, many), (at_few, at_many) = sizes, seen
    rows = []
    for stage in at_few:
        each, size = (
            (b - a) / (many - few)
            for a, b in zip(at_few[stage], at_many[stage], strict=True)
        )
        rows.append(
            {
                "stage": stage,
                "cpu_us": round(1e6 * each, 3),
                "bytes": round(size, 1),
                "fixed_cpu_s": round(max(at_few[stage][0] - each * few, 0.0), 1),
                "cpu_h_1e10": round(MANY * each / 3600, 1),
                "tb_1e10": round(MANY * size / 1e12, 2),
            }
        )
    return rows


def write(folder: Path, rows: list[Result], sizes: list[int]) -> None:
    """Keep the table, and what it was measured on."""
    from benchmarks.__main__ import machine

    with (folder / "cost_model.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    about = {
        "command": "python -m benchmarks.cost_model",
        "sizes": sizes,
        "features": FEATURES,
        "clusterings": MEMBERS,
        "n_clusters": K,
        **machine(("pyarrow",)),
    }
    (folder / "cost_model.json").write_text(json.dumps(about, indent=1) + "\n")


def in_process(n: int) -> Result:
    """Measure one size in a fresh process."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.cost_model", "--case", str(n)],
        env={**os.environ, **ONE_THREAD},
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.strip().splitlines()[-1])


def measured(n: int) -> Result:
    """CPU seconds and bytes of each stage for so many objects."""
    import comitia
    from comitia.generate import KMeansGenerator, generate_blocks, open_rows
    from comitia.generate.columns import Ends
    from comitia.generate.sources import pieces_of

    seen: dict[str, list[float]] = {}

    @contextmanager
    def stage(name: str) -> Iterator[None]:
        start = time.process_time()
        yield
        seen[name] = [time.process_time() - start, 0.0]

    # Kernels are loaded before anything is measured.
    labels = np.random.RandomState(0).randint(4, size=(60_000, 9))
    comitia.method("lwgp")(n_clusters=3, random_state=0).fit(comitia.Ensemble(labels))
    with tempfile.TemporaryDirectory() as work:
        table, votes = Path(work, "table.parquet"), Path(work, "votes")
        _write_table(table, n)
        with stage("one pass over the rows"):
            for _, X in pieces_of(open_rows(table)):
                Ends.of(X)
        generator = KMeansGenerator(
            MEMBERS, n_clusters=(10, 40), solver="landmark", random_state=0
        )
        with stage("two passes, members, labels"):
            generate_blocks(generator, table, votes, block_rows=250_000)
        method = comitia.method("lwgp")(n_clusters=K, random_state=0)
        with stage("consensus"):
            method.fit(comitia.Ensemble.open(votes))
        with stage("confidence and vote shares"):
            for _ in method.result_blocks():
                pass
        seen["one pass over the rows"][1] = table.stat().st_size
        labels_bytes = sum(file.stat().st_size for file in votes.glob("block-*"))
        seen["two passes, members, labels"][1] = labels_bytes
    peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {**seen, "peak memory of one process": [0.0, peak]}


def _write_table(path: Path, n: int) -> None:
    """Features of planted clusters, a row group at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = [f"x{j}" for j in range(FEATURES)]
    centers = 0.7 * np.random.default_rng(0).standard_normal((K, FEATURES))
    schema = pa.schema([(name, pa.float32()) for name in names])
    with pq.ParquetWriter(path, schema) as file:
        for lo in range(0, n, 250_000):
            rng = np.random.default_rng(lo + 1)
            rows = min(250_000, n - lo)
            X = centers[rng.integers(K, size=rows)]
            X = (X + rng.standard_normal(X.shape)).astype(np.float32)
            file.write_table(pa.table([*X.T], schema=schema))


if __name__ == "__main__":
    sys.exit(main())
