"""The graph that joins objects with their nearest neighbours, also of very many."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from comitia import sizes
from comitia._optional import import_optional
from comitia._scales import untied
from comitia.exceptions import ComitiaError
from comitia.generate._nearest_in_sample import in_groups

__all__ = ["neighbor_graph", "neighbors_by_groups"]

Floats = NDArray[np.float64]
Numbers = NDArray[np.int32]

# Groups that an object looks at, at least, and rounds of k-means that make them.
_LOOKED = 8


def neighbor_graph(
    X: Floats, n_neighbors: int, *, edge_weights: str = "jaccard", search: str = "auto"
) -> csr_array:
    """Join each object with its nearest neighbours, in either direction.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        The data.

    n_neighbors : int
        Neighbours of each object, itself not counted; all others if there are fewer.

    edge_weights, search : shared
        As for :class:`GraphGenerator`.

    Returns
    -------
    graph : csr_array of shape (n_objects, n_objects)
        Symmetric, without loops.
    """
    n = len(X)
    if n < 2:
        raise ComitiaError("X has one object; neighbours take two at least.")
    k = min(n_neighbors, n - 1)
    if search == "auto":
        search = "exact" if n < sizes.EXACT_NEIGHBORS_OBJECTS else "groups"
    find = {
        "exact": _exact,
        "groups": neighbors_by_groups,
        "pynndescent": _pynndescent,
    }[search]
    near, squares = find(X, k)
    weights = np.ones(near.shape)
    if edge_weights == "gaussian":
        # Copies of one point are at distance zero, whatever the width.
        width = np.sqrt(squares[:, -1])
        product = width[:, None] * width[near]
        scaled = np.divide(
            squares, product, where=product > 0, out=np.zeros_like(squares)
        )
        weights = np.exp(-scaled)
    elif edge_weights == "jaccard":
        weights = _jaccard(near)
    ends = np.arange(0, n * k + 1, k)
    W = csr_array((weights.ravel(), near.ravel(), ends), shape=(n, n))
    W.sort_indices()
    W = csr_array(W.maximum(W.T))
    W.sort_indices()
    return W


def _jaccard(near: Numbers) -> Floats:
    """Share of the neighbours, themselves included, that linked objects share."""
    from comitia._kernels.knn import shared_neighbors
    from comitia._kernels.sums import over_ranges

    n, k = near.shape
    own = np.arange(n, dtype=near.dtype)[:, None]
    lists = np.sort(np.hstack([near, own]), axis=1)
    shared = np.empty((n, k), dtype=np.int64)
    over_ranges(partial(shared_neighbors, near, lists, shared), n, cost=k)
    return shared / (2 * (k + 1) - shared)


def _exact(X: Floats, k: int) -> tuple[Numbers, Floats]:
    """The neighbours of all, and the squared distances, nearest first."""
    from sklearn.neighbors import NearestNeighbors

    distances, near = NearestNeighbors(n_neighbors=k).fit(untied(X)).kneighbors()
    return near.astype(np.int32), distances**2


def _pynndescent(X: Floats, k: int) -> tuple[Numbers, Floats]:
    """The same, nearly, by nearest-neighbour descent."""
    asking = 'search="pynndescent"'
    NNDescent = import_optional("pynndescent", asking, "neighbors").NNDescent
    # It depends on the order of the objects, which their content gives here.
    place = np.lexsort(X.T)
    index = NNDescent(X[place].astype(np.float32), n_neighbors=k + 1, random_state=0)
    found, distances = index.neighbor_graph
    # An object is its own neighbour, mostly the first one; -1 is one it did not find.
    own = found == np.arange(len(X))[:, None]
    far = np.where(found < 0, np.inf, np.where(own, -1.0, distances))
    order = np.argsort(far, axis=1, kind="stable")[:, 1:]
    near = np.take_along_axis(found, order, axis=1)
    if (near < 0).any():
        raise ComitiaError(
            f"pynndescent finds fewer than n_neighbors={k} neighbours of some objects; "
            'ask for fewer, or take search="groups".'
        )
    squares = np.take_along_axis(distances, order, axis=1).astype(np.float64) ** 2
    back = np.argsort(place)
    return place[near][back].astype(np.int32), squares[back]


def neighbors_by_groups(X: Floats, k: int) -> tuple[Numbers, Floats]:
    """The nearest neighbours among the objects of the nearest groups.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        The data.

    k : int
        Number of neighbours.

    Returns
    -------
    near : ndarray of shape (n_objects, k)
        The neighbours, nearest first.

    squares : ndarray of shape (n_objects, k)
        The squared distances.
    """
    from comitia._kernels.knn import nearest_in_groups
    from comitia._kernels.sums import over_ranges

    n, p = X.shape
    columns = np.ascontiguousarray((X - X.mean(axis=0)).T, dtype=np.float32)
    points, order, starts, centers = in_groups(columns)
    near = np.empty((n, k), dtype=np.int32)
    squares = np.empty((n, k), dtype=np.float32)
    n_looked = min(_LOOKED, centers.shape[1])
    given = points, starts, centers, n_looked, near, squares
    over_ranges(partial(nearest_in_groups, *given), n, cost=p)
    back = np.empty(n, dtype=np.int64)
    back[order] = np.arange(n)
    return order[near].astype(np.int32)[back], squares[back].astype(np.float64)
