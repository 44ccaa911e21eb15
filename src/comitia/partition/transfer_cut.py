"""The transfer cut of the graph of objects and clusters."""

from __future__ import annotations

import warnings
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comitia.config import require_memory
from comitia.engine import tables
from comitia.engine.row_blocks import (
    Blocks,
    Micro,
    MicroRows,
    join,
    micro_rows,
    rows_as_they_are,
)
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError, ComitiaWarning
from comitia.optimize.eigenpairs import largest_eigenpairs
from comitia.partition._lloyd import Squared, lloyd
from comitia.represent.cluster_sums import row_sums
from comitia.represent.graphs import BipartiteGraph

__all__ = [
    "Embedding",
    "bipartite_embedding",
    "bipartite_spectrum",
    "degrees",
    "graph_contingency",
    "tcut",
]

Floats = NDArray[np.float64]

# The authors' floor for the degrees of objects and the lengths of their rows.
_FLOOR = 1e-10


class Embedding(NamedTuple):
    """Objects as points on the sphere, as sums of rows of a table.

    The point of object i is ``scale[i]`` times the sum of the rows of ``table`` that
    belong to its clusters.

    Attributes
    ----------
    values : ndarray of shape (k,)
        The eigenvalues; more than were asked for where the last one has equals.

    table : ndarray of shape (n_clusters of the ensemble, k)
        A row for each cluster.

    scale : ndarray of shape (n_objects,)
        What makes the points unit vectors.

    squares : ndarray of shape (n_objects,)
        Squared lengths: one, or zero for a point at the origin.
    """

    values: Floats
    table: Floats
    scale: Floats
    squares: Floats


def tcut(
    graph: BipartiteGraph,
    n_clusters: int | None,
    rng: np.random.RandomState,
    *,
    n_init: int = 3,
    max_iter: int = 100,
    tol: float = 1e-5,
) -> NDArray[np.int32]:
    r"""Cut the graph of objects and clusters into parts: the transfer cut.

    The normalised cut of a bipartite graph with edge weights :math:`B` (objects by
    clusters) follows from the eigenvectors of a matrix of the small side [1]_:

    .. math::
        W_y = B' D_x^{-1} B, \qquad
        D_y^{-1/2} W_y D_y^{-1/2} \, e = \mu \, e, \qquad
        u_i = \sum_c \frac{B_{ic}}{d_i} \frac{e_c}{\sqrt{(D_y)_{cc}}} ,

    with :math:`d_i` the degree of object i. K-means cuts the rows of the k leading
    vectors, the trivial first one included, each row scaled to unit length. Where the
    k-th eigenvalue has equals, as in a graph of more than k parts, all of them count.

    Parameters
    ----------
    graph : BipartiteGraph
        Objects, clusters and the weights of their edges; with edges between clusters
        the clusters stand on both sides, and the labels of the objects are returned.

    n_clusters : int or None
        Number of parts, at most the number of clusters in the graph. ``None`` takes
        the largest gap between the eigenvalues.

    rng : RandomState
        Draws the starts of k-means.

    n_init : int, default=3
        Number of starts.

    max_iter : int, default=100
        Most iterations of k-means.

    tol : float, default=1e-5
        K-means stops when its objective falls by less than this share of itself.

    Returns
    -------
    labels : ndarray of shape (n_objects,)
        The part of each object.

    Notes
    -----
    The factor :math:`1 / \sqrt{\mu}` of [1]_ on the columns of :math:`u` is left out,
    as in the authors' code of LWGP and its relatives; it makes no difference of
    practical size. The points are never stored: each is a sum of M rows of a small
    table. With many objects up to eight times as many starts of k-means are tried, on
    a sample, and the best one goes on with all objects. The sums over objects are sums
    of integers, so that the labels do not depend on the number of threads.

    References
    ----------
    .. [1] Z. Li, X.-M. Wu and S.-F. Chang, "Segmentation using superpixels: a bipartite
       graph partitioning approach", IEEE CVPR, 2012.
       :doi:`10.1109/CVPR.2012.6247750`

    Examples
    --------
    >>> import numpy as np
    >>> from comitia import Ensemble
    >>> from comitia.represent import bipartite_graph
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 1]])
    >>> labels = tcut(bipartite_graph(votes), 2, np.random.RandomState(0))
    >>> (labels == labels[0]).tolist()
    [True, True, False, False]
    """
    graph = BipartiteGraph(graph.ensemble, _usable(graph), graph.cluster_edges)
    micro = micro_rows(graph.ensemble)
    values, table, points = _embedded(graph, micro, n_clusters)
    squares, scale = (points.map(attrgetter(name)) for name in ("squares", "scale"))
    found = lloyd(
        micro.lloyd_rows(squares, scale),
        Squared(Projected(table)),
        len(values) if n_clusters is None else n_clusters,
        rng,
        n_init=n_init,
        max_iter=max_iter,
        tol=tol,
    )
    return micro.spread(found.labels)


