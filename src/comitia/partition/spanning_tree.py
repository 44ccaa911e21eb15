"""Minimum spanning trees of clusters: how dense they are, and where to cut them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.config import require_memory
from comitia.exceptions import ComitiaError

__all__ = ["TreeSplit", "cut_long_edges", "spanning_tree", "split_index"]

Array = NDArray[np.float64]


class TreeSplit(NamedTuple):
    """Where a tree should be cut, and how much it asks for it.

    Attributes
    ----------
    value : float
        The split index, large for a tree that falls into parts; 0 for one of fewer
        than two edges.

    length : float
        Length of the shortest edge to cut; infinite where there is none.
    """

    value: float
    length: float


def spanning_tree(X: ArrayLike) -> Array:
    """Minimum spanning tree of points, as the tree of single linkage.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The points.

    Returns
    -------
    tree : ndarray of shape (n_objects - 1, 4)
        Merges in SciPy form; their heights are the lengths of the edges, ascending.

    Notes
    -----
    Points may have several minimum spanning trees. Their edges have the same lengths,
    and fall into the same parts when all edges from some length on are cut, which is
    all that the tree of single linkage knows.

    Examples
    --------
    >>> spanning_tree([[0.0], [1.0], [3.0]])
    array([[0., 1., 1., 2.],
           [2., 3., 2., 3.]])
    """
    from scipy.spatial.distance import pdist

    from comitia.partition.linkage import hac

    data = np.asarray(X, dtype=np.float64)
    if data.ndim != 2 or not np.isfinite(data).all():
        raise ComitiaError("X must be a table of finite numbers, one row per object.")
    n = len(data)
    if n == 1:
        return np.empty((0, 4))
    require_memory(8 * n * n, f"the spanning tree of {n} objects")
    return hac(pdist(data), "single")


def split_index(lengths: ArrayLike) -> TreeSplit:
    r"""How much a tree asks to be cut, and where.

    For the sorted lengths :math:`e_1 \le \dots \le e_s` of its edges,

    .. math::
        \frac{e_{t+1} - e_t}{e_t} \cdot \frac{e_{t+1} - \bar e}{\bar e}, \qquad
        t = \arg\max_u \frac{e_{u+1} - e_u}{e_u} .

    The index is large if the lengths jump once, and to what is long for the tree [1]_.

    Parameters
    ----------
    lengths : array-like of shape (n_edges,)
        Lengths of the edges, positive and ascending.

    Returns
    -------
    split : TreeSplit
        The index, and :math:`e_{t+1}`; the first of equal jumps.

    References
    ----------
    .. [1] Y. Tang and X. Liu, "A clustering ensemble method based on cluster selection
       and cluster splitting", ICMLC 2018. :doi:`10.1145/3195106.3195108`

    Examples
    --------
    >>> value, length = split_index([1, 1, 1, 1, 8])
    >>> round(value, 4), length
    (16.3333, 8.0)
    """
    e = np.asarray(lengths, dtype=np.float64)
    if len(e) and not e[0] > 0:
        raise ComitiaError(
            f"lengths must be positive; the shortest is {e[0]}. Raise those of 0 to "
            "the shortest that is not."
        )
    if len(e) < 2:
        return TreeSplit(0.0, np.inf)
    jumps = np.diff(e) / e[:-1]
    t = int(jumps.argmax())
    mean = e.mean()
    return TreeSplit(float(jumps[t] * (e[t + 1] - mean) / mean), float(e[t + 1]))


def cut_long_edges(tree: ArrayLike, length: float) -> NDArray[np.int64]:
    """Cut all edges of a spanning tree that have a length, or are longer.

    Parameters
    ----------
    tree : array-like of shape (n_objects - 1, 4)
        What :func:`spanning_tree` returns.

    length : float
        The shortest length to cut.

    Returns
    -------
    labels : ndarray of shape (n_objects,)
        The part of each object.

    Examples
    --------
    >>> cut_long_edges(spanning_tree([[0.0], [1.0], [3.0]]), 2.0).tolist()
    [0, 0, 1]
    """
    from comitia.partition.linkage import cut

    merges = np.asarray(tree, dtype=np.float64)
    if len(merges) == 0:
        return np.zeros(1, dtype=np.int64)
    return cut(merges, 1 + int((merges[:, 2] >= length).sum()))
