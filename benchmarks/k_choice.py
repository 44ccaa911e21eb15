"""How often the number of clusters is found, how surely, and in what time.

Tables are the ``single/*.npz`` (``X``, ``y``) of a folder with at least 60 objects, cut
to 800, standardised, and turned to their principal axes where there are more columns
than objects. Half of them, in ``results/k_choice_halves.csv``, are there to choose by,
the others to confirm once. Planted data have as many clusters as were put in: 1 to 20,
overlapping and uneven, round, long, bent or one around the other, with and without
noise and columns that say nothing.

``python -m benchmarks.k_choice fit`` gives the constants of
``comitia.evaluate.k_probabilities``, from planted data with even seeds;
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

from comitia.evaluate.k_probabilities import (
    MOST_GAIN,
    KEvidence,
    k_evidence,
    k_probabilities,
    likeliest_k,
)
from comitia.partition.normalized_cut import most_parts

__all__ = ["HALVES", "Case", "fit", "planted", "score", "tables"]

#: Which half of the tables each name belongs to.
HALVES = Path(__file__).parent / "results" / "k_choice_halves.csv"
MIN_OBJECTS, MAX_OBJECTS = 60, 800

Floats = NDArray[np.float64]


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

    kind : {"blobs", "shapes", "none"}, default=None
        Overlapping and uneven blobs in 2 to 50 dimensions; shapes in the plane that do
        not touch; no clusters. By default one of them at random, the last in one case
        of seven.

    Returns
    -------
    case : Case
        The data, standardised, with 60 to 500 objects.
    """
    rng = np.random.RandomState(seed)
    drawn = ("blobs", "shapes", "none")[rng.choice(3, p=[3 / 7, 3 / 7, 1 / 7])]
    kind = drawn if kind is None else kind
    n = int(np.exp(rng.uniform(np.log(60), np.log(500))))
    # Few clusters are likelier than many: one in k.
    some = np.arange(2, 21)
    k = int(rng.choice(some, p=(1 / some) / (1 / some).sum()))
    k = 1 if kind == "none" else min(k, n // 12)
    X = {"blobs": _blobs, "shapes": _shapes, "none": _none}[kind](n, k, rng)
    X = X[rng.permutation(len(X))]
    return Case(f"{kind}{seed}", (X - X.mean(axis=0)) / X.std(axis=0), k)


def _sizes(n: int, k: int, rng: np.random.RandomState) -> list[int]:
    """Sizes of the clusters, equal or very uneven, six at least."""
    share = rng.dirichlet(np.full(k, np.exp(rng.uniform(0.5, 4))))
    return [6 + int(part) for part in share * (n - 6 * k)]


def _blobs(n: int, k: int, rng: np.random.RandomState) -> Floats:
    """Normal or heavy-tailed clusters, more or less apart, each with its own axes."""
    p = int(np.exp(rng.uniform(np.log(2), np.log(50))))
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


def _polar(radius: Floats, angle: Floats) -> Floats:
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def _none(n: int, k: int, rng: np.random.RandomState) -> Floats:
    """One cluster: even, normal, heavy-tailed, skewed, or one shape."""
    p = int(np.exp(rng.uniform(np.log(2), np.log(50))))
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


# -- constants -------------------------------------------------------------------------


def fit(told: Sequence[tuple[KEvidence, int]]) -> tuple[Floats, Floats]:
    """The constants under which the true numbers of clusters are likeliest.

    Parameters
    ----------
    told : sequence of (KEvidence, int)
        Evidence, and the number of clusters.

    Returns
    -------
    weights : ndarray of shape (3,)
        Those of log k, of the stability and of the gap.

    some : ndarray of shape (2,)
        Offset and weight of the gain, for more than one cluster.
    """
    from scipy.optimize import minimize
    from scipy.special import logsumexp

    several = [
        (np.column_stack([np.log(e.ks), e.stability, e.gap]), int(k) - 2)
        for e, k in told
        if k in e.ks
    ]
    gains = np.clip([e.gain for e, _ in told], -MOST_GAIN, MOST_GAIN)
    signs = np.array([1.0 if k > 1 else -1.0 for _, k in told])
    # One and several clusters are taken to be equally likely before.
    counts = np.where(signs > 0, 1 / np.sum(signs > 0), 1 / np.sum(signs < 0))
    counts *= len(told) / 2

    def unlikely_k(w: Floats) -> float:
        scores = ((table @ w, i) for table, i in several)
        return sum(logsumexp(score) - score[i] for score, i in scores) + w @ w / 200

    def unlikely_some(w: Floats) -> float:
        losses = np.logaddexp(0, -signs * (w[0] + w[1] * gains))
        return counts @ losses + w @ w / 200

    return minimize(unlikely_k, np.zeros(3)).x, minimize(unlikely_some, np.zeros(2)).x


# -- scores ----------------------------------------------------------------------------


def _silhouette(X: Floats) -> tuple[int, float]:
    from sklearn.cluster import KMeans
    from sklearn.metrics import silhouette_score

    ks = range(2, min(most_parts(len(X)), 10) + 1)
    found = [KMeans(k, n_init=10, random_state=0).fit_predict(X) for k in ks]
    return ks[int(np.argmax([silhouette_score(X, one) for one in found]))], np.nan


def _unnamed(id: str) -> Callable[[Floats], tuple[int, float]]:
    def rule(X: Floats) -> tuple[int, float]:
        from comitia import method

        return method(id)(random_state=0).fit(X).n_clusters_, np.nan

    return rule


def _probabilities(X: Floats) -> tuple[int, float]:
    ks = range(2, min(most_parts(len(X)), 10) + 1)
    found = k_probabilities(k_evidence(X, ks, np.random.RandomState(0)))
    k = likeliest_k(found, ks)
    return k, float(found[k - 1])


#: What says how many, and with what probability.
RULES: dict[str, Callable[[Floats], tuple[int, float]]] = {
    "silhouette of k-means": _silhouette,
    "lwgp": _unnamed("lwgp"),
    "lwea": _unnamed("lwea"),
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
    given = parser.parse_args(arguments)
    if given.what == "fit":
        cases = (planted(2 * seed) for seed in range(given.planted))
        weights, some = fit([(_evidence(case.X), case.k) for case in cases])
        print("WEIGHTS", weights.round(1), "SOME, GAIN", some.round(1))
    else:
        odd: Iterable[Case] = (planted(2 * i + 1) for i in range(given.planted))
        print(told(score(tables(given.data, given.half) if given.data else odd)))


def _evidence(X: Floats) -> KEvidence:
    ks = range(2, min(most_parts(len(X)), 20) + 1)
    return k_evidence(X, ks, np.random.RandomState(0))


if __name__ == "__main__":
    main()
