"""Look-alikes of the large sets of the U-SENC paper, of any size, straight to disk.

Drawn after figure 5 of Huang et al. (IEEE TKDE, 2020): two bananas (TB), a smiling
face (SF), concentric circles (CC), circles and Gaussians (CG), a flower (FL). None of
their clusters but the blobs is one that k-means could find.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["SHAPES", "draw", "write"]

Floats = NDArray[np.float64]
Part = Callable[[np.random.RandomState, int], Floats]

# Objects that are drawn at once.
_STEP = 1_000_000


def _arc(
    center: tuple[float, float],
    radius: float,
    turn: tuple[float, float],
    noise: float,
) -> Part:
    """Points along a part of a circle; the ends of the arc are in turns of pi."""

    def part(rng: np.random.RandomState, n: int) -> Floats:
        angle = np.pi * rng.uniform(*turn, size=n)
        arc = radius * np.column_stack([np.cos(angle), np.sin(angle)])
        return center + arc + rng.normal(0.0, noise, size=(n, 2))

    return part


def _ring(radius: float, noise: float) -> Part:
    return _arc((0.0, 0.0), radius, (0.0, 2.0), noise)


def _blob(center: tuple[float, float], deviation: float) -> Part:
    def part(rng: np.random.RandomState, n: int) -> Floats:
        return center + rng.normal(0.0, deviation, size=(n, 2))

    return part


def _stem(angle: float, ends: tuple[float, float], width: float) -> Part:
    """Points along a straight line from the origin, of Gaussian width."""
    along = np.array([np.cos(angle), np.sin(angle)])
    across = np.array([-along[1], along[0]])

    def part(rng: np.random.RandomState, n: int) -> Floats:
        length, off = rng.uniform(*ends, size=n), rng.normal(0.0, width, size=n)
        return length[:, None] * along + off[:, None] * across

    return part


def _around(radius: float, angle: float) -> tuple[float, float]:
    return radius * np.cos(angle), radius * np.sin(angle)


_EIGHTHS = [np.pi * i / 4 for i in range(8)]
_SIXTHS = [np.pi * i / 3 for i in range(6)]

# The parts of each shape, one for each cluster, with their shares of the objects.
SHAPES: dict[str, list[tuple[float, Part]]] = {
    "TB": [
        (0.60, _arc((0.0, 0.0), 5.0, (-0.05, 1.05), 0.75)),
        (0.40, _arc((-4.7, 0.2), 5.0, (0.95, 2.05), 0.75)),
    ],
    "SF": [
        (0.36, _arc((-5.2, 0.0), 4.6, (0.0, 1.0), 0.75)),
        (0.30, _arc((5.2, 0.0), 4.6, (0.0, 1.0), 0.75)),
        (0.28, _arc((0.0, 1.3), 5.2, (1.0, 2.0), 0.75)),
        (0.06, _blob((0.0, -1.6), 0.55)),
    ],
    "CC": [
        (0.53, _ring(6.5, 0.22)),
        (0.33, _ring(4.0, 0.22)),
        (0.14, _ring(1.6, 0.22)),
    ],
    "CG": [
        (0.28, _ring(1.0, 0.025)),
        (0.12, _ring(0.345, 0.02)),
        (0.08, _blob((0.0, 0.0), 0.09)),
        *((0.065, _blob(_around(0.65, angle), 0.09)) for angle in _EIGHTHS),
    ],
    "FL": [
        *(
            (
                0.11,
                _arc(
                    _around(1.08, angle),
                    0.45,
                    (angle / np.pi + 1.25, angle / np.pi + 2.75),
                    0.04,
                ),
            )
            for angle in _SIXTHS
        ),
        *((0.05, _stem(angle, (0.14, 1.1), 0.035)) for angle in _SIXTHS),
        (0.04, _blob((0.0, 0.0), 0.04)),
    ],
}


def draw(
    name: str, n: int, rng: np.random.RandomState
) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    """Objects in random order, and the cluster of each.

    Parameters
    ----------
    name : {"TB", "SF", "CC", "CG", "FL"}
        The shape.

    n : int
        Number of objects.

    rng : RandomState
        Source of randomness.

    Returns
    -------
    X : ndarray of shape (n, 2)
        The objects.

    truth : ndarray of shape (n,)
        The part of the shape that each belongs to.
    """
    shares = np.array([share for share, _ in SHAPES[name]])
    truth = rng.choice(len(shares), size=n, p=shares / shares.sum()).astype(np.int8)
    X = np.empty((n, 2), dtype=np.float32)
    for c, (_, part) in enumerate(SHAPES[name]):
        mine = np.flatnonzero(truth == c)
        X[mine] = part(rng, len(mine))
    return X, truth


def write(folder: Path, name: str, n: int, seed: int = 0) -> tuple[Path, Path]:
    """Write objects and truth as ``.npy`` files, a part at a time.

    Parameters
    ----------
    folder : Path
        Where to write.

    name : str
        The shape.

    n : int
        Number of objects.

    seed : int, default=0
        Seed.

    Returns
    -------
    data, truth : Path, Path
        The files.
    """
    rng = np.random.RandomState(seed)
    paths = folder / f"{name}-{n}.npy", folder / f"{name}-{n}-truth.npy"
    X = np.lib.format.open_memmap(paths[0], "w+", np.float32, (n, 2))
    truth = np.lib.format.open_memmap(paths[1], "w+", np.int8, (n,))
    for lo in range(0, n, _STEP):
        rows = slice(lo, min(lo + _STEP, n))
        X[rows], truth[rows] = draw(name, rows.stop - lo, rng)
    X.flush()
    truth.flush()
    return paths
