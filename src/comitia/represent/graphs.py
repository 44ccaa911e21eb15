"""Graphs: objects with clusters, clusters with clusters, neighbours with neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._inputs import check_sparse
from comitia._steps import check_choice, check_weights, nonnegative_weights
from comitia.engine.tables import weighted_contingency
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = [
    "BipartiteGraph",
    "bipartite_graph",
    "combined_weights",
    "jaccard_clusters",
    "knn_graph",
    "laplacian",
]


@dataclass(frozen=True, eq=False)
class BipartiteGraph:
    r"""Objects on the left, clusters on the right, an edge for each membership.

    The graph is kept as the ensemble and one weight per cluster, because
    :math:`B\,\mathrm{diag}(w)` itself would take twenty times the memory.

    Attributes
    ----------
    ensemble : Ensemble
        The memberships.

    weights : ndarray of shape (n_clusters,)
        Weight :math:`w_c` of the edges into each cluster.

    cluster_edges : ndarray or csr_array of shape (n_clusters, n_clusters), or None
        When given, the clusters stand on the left too, below the objects, and these
        are the weights of their edges to the clusters on the right.
    """

    ensemble: Ensemble
    weights: NDArray[np.float64]
    cluster_edges: Any = None

    def matrix(self) -> csr_array:
        """The edge weights, left vertices in rows and clusters in columns.

        Returns
        -------
        edges : csr_array of shape (n_objects [+ n_clusters], n_clusters)
            One row for each object, then one for each cluster when the graph has
            edges between clusters.
        """
        from scipy.sparse import csr_array, vstack

        B = self.ensemble.membership
        weighted = csr_array(
            (B.data * self.weights[B.indices], B.indices, B.indptr), shape=B.shape
        )
        if self.cluster_edges is None:
            return weighted
        return csr_array(vstack([weighted, csr_array(self.cluster_edges)]))

    def adjacency(self, counts: ArrayLike | None = None) -> csr_array:
        r"""The graph as one symmetric matrix, for partitioners of any graph.

        .. math::
            \begin{pmatrix} C & W B' \\ B W & 0 \end{pmatrix},

        with the edges C between clusters, if there are any. The clusters, which have
        many edges each, come first: METIS is a tenth faster so.

        Parameters
        ----------
        counts : array-like of shape (n_objects,), default=None
            How many objects each one stands for, if these are micro-objects: its edges
            weigh as many times as much.

        Returns
        -------
        edges : csr_array of shape (n_clusters + n_objects, n_clusters + n_objects)
            Clusters first.
        """
        from scipy.sparse import block_array, csr_array

        W = BipartiteGraph(self.ensemble, self.weights).matrix()
        if counts is not None and np.any(np.asarray(counts) != 1):
            W.data *= np.repeat(counts, np.diff(W.indptr))
        if self.cluster_edges is not None:
            blocks: Any = [[csr_array(self.cluster_edges), W.T], [W, None]]
            return csr_array(block_array(blocks))
        # The two blocks have no row in common: one stands below the other as it is.
        n, K = W.shape
        above = W.T.tocsr()
        above.indices += K
        return csr_array(
            (
                np.concatenate([above.data, W.data]),
                np.concatenate([above.indices, W.indices]),
                np.concatenate([above.indptr, above.indptr[-1] + W.indptr[1:]]),
            ),
            shape=(K + n, K + n),
        )


def bipartite_graph(
    ensemble: Ensemble,
    *,
    clustering_weights: ArrayLike | None = None,
    cluster_weights: ArrayLike | None = None,
    cluster_edges: Any = None,
) -> BipartiteGraph:
    """Join each object with the clusters it is in.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    clustering_weights : array-like of shape (n_clusterings,), default=None
        Weight of each clustering; 1 by default. A common factor does not change a
        cut, except against ``cluster_edges``.

    cluster_weights : array-like of shape (n_clusters,), default=None
        Weight of each cluster, multiplied by that of its clustering.

    cluster_edges : array-like or sparse of shape (n_clusters, n_clusters), default=None
        Weights of edges between clusters.

    Returns
    -------
    graph : BipartiteGraph
        The graph.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> votes = Ensemble([[0, 0], [0, 1], [1, 1]])
    >>> bipartite_graph(votes, clustering_weights=[1, 0.5]).matrix().toarray()
    array([[1. , 0. , 0.5, 0. ],
           [1. , 0. , 0. , 0.5],
           [0. , 1. , 0. , 0.5]])
    """
    from scipy.sparse import csr_array, issparse

    if clustering_weights is None:
        clustering_weights = np.ones(ensemble.n_clusterings)
    weights = combined_weights(ensemble, clustering_weights, cluster_weights)
    if cluster_edges is not None:
        if issparse(cluster_edges):
            check_sparse(cluster_edges, "cluster_edges")
            cluster_edges = csr_array(cast(Any, cluster_edges))
        else:
            cluster_edges = np.asarray(cluster_edges, dtype=np.float64)
        if cluster_edges.shape != 2 * (ensemble.n_clusters_total,):
            raise ComitiaError(
                "cluster_edges must have one row and one column per cluster, "
                f"{2 * (ensemble.n_clusters_total,)}; got shape {cluster_edges.shape}."
            )
        if cluster_edges.min() < 0:
            raise ComitiaError("cluster_edges must not be negative.")
    return BipartiteGraph(ensemble, weights, cluster_edges)


def combined_weights(
    ensemble: Ensemble,
    clustering_weights: ArrayLike | None = None,
    cluster_weights: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Weight of each cluster: its own times that of its clustering.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    clustering_weights : array-like of shape (n_clusterings,), default=None
        Weight of each clustering; 1 / n_clusterings by default.

    cluster_weights : array-like of shape (n_clusters,), default=None
        Weight of each cluster; 1 by default.

    Returns
    -------
    weights : ndarray of shape (n_clusters,)
        The products.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> combined_weights(Ensemble([[0, 0], [0, 1]]), [0.25, 0.75], [1, 1, 0.5])
    array([0.25 , 0.75 , 0.375])
    """
    M = ensemble.n_clusterings
    by_clustering = (
        np.full(M, 1.0 / M)
        if clustering_weights is None
        else check_weights(clustering_weights, M, "clustering_weights", "clustering")
    )
    weights = by_clustering[ensemble.clustering_of]
    if cluster_weights is None:
        return weights
    return weights * check_weights(
        cluster_weights, ensemble.n_clusters_total, "cluster_weights", "cluster"
    )


