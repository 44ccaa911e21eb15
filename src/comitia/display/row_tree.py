"""A tree over the rows of a heat map, and where its branches stand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.display.heat_maps import HeatMap
from comitia.partition import cut

__all__ = ["RowTree", "lay_out", "row_tree"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RowTree:
    """A tree whose leaves are the rows of a heat map, cluster by cluster.

    ``merges`` is in SciPy form; the last ``n_between`` of them join clusters and the
    others rows of one cluster. ``order`` has the rows from left to right, and
    ``positions`` where each node stands among them.
    """

    merges: Floats
    n_between: int
    order: Integers
    positions: Floats


def row_tree(heat: HeatMap, labels: ArrayLike, tree: Floats | None = None) -> RowTree:
    r"""Join the rows of a heat map to a tree in which each cluster is a branch.

    Average linkage of one minus the co-association S joins the rows of each cluster,
    and then the clusters. Both at once are average linkage of

    .. math::
        d_{ij} = 1 - S_{ij} + 2 \, [c_i \ne c_j],

    because no mean inside a cluster reaches 2 and none between clusters is below it. A
    tree of the objects is taken instead where each row is an object and the clusters
    are branches of it. Of two branches, the one whose rows stood first is at the left.

    Parameters
    ----------
    heat : HeatMap
        The rows.

    labels : array-like of shape (n_objects,)
        The cluster of each object.

    tree : ndarray of shape (n_objects - 1, 4), default=None
        The tree of the method, in SciPy form.

    Returns
    -------
    tree : RowTree
        The tree.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> from comitia.display.heat_maps import heat_map
    >>> votes = Ensemble([[0, 0], [0, 0], [1, 1], [1, 0]])
    >>> found = row_tree(heat_map(votes, [0, 0, 1, 1]), [0, 0, 1, 1])
    >>> found.merges[:, 2], found.n_between
    (array([0.  , 0.5 , 0.75]), 1)
    """
    clusters = np.asarray(labels)[heat.order[heat.edges[:-1]]]
    n_between = len(np.unique(clusters)) - 1
    own = None
    if tree is not None and len(clusters) == len(heat.order):
        own = _tree_of_rows(tree, heat.order, clusters)
    merges = _average_linkage(heat.values, clusters, n_between) if own is None else own
    merges = _first_rows_left(merges)
    return RowTree(merges, n_between, *lay_out(merges))


def _tree_of_rows(tree: Floats, order: Integers, clusters: Integers) -> Floats | None:
    """A tree of objects as one of rows; None if some cluster is no branch of it."""
    k = len(np.unique(clusters))
    branches = cut(tree, k)[order]
    if len(np.unique(np.column_stack([branches, clusters]), axis=0)) != k:
        return None
    n = len(order)
    row = np.arange(2 * n - 1)
    row[order] = np.arange(n)
    merges = tree.copy()
    merges[:, :2] = row[tree[:, :2].astype(np.int64)]
    return merges


def _average_linkage(S: Floats, clusters: Integers, n_between: int) -> Floats:
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    # More than one where clusters overlap; rounding can leave -1e-16 of a difference.
    distance = np.maximum(1.0 - S / max(float(S.max()), 1.0), 0.0)
    distance += 2.0 * (clusters[:, None] != clusters)
    np.fill_diagonal(distance, 0.0)
    merges = linkage(squareform(distance, checks=False), "average")
    merges[len(merges) - n_between :, 2] -= 2.0
    return np.asarray(merges)


def _first_rows_left(merges: Floats) -> Floats:
    """The same tree; of two branches the one with the lower mean row comes first."""
    n = len(merges) + 1
    total = np.r_[np.arange(n), np.zeros(n - 1)]
    size = np.r_[np.ones(n), merges[:, 3]]
    turned = merges.copy()
    for i, (a, b) in enumerate(merges[:, :2].astype(np.int64)):
        total[n + i] = total[a] + total[b]
        if total[a] / size[a] > total[b] / size[b]:
            turned[i, :2] = b, a
    return turned


def lay_out(merges: Floats) -> tuple[Integers, Floats]:
    """The leaves of a tree from left to right, and where each node stands.

    >>> order, positions = lay_out(np.array([[2, 0, 0.1, 2], [1, 3, 0.5, 3]]))
    >>> order, positions
    (array([1, 2, 0]), array([2.  , 0.  , 1.  , 1.5 , 0.75]))
    """
    p = len(merges) + 1
    pairs = merges[:, :2].astype(np.int64)
    order, waiting = [], [2 * p - 2]
    while waiting:
        v = waiting.pop()
        if v < p:
            order.append(v)
        else:
            waiting += [int(pairs[v - p, 1]), int(pairs[v - p, 0])]
    x = np.empty(2 * p - 1)
    x[order] = np.arange(p)
    for i, (a, b) in enumerate(pairs):
        x[p + i] = (x[a] + x[b]) / 2
    return np.array(order), x
