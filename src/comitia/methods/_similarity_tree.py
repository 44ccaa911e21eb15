"""Trees of all objects from any similarity of micro-objects."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from comitia.config import require_memory
from comitia.ensemble import Ensemble, MicroObjects
from comitia.partition import distances_of, hac, micro_linkage
from comitia.partition.linkage import Linkage

__all__ = ["distinct_in_pairs", "similarity_tree"]

_INSTEAD = "use a method that is linear in n, such as lwgp"

# Similarities that differ by less are the same.
_SAME = 1e-12


def distinct_in_pairs(ensemble: Ensemble, n_matrices: int, what: str) -> MicroObjects:
    """Micro-objects in the order of content, if so many matrices of their pairs fit."""
    micro = ensemble.distinct().in_content_order()
    u = micro.ensemble.n_objects
    require_memory(n_matrices * 8 * u * u, f"{what} each two of {u} objects", _INSTEAD)
    return micro


def similarity_tree(
    S: NDArray[np.float64],
    counts: NDArray[np.int64],
    inverse: NDArray[np.int64],
    linkage: Linkage,
) -> NDArray[np.float64]:
    """Agglomerative clustering of all objects.

    S has the similarities of micro-objects, and on its diagonal those of two equal
    objects. Equal objects merge first only where nothing is nearer to them; elsewhere
    the tree is made from the similarities of all objects.
    """
    u = len(counts)
    # What is given, its distances, and the copies that linkage makes.
    require_memory(
        3 * 8 * u * u,
        f"the tree of the similarity of each two of {u} objects",
        _INSTEAD,
    )
    repeated = counts > 1
    if (np.diagonal(S)[repeated] >= S[repeated].max(axis=1, initial=0) - _SAME).all():
        distance = S.max(initial=1.0) - S
        return micro_linkage(distance, counts, inverse, linkage=linkage)
    n = len(inverse)
    require_memory(2 * 8 * n * n, f"the similarity of each two of {n} objects")
    return hac(distances_of(S[np.ix_(inverse, inverse)]), linkage)
