"""Spectral clusterings of nearest-neighbour graphs, several of each graph."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from comitia import sizes
from comitia._scales import hashed_rows, untied, untied_weights
from comitia.config import require_memory
from comitia.exceptions import ComitiaError
from comitia.generate._checkpoint import fingerprint
from comitia.generate._nearest_in_sample import ShapesGenerator
from comitia.generate.estimators import _sized_plans, n_clusters_range
from comitia.generate.generator import Plan
from comitia.optimize.eigenpairs import lanczos

__all__ = ["NeighborSpectralGenerator", "graph_points", "spectral_points"]

Floats = NDArray[np.float64]

# Eigenvalues, at most 1, that are nearer to each other are equal; a part of a vector
# that is shorter is rounding.
_EQUAL, _NOTHING = 1e-9, 1e-6


@dataclass(eq=False, repr=False)
class NeighborSpectralGenerator(ShapesGenerator):
    r"""Spectral clusterings of a few nearest-neighbour graphs.

    The members share a few graphs, which differ in their number of neighbours: the
    eigenvectors of a graph are found once, as many as its member with the most clusters
    needs, and a member is k-means on as many of them as it has clusters [1]_. Of the
    graph :math:`W`, the mean of the links in both directions, with degrees :math:`D`
    they are the leading solutions of

    .. math::
        W v = \lambda D v .

    Objects that a member did not see are labelled like their nearest neighbour.

    Parameters
    ----------
    n_clusterings, n_clusters : shared

    n_neighbors : int or list of int, default=(5, 8, 10, 15, 20)
        The number of neighbours of each graph.

    n_jobs, checkpoint, verbose, random_state : shared

    Attributes
    ----------
    ensemble_ : Ensemble
        The clusterings.

    members_ : list
        The objects that were seen and their labels, which label new objects.

    Notes
    -----
    A graph whose parts are not linked has as many equal eigenvalues as parts, and any
    mixture of their eigenvectors is one. Such a graph gets the edges of the minimum
    spanning tree in addition, so that parts which are near are split later.

    Of few objects a graph may link all, and then has one eigenvalue for all vectors but
    the first: of those that are equal, the vectors are taken that follow the columns of
    the data, one after the other.

    Of many objects each graph has 4000, drawn at random, or 16 for each cluster if that
    is more. From 20 000 objects on, and in :func:`generate_blocks`, the data are in
    single precision, and the nearest object is looked for in the nearer parts of the
    sample.

    References
    ----------
    .. [1] J. Shi and J. Malik, "Normalized cuts and image segmentation", IEEE TPAMI
       22(8), 2000. :doi:`10.1109/34.868688`

    Examples
    --------
    >>> from comitia.generate import NeighborSpectralGenerator
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> NeighborSpectralGenerator(
    ...     3, n_clusters=2, n_neighbors=2, random_state=0
    ... ).generate(X)
    Ensemble(kind='hard', n_objects=6, n_clusterings=3, n_clusters_total=6)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_neighbors": [Integral, tuple, list],
    }

    n_clusterings: int | str = 50
    _: KW_ONLY
    n_clusters: Any = None
    n_neighbors: Any = (5, 8, 10, 15, 20)
    n_jobs: int | None = None
    checkpoint: Any = None
    verbose: Any = False
    random_state: Any = None

    def plan(self, X: Any, rng: np.random.RandomState) -> list[Plan]:
        graphs = self._graphs()
        M = int(self.n_clusterings)
        ends = n_clusters_range(self.n_clusters, len(X))
        plans = _sized_plans(M, *ends, rng, ("seed", "object_seed"))
        # Members of one graph stand together, and see the same objects.
        which = [m * len(graphs) // M for m in range(M)]
        for m, plan in enumerate(plans):
            mine = [plans[o] for o in range(M) if which[o] == which[m]]
            plan["n_neighbors"] = graphs[which[m]]
            plan["n_vectors"] = max(one["n_clusters"] for one in mine)
            plan["object_seed"] = mine[0]["object_seed"]
        return plans

    def _graphs(self) -> list[int]:
        given = self.n_neighbors
        graphs = [given] if isinstance(given, Integral) else list(given)
        if not graphs or not all(
            isinstance(one, Integral) and int(one) >= 1 for one in graphs
        ):
            raise ComitiaError(
                f"n_neighbors={given!r} must be one or several whole numbers of at "
                "least 1."
            )
        return [int(one) for one in graphs]

    def sample_rows(self, n: int, plan: Plan) -> NDArray[np.int64]:
        return super().sample_rows(n, {**plan, "n_clusters": plan["n_vectors"]})

    def label_sample(self, X: NDArray[np.float64], plan: Plan) -> NDArray[Any]:
        from sklearn.cluster import KMeans

        k = min(plan["n_clusters"], len(X))
        points = _kept_points(X, plan["n_neighbors"], plan["n_vectors"])[:, :k]
        model = KMeans(k, n_init=1, random_state=plan["seed"])
        with warnings.catch_warnings():
            # Copies may be fewer than the clusters: that is no trouble here.
            warnings.simplefilter("ignore", ConvergenceWarning)
            # The sign of an eigenvector is left to rounding.
            weights = untied_weights(np.abs(points))
            labels = model.fit(untied(points), sample_weight=weights).labels_
        return np.unique(labels, return_inverse=True)[1]


# The points of the last graph: the next member is likely to ask for them, too.
_KEPT: dict[str, Floats] = {}


def _kept_points(X: Floats, n_neighbors: int, n_vectors: int) -> Floats:
    """The same as :func:`spectral_points`, unless it was the last that was asked."""
    graph = fingerprint({"graph": (n_neighbors, n_vectors)}, X)
    points = _KEPT.get(graph)
    if points is None:
        points = spectral_points(X, n_neighbors, n_vectors)
        _KEPT.clear()
        _KEPT[graph] = points
    return points


def spectral_points(X: Floats, n_neighbors: int, n_vectors: int) -> Floats:
    """Leading eigenvectors of the nearest-neighbour graph, one row for each object.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        The objects.

    n_neighbors : int
        Neighbours that each object is linked to; all others if there are fewer.

    n_vectors : int
        Number of eigenvectors; n if that is fewer.

    Returns
    -------
    points : ndarray of shape (n, n_vectors)
        The solutions of the generalised problem, of which the first is constant.
    """
    n = len(X)
    if n == 1:
        return np.ones((1, 1))
    X = untied(X)
    return graph_points(_linked(X, min(n_neighbors, n - 1)), n_vectors, X)


def graph_points(W: Any, n_vectors: int, X: Floats | None = None) -> Floats:
    """Leading eigenvectors of a graph, one row for each vertex.

    Parameters
    ----------
    W : csr_array of shape (n, n)
        Symmetric weights of the links.

    n_vectors : int
        Number of eigenvectors; n if that is fewer.

    X : ndarray of shape (n, p), default=None
        What is known of the vertices, which decides between equal eigenvalues; their
        degrees, and those of their neighbours, by default.

    Returns
    -------
    points : ndarray of shape (n, n_vectors)
        The solutions of the generalised problem; zeros for vertices without links.
    """
    from threadpoolctl import threadpool_limits

    n = W.shape[0]
    if n == 1:
        return np.ones((1, 1))
    degrees = W.sum(axis=1)
    if X is None:
        X = np.column_stack([degrees, W @ degrees])
    root = np.sqrt(degrees)
    root[root == 0] = 1.0
    W = W.copy()
    W.data /= np.repeat(root, np.diff(W.indptr)) * root[W.indices]
    # One thread: sums inside of BLAS depend on how many there are.
    with threadpool_limits(limits=1, user_api="blas"):
        return _leading(W, min(n_vectors, n), X) / root[:, None]


def _linked(X: Floats, n_neighbors: int) -> Any:
    """The graph of nearest neighbours; with the spanning tree if it has parts."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    from comitia.cluster.genie import SpanningTree
    from comitia.represent.graphs import knn_graph

    W = knn_graph(X, n_neighbors, symmetric="mean")
    if connected_components(W, directed=False)[0] > 1:
        i, j = SpanningTree.of(X).ends.T
        half = np.full(len(i), 0.5)
        tree = csr_array((half, (i, j)), shape=W.shape)
        W = csr_array(W.maximum(tree + tree.T))
    return W


def _leading(S: Any, n_vectors: int, X: Floats) -> Floats:
    """The leading eigenvectors of a symmetric sparse matrix."""
    n = S.shape[0]
    if n > max(sizes.SMALL_MATRIX, 4 * n_vectors):
        found = lanczos(S, n_vectors)
        if found is not None:
            values, vectors = found
            return vectors[:, np.argsort(-values, kind="stable")]
    require_memory(16 * n * n, f"the eigenvectors of a matrix of order {n}")
    from scipy.linalg import eigh

    values, vectors = eigh(S.toarray())
    return _settled(values[::-1], vectors[:, ::-1], n_vectors, X)


def _settled(values: Floats, vectors: Floats, n_vectors: int, X: Floats) -> Floats:
    """The first vectors; those of equal values as the columns of a table have them.

    Any mixture of these is as good, and rounding would choose one. Here the first is
    the part of the first column that lies among them, the next that of the next column
    which has another one. Then come numbers that hang on the rows of the table.
    """
    firsts = np.flatnonzero(np.r_[True, values[:-1] - values[1:] > _EQUAL])
    ends = np.r_[firsts[1:], len(values)]
    settled = vectors[:, :n_vectors].copy()
    for first, end in zip(firsts, ends, strict=True):
        wanted = min(end, n_vectors) - first
        if end - first == 1 or wanted < 1:
            continue
        equal = vectors[:, first:end]
        chosen = np.empty((end - first, 0))
        for column in _directions(X, end - first):
            part = equal.T @ column
            part -= chosen @ (chosen.T @ part)
            length = np.linalg.norm(part)
            if length > _NOTHING:
                chosen = np.column_stack([chosen, part / length])
            if chosen.shape[1] == wanted:
                settled[:, first : first + wanted] = equal @ chosen
                break
    return settled


def _directions(X: Floats, n_more: int) -> Iterator[Floats]:
    """The columns of a table, of length 1, and numbers that hang on its rows."""
    apart = X - X.mean(axis=0)
    largest = np.abs(apart).max(axis=0)
    for column in (apart[:, largest > 0] / largest[largest > 0]).T:
        yield column / np.linalg.norm(column)
    keys = hashed_rows(X)
    for more in range(2 * n_more):
        # Other bits of the key each time.
        keys = keys * np.uint64(6364136223846793005) + np.uint64(2 * more + 1)
        yield (keys >> np.uint64(11)).astype(np.float64) * 2.0**-53 - 0.5
