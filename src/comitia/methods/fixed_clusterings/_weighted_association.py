"""Association of objects: by clusters they share, their sizes and similarities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.represent.coassociation import coassociation

__all__ = ["weighted_association"]

Floats = NDArray[np.float64]


def weighted_association(
    ensemble: Ensemble, X: ArrayLike | None = None, metric: Any = "euclidean"
) -> Floats:
    r"""Weighted association of each two objects.

    .. math::
        R_{ij} = \sum_{m=1}^{M} [\,i, j \in c,\ c \in C_m\,] \,
        \frac{k_m}{|c|} \, \mathrm{sim}_m(i, j)

    A metric is a distance d, with similarity :math:`1 / (1 + d)` on X and 1 without X,
    a matrix of similarities, or None for 1; a list has one for each clustering.
    """
    M, n = ensemble.n_clusterings, ensemble.n_objects
    sizes = np.maximum(ensemble.sizes, 1)
    weights = ensemble.n_clusters_each[ensemble.clustering_of] / sizes
    several = isinstance(metric, Sequence) and not isinstance(metric, str)
    metrics = list(metric) if several else [metric] * M
    if len(metrics) != M:
        raise ComitiaError(
            f"metric has {len(metrics)} entries for {M} clusterings; give one for each."
        )
    R: Floats | None = None
    # Clusterings with one and the same similarity are added up together.
    for each in {id(each): each for each in metrics}.values():
        mine = np.array([each is other for other in metrics])
        own = coassociation(
            ensemble.take(clusterings=np.flatnonzero(mine)),
            clustering_weights=np.ones(mine.sum()),
            cluster_weights=weights[mine[ensemble.clustering_of]],
            pair_weights=_similarity(each, X, n),
            dtype=np.float64,
        )
        R = own if R is None else np.add(R, own, out=R)
    return np.asarray(R)


def _similarity(
    metric: Any, X: ArrayLike | None, n: int
) -> Callable[[int, int], Floats] | Floats | None:
    if metric is None:
        return None
    if isinstance(metric, str) or callable(metric):
        if X is None:
            return None
        data = np.asarray(X, dtype=np.float64)

        def rows(start: int, stop: int) -> Floats:
            from scipy.spatial.distance import cdist

            return np.asarray(1.0 / (1.0 + cdist(data[start:stop], data, metric)))

        return rows
    matrix = np.asarray(metric, dtype=np.float64)
    if matrix.shape != (n, n) or not np.isfinite(matrix).all():
        raise ComitiaError(
            f"a matrix in metric must be finite similarities of shape ({n}, {n}); got "
            f"shape {matrix.shape}."
        )
    return matrix
