"""Balanced hypergraph partitioning by Mt-KaHyPar."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.partition.metis import _vertex_weights, _whole

__all__ = ["hypergraph_partition"]


def hypergraph_partition(
    ensemble: Ensemble,
    n_clusters: int,
    *,
    clustering_weights: ArrayLike | None = None,
    cluster_weights: ArrayLike | None = None,
    vertex_weights: ArrayLike | None = None,
    imbalance: float = 0.05,
    objective: str = "cut",
    rng: np.random.RandomState | None = None,
) -> NDArray[np.int32]:
    r"""Divide the objects into equal parts so that few clusters are torn.

    Objects are vertices and clusters are hyperedges. A cluster whose objects are in
    :math:`\lambda_c` parts costs

    .. math::
        w_c \, [\lambda_c > 1], \qquad w_c (\lambda_c - 1), \qquad
        w_c \lambda_c \, [\lambda_c > 1]

    under the objectives "cut", "connectivity" and "external_degree". Parts are balanced
    by design, as in :func:`metis_partition`.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings. Every cluster that has any membership of an object contains it,
        so fuzzy clusterings make large hyperedges.

    n_clusters : int
        Number of parts.

    clustering_weights : array-like of shape (n_clusterings,), default=None
        Weight of each clustering; equal by default.

    cluster_weights : array-like of shape (n_clusters of the ensemble,), default=None
        Weight :math:`w_c` of each cluster, multiplied by that of its clustering.

    vertex_weights : array-like of shape (n_objects,), default=None
        Weight of each object in the balance, such as the counts of micro-objects.

    imbalance : float, default=0.05
        How much heavier than the mean a part may be.

    objective : {"cut", "connectivity", "external_degree"}, default="cut"
        What a torn cluster costs.

    rng : RandomState, default=None
        Draws the seed; seed 0 by default.

    Returns
    -------
    labels : ndarray of shape (n_objects,)
        The part of each object. With as many parts as objects or more, each object is
        a part of its own.

    Notes
    -----
    Mt-KaHyPar [1]_ runs in its deterministic mode on one thread. It comes with the
    extra ``comitia[hypergraph]``.

    References
    ----------
    .. [1] L. Gottesbüren, T. Heuer, N. Maas, P. Sanders and S. Schlag, "Scalable
       high-quality hypergraph partitioning", ACM Trans. Algorithms 20(1), 2024.
    """
    from comitia.represent.graphs import combined_weights

    objectives = {"cut": "CUT", "connectivity": "KM1", "external_degree": "SOED"}
    if objective not in objectives:
        raise ComitiaError(
            f"objective={objective!r} is none of {', '.join(map(repr, objectives))}."
        )
    if not n_clusters >= 1:
        raise ComitiaError(f"n_clusters={n_clusters} must be at least 1.")
    if not imbalance >= 0:
        raise ComitiaError(f"imbalance={imbalance} must not be negative.")
    n = ensemble.n_objects
    vertices = _vertex_weights(vertex_weights, n)
    weights = combined_weights(ensemble, clustering_weights, cluster_weights)
    seed = 0 if rng is None else int(rng.randint(np.iinfo(np.int32).max))
    if n_clusters >= n:
        return np.arange(n, dtype=np.int32)
    if n_clusters == 1:
        return np.zeros(n, dtype=np.int32)
    edges, kept = _hyperedges(ensemble, weights)
    mtkahypar, initializer = _mtkahypar()
    mtkahypar.set_seed(seed)
    context = initializer.context_from_preset(mtkahypar.PresetType.DETERMINISTIC)
    context.set_partitioning_parameters(
        n_clusters, imbalance, getattr(mtkahypar.Objective, objectives[objective])
    )
    context.logging = False
    hypergraph = initializer.create_hypergraph(
        context, n, len(edges), edges, vertices.tolist(), kept.tolist()
    )
    return np.asarray(hypergraph.partition(context).get_partition(), dtype=np.int32)


def _hyperedges(
    ensemble: Ensemble, weights: NDArray[np.float64]
) -> tuple[list[list[int]], NDArray[np.int64]]:
    """The clusters that can be torn, as lists of objects, and integer weights."""
    columns = ensemble.membership.tocsc()
    columns.sort_indices()
    size = np.diff(columns.indptr)
    torn = np.flatnonzero((size > 1) & (weights > 0))
    edges = [
        columns.indices[columns.indptr[c] : columns.indptr[c + 1]].tolist()
        for c in torn
    ]
    # Weights of 32 bits inside: a thousand clusters of the largest weight still fit.
    return edges, _whole(weights[torn], 2**16, least=1)


@cache
def _mtkahypar() -> tuple[Any, Any]:
    """The package, and its handle, of which a process may make one only."""
    try:
        import mtkahypar
    except ImportError:
        raise ImportError(
            "hypergraph partitioning needs mtkahypar, which is not installed; "
            "pip install 'comitia[hypergraph]'."
        ) from None
    return mtkahypar, mtkahypar.initialize(1, False)
