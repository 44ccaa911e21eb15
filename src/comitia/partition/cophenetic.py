"""Trees as distances: the height at which two objects meet."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.config import require_memory

__all__ = ["cophenetic"]

_INSTEAD = "use a method that is linear in n, such as lwgp or sec"


def cophenetic(tree: ArrayLike, *, scale: bool = False) -> NDArray[np.float64]:
    """The height at which each two objects of a tree meet.

    Parameters
    ----------
    tree : array-like of shape (n_objects - 1, 4)
        Merges in SciPy form.

    scale : bool, default=False
        Divide by the largest height, so that trees of any scale can be compared.

    Returns
    -------
    distances : ndarray of shape (n_objects * (n_objects - 1) / 2,)
        Condensed, as SciPy's ``squareform`` has it; an ultrametric.

    See Also
    --------
    hac : The way back. Average linkage turns any mean of such distances into a tree,
        single linkage into that of the largest ultrametric below it.

    Examples
    --------
    >>> cophenetic([[0, 1, 1, 2], [2, 3, 5, 3]])
    array([1., 5., 5.])
    """
    from scipy.cluster.hierarchy import cophenet

    merges = np.asarray(tree, dtype=np.float64)
    n = len(merges) + 1
    require_memory(4 * n * (n - 1), f"the cophenetic distances of {n}", _INSTEAD)
    if n == 1:
        return np.empty(0)
    heights = np.asarray(cophenet(merges), dtype=np.float64)
    top = heights.max()
    return heights / top if scale and top > 0 else heights
