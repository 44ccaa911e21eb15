"""How alike the ways of random walks are that start from two micro-objects."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from comitia.config import require_memory
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaWarning
from comitia.represent import coassociation, random_walk_similarity

__all__ = ["elite_graph", "similarity_to_nearest", "trajectory_similarity"]

# Most neighbours and steps, as in the authors' code, and the fewest: with less, walks
# from objects of one cluster need not meet.
_MOST, _FEWEST = 20, 8
# Similarities are shares of clusterings; those that differ by less are the same.
_SAME = 1e-9
# Mean similarity of objects and their nearest below which clusters may fall apart. On
# planted ensembles of 60 to 600 objects, and k-means of iris, wine, digits and breast
# cancer, it was at most 0.63 where they did, and mostly above 0.7 where they did not.
_APART = 0.65


def trajectory_similarity(
    micro: Ensemble,
    counts: NDArray[np.int64],
    n_neighbors: int | None = None,
    n_steps: int | None = None,
) -> NDArray[np.float64]:
    """Cosine of the trajectories of each two micro-objects, with unit diagonal.

    A walk goes from a micro-object to one of its elite neighbours, in proportion to
    their co-association and to how many objects the neighbour stands for. ``None``
    stands for half the root of the number of micro-objects, at least 8 and at most 20.
    """
    n = micro.n_objects
    usual = max(_FEWEST, min(_MOST, int(np.sqrt(n) / 2)))
    require_memory(8 * 8 * n * n, f"the walks between each two of {n} objects")
    A = coassociation(micro, dtype=np.float64)
    graph = elite_graph(A, n_neighbors or usual)
    S = random_walk_similarity(graph * counts, n_steps or usual)
    met = similarity_to_nearest(A, S, counts)
    if met < _APART:
        warnings.warn(
            "walks from objects that most clusterings join have a mean similarity of "
            f"{met:.2f} only: many objects have equal labels ({n} different rows), and "
            "walks from there leave and return by turns. Clusters may fall apart; use "
            "eac or lwgp, or clusterings of more and different numbers of clusters.",
            ComitiaWarning,
            stacklevel=2,
        )
    return S


def similarity_to_nearest(
    A: NDArray[np.float64], S: NDArray[np.float64], counts: NDArray[np.int64]
) -> float:
    """Mean similarity S of an object and the one nearest to it by A.

    Objects with equal labels do not count as near. Of several that are equally near it
    is the one with the largest S. Objects that have nobody near are left out; 1 where
    all are.
    """
    A = A.copy()
    np.fill_diagonal(A, 0.0)
    nearest = A.max(axis=1, keepdims=True)
    best = np.where(nearest - _SAME <= A, S, 0.0).max(axis=1)
    weights = np.where(nearest.ravel() > 0, counts, 0)
    return float(weights @ best / weights.sum()) if weights.any() else 1.0


def elite_graph(S: NDArray[np.float64], n_neighbors: int) -> NDArray[np.float64]:
    """Similarities to the nearest of each object, ties kept, in both directions."""
    S = S.copy()
    np.fill_diagonal(S, 0.0)
    K = min(n_neighbors, len(S))
    least = np.partition(S, -K, axis=1)[:, [-K]]
    kept = np.where(least - _SAME <= S, S, 0.0)
    return np.maximum(kept, kept.T)
