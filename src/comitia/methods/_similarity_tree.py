"""Trees of all objects from any similarity of micro-objects."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from comitia.config import require_memory
from comitia.partition import distances_of, hac, micro_linkage
from comitia.partition.linkage import Linkage

__all__ = ["similarity_tree"]

# Similarities that differ by less are the same.
_SAME = 1e-12


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
        "use a method that is linear in n, such as lwgp",
    )
    repeated = counts > 1
    if (np.diagonal(S)[repeated] >= S[repeated].max(axis=1, initial=0) - _SAME).all():
        distance = S.max(initial=1.0) - S
        return micro_linkage(distance, counts, inverse, linkage=linkage)
    n = len(inverse)
    require_memory(2 * 8 * n * n, f"the similarity of each two of {n} objects")
    return hac(distances_of(S[np.ix_(inverse, inverse)]), linkage)
