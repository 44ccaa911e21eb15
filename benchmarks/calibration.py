"""Is an object that is 80 % sure right four times of five?

``python -m benchmarks.calibration [--data FOLDER] [--seeds 3]``

The expected calibration error (ten bins of equal size) of ``confidence_`` and of
``vote_share_``. An object is right if its cluster is matched with its class, by the
matching of clusters and classes that has most objects. Three kinds of ensembles:

- ``planted``: copies of one partition with independent errors, some with clusterings
  that are nearly random, copies of clusterings, unequal clusters or hard objects;
- ``blobs``: k-means on normal clusters that overlap;
- ``table``: the default on data with classes: those of scikit-learn, and
  FOLDER/single/*.npz (data ``X``, classes ``y``) of at most 800 objects.

Columns are standardised, k is the number of classes. Writes ``calibration.csv`` and
``calibration.json`` to the results, and the reliability diagram to ``results/local``.
"""

from __future__ import annotations

import argparse
import csv
import json
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

RESULTS = Path(__file__).parent / "results"
MEASURED = ("vote_share", "confidence")
N_BINS = 10
MOST_OBJECTS, MOST_FEATURES = 800, 200
#: Below this, which class a cluster stands for is a guess itself.
MATCHED = 0.4


class Case(NamedTuple):
    """What is clustered, labels or data, and the classes."""

    kind: str
    name: str
    labels: NDArray[Any] | None
    X: NDArray[Any] | None
    truth: NDArray[Any]


def planted_cases(seed: int, n: int = 1000) -> Iterator[Case]:
    """Ensembles with a known answer."""
    from comitia.testing import planted

    for k in (2, 4, 10):
        for M in (5, 20):
            for noise in (0.1, 0.3, 0.5, 0.6):
                labels, truth = planted(n, k, M, noise, seed)
                yield Case("planted", f"k={k} M={M} {noise}", labels, None, truth)
    for noise in (0.3, 0.5):
        for k in (3, 6):
            labels, truth = planted(n, k, 20, noise, seed)
            junk, _ = planted(n, k, 14, 0.9, seed + 100)
            mixed = np.hstack([labels[:, :6], junk])
            yield Case("planted", f"junk k={k} {noise}", mixed, None, truth)
            copies = np.repeat(labels[:, :8], 4, axis=1)
            yield Case("planted", f"copies k={k} {noise}", copies, None, truth)
            hard, _ = planted(n, k, 20, 0.95, seed)  # the same names of clusters
            blurred = np.where(np.arange(n)[:, None] % 5 == 0, hard, labels)
            yield Case("planted", f"hard k={k} {noise}", blurred, None, truth)
            labels, truth = planted(n, k, 20, noise, seed, 2.0 ** -np.arange(k))
            yield Case("planted", f"unequal k={k} {noise}", labels, None, truth)


def data_cases(seed: int, folder: Path | None) -> Iterator[Case]:
    """Data with classes."""
    from sklearn.datasets import load_digits, load_iris, load_wine, make_blobs

    for spread in (1.5, 2.0, 3.0, 4.0):
        X, y = make_blobs(600, 4, centers=4, cluster_std=spread, random_state=seed)
        yield Case("blobs", f"spread {spread}", None, X, y)
    for load in (load_iris, load_wine, load_digits):
        data = load()
        some = slice(MOST_OBJECTS)
        name = load.__name__.removeprefix("load_")
        yield Case("table", name, None, data.data[some], data.target[some])
    for path in sorted((folder / "single").glob("*.npz")) if folder else ():
        with np.load(path, allow_pickle=False) as stored:
            X, y = stored["X"], stored["y"]
        if path.stem in ("iris", "optdigits") or len(y) > MOST_OBJECTS:
            continue
        if X.shape[1] <= MOST_FEATURES:
            yield Case("table", path.stem, None, X, y)


def right_objects(labels: NDArray[Any], truth: NDArray[Any]) -> NDArray[np.bool_]:
    """Which objects are in the cluster that is matched with their class."""
    from scipy.optimize import linear_sum_assignment

    a = np.unique(labels, return_inverse=True)[1]
    b = np.unique(truth, return_inverse=True)[1]
    table = np.zeros((a.max() + 1, b.max() + 1))
    np.add.at(table, (a, b), 1)
    rows, columns = linear_sum_assignment(-table)
    to = np.full(len(table), -1)
    to[rows] = columns
    return np.asarray(to[a] == b)


