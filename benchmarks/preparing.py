"""What preparing a table is worth: the default before and now, and k-means.

``python -m benchmarks.preparing [--data FOLDER] [--seeds 5] [--out FILE.csv]``

Simulated tables have numbers, yes/no columns and categories, some of which have nothing
to do with the classes: ``customers`` is a table of 600 with three numbers that tell, a
yes/no that tells a little, a region and a coin that was tossed; ``numbers`` and
``categories`` are like those of which most of the signal is in the one or the other;
``both`` has some of each. Wide tables are ``single/*.npz`` of the folder. Every line
has the adjusted Rand index of

- ``prepared``: the default on what :class:`comitia.prepare.TablePreparer` makes,
- ``before``: the default on scikit-learn's usual pipeline, StandardScaler for numbers
  (yes/no columns are 0 and 1) and OneHotEncoder for text,
- ``kmeans``: k-means with ten starts on the same,
- ``kmeans_prepared``: the same k-means on the prepared table.
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
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from comitia import ConsensusClustering
from comitia.prepare import TablePreparer

__all__ = ["WIDE", "main", "scores", "simulated"]

#: Wide tables of ``single/``: expression, methylation, images.
WIDE = (
    "leukemia_brunet38",
    "leukemia_golub72",
    "srbct_khan63",
    "srbct83",
    "tox171",
    "lymphoma",
    "christensen2009_methylation",
    "yale32",
)

Table = tuple[NDArray[Any], NDArray[np.int64]]

# Classes, how far numbers are apart, numbers that tell and that do not, yes/no that
# tell and coins, levels of categories that tell, how much, levels of those that do not.
KINDS: dict[str, tuple[Any, ...]] = {
    "numbers": (3, 1.8, 3, 0, 1, 2, [], 0.6, [4]),
    "categories": (3, 0.7, 1, 0, 0, 2, [3, 3, 3, 3], 0.6, [4]),
    "both": (4, 1.2, 2, 1, 1, 1, [3, 5], 0.5, [3]),
}


def simulated(kind: str, seed: int, n: int = 400) -> Table:
    """Draw a table of numbers and text.

    Parameters
    ----------
    kind : {"customers", "numbers", "categories", "both"}
        What is in it.

    seed : int
        Seed of the draw.

    n : int, default=400
        Number of rows; customers are 600.

    Returns
    -------
    table, y : ndarray of shape (n, p), ndarray of shape (n,)
        Objects, numbers and text, and the classes.
    """
    rng = np.random.RandomState(1000 + seed)
    columns: list[Any] = []
    if kind == "customers":
        y = rng.choice(3, 600, p=[0.4, 0.35, 0.25])
        centers = np.array([[0, 0, 0], [2.5, 0, 1.5], [0, 2.5, -1.5]])
        numbers = (centers[y] + rng.randn(600, 3)) * [12, 900, 3] + [45, 4000, 9]
        columns += [*numbers.T]
        columns.append(rng.rand(600) < np.array([0.25, 0.75, 0.5])[y])
        columns.append(np.array(["north", "south", "east", "west"])[rng.choice(4, 600)])
        columns.append(rng.rand(600) < 0.5)
    else:
        k, apart, n_tell, n_mute, flags, coins, levels, tell, mute = KINDS[kind]
        y = rng.randint(k, size=n)
        columns += [*((rng.randn(k, n_tell) * apart)[y] + rng.randn(n, n_tell)).T]
        columns += [*rng.randn(n, n_mute).T]
        columns += [
            rng.rand(n) < np.where(y == rng.randint(k), 0.8, 0.3) for _ in range(flags)
        ]
        columns += [rng.rand(n) < rng.uniform(0.3, 0.7) for _ in range(coins)]
        for n_levels in levels:
            shares = np.full((k, n_levels), (1 - tell) / n_levels)
            shares[np.arange(k), rng.permutation(max(k, n_levels))[:k] % n_levels] += (
                tell
            )
            columns.append(_words([rng.choice(n_levels, p=shares[c]) for c in y]))
        columns += [_words(rng.choice(each, size=n)) for each in mute]
    table = np.empty((len(y), len(columns)), dtype=object)
    for j, column in enumerate(columns):
        table[:, j] = column.astype(float) if column.dtype.kind in "bf" else column
    return table, y


def _words(codes: Any) -> NDArray[Any]:
    return np.array([f"level {code}" for code in codes])


def scores(table: NDArray[Any], y: NDArray[Any], seed: int) -> dict[str, float]:
    """Score the default and k-means on a table.

    Parameters
    ----------
    table : ndarray of shape (n, p)
        The table.

    y : ndarray of shape (n,)
        The classes; -1 is left out.

    seed : int
        Seed of the methods.

    Returns
    -------
    scores : dict of str to float
        Adjusted Rand indices, as the module says.
    """
    prepared = TablePreparer().fit_transform(table)
    usual = _usual_pipeline(table)
    k = len(np.unique(y[y >= 0]))
    found = {
        "prepared": ConsensusClustering(k, random_state=seed).fit_predict(prepared),
        "before": ConsensusClustering(k, random_state=seed).fit_predict(usual),
        "kmeans": KMeans(k, n_init=10, random_state=seed).fit_predict(usual),
        "kmeans_prepared": KMeans(k, n_init=10, random_state=seed).fit_predict(
            prepared
        ),
    }
    return {
        name: float(adjusted_rand_score(y[y >= 0], labels[y >= 0]))
        for name, labels in found.items()
    }


def _usual_pipeline(table: NDArray[Any]) -> NDArray[np.float64]:
    is_text = np.array([isinstance(value, str) for value in table[0]])
    parts = []
    if not is_text.all():
        numbers = table[:, ~is_text].astype(np.float64)
        parts.append(StandardScaler().fit_transform(numbers))
    if is_text.any():
        encoder = OneHotEncoder(sparse_output=False)
        parts.append(encoder.fit_transform(table[:, is_text]))
    return np.concatenate(parts, axis=1)


def _tables(data: Path | None, seeds: int) -> Iterator[tuple[str, int, Table]]:
    for kind in ("customers", *KINDS):
        for seed in range(seeds):
            yield kind, seed, simulated(kind, seed)
    for name in WIDE if data is not None else ():
        with np.load(Path(data or "") / "single" / f"{name}.npz") as arrays:
            X, y = arrays["X"].astype(np.float64), arrays["y"].astype(np.int64)
        for seed in range(min(seeds, 3)):
            yield name, seed, (X[:, X.std(axis=0) > 0], y)


def main(arguments: Sequence[str] | None = None) -> int:
    """Score the tables that the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.preparing")
    parser.add_argument("--data", type=Path, default=None)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--out", type=Path, default=None)
    asked = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    rows = []
    for name, seed, (table, y) in _tables(asked.data, asked.seeds):
        rows.append({"data": name, "seed": seed, **scores(table, y, seed)})
        print(
            name,
            seed,
            *(f"{k} {v:.2f}" for k, v in list(rows[-1].items())[2:]),
            flush=True,
        )
    for each in dict.fromkeys(row["data"] for row in rows):
        mine = [row for row in rows if row["data"] == each]
        means = {key: np.mean([row[key] for row in mine]) for key in list(mine[0])[2:]}
        print(f"{each!s:28s}", *(f"{key} {mean:.3f}" for key, mean in means.items()))
    if asked.out is not None:
        with asked.out.open("w", newline="", encoding="utf-8") as file:
            table_file = csv.DictWriter(file, [*rows[0]], lineterminator="\n")
            table_file.writeheader()
            table_file.writerows(
                {k: round(v, 4) if isinstance(v, float) else v for k, v in row.items()}
                for row in rows
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
