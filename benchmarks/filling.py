"""What a table with gaps loses: missing numbers by medians, or by the nearest rows.

``python -m benchmarks.filling [--data FOLDER] [--half HALF] [--seeds 2] [--out FILE]``

Cells of tables of numbers are taken out: one in twenty or one in five of all (``5%``,
``20%``), or, as where a form had a second page, half of the columns for a third of the
rows (``block``). What is left is prepared by :class:`comitia.prepare.TablePreparer`
with each of its two fillings, and clustered into as many clusters as there are classes,
by the default and by k-means with ten starts. The score is the adjusted Rand index on
at most 400 rows. Without a folder the tables are three of scikit-learn. The filling was
chosen on the half of the sets that is there to choose on, before the other was run.
"""

from __future__ import annotations

import argparse
import csv
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from benchmarks.evaluation.data import halves
from comitia import ConsensusClustering
from comitia.prepare import TablePreparer

__all__ = ["GAPS", "main", "with_gaps"]

#: Real tables of ``single/`` with four columns or more, none of them images of objects.
TABLES = (
    *("authorship", "breast_wisconsin", "covertype93k", "glass", "ionosphere", "iris"),
    *("letters", "magic", "optdigits", "satimage", "segment", "texture", "thyroid"),
    *("vehicle", "wdbc", "yeast"),
)
GAPS = ("5%", "20%", "block")
FILLINGS = ("median", "knn")
N_ROWS = 400

Floats = NDArray[np.float64]


def with_gaps(X: Floats, gaps: str, rng: np.random.RandomState) -> Floats:
    """Take cells out of a table; each row keeps one at least.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        The table.

    gaps : {"5%", "20%", "block"}
        Which cells.

    rng : RandomState
        Draws them.

    Returns
    -------
    X : ndarray of shape (n, p)
        A copy, NaN where a cell was taken out.
    """
    n, p = X.shape
    if gaps == "block":
        columns = rng.permutation(p)[: max(1, p // 2)]
        missing = np.zeros((n, p), dtype=bool)
        missing[np.ix_(rng.rand(n) < 0.35, columns)] = True
    else:
        missing = rng.rand(n, p) < float(gaps.rstrip("%")) / 100
    missing[missing.all(axis=1), 0] = False
    return np.where(missing, np.nan, X)


def _tables(data: Path | None, half: str) -> Iterator[tuple[str, Floats, Any]]:
    if data is None:
        for name in ("iris", "wine", "breast_cancer"):
            X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
            yield name, X, y
        return
    sides = halves([path.stem for path in (data / "single").glob("*.npz")])
    for name in TABLES:
        if sides.get(name) == half:
            with np.load(data / "single" / f"{name}.npz") as arrays:
                yield name, arrays["X"].astype(np.float64), arrays["y"]


def _scores(X: Floats, y: Any) -> dict[str, float]:
    k, scores = len(np.unique(y)), {}
    for filling in FILLINGS:
        prepared = TablePreparer(impute=filling, max_missing=0.9).fit_transform(X)
        for name, model in {
            "default": ConsensusClustering(k, random_state=0),
            "kmeans": KMeans(k, n_init=10, random_state=0),
        }.items():
            labels = model.fit_predict(prepared)
            scores[f"{name}_{filling}"] = round(adjusted_rand_score(y, labels), 4)
    return scores


def main(arguments: Sequence[str] | None = None) -> int:
    """Score the tables that the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.filling")
    parser.add_argument("--data", type=Path, default=None)
    parser.add_argument("--half", choices=("choose", "confirm"), default="choose")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--out", type=Path, default=None)
    asked = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    rows: list[dict[str, Any]] = []
    for name, X, y in _tables(asked.data, asked.half):
        for seed in range(asked.seeds):
            kept = np.random.RandomState(100 + seed).permutation(len(X))[:N_ROWS]
            for gaps in GAPS:
                damaged = with_gaps(X[kept], gaps, np.random.RandomState(seed))
                key = {"half": asked.half, "data": name, "seed": seed, "gaps": gaps}
                rows.append({**key, **_scores(damaged, y[kept])})
        print(name, flush=True)
    for gaps in GAPS:
        mine = [row for row in rows if row["gaps"] == gaps]
        means = {key: np.mean([row[key] for row in mine]) for key in [*mine[0]][4:]}
        print(gaps, *(f"{key} {mean:.3f}" for key, mean in means.items()))
    if asked.out is not None:
        known = []
        if asked.out.exists():
            with asked.out.open(newline="", encoding="utf-8") as file:
                known = [r for r in csv.DictReader(file) if r["half"] != asked.half]
        with asked.out.open("w", newline="", encoding="utf-8") as file:
            table = csv.DictWriter(file, [*rows[0]], lineterminator="\n")
            table.writeheader()
            table.writerows([*known, *rows])
    return 0


if __name__ == "__main__":
    sys.exit(main())
