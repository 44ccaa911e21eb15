"""One command on tables as people have them, beside k-means on the usual pipeline.

``python -m benchmarks.real_tables [--data FOLDER] [--only KIND ...] [--out FILE.csv]``

Each table is written as a file of its kind, the command that a person would type runs
on it in a process of its own, and k-means with ten starts (one for two million rows)
runs on StandardScaler for numbers and OneHotEncoder for text. A line of the file has
both adjusted Rand indices and the processor time of the command. The folder is that of
the data sets (default: COMITIA_DATA); without it only what is simulated runs, which the
column ``data`` says.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import resource
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from benchmarks.preparing import simulated

__all__ = ["KINDS", "main", "run_kind"]

RESULTS = Path(__file__).parent / "results" / "real_tables.csv"

# What is written, the command on it, its classes, and what k-means sees.
Made = tuple[str, NDArray[Any], pd.DataFrame]


def _single(data: Path, name: str, most: int | None = None) -> tuple[Any, Any]:
    with np.load(data / "single" / f"{name}.npz") as arrays:
        X, y = arrays["X"].astype(np.float64), arrays["y"].astype(np.int64)
    rows = np.random.RandomState(0).permutation(len(X))[:most]
    return X[rows], y[rows]


def _csv(frame: pd.DataFrame, y: NDArray[Any], name: str, **how: Any) -> Made:
    frame.assign(**{"class": y}).to_csv(name, index=False, **how)
    k = len(np.unique(y))
    return f"comitia fit {name} -k {k} --truth class", y, frame


def _mixed(data: Path) -> Made:
    X, y = _single(data, "covertype93k", 2000)
    # Its 44 columns of 0 and 1 are two variables: the area, and the soil.
    frame = pd.DataFrame(X[:, :10], columns=[f"measure_{j}" for j in range(10)])
    for name, columns in {"area": X[:, 10:14], "soil": X[:, 14:]}.items():
        frame[name] = [f"{name} {code}" for code in columns.argmax(axis=1)]
    return _csv(frame, y, "forest.csv")


def _customers(data: Path) -> Made:
    table, y = simulated("customers", 0)
    names = ["age", "income", "visits", "member", "region", "coin"]
    frame = pd.DataFrame(table, columns=names).infer_objects()
    for name in ("member", "coin"):
        frame[name] = np.where(frame[name] > 0, "yes", "no")
    return _csv(frame, y, "customers.csv")


def _numbers(name: str, file: str, **how: Any) -> Callable[[Path], Made]:
    def make(data: Path) -> Made:
        X, y = _single(data, name)
        columns = [f"v{j}" for j in range(X.shape[1])]
        return _csv(pd.DataFrame(X, columns=columns), y, file, **how)

    return make


def _label_matrix(data: Path) -> Made:
    with np.load(data / "pools" / "MF.npz") as arrays:
        members, y = arrays["members"][:, :20], arrays["gt"].astype(np.int64)
    frame = pd.DataFrame(members, columns=[f"run_{m}" for m in range(20)])
    frame.assign(**{"class": y}).to_csv("runs.csv", index=False)
    return "comitia combine runs.csv -k 10 --truth class", y, frame


def _cells(data: Path) -> Made:
    import anndata
    from scipy.sparse import csr_matrix

    rng = np.random.RandomState(0)
    y = rng.randint(5, size=800)
    rates = rng.gamma(0.3, 1.0, size=1500) + np.zeros((5, 1))
    for c in range(5):
        rates[c, rng.choice(1500, 60, replace=False)] *= 4
    depth = rng.lognormal(0, 0.6, size=(800, 1))
    counts = rng.poisson(rates[y] * depth)
    obs = pd.DataFrame({"type": y.astype(str)}, index=[f"cell{i}" for i in range(800)])
    anndata.AnnData(csr_matrix(counts.astype(np.float32)), obs).write_h5ad("cells.h5ad")
    return "comitia fit cells.h5ad -k 5 --truth type", y, pd.DataFrame(counts)


def _two_million(data: Path) -> Made:
    rng = np.random.RandomState(0)
    y = rng.randint(8, size=2_000_000)
    X = (4 * rng.randn(8, 10))[y] + 1.5 * rng.randn(len(y), 10)
    frame = pd.DataFrame(X, columns=[f"v{j}" for j in range(10)])
    frame.assign(**{"class": y}).to_parquet("large.parquet", row_group_size=250_000)
    return "comitia fit large.parquet -k 8 --truth class", y, frame


#: What each kind is made of, and whether it is real.
KINDS: dict[str, tuple[str, Callable[[Path], Made]]] = {
    "mixed": ("covertype, 2 000 rows", _mixed),
    "mixed, simulated": ("customers, simulated", _customers),
    "counts": ("pcmac, words", _numbers("pcmac", "words.csv")),
    "expression": (
        "leukaemia (Brunet)",
        _numbers("leukemia_brunet38", "leukaemia.csv"),
    ),
    "wide": ("faces (warppie10p)", _numbers("warppie10p", "faces.csv")),
    "European": (
        "wdbc; semicolons, decimal commas, Latin-1",
        _numbers("wdbc", "befunde.csv", sep=";", decimal=",", encoding="latin-1"),
    ),
    "label matrix": ("MF, 20 clusterings", _label_matrix),
    ".h5ad": ("800 cells, simulated counts", _cells),
    "two million rows": ("10 numbers, simulated", _two_million),
}


def run_kind(kind: str, data: Path, *more: str) -> dict[str, Any]:
    """Write a table, run the command on it, and k-means beside it.

    Parameters
    ----------
    kind : str
        One of KINDS.

    data : Path
        The folder of the data sets.

    *more : str
        Options for the command besides.

    Returns
    -------
    row : dict
        Kind, data, command, sizes, both adjusted Rand indices, and CPU seconds.
    """
    about, make = KINDS[kind]
    before, start = os.getcwd(), _child_seconds()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            command, y, frame = make(data)
            words = [sys.executable, "-m", "comitia", *shlex.split(command)[1:]]
            done = subprocess.run(
                [*words, "--json", *more], check=True, capture_output=True, text=True
            )
        finally:
            os.chdir(before)
    scores = json.loads(done.stdout)["scores"]
    seconds = _child_seconds() - start
    k, many = len(np.unique(y)), len(y) > 1_000_000
    means = KMeans(k, n_init=1 if many else 10, random_state=0)
    return {
        "kind": kind,
        "data": about,
        "command": command,
        "n_objects": len(y),
        "n_columns": frame.shape[1],
        "ari": round(scores["truth_adjusted_rand"], 3),
        "ari_kmeans": round(
            float(adjusted_rand_score(y, means.fit_predict(_usual(frame)))), 3
        ),
        "cpu_s": round(seconds, 1),
    }


def _usual(frame: pd.DataFrame) -> NDArray[np.float64]:
    numbers = frame.select_dtypes("number")
    texts = frame.drop(columns=numbers.columns)
    parts = [StandardScaler().fit_transform(numbers)]
    if texts.shape[1]:
        parts.append(OneHotEncoder(sparse_output=False).fit_transform(texts))
    return np.concatenate(parts, axis=1)


def _child_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the kinds that the command line asks for, and write each when it is done."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.real_tables")
    parser.add_argument("--data", type=Path, default=os.environ.get("COMITIA_DATA"))
    parser.add_argument("--only", nargs="*", choices=[*KINDS], default=[*KINDS])
    parser.add_argument("--out", type=Path, default=RESULTS)
    asked = parser.parse_args(arguments)
    rows: dict[str, dict[str, Any]] = {}
    if asked.out.exists():
        with asked.out.open(newline="", encoding="utf-8") as file:
            rows = {row["kind"]: row for row in csv.DictReader(file)}
    for kind in asked.only:
        if asked.data is None and "simulated" not in KINDS[kind][0]:
            continue
        rows[kind] = run_kind(kind, Path(asked.data or "").absolute())
        print(*rows[kind].values(), sep=" | ", flush=True)
        with asked.out.open("w", newline="", encoding="utf-8") as file:
            table = csv.DictWriter(file, [*rows[kind]], lineterminator="\n")
            table.writeheader()
            table.writerows(rows[each] for each in KINDS if each in rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