def jaccard_clusters(
    ensemble: Ensemble, object_weights: ArrayLike | None = None
) -> csr_array:
    r"""Jaccard similarity of each two clusters of different clusterings.

    .. math::
        J_{cd} = \frac{\sum_{i \in c \cap d} w_i}{\sum_{i \in c \cup d} w_i},

    and for fuzzy clusters the extended form
    :math:`b_c' W b_d / (b_c' W b_c + b_d' W b_d - b_c' W b_d)` with their columns
    :math:`b` of B and :math:`W = \mathrm{diag}(w)`. Clusters of one clustering are that
    clustering's way of telling objects apart: their similarity is zero, even where
    fuzzy or overlapping clusters share objects.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    object_weights : array-like of shape (n_objects,), default=None
        Weight :math:`w_i` of each object; 1 by default.

    Returns
    -------
    similarity : csr_array of shape (n_clusters, n_clusters)
        Symmetric, in [0, 1], with a unit diagonal.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> votes = Ensemble([[0, 0], [0, 1], [1, 1], [1, 1]])
    >>> jaccard_clusters(votes).toarray().round(2)
    array([[1.  , 0.  , 0.5 , 0.25],
           [0.  , 1.  , 0.  , 0.67],
           [0.5 , 0.  , 1.  , 0.  ],
           [0.25, 0.67, 0.  , 1.  ]])
    """
    from scipy.sparse import csr_array, diags_array

    if object_weights is None:
        shared = ensemble.contingency()
    else:
        w = nonnegative_weights(
            object_weights, ensemble.n_objects, "object_weights", "object"
        )
        shared = _weighted_contingency(ensemble, w)
    c = np.repeat(np.arange(ensemble.n_clusters_total), np.diff(shared.indptr))
    d = shared.indices
    size = shared.diagonal().astype(np.float64)
    kept = (ensemble.clustering_of[c] != ensemble.clustering_of[d]) | (c == d)
    # Zeros are not stored, so that clusters without weight make no 0 / 0.
    c, d, intersection = c[kept], d[kept], shared.data[kept]
    similarity = intersection / (size[c] + size[d] - intersection)
    begins = np.searchsorted(c, np.arange(ensemble.n_clusters_total + 1))
    J = csr_array((similarity, d, begins), shape=shared.shape)
    if not size.all():  # a cluster without weight is like itself too
        J = (J + diags_array((size == 0).astype(np.float64))).tocsr()
    J.sort_indices()
    return J


def _weighted_contingency(ensemble: Ensemble, w: NDArray[np.float64]) -> csr_array:
    """Weight of the objects that each two clusters share."""
    from scipy.sparse import csr_array

    blocks = ensemble.row_blocks
    alone = blocks.put([None] * len(blocks))
    return csr_array(
        weighted_contingency(blocks, ensemble.split(w), alone, ensemble.n_objects)
    )


