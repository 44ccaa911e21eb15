"""The points that a normalised cut of a weighted co-association clusters."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._scales import unit_rows
from comitia.config import require_memory
from comitia.ensemble import Ensemble
from comitia.optimize.eigenpairs import largest_eigenpairs
from comitia.partition.transfer_cut import bipartite_embedding
from comitia.represent.graphs import bipartite_graph

__all__ = ["ncut_points"]

Floats = NDArray[np.float64]

# Eigenvalues below this are zero; their eigenvectors are any.
_NO_VALUE = 1e-12


def ncut_points(
    micro: Ensemble,
    counts: NDArray[np.int64],
    clustering_weights: ArrayLike,
    sizes: ArrayLike,
    n_clusters: int,
) -> Floats:
    r"""Rows of the leading eigenvectors of a normalised co-association.

    .. math::
        D^{-1/2} B W B' D^{-1/2}, \qquad D_{ii} = \sum_j (B W B')_{ij},

    with the rows scaled to unit length. The eigenproblem has the order of the objects
    or of the clusters, whichever are fewer.
    """
    w, totals = np.asarray(clustering_weights), np.asarray(sizes)
    if micro.n_objects < micro.n_clusters_total:
        points = _from_objects(micro, counts, w, totals, n_clusters)
    else:
        points = _from_clusters(micro, counts, w, totals, n_clusters)
    return unit_rows(points)


def _from_objects(
    micro: Ensemble, counts: NDArray[np.int64], w: Floats, sizes: Floats, k: int
) -> Floats:
    n, B = micro.n_objects, micro.membership
    require_memory(16 * n * n, f"the normalised cut of {n} objects")
    each = w[micro.clustering_of]
    degrees = B @ (each * sizes)
    scale = np.sqrt(counts / np.where(degrees > 0, degrees, 1.0))
    S = (B.multiply(each).tocsr() @ B.T).toarray()
    S *= scale[:, None]
    S *= scale
    values, vectors = largest_eigenpairs(S, min(k, n), ties=True)
    return vectors[:, values > _NO_VALUE]


def _from_clusters(
    micro: Ensemble, counts: NDArray[np.int64], w: Floats, sizes: Floats, k: int
) -> Floats:
    """A random walk on the co-association is two steps on a graph with clusters."""
    graph = bipartite_graph(micro, clustering_weights=w, cluster_weights=sizes)
    values, table, _, _ = bipartite_embedding(
        graph, min(k, micro.n_clusters_total), counts
    )
    # The columns there are as long as the roots of their eigenvalues.
    some = values > _NO_VALUE
    return np.asarray(micro.membership @ (table[:, some] / np.sqrt(values[some])))
