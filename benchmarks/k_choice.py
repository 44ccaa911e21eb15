"""How often the number of clusters is found, how surely, and in what time.

Tables are the ``single/*.npz`` (``X``, ``y``) of a folder with at least 60 objects, cut
to 500, standardised, and turned to their principal axes where there are more columns
than objects. Half of them, in ``results/k_choice_halves.csv``, are there to choose by,
the others to confirm once. Planted data have as many clusters as were put in: 1 to 8,
overlapping and uneven, round, long, bent or one around the other, with and without
noise and columns that say nothing.

``python -m benchmarks.k_choice fit`` gives the constants of
``comitia.partition.k_probabilities``, from planted data with even seeds and the tables
to explore (``--data FOLDER``);
``python -m benchmarks.k_choice score`` counts hits, on planted data with odd seeds or,
with ``--data FOLDER --half explore``, on tables.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comitia.partition.k_probabilities import (
    SOME,
    WEIGHTS,
    KEvidence,
    k_evidence,
    k_odds,
    most_k,
    several_features,
    some_features,
    table_sample,
)

__all__ = ["HALVES", "Case", "Told", "fit", "planted", "score", "tables"]

#: Which half of the tables each name belongs to.
HALVES = Path(__file__).parent / "results" / "k_choice_halves.csv"
MAX_OBJECTS = 500

Floats = NDArray[np.float64]


class Told(NamedTuple):
    """What is known of a table whose number of clusters is known.

    Attributes
    ----------
    evidence : KEvidence
        What speaks for each number.

    k : int
        The number of clusters.

    weight : float
        How much it counts.
    """

    evidence: KEvidence
    k: int
    weight: float = 1.0


class Case(NamedTuple):
    """A table whose number of clusters is known.

    Attributes
    ----------
    name : str
        What it is called.

    X : ndarray of shape (n_objects, n_features)
        The table.

    k : int
        The number of clusters.
    """

    name: str
    X: Floats
    k: int


def tables(folder: Path, half: str) -> Iterator[Case]:
    """The tables of one half that the folder has.

    Parameters
    ----------
    folder : path
        With a folder ``single``.

    half : {"explore", "confirm"}
        Which half.

    Yields
    ------
    case : Case
        A table, its rows in random order.
    """
    with HALVES.open(encoding="utf-8", newline="") as file:
        names = [row["name"] for row in csv.DictReader(file) if row["half"] == half]
    for name in names:
        with np.load(folder / "single" / f"{name}.npz") as file:
            X, y = file["X"], file["y"]
        rows = np.random.RandomState(0).permutation(len(X))[:MAX_OBJECTS]
        X = np.nan_to_num(X[rows].astype(np.float64))
        spread = X.std(axis=0)
        X = (X - X.mean(axis=0))[:, spread > 0] / spread[spread > 0]
        if X.shape[1] > len(X):
            U, d, _ = np.linalg.svd(X, full_matrices=False)
            X = U * d
        yield Case(name, X, len(np.unique(y[rows][y[rows] >= 0])))


# -- planted data ----------------------------------------------------------------------


def planted(seed: int, kind: str | None = None) -> Case:
    """Data with as many clusters as were put in.

    Parameters
    ----------
    seed : int
        Seed.

    kind : {"blobs", "shapes", "none", "bent"}, default=None
        Overlapping and uneven blobs in 2 to 20 dimensions; shapes in the plane that do
        not touch; no clusters; moons, rings and spirals. By default one of the first
        three at random, no clusters in one case of four.

    Returns
    -------
    case : Case
        The data, standardised, with 80 to 500 objects.
    """
    rng = np.random.RandomState(seed)
    drawn = ("blobs", "shapes", "none")[rng.choice(3, p=[3 / 8, 3 / 8, 1 / 4])]
    kind = drawn if kind is None else kind
    n = int(np.exp(rng.uniform(np.log(80), np.log(500))))
    # Few clusters are likelier than many: one in k.
    some = np.arange(2, 9)
    k = int(rng.choice(some, p=(1 / some) / (1 / some).sum()))
    k = {"none": 1, "bent": 2 + seed // 2 % 2}.get(kind, min(k, n // 12))
    n = max(n, 75 * k) if kind == "bent" else n
    X = _KINDS[kind](n, k, rng)
    X = X[rng.permutation(len(X))]
    return Case(f"{kind}{seed}", (X - X.mean(axis=0)) / X.std(axis=0), k)


def _sizes(n: int, k: int, rng: np.random.RandomState) -> list[int]:
    """Sizes of the clusters, equal or very uneven, six at least."""
    share = rng.dirichlet(np.full(k, np.exp(rng.uniform(0.5, 4))))
    return [6 + int(part) for part in share * (n - 6 * k)]


def _blobs(n: int, k: int, rng: np.random.RandomState) -> Floats:
    """Normal or heavy-tailed clusters, more or less apart, each with its own axes."""
    p = int(np.exp(rng.uniform(np.log(2), np.log(20))))
    away = rng.uniform(3, 9)
    centers = np.zeros((k, p))
    for i in range(1, k):  # each at least so far from all before
        reach = away
        while True:
            centers[i] = rng.randn(p) * reach / np.sqrt(2 * p)
            if np.linalg.norm(centers[i] - centers[:i], axis=1).min() >= away:
                break
            reach *= 1.02
    uneven, degrees = rng.uniform(0, 0.6), rng.choice([4, 30])
    parts = []
    for center, size in zip(centers, _sizes(n, k, rng), strict=True):
        turn, _ = np.linalg.qr(rng.randn(p, p))
        spread = np.exp(rng.uniform(-uneven, uneven, p))
        draws = rng.standard_t(degrees, (size, p)) * np.sqrt((degrees - 2) / degrees)
        parts.append(center + (draws * spread) @ turn)
    X = np.concatenate(parts)
    return np.hstack([X, rng.randn(len(X), rng.randint(0, 1 + p // 2))])


def _shapes(n: int, k: int, rng: np.random.RandomState) -> Floats:
    """Shapes in cells of the plane, some with a second one inside, maybe noise."""
    sizes, parts = _sizes(n, k, rng), []
    side = int(np.ceil(np.sqrt(k)))
    cells = [(i, j) for i in range(side) for j in range(side)]
    rng.shuffle(cells)
    wobble, gap = rng.uniform(0.02, 0.09), rng.uniform(2.6, 4.0)
    while sizes:
        cell = np.array(cells.pop()) * gap + rng.uniform(-0.2, 0.2, 2)
        kind = rng.choice(["blob", "box", "ring", "moons", "spiral", "line"])
        size = sizes.pop()
        inner = sizes.pop() if sizes and kind in ("ring", "moons", "spiral") else 0
        turn = rng.uniform(0, 2 * np.pi)
        R = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        parts += [
            (points + wobble * rng.randn(*points.shape)) @ R + cell
            for points in _shape(str(kind), size, inner, rng)
        ]
    X = np.concatenate(parts)
    if rng.rand() < 0.25:
        extra = rng.randint(1, 1 + len(X) // 20)
        X = np.vstack([X, rng.uniform(X.min(axis=0), X.max(axis=0), (extra, 2))])
    return X


def _shape(
    kind: str, size: int, inner: int, rng: np.random.RandomState
) -> Iterator[Floats]:
    """Points of a shape, and of a second one that belongs to it."""
    t = rng.uniform(0, 1, size)
    s = rng.uniform(0, 1, inner)
    if kind == "blob":
        yield 0.35 * rng.randn(size, 2)
    elif kind == "box":
        yield rng.uniform(-0.8, 0.8, (size, 2))
    elif kind == "line":
        yield np.column_stack([2 * t - 1, np.zeros(size)])
    elif kind == "ring":
        yield _polar(np.full(size, 1.0), 2 * np.pi * t)
        if inner:
            yield 0.15 * rng.randn(inner, 2)
    elif kind == "moons":
        yield _polar(np.full(size, 0.8), np.pi * t) - [0.4, 0.2]
        if inner:
            yield _polar(np.full(inner, 0.8), np.pi * (1 + s)) + [0.4, 0.2]
    else:
        yield _polar(0.2 + 0.8 * np.sqrt(t), 2.5 * np.pi * np.sqrt(t))
        if inner:
            yield _polar(0.2 + 0.8 * np.sqrt(s), np.pi + 2.5 * np.pi * np.sqrt(s))


def _bent(n: int, k: int, rng: np.random.RandomState) -> Floats:
    """Two moons, or two or three rings or spirals, one around the other."""
    noise = rng.uniform(0.02, 0.1)
    kind = "moons" if k == 2 and rng.rand() < 0.4 else rng.choice(["rings", "spirals"])
    parts = []
    for i, size in enumerate(_sizes(n, k, rng)):
        t = rng.uniform(0, 1, size)
        if kind == "moons":
            parts.append(_polar(np.full(size, 1.0), np.pi * (t + i)) + [i, 0.5 * i])
        elif kind == "rings":
            parts.append(_polar(np.full(size, 0.4 + 0.6 * i), 2 * np.pi * t))
        else:
            angle = 2 * np.pi * i / k + 3 * np.pi * np.sqrt(t)
            parts.append(_polar(0.2 + 1.8 * np.sqrt(t), angle))
    X = np.concatenate(parts)
    return X + noise * rng.randn(*X.shape)


def _polar(radius: Floats, angle: Floats) -> Floats:
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def _none(n: int, k: int, rng: np.random.RandomState) -> Floats:
    """One cluster: even, normal, heavy-tailed, skewed, or one shape."""
    p = int(np.exp(rng.uniform(np.log(2), np.log(20))))
    turn, _ = np.linalg.qr(rng.randn(p, p))
    spread = np.exp(rng.uniform(-1, 1, p))
    kind = rng.choice(["box", "normal", "heavy", "skewed", "shape"])
    if kind == "shape":
        return _shapes(n, k, rng)
    draw: dict[str, Callable[[], Any]] = {
        "box": lambda: rng.uniform(-1, 1, (n, p)),
        "normal": lambda: rng.randn(n, p),
        "heavy": lambda: rng.standard_t(4, (n, p)),
        "skewed": lambda: rng.gamma(2.0, size=(n, p)),
    }
    return (draw[str(kind)]() * spread) @ turn


_KINDS = {"blobs": _blobs, "shapes": _shapes, "none": _none, "bent": _bent}


# -- constants -------------------------------------------------------------------------


def fit(told: Sequence[Told]) -> tuple[Floats, Floats]:
    """The constants under which the true numbers of clusters are likeliest.

    Parameters
    ----------
    told : sequence of Told
        Evidence, the number of clusters, and how much that counts.

    Returns
    -------
    weights : ndarray of shape (2,)
        Those of the ensemble's gap and of the stability.

    some : ndarray of shape (3,)
        Offset and weights of the gain and of the stability, for several clusters.
    """
    from scipy.optimize import minimize
    from scipy.special import logsumexp

    several = [
        (several_features(one.evidence), [*one.evidence.ks].index(one.k), one.weight)
        for one in told
        if one.k in one.evidence.ks
    ]
    features = np.array([some_features(one.evidence) for one in told])
    signs = np.array([1.0 if one.k > 1 else -1.0 for one in told])
    # That there is one cluster is taken to have a probability of a quarter before.
    counts = np.array([one.weight for one in told])
    counts[signs < 0] *= counts[signs > 0].sum() / 3 / counts[signs < 0].sum()

    def unlikely_k(w: Floats) -> float:
        scores = ((table @ w, i, count) for table, i, count in several)
        losses = (count * (logsumexp(score) - score[i]) for score, i, count in scores)
        return sum(losses) + w @ w / 200

    def unlikely_some(w: Floats) -> float:
        losses = np.logaddexp(0, -signs * (features @ w))
        return float(counts @ losses + w @ w / 200)

    start = np.zeros(len(WEIGHTS)), np.zeros(len(SOME))
    return minimize(unlikely_k, start[0]).x, minimize(unlikely_some, start[1]).x


# -- scores ----------------------------------------------------------------------------


def _silhouette(X: Floats) -> tuple[int, float]:
    from sklearn.cluster import KMeans
    from sklearn.metrics import silhouette_score

    ks = range(2, min(most_k(len(X)), 10) + 1)
    found = [KMeans(k, n_init=10, random_state=0).fit_predict(X) for k in ks]
    return ks[int(np.argmax([silhouette_score(X, one) for one in found]))], np.nan


def _eigengap(X: Floats) -> tuple[int, float]:
    from comitia.generate import MixedGenerator
    from comitia.partition import choose_n_clusters

    return choose_n_clusters(MixedGenerator(random_state=0).generate(X)), np.nan


def _probabilities(X: Floats) -> tuple[int, float]:
    odds = k_odds(table_sample(X))
    return odds.n_clusters, odds.as_dict()[odds.n_clusters]


#: What says how many, and with what probability.
RULES: dict[str, Callable[[Floats], tuple[int, float]]] = {
    "silhouette of k-means": _silhouette,
    "eigengap of the ensemble": _eigengap,
    "probabilities": _probabilities,
}


def score(
    cases: Iterable[Case], rules: Sequence[str] = tuple(RULES)
) -> list[dict[str, Any]]:
    """What each rule says of each case, and in what time.

    Parameters
    ----------
    cases : iterable of Case
        The data.

    rules : sequence of str, default=all
        Names in ``RULES``.

    Returns
    -------
    rows : list of dict
        One for each case and rule.
    """
    rows = []
    for case in cases:
        for rule in rules:
            start = process_time()
            k, sure = RULES[rule](case.X)
            took = process_time() - start
            rows.append(
                {"name": case.name, "true": case.k, "rule": rule, "k": k}
                | {"probability": sure, "cpu": took}
            )
    return rows


def told(rows: Sequence[dict[str, Any]]) -> str:
    """The rows in a few lines: hits, hits up to one, log ratio, surely right, time."""
    lines = []
    for rule in dict.fromkeys(row["rule"] for row in rows):
        own = [row for row in rows if row["rule"] == rule]
        k, true, sure, cpu = (
            np.array([row[name] for row in own], dtype=float)
            for name in ("k", "true", "probability", "cpu")
        )
        lines.append(
            f"{rule:24} right {np.mean(k == true):.2f}, within one "
            f"{np.mean(abs(k - true) <= 1):.2f}, |log| "
            f"{np.abs(np.log(k / true)).mean():.2f}, says 1 {np.sum(k == 1)} times, "
            f"cpu {np.median(cpu):.2f} s"
        )
        for low, high in ((0, 0.3), (0.3, 0.5), (0.5, 0.7), (0.7, 0.9), (0.9, 1.01)):
            some = (sure >= low) & (sure < high)
            if some.any():
                lines.append(
                    f"{'':24} says {sure[some].mean():.2f}: right "
                    f"{np.mean((k == true)[some]):.2f} of {some.sum()}"
                )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["fit", "score"])
    parser.add_argument("--data", type=Path, help="folder with single/*.npz")
    parser.add_argument("--half", choices=["explore", "confirm"], default="explore")
    parser.add_argument("--planted", type=int, default=200, help="how many")
    parser.add_argument("--kind", help="kind of planted data")
    parser.add_argument("--out", type=Path, help="file for the rows, a CSV")
    given = parser.parse_args(arguments)
    n = range(given.planted)
    if given.what == "fit":
        weights, some = fit([*_told_by(given.data, n)])
        print("WEIGHTS", weights.round(1), "SOME", some.round(1))
        return
    odd: Iterable[Case] = (planted(2 * i + 1, given.kind) for i in n)
    rows = score(tables(given.data, given.half) if given.data else odd)
    print(told(rows))
    if given.out is not None:
        write_rows(rows, given.out)


def _told_by(folder: Path, n: Iterable[int]) -> Iterator[Told]:
    """Tables to explore count as much as the planted data together."""
    explored = [*tables(folder, "explore")]
    for case in explored:
        yield Told(_evidence(case.X), case.k)
    cases = [planted(2 * i) for i in n] + [planted(2 * i, "bent") for i in n if i % 5]
    for case in cases:
        yield Told(_evidence(case.X), case.k, len(explored) / len(cases))


def _evidence(X: Floats) -> KEvidence:
    ks = range(2, most_k(len(X)) + 1)
    return k_evidence(table_sample(X), ks, np.random.RandomState(0))


def write_rows(rows: Sequence[dict[str, Any]], path: Path) -> None:
    """Write what each rule said, with the date and the versions.

    Parameters
    ----------
    rows : sequence of dict
        As :func:`score` gives them.

    path : path
        A CSV file.
    """
    import datetime

    import sklearn

    import comitia

    when = {
        "date": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        "comitia": comitia.__version__,
        "numpy": np.__version__,
        "sklearn": sklearn.__version__,
    }
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0], *when], lineterminator="\n")
        writer.writeheader()
        for row in rows:
            rounded = {
                name: round(value, 3) if isinstance(value, float) else value
                for name, value in row.items()
            }
            writer.writerow(rounded | when)


if __name__ == "__main__":
    main()
