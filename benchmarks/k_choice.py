"""How often the number of clusters is found, how surely, and in what time.

Tables are the ``single/*.npz`` (``X``, ``y``) of a folder with at least 60 objects, cut
to 500, standardised, and turned to their principal axes where there are more columns
than objects. Half of them, in ``results/k_choice_halves.csv``, are there to choose by,
the others to confirm once. Planted data have as many clusters as were put in: 1 to 8,
overlapping and uneven, round, long, bent or one around the other, with and without
noise and columns that say nothing.

``python -m benchmarks.k_choice measure --data FOLDER`` writes ``results/k_choice.csv``:
for each table, planted set and number of clusters what speaks for it, and what two
other rules say. Rows that are there are kept, so that it goes on where it was stopped.
The other commands read that file alone. ``python -m benchmarks.k_choice fit`` gives the
constants of ``comitia.partition.k_probabilities``, from the tables to explore and from
planted data with even seeds; ``python -m benchmarks.k_choice score`` counts hits with
the constants as they are, also on the tables to confirm and on odd seeds.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import os
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
    KOdds,
    k_evidence,
    k_probabilities,
    most_k,
    several_features,
    some_features,
    table_sample,
)

__all__ = [
    *("HALVES", "MEASURED", "Case", "Told", "evidence_of", "fit", "measure"),
    *("planted", "rows_to_fit", "score", "tables"),
]

#: Which half of the tables each name belongs to; what was measured of all of them.
HALVES = Path(__file__).parent / "results" / "k_choice_halves.csv"
MEASURED = Path(__file__).parent / "results" / "k_choice.csv"
MAX_OBJECTS = 500
#: How many planted sets there are to fit, of these also bent, and to confirm.
N_FIT, N_BENT, N_KEPT = 100, 60, 60
#: What constants are fitted to: the second counts as much as the first, together.
TO_FIT = ("explore", "planted")

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


# -- what is measured ------------------------------------------------------------------


def _silhouette(X: Floats) -> int:
    from sklearn.cluster import KMeans
    from sklearn.metrics import silhouette_score

    ks = range(2, min(most_k(len(X)), 10) + 1)
    found = [KMeans(k, n_init=10, random_state=0).fit_predict(X) for k in ks]
    return ks[int(np.argmax([silhouette_score(X, one) for one in found]))]


def _eigengap(X: Floats) -> int:
    from comitia.generate import MixedGenerator
    from comitia.partition import choose_n_clusters

    return choose_n_clusters(MixedGenerator(random_state=0).generate(X))


#: What the probabilities are compared with.
RULES: dict[str, Callable[[Floats], int]] = {
    "silhouette": _silhouette,
    "eigengap": _eigengap,
}


def measure(case: Case, half: str) -> dict[str, Any]:
    """What speaks for each number of clusters, and what other rules say.

    Parameters
    ----------
    case : Case
        A table.

    half : str
        What it is there for: "explore", "confirm", "planted" or "planted, kept".

    Returns
    -------
    row : dict
        A row of :data:`MEASURED`.
    """
    start = process_time()
    X = table_sample(case.X)
    ks = range(2, most_k(len(np.unique(X, axis=0))) + 1)
    found = k_evidence(X, ks, np.random.RandomState(0))
    took = process_time() - start
    return {
        "name": case.name,
        "half": half,
        "true": case.k,
        "gap": _numbers(found.gap),
        "stability": _numbers(found.stability),
        "gain": f"{found.gain:.5g}",
        "cpu": f"{took:.2f}",
        **{name: rule(case.X) for name, rule in RULES.items()},
        "date": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
    }


def _numbers(values: Floats) -> str:
    return " ".join(f"{value:.5g}" for value in values)


def evidence_of(row: dict[str, str]) -> KEvidence:
    """The evidence that a row has.

    Parameters
    ----------
    row : dict
        As :func:`measure` gives it, maybe read from the file.

    Returns
    -------
    evidence : KEvidence
        What speaks for each number.
    """
    gap, stability = (
        np.array(row[name].split(), dtype=np.float64) for name in ("gap", "stability")
    )
    return KEvidence(2 + np.arange(len(gap)), gap, stability, float(row["gain"]))


def rows_to_fit(rows: Iterable[dict[str, str]]) -> list[Told]:
    """What constants are fitted to; tables count as much as planted data together.

    Parameters
    ----------
    rows : iterable of dict
        Rows of :data:`MEASURED`; those that are kept aside are left out.

    Returns
    -------
    told : list of Told
        What :func:`fit` takes.
    """
    some = [row for row in rows if row["half"] in TO_FIT]
    count = {half: sum(row["half"] == half for row in some) for half in TO_FIT}
    weight = {"explore": 1.0, "planted": count["explore"] / max(count["planted"], 1)}
    return [
        Told(evidence_of(row), int(row["true"]), weight[row["half"]] or 1.0)
        for row in some
    ]


def _cases(folder: Path | None) -> Iterator[tuple[Case, str]]:
    """Everything that is measured, and what it is there for."""
    if folder is not None:
        for half in ("explore", "confirm"):
            yield from ((case, half) for case in tables(folder, half))
    for i in range(N_FIT):
        yield planted(2 * i), "planted"
    for i in range(N_BENT):
        yield planted(2 * i, "bent"), "planted"
    for i in range(N_KEPT):
        yield planted(2 * i + 1), "planted, kept"


def _read(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)]


def _measure_all(folder: Path | None, path: Path, most: int | None) -> None:
    """Append rows that the file does not have, as many as are asked for."""
    known = {row["name"] for row in _read(path)}
    for case, half in _cases(folder):
        if case.name in known:
            continue
        if most is not None and (most := most - 1) < 0:
            return
        row = measure(case, half)
        is_new = not path.exists()
        with path.open("a", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, [*row], lineterminator="\n")
            if is_new:
                writer.writeheader()
            writer.writerow(row)


# -- scores ----------------------------------------------------------------------------


def score(rows: Sequence[dict[str, str]]) -> str:
    """How often each rule is right, up to one, and how surely.

    Parameters
    ----------
    rows : sequence of dict
        Rows of :data:`MEASURED`.

    Returns
    -------
    text : str
        A few lines for each half.
    """
    lines = []
    for half in dict.fromkeys(row["half"] for row in rows):
        own = [row for row in rows if row["half"] == half]
        true = np.array([int(row["true"]) for row in own])
        found = [evidence_of(row) for row in own]
        odds = [KOdds([1, *one.ks.tolist()], k_probabilities(one)) for one in found]
        answers = {"probabilities": np.array([one.n_clusters for one in odds])}
        answers |= {rule: np.array([int(row[rule]) for row in own]) for rule in RULES}
        cpu = np.median([float(row["cpu"]) for row in own])
        likely = np.mean([k in one.likely for k, one in zip(true, odds, strict=True)])
        lines.append(
            f"{half}: {len(own)} sets, the true number among the likely ones in "
            f"{likely:.0%}, cpu {cpu:.2f} s"
        )
        for rule, k in answers.items():
            lines.append(
                f"  {rule:13} right {np.sum(k == true)}, within one "
                f"{np.sum(abs(k - true) <= 1)}, |log| "
                f"{np.abs(np.log(k / true)).mean():.2f}, says 1 {np.sum(k == 1)} times"
            )
        sure = np.array([one.as_dict()[one.n_clusters] for one in odds])
        right = answers["probabilities"] == true
        for low, high in ((0, 0.3), (0.3, 0.5), (0.5, 0.7), (0.7, 0.9), (0.9, 1.01)):
            some = (sure >= low) & (sure < high)
            if some.any():
                lines.append(
                    f"  {'':13} says {sure[some].mean():.2f}: right "
                    f"{right[some].mean():.2f} of {some.sum()}"
                )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["measure", "fit", "score"])
    parser.add_argument(
        "--data",
        type=Path,
        default=os.environ.get("COMITIA_DATA"),
        help="folder with single/*.npz; planted data alone without one",
    )
    parser.add_argument("--most", type=int, help="rows to measure now; default all")
    parser.add_argument("--file", type=Path, default=MEASURED, help="the CSV file")
    given = parser.parse_args(arguments)
    if given.what == "measure":
        _measure_all(given.data, given.file, given.most)
    elif given.what == "fit":
        weights, some = fit(rows_to_fit(_read(given.file)))
        print("WEIGHTS", weights.round(1), "SOME", some.round(1))
    else:
        print(score(_read(given.file)))


if __name__ == "__main__":
    main()
