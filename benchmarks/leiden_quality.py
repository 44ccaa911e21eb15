"""Modularity of our Leiden on public networks, beside that of leidenalg.

``python -m benchmarks.leiden_quality --data FOLDER [--peer PYTHON] [--out FILE]``

FOLDER holds ``graphs/<name>.npz``. PYTHON is an interpreter with what
``benchmarks/peers/graphs.txt`` names; without it our figures stand alone. Means over
ten seeds, two iterations each.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from comitia.cluster import leiden
from comitia.cluster.community_quality import modularity

HERE = Path(__file__).parent
N_SEEDS = 10


def main(arguments: list[str] | None = None) -> int:
    """Compare on every network of the folder."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.leiden_quality", description=__doc__
    )
    parser.add_argument("--data", type=Path, default=os.environ.get("COMITIA_DATA"))
    parser.add_argument("--peer", default="")
    parser.add_argument(
        "--out", type=Path, default=HERE / "results" / "leiden_quality.csv"
    )
    asked = parser.parse_args(arguments)
    if asked.data is None:
        parser.error("say where the graphs are: --data FOLDER, or COMITIA_DATA")
    files = sorted((asked.data / "graphs").glob("*.npz"))
    if not files:
        parser.error(f"{asked.data / 'graphs'} has no .npz files")
    with tempfile.TemporaryDirectory() as folder:
        plain = [simple_links(file, Path(folder)) for file in files]
        theirs = peer_results(asked.peer, plain) if asked.peer else {}
        rows = [row(file, theirs.get(str(file), {})) for file in plain]
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    with asked.out.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    for one in rows:
        print("  ".join(f"{value!s:<18}" for value in one.values()))
    return 0


def simple_links(source: Path, folder: Path) -> Path:
    """A file with each link once, without loops and without weights of zero."""
    with np.load(source, allow_pickle=False) as file:
        n, edges = int(file["n"]), np.sort(file["edges"].astype(np.int64), axis=1)
        weights = file["weights"] if "weights" in file.files else np.ones(len(edges))
    kept = (edges[:, 0] != edges[:, 1]) & (weights > 0)
    edges, weights = edges[kept], weights[kept].astype(np.float64)
    _, first = np.unique(edges @ [n, 1], return_index=True)
    place = folder / source.name
    np.savez(place, n=n, edges=edges[first], weights=weights[first])
    return place


def peer_results(python: str, files: list[Path]) -> dict[str, Any]:
    """What leidenalg finds, in an environment of its own."""
    script = HERE / "peers" / "run_leidenalg.py"
    done = subprocess.run(
        [python, str(script), *map(str, files)],
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(json.loads(done.stdout))


def row(path: Path, peer: dict[str, Any]) -> dict[str, Any]:
    """One line: ours, theirs, and how much more ours is."""
    with np.load(path) as file:
        n, (i, j), w = int(file["n"]), file["edges"].T, file["weights"]
    half = csr_array((w, (i, j)), shape=(n, n))
    graph = csr_array(half + half.T)
    leiden(graph, np.random.RandomState(0))  # compiles
    start = time.process_time()
    labels = [leiden(graph, np.random.RandomState(seed)) for seed in range(N_SEEDS)]
    seconds = time.process_time() - start
    found = [modularity(graph, one) for one in labels]
    line = {
        "network": path.stem,
        "n": n,
        "links": len(w),
        "leiden": round(float(np.mean(found)), 5),
        "leiden_best": round(max(found), 5),
        "cpu_s": round(seconds, 2),
    }
    if peer:
        mean = float(np.mean(peer["modularity"]))
        line |= {
            "leidenalg": round(mean, 5),
            "leidenalg_best": round(max(peer["modularity"]), 5),
            "leidenalg_cpu_s": round(peer["cpu_s"], 2),
            "gain_percent": round(100 * (float(np.mean(found)) / mean - 1), 2),
        }
    return line


if __name__ == "__main__":
    sys.exit(main())
