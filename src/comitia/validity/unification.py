"""Index values of several clusterings on one scale, larger being better."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._steps import check_choice
from comitia.exceptions import ComitiaError
from comitia.optimize.ties import merged_ties
from comitia.validity.registry import get_index

__all__ = ["finite_scores", "positive_scores", "unify"]


def finite_scores(values: ArrayLike) -> NDArray[np.float64]:
    """Replace infinite values by the largest finite value of their column.

    Parameters
    ----------
    values : array-like of shape (n_clusterings, ...)
        Values of indices; NaN is kept.

    Returns
    -------
    values : ndarray of the same shape
        A copy. Where a column has no finite value, infinity becomes 1.
    """
    values = np.array(values, dtype=np.float64)
    infinite = np.isinf(values)
    if infinite.any():
        finite = np.where(np.isfinite(values), values, -np.inf)
        largest = finite.max(axis=0, keepdims=True)
        largest = np.where(np.isfinite(largest), largest, 1.0)
        values = np.where(infinite, largest, values)
    return values


def positive_scores(values: ArrayLike, index: str) -> NDArray[np.float64]:
    r"""Turn values of one index into scores that are 0 or more, larger being better.

    Unlike :func:`unify` it looks at each value by itself: :math:`(v + 1) / 2` for the
    indices in [-1, 1], :math:`1 / (1 + v)` where small is better, and v otherwise.

    Parameters
    ----------
    values : array-like of shape (n_clusterings,)
        Values of the index; infinite ones become the largest finite value, NaN scores
        0.

    index : str
        Which index; not one that is a property, nor ``"hartigan"``, which is unbounded
        below.

    Returns
    -------
    scores : ndarray of shape (n_clusterings,)
        Non-negative.

    Examples
    --------
    >>> from comitia.validity.unification import positive_scores
    >>> positive_scores([-1.0, 0.0, 0.5], "silhouette")
    array([0.  , 0.5 , 0.75])
    >>> positive_scores([0.0, 1.0, 3.0], "davies_bouldin")
    array([1.  , 0.5 , 0.25])
    """
    known = get_index(index)
    if known.direction == "property" or not np.isfinite(known.lowest):
        raise ComitiaError(
            f"index={index!r} has no scale on which larger is better; choose another "
            "index or unify the values of the whole ensemble."
        )
    values = np.asarray(values, dtype=np.float64)
    if known.direction == "small":
        scores = 1.0 / (1.0 + values)
    elif known.lowest == -1.0:
        scores = (finite_scores(values) + 1.0) / 2.0
    else:
        scores = finite_scores(values)
    return np.where(np.isnan(scores), 0.0, scores)


def unify(
    values: ArrayLike, directions: str | Sequence[str], method: str = "range"
) -> NDArray[np.float64]:
    r"""Put the columns of a table of index values on one scale, larger being better.

    For a column v over the clusterings, when larger is better (when smaller is):

    ========== ================================================ ==================
    method     value                                            constant column
    ========== ================================================ ==================
    "minmax"   :math:`v / \max v` (:math:`\min v / v`)          1
    "range"    :math:`(v - \min v) / (\max v - \min v)`         1
               (:math:`(\max v - v) / (\max v - \min v)`)
    "prob"     :math:`v / \sum v`                               1 / M
               (the same of :math:`\max v + \min v - v`)
    "rank"     1 for the poorest to M for the best,             (M + 1) / 2
               the mean rank among equals
    ========== ================================================ ==================

    Columns with negative values are first shifted to start at 0, and for "minmax"
    columns that hold 0 and are better when small are shifted by 1. Values of a column
    that differ by less than 1e-9 of the largest differ by rounding, and are equal.

    Parameters
    ----------
    values : array-like of shape (n_clusterings,) or (n_clusterings, n_indices)
        One row for each clustering. Infinite values become the largest finite value of
        their column; NaN becomes 0 in the result, for nothing speaks for it.

    directions : str or sequence of str
        "large" or "small" for each column; a property is read as "large".

    method : {"minmax", "range", "prob", "rank"}, default="range"
        The scale.

    Returns
    -------
    unified : ndarray of the same shape
        The unified values.

    References
    ----------
    .. [1] N. Ilc, "Weighted cluster ensemble based on partition relevance analysis with
       reduction step", IEEE Access 8, 2020.

    Examples
    --------
    >>> from comitia.validity import unify
    >>> unify([4.0, 4.0, 0.125], "large", "minmax")
    array([1.     , 1.     , 0.03125])
    >>> unify([4.0, 4.0, 0.125], "large", "rank")
    array([2.5, 2.5, 1. ])
    """
    check_choice("method", method, _METHODS)
    table = finite_scores(values)
    if table.ndim not in (1, 2) or len(table) == 0:
        raise ComitiaError(
            "values must have one row per clustering and one column per index; got "
            f"shape {table.shape}."
        )
    columns = table.reshape(len(table), -1)
    if isinstance(directions, str):
        directions = [directions] * columns.shape[1]
    if len(directions) != columns.shape[1]:
        raise ComitiaError(
            f"directions has {len(directions)} entries for {columns.shape[1]} columns; "
            "give one for each."
        )
    unknown = set(directions) - {"large", "small", "property"}
    if unknown:
        raise ComitiaError(
            f"directions contains {sorted(unknown)[0]!r}; write 'large' or 'small'."
        )
    unified = np.zeros(columns.shape)
    for c, direction in enumerate(directions):
        known = ~np.isnan(columns[:, c])
        if known.any():
            unified[known, c] = _METHODS[method](
                merged_ties(columns[known, c]), direction == "small"
            )
    return unified.reshape(table.shape)


def _from_zero(v: NDArray[np.float64]) -> NDArray[np.float64]:
    return v - v.min() if v.min() < 0 else v


def _minmax(v: NDArray[np.float64], small: bool) -> NDArray[np.float64]:
    if v.min() == v.max():
        return np.ones(len(v))
    v = _from_zero(v)
    if not small:
        return v / v.max()
    v = v + 1.0 if v.min() == 0 else v
    return v.min() / v


def _range(v: NDArray[np.float64], small: bool) -> NDArray[np.float64]:
    low, high = v.min(), v.max()
    if low == high:
        return np.ones(len(v))
    return (high - v if small else v - low) / (high - low)


def _prob(v: NDArray[np.float64], small: bool) -> NDArray[np.float64]:
    if v.min() == v.max():
        return np.full(len(v), 1.0 / len(v))
    v = _from_zero(v)
    if small:
        v = v.max() + v.min() - v
    return v / v.sum()


def _rank(v: NDArray[np.float64], small: bool) -> NDArray[np.float64]:
    from scipy.stats import rankdata

    return rankdata(-v if small else v)


_METHODS: dict[str, Callable[[NDArray[np.float64], bool], NDArray[np.float64]]] = {
    "minmax": _minmax,
    "range": _range,
    "prob": _prob,
    "rank": _rank,
}
