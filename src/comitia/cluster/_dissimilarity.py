"""Dissimilarity matrices for the clusterers that need nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._scales import off_center_of
from comitia.config import require_memory
from comitia.exceptions import ComitiaError
from comitia.optimize._ties import first_lowest

__all__ = ["dissimilarities", "nearest_rows"]

# What scikit-learn computes from the squares of lengths, which round far from zero.
_LENGTHS = ("euclidean", "l2")

# Distances below this share of the largest have few digits left.
_NEAR = 1e-3

# Squares that differ by less than this share of the lengths may be equal.
_DOUBTFUL = 1e-8

# Distances that are computed at once.
_ENTRIES = 4_000_000

Array = NDArray[np.float64]


def dissimilarities(
    X: NDArray[np.float64],
    metric: str | Callable[..., Any],
    Y: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Dissimilarities between the rows of X, or from them to those of Y.

    Matrices that are given are checked: square, and not negative.
    """
    if metric == "precomputed":
        if X.shape[0] != X.shape[1]:
            raise ComitiaError(
                'metric="precomputed" needs a square matrix of dissimilarities; got '
                f"shape {X.shape}."
            )
        if (X < 0).any():
            raise ComitiaError("X has negative entries; dissimilarities are not.")
        return X
    from sklearn.metrics import pairwise_distances

    if Y is None:
        require_memory(
            8 * len(X) ** 2,
            f"the dissimilarity matrix of {len(X)} objects",
            "use sklearn.cluster.KMeans or FuzzyCMeans, which are linear in n",
        )
    if metric not in _LENGTHS:
        return pairwise_distances(X, Y, metric=metric)
    D = pairwise_distances(*off_center_of(X, Y), metric=metric)
    return _with_exact_neighbors(D, X, X if Y is None else Y)


def nearest_rows(X: NDArray[np.float64], Y: NDArray[np.float64]) -> NDArray[np.intp]:
    """The row of Y that is nearest to each row of X; the first of equally near ones."""
    from scipy.spatial.distance import cdist
    from sklearn.utils import gen_batches

    points, others = X - Y.mean(axis=0), Y - Y.mean(axis=0)
    squares = np.einsum("ij,ij->i", others, others)
    margins = _DOUBTFUL * (np.einsum("ij,ij->i", points, points) + squares.max())
    nearest = np.empty(len(X), dtype=np.intp)
    for rows in gen_batches(len(X), max(_ENTRIES // len(Y), 1)):
        scores = squares - 2.0 * (points[rows] @ others.T)
        found = scores.argmin(axis=1)
        close = scores <= (scores.min(axis=1) + margins[rows])[:, None]
        doubtful = np.flatnonzero(close.sum(axis=1) > 1)
        found[doubtful] = first_lowest(cdist(X[rows][doubtful], Y))
        nearest[rows] = found
    return nearest


def _with_exact_neighbors(D: Array, X: Array, Y: Array) -> Array:
    """The distances, of which small ones are taken from differences once more.

    From the squares of lengths, copies come out a little apart.
    """
    near = _NEAR * D.max(initial=0.0) > D
    for i in np.flatnonzero(near.any(axis=1)):
        D[i, near[i]] = np.sqrt(((Y[near[i]] - X[i]) ** 2).sum(axis=1))
    return D