def reliability(
    values: NDArray[np.float64], right: NDArray[np.bool_]
) -> list[tuple[int, float, float]]:
    """Of bins of equal size: objects, mean of the values, share that is right."""
    bins = np.array_split(np.argsort(values, kind="stable"), N_BINS)
    return [
        (len(b), float(values[b].mean()), float(right[b].mean()))
        for b in bins
        if len(b)
    ]


def calibration_error(values: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    """Expected calibration error."""
    bins = reliability(values, right)
    return sum(n * abs(said - was) for n, said, was in bins) / len(right)


def measure(case: Case, seed: int) -> tuple[dict[str, Any], Any, NDArray[np.bool_]]:
    """One row of the table, the fitted method, and which objects are right."""
    from sklearn.metrics import adjusted_rand_score
    from sklearn.preprocessing import StandardScaler

    from comitia import ConsensusClustering, Ensemble

    made = ConsensusClustering(n_clusters=len(np.unique(case.truth)), random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if case.labels is not None:
            made.fit(Ensemble(case.labels))
        else:
            X = np.asarray(case.X, dtype=np.float64)
            made.fit(StandardScaler().fit_transform(X[:, X.std(axis=0) > 0]))
    right = right_objects(made.labels_, case.truth)
    row: dict[str, Any] = {
        "kind": case.kind,
        "case": case.name,
        "seed": seed,
        "n_objects": len(right),
        "ari": adjusted_rand_score(case.truth, made.labels_),
        "right": float(right.mean()),
    }
    for name in MEASURED:
        values = getattr(made, f"{name}_")
        row[f"mean_{name}"] = float(values.mean())
        row[f"ece_{name}"] = calibration_error(values, right)
    return row, made, right


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Mean and largest error of each kind, where clusters can be matched or not."""
    found: dict[str, Any] = {}
    for kind in dict.fromkeys(row["kind"] for row in rows):
        for text, least in (("all", -1.0), (f"ari >= {MATCHED}", MATCHED)):
            some = [row for row in rows if row["kind"] == kind and row["ari"] >= least]
            if not some:
                continue
            found[f"{kind}, {text}"] = {"n": len(some)} | {
                f"{how}_{name}": round(float(f([r[f"ece_{name}"] for r in some])), 4)
                for name in MEASURED
                for how, f in (("mean", np.mean), ("largest", np.max))
            }
    return found


def draw(pooled: dict[str, dict[str, list[Any]]], path: Path) -> None:
    """The reliability diagram: what was said against how often it was right."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(pooled), figsize=(4 * len(pooled), 4))
    for ax, (kind, values) in zip(np.atleast_1d(axes), pooled.items(), strict=True):
        ax.plot([0, 1], [0, 1], color="0.8")
        right = np.concatenate(values["right"])
        for name in MEASURED:
            bins = np.array(reliability(np.concatenate(values[name]), right))
            ax.plot(bins[:, 1], bins[:, 2], marker="o", label=name.replace("_", " "))
        ax.set(title=kind, xlabel="said", ylabel="right", xlim=(0, 1), ylim=(0, 1))
        ax.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120, bbox_inches="tight")
    plt.close(figure)


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Measure, write, print the summary."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--objects", type=int, default=1000)
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args(arguments)
    rows: list[dict[str, Any]] = []
    pooled: dict[str, dict[str, list[Any]]] = {}
    for seed in range(given.seeds):
        cases = [*planted_cases(seed, given.objects), *data_cases(seed, given.data)]
        for case in cases:
            row, made, right = measure(case, seed)
            rows.append(row)
            if row["ari"] >= MATCHED:
                kept = pooled.setdefault(
                    case.kind, {n: [] for n in (*MEASURED, "right")}
                )
                kept["right"].append(right)
                for name in MEASURED:
                    kept[name].append(getattr(made, f"{name}_"))
    given.out.mkdir(parents=True, exist_ok=True)
    with (given.out / "calibration.csv").open(
        "w", newline="", encoding="utf-8"
    ) as file:
        writer = csv.writer(file)
        writer.writerow(rows[0])
        for row in rows:
            values = (round(v, 4) if isinstance(v, float) else v for v in row.values())
            writer.writerow(values)
    found = summary(rows)
    text = json.dumps(found, indent=2)
    (given.out / "calibration.json").write_text(text + "\n", encoding="utf-8")
    draw(pooled, given.out / "local" / "calibration.png")
    print(text)
    return found


if __name__ == "__main__":
    main()
