"""Which clusterings are neighbours: the relative neighbourhood graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.cluster.leiden_louvain import louvain
from comitia.exceptions import ComitiaError
from comitia.optimize.ties import merged_ties

__all__ = ["multilayer_communities", "relative_neighborhood", "seed_communities"]

# Distances that differ by less are equal: what is left of rounding.
_TINY = 1e-12

_ROUNDS = 100  # most rounds of voting


def relative_neighborhood(distances: ArrayLike) -> NDArray[np.bool_]:
    r"""Join two items unless a third is closer to both.

    .. math::
        l \sim m \quad \text{unless some } t \text{ has} \quad
        \max(d_{lt}, d_{mt}) < d_{lm} .

    Parameters
    ----------
    distances : array-like of shape (n_items, n_items)
        Symmetric distances.

    Returns
    -------
    edges : ndarray of bool of shape (n_items, n_items)
        Symmetric, with an empty diagonal. The graph is connected.

    Notes
    -----
    The inequality is strict: of two equal items neither separates the other from a
    third, and both are joined to it. Distances that differ by less than a part in
    :math:`10^{12}` of the largest are equal [1]_.

    References
    ----------
    .. [1] G. T. Toussaint, "The relative neighbourhood graph of a finite planar set",
       Pattern Recognition 12(4), 1980. :doi:`10.1016/0031-3203(80)90066-7`

    Examples
    --------
    >>> relative_neighborhood([[0, 1, 3], [1, 0, 2], [3, 2, 0]]).astype(int)
    array([[0, 1, 0],
           [1, 0, 1],
           [0, 1, 0]])
    """
    d = np.asarray(distances, dtype=np.float64)
    if d.ndim != 2 or d.shape[0] != d.shape[1] or not np.isfinite(d).all():
        raise ComitiaError(
            f"distances must be a square table of finite numbers; got shape {d.shape}."
        )
    n = len(d)
    tiny = _TINY * np.abs(d).max(initial=0.0)
    edges = np.ones((n, n), dtype=bool)
    for t in range(n):
        # An item stands in no way of its own: max(d_lt, d_tt) = d_lt is not less.
        edges &= np.maximum(d[t], d[t][:, None]) >= d - tiny
    np.fill_diagonal(edges, False)
    return edges


def multilayer_communities(
    layers: Sequence[Any], rng: np.random.RandomState
) -> NDArray[np.int64]:
    """Communities of a network with several layers of edges, by their sum.

    Parameters
    ----------
    layers : sequence of array-like of shape (n_items, n_items)
        Symmetric adjacency matrices of the same items.

    rng : RandomState
        Draws the order in which items move.

    Returns
    -------
    labels : ndarray of shape (n_items,)
        The community of each item.

    Examples
    --------
    >>> import numpy as np
    >>> two_pairs = np.kron(np.eye(2), [[0, 1], [1, 0]])
    >>> multilayer_communities([two_pairs, two_pairs], np.random.RandomState(0))
    array([0, 0, 1, 1])
    """
    total = np.sum([np.asarray(layer, dtype=np.float64) for layer in layers], axis=0)
    return louvain(total, rng)


def seed_communities(
    graph: ArrayLike, *, priority: ArrayLike | None = None
) -> NDArray[np.int64]:
    """Communities around leaders: items that have more ties than their neighbours.

    An item is a leader if no neighbour has a larger degree, of equals that of largest
    priority. The others then take, again and again, the community to which most of the
    weight of their edges goes, until nothing changes.

    Parameters
    ----------
    graph : array-like of shape (n_items, n_items)
        Symmetric edge weights, not negative; several layers are added up.

    priority : array-like of shape (n_items,), default=None
        Who leads of items with as many ties, and whom an item follows that as much of
        its weight goes to; large for the first. By default the lowest index.

    Returns
    -------
    labels : ndarray of shape (n_items,)
        The community of each item, numbered by their leaders, those of large priority
        first. An item that no leader can be reached from leads itself.

    Examples
    --------
    >>> star_and_pair = [
    ...     [0, 1, 1, 0, 0],
    ...     [1, 0, 0, 0, 0],
    ...     [1, 0, 0, 0, 0],
    ...     [0, 0, 0, 0, 1],
    ...     [0, 0, 0, 1, 0],
    ... ]
    >>> seed_communities(star_and_pair)
    array([0, 0, 0, 1, 1])
    """
    A = np.array(graph, dtype=np.float64)
    np.fill_diagonal(A, 0.0)
    n = len(A)
    degree = A.sum(axis=1)
    first = (
        np.zeros(n) if priority is None else merged_ties(np.asarray(priority, float))
    )
    # Larger is who has more ties, and of equals who comes first.
    rank = np.empty(n)
    rank[np.lexsort((-np.arange(n), first, degree))] = np.arange(n)
    led = ((A > 0) & (rank[None, :] > rank[:, None])).any(axis=1)
    leaders = np.flatnonzero(~led)
    leaders = leaders[np.argsort(-first[leaders], kind="stable")]
    labels = np.full(n, -1)
    labels[leaders] = np.arange(len(leaders))
    for _ in range(_ROUNDS):
        votes = A @ (labels[:, None] == np.arange(len(leaders)))
        new = np.where(votes.any(axis=1), votes.argmax(axis=1), labels)
        new[leaders] = np.arange(len(leaders))
        if np.array_equal(new, labels):
            break
        labels = new
    return labels.astype(np.int64)
