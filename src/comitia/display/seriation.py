"""An order of the objects in which alike objects stand next to each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.display._principal_axes import principal_coordinates
from comitia.ensemble import Ensemble
from comitia.represent.votes import check_labels

__all__ = ["seriated_order"]


def seriated_order(ensemble: Ensemble, labels: ArrayLike) -> NDArray[np.int64]:
    """Objects cluster by cluster, in each cluster the alike next to each other.

    Within a cluster objects stand in the order of the leading non-trivial vector of the
    graph of its objects and the clusters they are in, the first coordinate of
    ``embed_objects``: what the clusterings keep together stays together. Objects
    without a cluster, -1, come last; of equals, the first comes first.

    >>> from comitia import Ensemble
    >>> votes = Ensemble([[0, 0], [0, 1], [0, 0], [1, 2], [0, 1]])
    >>> seriated_order(votes, [0, 0, 0, 1, 0])
    array([1, 4, 0, 2, 3])
    """
    codes, k = check_labels(labels, "labels", ensemble.n_objects)
    micro = ensemble.distinct()
    B = micro.ensemble.membership
    along = np.zeros(len(codes))
    for c in range(k):
        inside = np.flatnonzero(codes == c)
        kinds, place, counts = np.unique(
            micro.inverse[inside], return_inverse=True, return_counts=True
        )
        if len(kinds) > 1:
            part = B[kinds]
            used = np.unique(part.indices)
            coordinates = principal_coordinates(part[:, used], counts)
            along[inside] = coordinates[place, 0]
    return np.lexsort((along, np.where(codes < 0, k, codes)))
