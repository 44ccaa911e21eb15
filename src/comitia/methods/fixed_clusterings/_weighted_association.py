"""Association of objects: by clusters they share, their sizes and similarities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.represent.coassociation import coassociation, presence

__all__ = ["add_associations", "similarities_of", "weighted_association"]

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
    sizes = np.maximum(ensemble.sizes, 1)
    weights = ensemble.n_clusters_each[ensemble.clustering_of] / sizes
    similarities = similarities_of(ensemble, X, metric)
    return add_associations(coassociation, ensemble, similarities, weights)


def similarities_of(ensemble: Ensemble, X: Any, metric: Any) -> list[Any]:
    """For each clustering the similarities of objects: rows of them, a matrix or None.

    Clusterings with one metric have one and the same object.
    """
    M = ensemble.n_clusterings
    several = isinstance(metric, Sequence) and not isinstance(metric, str)
    metrics = list(metric) if several else [metric] * M
    if len(metrics) != M:
        raise ComitiaError(
            f"metric has {len(metrics)} entries for {M} clusterings; give one for each."
        )
    made = {id(one): _similarity(one, X, ensemble.n_objects) for one in metrics}
    return [made[id(one)] for one in metrics]


def add_associations(
    build: Callable[..., Floats],
    ensemble: Ensemble,
    similarities: list[Any],
    cluster_weights: Floats,
) -> Floats:
    """Sum over the similarities of the association by the clusterings that have each.

    What is built is a square or a condensed co-association. Where labels are missing,
    it is divided by the share of clusterings that have both objects.
    """
    R: Floats | None = None
    for sim in {id(sim): sim for sim in similarities}.values():
        mine = np.array([sim is other for other in similarities])
        own = build(
            ensemble.take(clusterings=np.flatnonzero(mine)),
            clustering_weights=np.ones(mine.sum()),
            cluster_weights=cluster_weights[mine[ensemble.clustering_of]],
            pair_weights=sim,
            co_sampled=False,
            dtype=np.float64,
        )
        R = own if R is None else np.add(R, own, out=R)
    assert R is not None
    if ensemble.has_missing:
        both = build(presence(ensemble), co_sampled=False, dtype=np.float64)
        np.divide(R, both, out=R, where=both > 0)
    return R


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