def knn_graph(
    X: ArrayLike,
    n_neighbors: int,
    *,
    weights: str = "binary",
    width: float | None = None,
    symmetric: str = "union",
    metric: str = "euclidean",
) -> csr_array:
    r"""Join each object with its nearest neighbours.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The data, or distances of shape (n_objects, n_objects) when ``metric`` is
        ``"precomputed"``.

    n_neighbors : int
        Neighbours of each object, the object itself not counted. Of neighbours
        equally far away, scikit-learn chooses.

    weights : {"binary", "heat", "exponential"}, default="binary"
        Weight of an edge of length :math:`d`: 1, :math:`e^{-d^2 / 2 \sigma^2}` or
        :math:`e^{-d / \sigma}`.

    width : float, default=None
        The :math:`\sigma`; the mean distance to a neighbour by default.

    symmetric : {"union", "mutual", "mean", "none"}, default="union"
        Keep an edge when either end chose the other, or when both did; take the mean
        of the two directions; or keep the directed graph.

    metric : str, default="euclidean"
        A metric of scikit-learn.

    Returns
    -------
    graph : csr_array of shape (n_objects, n_objects)
        Edge weights; the diagonal is empty.

    Examples
    --------
    >>> knn_graph([[0.0], [1.0], [3.0]], 1).toarray()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """
    from scipy.sparse import csr_array
    from sklearn.neighbors import NearestNeighbors

    check_choice("weights", weights, ("binary", "heat", "exponential"))
    check_choice("symmetric", symmetric, ("union", "mutual", "mean", "none"))
    if width is not None and not width > 0:
        raise ComitiaError(f"width={width} must be positive.")
    data = np.asarray(X, dtype=np.float64)
    if data.ndim != 2:
        raise ComitiaError(
            f"X must have one row per object and two dimensions; got {data.ndim}."
        )
    n = len(data)
    if not 1 <= n_neighbors < n:
        raise ComitiaError(
            f"n_neighbors={n_neighbors} must lie in 1..{n - 1} for {n} objects."
        )
    search = NearestNeighbors(n_neighbors=n_neighbors, metric=metric).fit(data)
    distance, neighbor = search.kneighbors()
    if weights == "binary":
        edges = np.ones_like(distance)
    else:
        sigma = float(distance.mean()) if width is None else width
        # Copies of one point are at distance zero, whatever the width.
        scaled = distance / sigma if sigma > 0 else distance
        edges = np.exp(-(scaled**2) / 2 if weights == "heat" else -scaled)
    W = csr_array(
        (
            edges.ravel(),
            neighbor.ravel(),
            np.arange(0, n * n_neighbors + 1, n_neighbors),
        ),
        shape=(n, n),
    )
    W.sort_indices()
    if symmetric == "none":
        return W
    if symmetric == "mean":
        return csr_array((W + W.T) / 2)
    return csr_array(W.maximum(W.T) if symmetric == "union" else W.minimum(W.T))


def laplacian(W: Any, kind: str = "symmetric") -> Any:
    r"""Laplacian of a graph.

    With the degrees :math:`D = \mathrm{diag}(W 1)`,

    .. math::
        D - W, \qquad I - D^{-1/2} W D^{-1/2}, \qquad I - D^{-1} W

    for the kinds "unnormalized", "symmetric" and "random_walk". The row of a vertex
    without edges is zero, so that it counts as a connected component of its own.

    Parameters
    ----------
    W : array-like or sparse of shape (n, n)
        Edge weights, not negative; symmetric.

    kind : {"symmetric", "random_walk", "unnormalized"}, default="symmetric"
        Which Laplacian.

    Returns
    -------
    L : ndarray or csr_array of shape (n, n)
        The Laplacian, sparse when W is.

    Examples
    --------
    >>> laplacian([[0, 2], [2, 0]], "unnormalized")
    array([[ 2., -2.],
           [-2.,  2.]])
    """
    from scipy.sparse import csr_array, diags_array, issparse

    check_choice("kind", kind, ("symmetric", "random_walk", "unnormalized"))
    sparse = issparse(W)
    if sparse:
        check_sparse(W, "W")
        W = csr_array(W)
    else:
        W = np.asarray(W, dtype=np.float64)
    if W.ndim != 2 or W.shape[0] != W.shape[1]:
        raise ComitiaError(f"W must be square; got shape {W.shape}.")
    if W.size and W.min() < 0:
        raise ComitiaError("W must not have negative weights.")
    degree = np.asarray(W.sum(axis=1), dtype=np.float64).ravel()
    joined = degree > 0
    if kind == "unnormalized":
        diagonal, left, right = degree, None, None
    else:
        power = -0.5 if kind == "symmetric" else -1.0
        scale = np.zeros_like(degree)
        scale[joined] = degree[joined] ** power
        diagonal = joined.astype(np.float64)
        left, right = scale, scale if kind == "symmetric" else None
    if sparse:
        if left is not None:
            W = diags_array(left) @ W
        if right is not None:
            W = W @ diags_array(right)
        return csr_array(diags_array(diagonal) - W)
    L = -W if left is None else -left[:, None] * W
    if right is not None:
        L *= right
    L.flat[:: len(L) + 1] += diagonal
    return L