class Projected:
    """The metric of points that are sums of table rows: centres to their scores.

    Parameters
    ----------
    table : ndarray of shape (n_clusters of the ensemble, k)
        A row for each cluster.
    """

    def __init__(self, table: Floats) -> None:
        self.table = table

    def __call__(self, centers: Floats) -> Floats:
        return self.table @ (centers @ self.table).T


class Points(NamedTuple):
    """Where the points of one block are: their scales, and their squared lengths."""

    scale: Floats
    squares: Floats


def bipartite_embedding(
    graph: BipartiteGraph,
    n_clusters: int | None,
    counts: NDArray[np.int64] | None = None,
) -> Embedding:
    """Eigenvalues and points of the transfer cut.

    Parameters
    ----------
    graph : BipartiteGraph
        Objects, clusters and the weights of their edges.

    n_clusters : int or None
        How many eigenvectors; ``None`` stops at the largest gap.

    counts : ndarray of shape (n_objects,), default=None
        How many equal objects each object stands for; 1 by default.

    Returns
    -------
    embedding : Embedding
        The eigenvalues, the table and the scale of the points.
    """
    ensemble = graph.ensemble
    micro = rows_as_they_are(ensemble, counts)
    values, table, points = _embedded(graph, micro, n_clusters)
    scale, squares = (
        join(points.map(attrgetter(name)), ensemble.n_objects)
        for name in ("scale", "squares")
    )
    return Embedding(values, table, scale, squares)


def _embedded(
    graph: BipartiteGraph, micro: MicroRows, n_clusters: int | None
) -> tuple[Floats, Floats, Blocks]:
    """The eigenvalues, the table, and the points of each block."""
    from comitia.partition.normalized_cut import eigengap, most_parts

    d = micro.rows.map(_degrees_of, weights=graph.weights)
    N, root, used = _normalized(graph, micro, d)
    if n_clusters is None:
        # No consensus is looked for that is finer than the finest clustering.
        finest = int(graph.ensemble.n_clusters_each.max())
        most = min(finest, most_parts(graph.ensemble.n_objects))
        values, vectors = largest_eigenpairs(N, min(most + 1, len(N)))
        k = eigengap(values, most)
    elif n_clusters > len(N):
        raise ComitiaError(
            f"n_clusters={n_clusters} is larger than the number of clusters that have "
            f"edges; give at most {len(N)}."
        )
    else:
        k = int(n_clusters)
        # A graph of more parts than k has more leading eigenvectors than k.
        values, vectors = largest_eigenpairs(N, k, ties=True)
        k = len(values)
    table = np.zeros((graph.ensemble.n_clusters_total, k))
    table[used] = graph.weights[used, None] * vectors[:, :k] / root[:, None]
    return values[:k], table, micro.rows.map(_points_of, d, table=table)


def _degrees_of(micro: Micro, *, weights: Floats) -> Floats:
    totals: Floats = micro.ensemble.engine.row_sums(weights)
    totals[totals == 0] = _FLOOR
    return totals


def _points_of(micro: Micro, d: Floats, *, table: Floats) -> Points:
    return Points(*micro.ensemble.engine.unit_scales(table, d, _FLOOR))


