"""Trees of a million objects and more: time, memory and heights.

``python -m benchmarks.million_linkage [average:equal:10:1000000 ...] [--out FOLDER]``

Each tree is made in a process of its own, on one thread, from the labels of
``voronoi_ensemble``: 20 clusterings of 10 to 100 clusters, of data with 10 features or
fewer; the fewer, the more objects have equal labels. ``u`` is how many differ. The
clusterings weigh the same (``equal``), or each cluster has a weight that is drawn
(``drawn``), so that hardly any two similarities are equal. The time is that from the
ensemble to the tree, and the peak that of the whole process, with its libraries and the
labels. Of the heights of all merges, quantiles are shown.

Lines that are there already are replaced when they are measured again.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.ensembles import voronoi_ensemble
from benchmarks.harness import ONE_THREAD, ROOT

RESULTS = Path(__file__).parent / "results"
N_CLUSTERINGS = 20
RUNS = (
    "average:equal:10:1000000",
    "average:drawn:10:1000000",
    "single:equal:10:1000000",
    "single:equal:3:10000000",
)
SHARES = {"lowest": 0, "10 %": 0.1, "50 %": 0.5, "90 %": 0.9, "99 %": 0.99, "top": 1}
COLUMNS = ("linkage", "weights", "features", "n", "M", "u", "cpu_s", "peak_gb", *SHARES)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what the command line asks for, one line after the other."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.million_linkage", description=__doc__
    )
    parser.add_argument("runs", nargs="*", help="LINKAGE:WEIGHTS:FEATURES:OBJECTS")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.here:
        print(json.dumps(measure(*asked.runs[0].split(":"))))
        return 0
    for run in asked.runs or RUNS:
        write(asked.out, in_process(run), run)
    return 0


def in_process(run: str) -> dict[str, Any]:
    """Measure one tree in a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.million_linkage", run, "--here"],
        cwd=ROOT,
        env={**os.environ, **ONE_THREAD},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    row: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(", ".join(f"{name} {value}" for name, value in row.items()), flush=True)
    return row


def measure(
    linkage: Any, weights: str, n_features: str, n_objects: str
) -> dict[str, Any]:
    """Time, memory and heights of one tree."""
    from comitia.partition import ensemble_linkage

    def tree_of(n: int) -> tuple[float, Any, int]:
        ensemble = voronoi_ensemble(n, N_CLUSTERINGS, n_features=int(n_features))
        drawn = np.random.RandomState(0).rand(ensemble.n_clusters_total)
        start = time.process_time()
        tree = ensemble_linkage(
            ensemble,
            cluster_weights=drawn if weights == "drawn" else None,
            linkage=linkage,
        )
        seconds = time.process_time() - start
        return seconds, tree, ensemble.distinct().ensemble.n_objects

    tree_of(50)  # compiles the kernels
    seconds, tree, n_different = tree_of(int(n_objects))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    heights = np.quantile(tree[:, 2], list(SHARES.values())).round(3)
    return {
        "linkage": linkage,
        "weights": weights,
        "features": int(n_features),
        "n": int(n_objects),
        "M": N_CLUSTERINGS,
        "u": n_different,
        "cpu_s": round(seconds, 1),
        "peak_gb": round(peak * (1 if sys.platform == "darwin" else 1024) / 1e9, 2),
        **dict(zip(SHARES, heights.tolist(), strict=True)),
    }


def write(folder: Path, row: dict[str, Any], run: str) -> None:
    """Put one line in the table, and say what it was run on."""
    from benchmarks.__main__ import machine

    path = folder / "million_linkage.csv"
    rows = {}
    if path.exists():
        with path.open(newline="") as file:
            rows = {_run(kept): kept for kept in csv.DictReader(file)}
    rows[run] = row
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[key] for key in sorted(rows))
    about_path = path.with_suffix(".json")
    about = json.loads(about_path.read_text()) if about_path.exists() else {}
    about[run] = {"command": f"python -m benchmarks.million_linkage {run}", **machine()}
    about_path.write_text(json.dumps(about, indent=1) + "\n")


def _run(row: dict[str, Any]) -> str:
    return ":".join(row[name] for name in ("linkage", "weights", "features", "n"))


if __name__ == "__main__":
    sys.exit(main())
