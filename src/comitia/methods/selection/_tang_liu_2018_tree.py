"""Minimum spanning trees of clusters: how dense they are, and where to cut them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.config import require_memory
from comitia.exceptions import ComitiaError
from comitia.partition import cut, hac

__all__ = ["TreeSplit", "cut_long_edges", "spanning_tree", "split_index"]

Array = NDArray[np.float64]


class TreeSplit(NamedTuple):
    """Where a tree should be cut, and how much it asks for it."""

    # The split index, large for a tree that falls into parts; 0 for one of fewer than
    # two edges
    value: float
    length: float  # length of the shortest edge to cut; infinite where there is none


def spanning_tree(X: ArrayLike) -> Array:
    """Minimum spanning tree of points, as the tree of single linkage.

    Points may have several minimum spanning trees. Their edges have the same lengths,
    and fall into the same parts when all edges from some length on are cut, which is
    all that the tree of single linkage knows.
    """
    from scipy.spatial.distance import pdist

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

    The index is large if the lengths jump once, and to what is long for the tree.
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
    """Cut all edges of a spanning tree that have a length, or are longer."""
    merges = np.asarray(tree, dtype=np.float64)
    if len(merges) == 0:
        return np.zeros(1, dtype=np.int64)
    return cut(merges, 1 + int((merges[:, 2] >= length).sum()))