def bipartite_spectrum(graph: BipartiteGraph, n_values: int) -> Floats:
    """Largest eigenvalues of the small side of the graph.

    Parameters
    ----------
    graph : BipartiteGraph
        Objects, clusters and the weights of their edges.

    n_values : int
        How many; fewer are returned when the graph has fewer clusters.

    Returns
    -------
    values : ndarray
        In falling order; the first is one. They are the squares of the singular
        values of the normalised edge matrix.
    """
    micro = micro_rows(graph.ensemble)
    d = micro.rows.map(_degrees_of, weights=graph.weights)
    N, _, _ = _normalized(graph, micro, d)
    return largest_eigenpairs(N, min(n_values, len(N)))[0]


def _normalized(
    graph: BipartiteGraph, micro: MicroRows, d: Blocks
) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """The matrix of the eigenproblem, the roots of its degrees, its clusters."""
    weights = graph.weights
    Wy = _contingency(micro, d.map(_inverse))
    Wy *= weights[:, None]
    Wy *= weights
    if graph.cluster_edges is not None:
        edges = graph.cluster_edges
        edges = edges if isinstance(edges, np.ndarray) else edges.toarray()
        totals = edges.sum(axis=1)
        totals[totals == 0] = _FLOOR
        Wy += (edges.T / totals) @ edges
    Dy = Wy.sum(axis=1)
    # Empty clusters and clusters without weight have no part in the graph.
    used = np.flatnonzero(Dy > 0)
    if len(used) < len(Dy):
        Wy = Wy[np.ix_(used, used)]
    root = np.sqrt(Dy[used])
    Wy /= root[:, None]
    Wy /= root
    if graph.cluster_edges is not None:
        Wy = (Wy + Wy.T) / 2  # BLAS does not promise a symmetric product
    return Wy, root, used


def _usable(graph: BipartiteGraph) -> Floats:
    """Edge weights whose squares do not underflow."""
    largest = graph.weights.max()
    if graph.cluster_edges is not None:
        return graph.weights
    if largest > 0:
        return graph.weights / largest  # a common factor cancels in the cut
    warnings.warn(
        "all edges of the graph weigh nothing; equal weights are used.",
        ComitiaWarning,
        stacklevel=3,
    )
    return np.ones_like(graph.weights)


def degrees(graph: BipartiteGraph) -> Floats:
    """Summed edge weights of each object.

    Parameters
    ----------
    graph : BipartiteGraph
        Objects, clusters and the weights of their edges.

    Returns
    -------
    degrees : ndarray of shape (n_objects,)
        A tiny number instead of zero for objects without edges.
    """
    totals = row_sums(graph.ensemble, graph.weights)
    totals[totals == 0] = _FLOOR
    return totals


def graph_contingency(ensemble: Ensemble, object_weights: Floats) -> Floats:
    r"""Objects that each two clusters share, each with its weight.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    object_weights : ndarray of shape (n_objects,)
        Weight :math:`a_i` of each object, positive.

    Returns
    -------
    shared : ndarray of shape (n_clusters, n_clusters)
        The matrix :math:`B' \mathrm{diag}(a) B`.

    Examples
    --------
    >>> import numpy as np
    >>> from comitia import Ensemble
    >>> graph_contingency(Ensemble([[0], [0], [1]]), np.array([1.0, 2.0, 4.0]))
    array([[3., 0.],
           [0., 4.]])
    """
    micro = rows_as_they_are(ensemble)
    return _contingency(micro, ensemble.split(np.asarray(object_weights)))


def _contingency(micro: MicroRows, values: Blocks) -> Floats:
    """B' diag(a) B for values of the objects of each row, counted."""
    shared = tables.weighted_contingency(
        micro.rows.map(attrgetter("ensemble")),
        values,
        micro.rows.map(attrgetter("counts")),
        micro.n_counted,
    )
    if isinstance(shared, np.ndarray):
        return shared
    K = shared.shape[0]
    require_memory(
        8 * K * K,
        f"the table of the weight that each two of {K} clusters share",
        "give fewer clusters",
    )
    return shared.toarray()


def _inverse(d: Floats) -> Floats:
    return 1.0 / d
