"""Sample classes in gene expression: ``abc`` beside k-means and plain Ward linkage.

``python -m benchmarks.genes --data FOLDER [--sets leukemia_brunet38,…] [--out FILE]``

FOLDER holds ``single/<name>.npz`` with ``X``, samples by genes, and the classes ``y``.
The number of clusters is the number of classes.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

RESULTS = Path(__file__).parent / "results"
SETS = "leukemia_brunet38,leukemia_golub72,srbct_khan63,colon_alon"


def main(arguments: list[str] | None = None) -> int:
    """Run all methods on all sets."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.genes", description=__doc__
    )
    parser.add_argument("--data", type=Path, default=os.environ.get("COMITIA_DATA"))
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--out", type=Path, default=RESULTS / "genes.csv")
    asked = parser.parse_args(arguments)
    if asked.data is None:
        parser.error("say where the data are: --data FOLDER, or COMITIA_DATA")
    rows = []
    for name in asked.sets.split(","):
        with np.load(asked.data / "single" / f"{name}.npz", allow_pickle=False) as file:
            rows += compare(name, file["X"].astype(float), file["y"])
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    with asked.out.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    for row in rows:
        print("  ".join(f"{value!s:<20}" for value in row.values()))
    return 0


def compare(name: str, X: NDArray[Any], truth: NDArray[Any]) -> list[dict[str, Any]]:
    """Adjusted Rand index and time of each method on one set."""
    from sklearn.cluster import AgglomerativeClustering, KMeans

    import comitia
    from comitia.agreement import agreement

    k = len(np.unique(truth))
    methods = {
        "abc": comitia.method("abc")(k, random_state=0),
        "k-means, best of 10": KMeans(k, n_init=10, random_state=0),
        "Ward": AgglomerativeClustering(k),
    }
    rows = []
    for label, method in methods.items():
        start = time.process_time()
        found = method.fit_predict(X)
        rows.append(
            {
                "set": name,
                "n": len(X),
                "genes": X.shape[1],
                "k": k,
                "method": label,
                "adjusted_rand": round(agreement(found, truth, "adjusted_rand"), 3),
                "cpu_s": round(time.process_time() - start, 2),
            }
        )
    return rows


if __name__ == "__main__":
    sys.exit(main())
