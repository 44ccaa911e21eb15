"""Genie: single linkage that keeps the sizes of the clusters from going apart."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia import config, sizes
from comitia._scales import untied
from comitia._sklearn import Interval
from comitia.cluster.clusterer import TableClusterer, refuse_excess_clusters
from comitia.cluster.dissimilarity import closest_rows
from comitia.exceptions import ComitiaError

__all__ = ["Genie", "SpanningTree"]

Floats = NDArray[np.float64]

# Ends, weights and squared lengths of edges.
Edges = tuple[NDArray[np.int64], Floats, Floats]

# Of many features the distances are computed all at once if they take no more than
# this part of the memory; what it takes to add a feature to one, where a row of labels
# is 1.
_SHARE, _COST = 8, 1e-3

# Neighbours of an object that the tree of very many objects is looked for among.
_LINKS = 12


@dataclass(frozen=True)
class SpanningTree:
    """A minimum spanning tree, which many clusterings can be cut from.

    Attributes
    ----------
    ends : ndarray of shape (n_objects - 1, 2)
        The objects that each edge joins.

    lengths : ndarray of shape (n_objects - 1,)
        The lengths of the edges, in rising order, up to 1e-9 of the range of the data:
        lengths that are equal by chance are told apart by the values of the objects.

    Examples
    --------
    >>> from comitia.cluster.genie import SpanningTree
    >>> tree = SpanningTree.of([[0.0], [1.0], [5.0], [7.0]])
    >>> tree.lengths.round(6)
    array([1., 2., 4.])
    >>> tree.labels(2)
    array([0, 0, 1, 1])
    """

    ends: NDArray[np.int64]
    lengths: Floats

    @classmethod
    def of(cls, X: ArrayLike, n_neighbors: int | None = None) -> SpanningTree:
        r"""Find the tree of objects in space.

        Parameters
        ----------
        X : array-like of shape (n_objects, n_features)
            The objects.

        n_neighbors : int, default=None
            With it, two objects are no nearer than each is to its so-many-th nearest
            other object, which moves objects in sparse regions away from all others.

        Returns
        -------
        tree : SpanningTree
            The tree. It takes time in proportion to :math:`n^2` up to 20 000 objects;
            of more it is found among the nearest neighbours, and only nearly minimal.
        """
        X = np.asarray(X, dtype=np.float64)
        n = len(X)
        if n < 2:
            return cls(np.empty((0, 2), dtype=np.int64), np.empty(0))
        # Squares of numbers around one neither overflow nor vanish.
        _, exponent = np.frexp(np.abs(X).max(initial=0.0))
        scaled = np.ldexp(X, -int(exponent))
        scaled -= scaled.min(axis=0)
        _, finer = np.frexp(scaled.max(initial=0.0))
        scaled = untied(np.ldexp(scaled, -int(finer)))
        # In an order that hangs on the values alone, ties are broken by them.
        order = np.lexsort(scaled.T)
        points = scaled[order]
        cores = _cores(points, n_neighbors)
        find = _exact if n <= sizes.SPANNING_TREE_OBJECTS else _among_neighbors
        ends, weights, squares = find(points, cores)
        ends.sort(axis=1)
        rising = np.lexsort((ends[:, 1], ends[:, 0], squares, weights))
        lengths = np.ldexp(np.sqrt(weights[rising]), int(exponent + finer))
        return cls(order[ends[rising]], lengths)

    @property
    def n_objects(self) -> int:
        """How many objects there are."""
        return len(self.ends) + 1

    def merges(
        self, gini_threshold: float = 0.3
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Say in which order clusters merge.

        Parameters
        ----------
        gini_threshold : float, default=0.3
            While the Gini index of the sizes is above it, a smallest cluster merges.

        Returns
        -------
        order : ndarray of shape (n_objects - 1,)
            The edges, in the order in which they merge clusters.

        children : ndarray of shape (n_objects - 1, 2)
            The two clusters of each merge: an object, or the number of objects plus
            that of an earlier merge.
        """
        from comitia._kernels.spanning_tree import merge_order

        order = np.empty(len(self.ends), dtype=np.int64)
        children = np.empty((len(self.ends), 2), dtype=np.int64)
        if len(order):
            merge_order(self.ends, float(gini_threshold), order, children)
        return order, children

    def labels(self, n_clusters: int, gini_threshold: float = 0.3) -> NDArray[np.intp]:
        """Merge clusters along the tree until so many are left.

        Parameters
        ----------
        n_clusters : int
            Number of clusters.

        gini_threshold : float, default=0.3
            While the Gini index of the sizes is above it, a smallest cluster merges.

        Returns
        -------
        labels : ndarray of shape (n_objects,)
            The clusters, numbered in the order of their first objects.
        """
        refuse_excess_clusters(n_clusters, self.n_objects)
        order, _ = self.merges(gini_threshold)
        return self.cut(order, n_clusters)

    def cut(self, order: NDArray[np.int64], n_clusters: int) -> NDArray[np.intp]:
        """Stop merges when so many clusters are left.

        Parameters
        ----------
        order : ndarray of shape (n_objects - 1,)
            The edges in the order in which they merge, as :meth:`merges` gives it.

        n_clusters : int
            Number of clusters.

        Returns
        -------
        labels : ndarray of shape (n_objects,)
            The clusters, numbered in the order of their first objects.
        """
        from comitia._kernels.spanning_tree import joined

        n = self.n_objects
        firsts = joined(self.ends[order[: n - n_clusters]], n)
        return np.unique(firsts, return_inverse=True)[1]


