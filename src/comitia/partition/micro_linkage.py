"""Trees of all objects from the distances of micro-objects."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from comitia.partition.linkage import Linkage, _expanded_tree, hac

__all__ = ["micro_linkage"]


def micro_linkage(
    distance: NDArray[np.float64],
    counts: NDArray[np.int64],
    inverse: NDArray[np.int64],
    *,
    linkage: Linkage = "average",
    counted: bool = True,
) -> NDArray[np.float64]:
    """Agglomerative clustering of all objects, from distances of distinct ones.

    The objects of a micro-object merge first, one by one, and then the micro-objects
    with their counts. This is the tree of all objects as long as no object is nearer to
    another micro-object than to its own equals.

    Parameters
    ----------
    distance : ndarray of shape (n_micro, n_micro)
        Distances of the micro-objects; on the diagonal those of two equal objects.

    counts : ndarray of shape (n_micro,)
        How many objects each stands for, as in :meth:`Ensemble.distinct`.

    inverse : ndarray of shape (n_objects,)
        The micro-object of each object.

    linkage : {"single", "complete", "average", "ward"}, default="average"
        Distance of two clusters.

    counted : bool, default=True
        Whether a micro-object counts as often as it has objects in the distances of
        clusters. Otherwise it counts once.

    Returns
    -------
    tree : ndarray of shape (n_objects - 1, 4)
        The merges of all objects in SciPy form, sorted by height.

    Examples
    --------
    >>> import numpy as np
    >>> distance = np.array([[0.1, 1.0], [1.0, 0.0]])
    >>> micro_linkage(distance, np.array([2, 1]), np.array([0, 1, 0]))
    array([[0. , 2. , 0.1, 2. ],
           [1. , 3. , 1. , 3. ]])
    """
    n = len(counts)
    tree = hac(distance, linkage, counts if counted else None)
    # A merge is named by one micro-object of each side.
    names = np.concatenate([np.arange(n), np.zeros(n - 1, dtype=np.int64)])
    for merge, (one, other) in enumerate(tree[:, :2].astype(np.int64)):
        names[n + merge] = min(names[one], names[other])
    pairs = names[tree[:, :2].astype(np.int64)].reshape(-1, 2)
    return _expanded_tree(pairs, tree[:, 2], inverse, np.diagonal(distance))
