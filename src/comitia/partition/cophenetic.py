"""Trees as distances: the height at which two objects meet."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.config import require_memory
from comitia.exceptions import ComitiaError
from comitia.partition.linkage import hac

__all__ = ["cophenetic", "extended_cophenetic", "is_ultrametric", "row_correlations"]

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


def extended_cophenetic(
    tree: ArrayLike, nearest: ArrayLike, gap: ArrayLike
) -> NDArray[np.float64]:
    r"""Cophenetic distances of more objects than a tree has.

    An object outside the tree is put next to a leaf, at the height of its distance:

    .. math::
        D_{ij} = \max(C_{s(i) s(j)}, \delta_i, \delta_j),

    with the distances :math:`C` of the tree. It is an ultrametric, as the largest of
    two is.

    Parameters
    ----------
    tree : array-like of shape (n_leaves - 1, 4)
        Merges of some of the objects, in SciPy form.

    nearest : array-like of shape (n_objects,)
        The leaf :math:`s(i)` that each object is, or is put next to.

    gap : array-like of shape (n_objects,)
        Distance :math:`\delta_i` of each object to that leaf.

    Returns
    -------
    distances : ndarray of shape (n_objects * (n_objects - 1) / 2,)
        Condensed.

    Examples
    --------
    Leaves 0 and 1 meet at 3; a third object is next to leaf 1, at distance 2.

    >>> extended_cophenetic([[0, 1, 3, 2]], [0, 1, 1], [0, 0, 2])
    array([3., 3., 2.])
    """
    from scipy.spatial.distance import squareform

    leaf, delta = np.asarray(nearest), np.asarray(gap, dtype=np.float64)
    n = len(leaf)
    require_memory(4 * n * (n - 1), f"the cophenetic distances of {n}", _INSTEAD)
    heights = cophenetic(tree)
    inside = squareform(heights, checks=False) if len(heights) else np.zeros((1, 1))
    out = np.empty(n * (n - 1) // 2)
    end = 0
    for i in range(n - 1):
        begin, end = end, end + n - 1 - i
        np.maximum(delta[i + 1 :], delta[i], out=out[begin:end])
        np.maximum(out[begin:end], inside[leaf[i], leaf[i + 1 :]], out=out[begin:end])
    return out


def is_ultrametric(distance: ArrayLike, tol: float = 1e-9) -> bool:
    r"""Whether the two largest sides of every triangle are equal.

    .. math::
        D_{ij} \le \max(D_{il}, D_{jl})

    Parameters
    ----------
    distance : array-like of shape (n_objects, n_objects) or condensed
        Distances.

    tol : float, default=1e-9
        What rounding may spoil, as a share of the largest distance.

    Returns
    -------
    answer : bool
        Single linkage gives the largest ultrametric that is nowhere above the
        distances; it is the distances themselves if they are one.

    Examples
    --------
    >>> is_ultrametric([1.0, 5.0, 5.0]), is_ultrametric([1.0, 4.0, 5.0])
    (True, False)
    """
    from scipy.spatial.distance import squareform

    D = np.asarray(distance, dtype=np.float64)
    condensed = squareform(D, checks=False) if D.ndim == 2 else D
    if len(condensed) < 3:
        return True
    below = cophenetic(hac(condensed, "single"))
    return bool(np.abs(condensed - below).max() <= tol * condensed.max())


def row_correlations(one: ArrayLike, other: ArrayLike) -> NDArray[np.float64]:
    """Correlation of each row of two distance matrices, without the diagonals.

    Parameters
    ----------
    one, other : array-like of shape (n_objects * (n_objects - 1) / 2,)
        Condensed distances.

    Returns
    -------
    correlations : ndarray of shape (n_objects,)
        Pearson's correlation; 0 where a row is constant.

    Examples
    --------
    >>> row_correlations([1.0, 2.0, 3.0], [1.0, 2.0, 2.0])
    array([1., 1., 0.])
    """
    from scipy.spatial.distance import squareform

    a, b = (np.asarray(D, dtype=np.float64) for D in (one, other))
    if a.shape != b.shape or a.ndim != 1 or len(a) == 0:
        raise ComitiaError(
            "one and other must be condensed distances of the same objects, two at "
            f"least; got shapes {a.shape} and {b.shape}."
        )
    # About the mean the sums of squares lose little to rounding; the diagonals are 0.
    A, B = squareform(a - a.mean()), squareform(b - b.mean())
    m = len(A) - 1
    sum_a, sum_b = A.sum(axis=1), B.sum(axis=1)
    square_a, square_b = (A * A).sum(axis=1), (B * B).sum(axis=1)
    var_a, var_b = square_a - sum_a**2 / m, square_b - sum_b**2 / m
    varies = (var_a > 1e-12 * square_a) & (var_b > 1e-12 * square_b)
    covariance = (A * B).sum(axis=1) - sum_a * sum_b / m
    rho = np.zeros(len(A))
    rho[varies] = covariance[varies] / np.sqrt(var_a[varies] * var_b[varies])
    return np.clip(rho, -1.0, 1.0)
