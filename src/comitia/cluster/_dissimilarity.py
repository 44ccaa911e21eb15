"""Dissimilarity matrices for the clusterers that need nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._scales import off_centre_of
from comitia.config import require_memory
from comitia.exceptions import ComitiaError

__all__ = ["dissimilarities", "nearest_rows"]

# What scikit-learn computes from the squares of lengths, which round far from zero.
_LENGTHS = ("euclidean", "l2")


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
    if metric in _LENGTHS:
        X, Y = off_centre_of(X, Y)
    return pairwise_distances(X, Y, metric=metric)


def nearest_rows(X: NDArray[np.float64], Y: NDArray[np.float64]) -> NDArray[np.intp]:
    """The row of Y that is nearest to each row of X; the first of equally near ones."""
    from sklearn.metrics import pairwise_distances_argmin

    return pairwise_distances_argmin(*off_centre_of(X, Y))
