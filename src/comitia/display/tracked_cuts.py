"""The same objects in fewer and in more clusters, with names that follow them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.ensemble import Ensemble
from comitia.partition import cut, ensemble_linkage
from comitia.represent.alignment import kept_numbers

__all__ = ["tracked_cuts", "vote_tree"]

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]

# Without a tree of the method, one of the votes of up to this many distinct objects.
_TREE_OBJECTS = 3000


def vote_tree(ensemble: Ensemble, weights: Mapping[str, Any]) -> Floats | None:
    """Average linkage of the votes; None for too many objects or for soft clusters."""
    if ensemble.n_objects < 3 or not ensemble.is_hard:
        return None
    if ensemble.distinct().ensemble.n_objects > _TREE_OBJECTS:
        return None
    return ensemble_linkage(ensemble, **weights)


def tracked_cuts(
    tree: Floats, labels: NDArray[Any], max_clusters: int = 12
) -> dict[int, Labels]:
    """Cut a tree at 2, 3, … clusters, around a result that keeps its labels.

    From the number of clusters of the result outwards, a cluster has the name of the
    one with which it shares most objects at the number before, all clusters together;
    a cluster that is new has the smallest free name.

    >>> tree = [[0, 1, 0.1, 2], [2, 3, 0.2, 2], [6, 4, 0.5, 3], [5, 7, 0.9, 5]]
    >>> cuts = tracked_cuts(np.array(tree), np.array([1, 1, 0, 0, 0]), 3)
    >>> {k: cut.tolist() for k, cut in cuts.items()}
    {2: [1, 1, 0, 0, 0], 3: [1, 1, 0, 0, 2]}
    """
    own = np.asarray(labels, dtype=np.int64)
    k = len(np.unique(own))
    most = min(max_clusters, len(own))
    cuts = {k: own}
    for path in (range(k + 1, most + 1), range(min(k, most + 1) - 1, 1, -1)):
        before = own
        for n_clusters in path:
            before = _renamed(cut(tree, n_clusters), before)
            cuts[n_clusters] = before
    return {n_clusters: cuts[n_clusters] for n_clusters in sorted(cuts)}


def _renamed(labels: Labels, before: Labels) -> Labels:
    """Labels under the names of the clusters before that share most objects."""
    shared = np.zeros((labels.max() + 1, before.max() + 1))
    np.add.at(shared, (labels, before), 1.0)
    return kept_numbers(shared, contiguous=False)[0][labels]
