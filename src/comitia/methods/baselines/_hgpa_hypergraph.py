"""Balanced hypergraph partitioning by Mt-KaHyPar."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._optional import import_optional
from comitia._steps import check_choice
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.partition.metis import integer_vertex_weights, integer_weights
from comitia.represent.graphs import combined_weights

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
    by design. Mt-KaHyPar (Gottesbüren et al., 2024) runs in its deterministic mode on
    one thread. It comes with the extra ``comitia[hypergraph]``.
    """
    objectives = {"cut": "CUT", "connectivity": "KM1", "external_degree": "SOED"}
    check_choice("objective", objective, objectives)
    if not n_clusters >= 1:
        raise ComitiaError(f"n_clusters={n_clusters} must be at least 1.")
    if not imbalance >= 0:
        raise ComitiaError(f"imbalance={imbalance} must not be negative.")
    n = ensemble.n_objects
    vertices = integer_vertex_weights(vertex_weights, n)
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
    whole = integer_weights(weights[torn], 2**16, least=1)
    # The partitioner breaks ties by the order of the clusters: let it hang on them.
    order = sorted(range(len(edges)), key=lambda e: (edges[e], whole[e]))
    return [edges[e] for e in order], whole[order]


@cache
def _mtkahypar() -> tuple[Any, Any]:
    """The package, and its handle, of which a process may make one only."""
    asking = "hypergraph partitioning"
    mtkahypar = import_optional("mtkahypar", asking, "hypergraph")
    return mtkahypar, mtkahypar.initialize(1, False)
