"""Mean distances of objects to the members of clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.config import require_memory
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError

__all__ = ["mean_distances"]

# Distances held at a time: 32 MB of them.
_BLOCK = 2**22


def mean_distances(X: ArrayLike, ensemble: Ensemble) -> NDArray[np.float64]:
    r"""Mean distance of each object to the members of each cluster.

    .. math::
        \bar d_{ic} = \frac{\sum_j B_{jc} \lVert x_i - x_j \rVert}{\sum_j B_{jc}};

    an object that is a member itself counts with the distance 0.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The data.

    ensemble : Ensemble
        The clusterings.

    Returns
    -------
    distances : ndarray of shape (n_objects, n_clusters)
        NaN for a cluster without objects.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> mean_distances(X, Ensemble([[0], [0], [0], [1], [1], [1]]))[0]
    array([ 1., 11.])
    """
    from scipy.spatial.distance import cdist

    data = np.asarray(X, dtype=np.float64)
    n, K = ensemble.n_objects, ensemble.n_clusters_total
    if data.ndim != 2 or len(data) != n:
        raise ComitiaError(
            f"X must have one row per object, {n}; got shape {data.shape}."
        )
    require_memory(8 * n * K, f"the mean distances of {n} objects to {K} clusters")
    B: Any = ensemble.membership
    sizes = np.asarray(B.sum(axis=0), dtype=np.float64).ravel()
    sizes[sizes == 0] = np.nan
    means = np.empty((n, K))
    step = max(1, _BLOCK // n)
    for start in range(0, n, step):
        rows = slice(start, start + step)
        means[rows] = cdist(data[rows], data) @ B / sizes
    return means
