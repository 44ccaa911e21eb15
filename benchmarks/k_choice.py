"""How often the number of clusters is found, how surely, and in what time.

Tables are the ``single/*.npz`` (``X``, ``y``) of a folder with at least 60 objects, cut
to 800, standardised, and turned to their principal axes where there are more columns
than objects. Half of them, in ``results/k_choice_halves.csv``, are there to choose by,
the others to confirm once. Planted data have as many clusters as were put in: 1 to 20,
overlapping and uneven, round, long, bent or one around the other, with and without
noise and columns that say nothing.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["HALVES", "Case", "planted", "tables"]

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
    drawn = ("blobs", "shapes", "none")[
        rng.choice(3, p=[3 / 7, 3 / 7, 1 / 7])
    ]
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
        for points in _shape(str(kind), size, inner, rng):
            parts.append((points + wobble * rng.randn(*points.shape)) @ R + cell)
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
