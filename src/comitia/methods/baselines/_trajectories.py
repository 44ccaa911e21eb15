"""How alike the ways of random walks are that start from two micro-objects."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from comitia.config import require_memory
from comitia.ensemble import Ensemble
from comitia.represent import coassociation, random_walk_similarity

__all__ = ["elite_graph", "trajectory_similarity"]

# Most neighbours and steps, as in the authors' code, and the fewest: with less, walks
# from objects of one cluster need not meet.
_MOST, _FEWEST = 20, 8
# Similarities are shares of clusterings; those that differ by less are the same.
_SAME = 1e-9


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
    graph = elite_graph(coassociation(micro, dtype=np.float64), n_neighbors or usual)
    return random_walk_similarity(graph * counts, n_steps or usual)


def elite_graph(S: NDArray[np.float64], n_neighbors: int) -> NDArray[np.float64]:
    """Similarities to the nearest of each object, ties kept, in both directions."""
    S = S.copy()
    np.fill_diagonal(S, 0.0)
    K = min(n_neighbors, len(S))
    least = np.partition(S, -K, axis=1)[:, [-K]]
    kept = np.where(least - _SAME <= S, S, 0.0)
    return np.maximum(kept, kept.T)