class Genie(TableClusterer):
    r"""Genie: single linkage that keeps the sizes of the clusters from going apart.

    Each object begins as a cluster of its own. The two clusters whose nearest objects
    are nearest merge; but while the Gini index :math:`G` of the sizes is above a
    threshold :math:`g`, one of the two must be a smallest cluster [1]_:

    .. math::
        (u, v) = \operatorname*{arg\,min}_{u \ne v} \;
        \min_{i \in C_u,\, j \in C_v} d_{ij}
        \quad\text{where}\quad |C_u| = \min_w |C_w| \;\text{ if }\; G > g, \qquad
        G = \frac{\sum_{u < v} \big| |C_u| - |C_v| \big|}{(k - 1)\, n} .

    So clusters may have any shape, as in single linkage, but outliers do not stay
    clusters of their own while all the rest becomes one.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.

    gini_threshold : float, default=0.3
        The threshold :math:`g`, in [0, 1]: 1 is single linkage, and the lower it is
        the more equal the sizes are.

    n_neighbors : int, default=None
        With it, two objects are no nearer than each is to its so-many-th nearest
        other object (mutual reachability): objects between clusters link them less.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        The clusters, numbered in the order of their first objects.

    children_ : ndarray of shape (n_objects - 1, 2)
        The two clusters of each merge: an object, or the number of objects plus that of
        an earlier merge.

    distances_ : ndarray of shape (n_objects - 1,)
        The distance of the two clusters of each merge. It does not always rise.

    tree_ : SpanningTree
        The minimum spanning tree, which clusterings with other numbers of clusters and
        other thresholds can be cut from.

    Notes
    -----
    All merges are along edges of the minimum spanning tree, since the nearest of all
    objects outside of a cluster is. It is found in :math:`O(n^2 p)` time and
    :math:`O(n p)` memory; beyond 20 000 objects among nearest neighbours, and is only
    nearly minimal.

    References
    ----------
    .. [1] M. Gagolewski, M. Bartoszuk and A. Cena, "Genie: a new, fast, and
       outlier-resistant hierarchical clustering algorithm", Information Sciences 363,
       2016. :doi:`10.1016/j.ins.2016.05.003`

    Examples
    --------
    Single linkage leaves the outlier alone; Genie does not.

    >>> from comitia.cluster import Genie
    >>> X = [[0.0], [1.0], [2.1], [3.3], [5.0], [6.4], [7.9], [11.0]]
    >>> Genie(2, gini_threshold=1.0).fit_predict(X)
    array([0, 0, 0, 0, 0, 0, 0, 1])
    >>> Genie(2).fit_predict(X)
    array([0, 0, 0, 0, 1, 1, 1, 1])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "gini_threshold": [Interval(Real, 0, 1, closed="both")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        gini_threshold: float = 0.3,
        n_neighbors: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.gini_threshold = gini_threshold
        self.n_neighbors = n_neighbors

    def _fit(self, X: Floats) -> None:
        self.tree_ = SpanningTree.of(X, self.n_neighbors)
        order, self.children_ = self.tree_.merges(self.gini_threshold)
        self.distances_ = self.tree_.lengths[order]
        self.labels_ = self.tree_.cut(order, self.n_clusters)
        self._fit_X = X

    def _nearest(self, X: Floats) -> NDArray[np.intp]:
        """The clusters of the nearest objects that were fitted."""
        return self.labels_[closest_rows(X, self._fit_X)]


def _cores(points: Floats, n_neighbors: int | None) -> Floats:
    """Squared distance of each object to its so-many-th nearest other object."""
    if n_neighbors is None:
        return np.zeros(len(points))
    if n_neighbors >= len(points):
        raise ComitiaError(
            f"n_neighbors={n_neighbors} is as large as the number of objects; give at "
            f"most {len(points) - 1}, got n_samples={len(points)}."
        )
    return _neighbors(points, n_neighbors)[1].max(axis=1)


def _neighbors(points: Floats, n_neighbors: int) -> tuple[NDArray[Any], Floats]:
    """The nearest other objects of each object, and their squared distances."""
    from sklearn.neighbors import NearestNeighbors

    model = NearestNeighbors(n_neighbors=n_neighbors).fit(points)
    found = model.kneighbors(return_distance=False)
    # From differences: scikit-learn may take them from products, which round.
    squares = [((points[other] - points) ** 2).sum(axis=1) for other in found.T]
    return found, np.column_stack(squares)


def _exact(points: Floats, cores: Floats) -> Edges:
    """The minimum spanning tree."""
    from comitia._kernels.nearest import squares_between
    from comitia._kernels.spanning_tree import prim, prim_of_squares
    from comitia._kernels.sums import over_ranges

    n, p = points.shape
    ends = np.empty((n - 1, 2), dtype=np.int64)
    weights, squares = np.empty(n - 1), np.empty(n - 1)
    columns = np.array(points.T, order="C")
    if p < sizes.MANY_FEATURES or 8 * n * n > config.memory_budget() // _SHARE:
        prim(columns, cores, ends, weights, squares)
        return ends, weights, squares
    between = np.empty((n, n))

    def work(start: int, stop: int) -> None:
        squares_between(columns, start, stop, columns, True, between[start:stop])

    over_ranges(work, n, _COST * n * p / 2)
    prim_of_squares(between, cores, ends, weights, squares)
    return ends, weights, squares


def _among_neighbors(points: Floats, cores: Floats) -> Edges:
    """A spanning tree of nearest neighbours and the exact tree of a sample.

    Neighbours make the short edges. The sample has an object of each part of their
    graph, and so the edges between parts.
    """
    from comitia._kernels.spanning_tree import joined, spanning_edges

    n = len(points)
    found, squares = _neighbors(points, _LINKS)
    ends = np.column_stack([np.repeat(np.arange(n), _LINKS), found.ravel()])
    parts = np.unique(joined(ends, n))
    drawn = np.random.RandomState(0).randint(n, size=sizes.SPANNING_TREE_OBJECTS)
    sample = np.unique(np.r_[parts, drawn])
    more_ends, _, more_squares = _exact(points[sample], cores[sample])
    ends, squares = np.r_[ends, sample[more_ends]], np.r_[squares.ravel(), more_squares]
    weights = np.maximum(squares, cores[ends].max(axis=1))
    ends.sort(axis=1)
    rising = np.lexsort((ends[:, 1], ends[:, 0], squares, weights))
    kept = rising[spanning_edges(ends[rising], n)]
    return ends[kept], weights[kept], squares[kept]
