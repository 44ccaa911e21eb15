"""Weights of clusterings from what validity indices say of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.agreement import entropy
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.validity import score_table
from comitia.validity.unification import positive_scores

__all__ = ["entropy_relevance", "index_scores", "maximum_relevance"]


def index_scores(
    X: Any, ensemble: Ensemble, index: str | Callable[[Any, Any], float] = "silhouette"
) -> NDArray[np.float64]:
    """Value of each clustering by one index, 0 or more and larger for the better.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The data; a callable index may do without.

    ensemble : Ensemble
        The clusterings.

    index : str or callable, default="silhouette"
        An index of :mod:`comitia.validity`, turned to positive values as
        :func:`comitia.validity.unification.positive_scores` does; or a function
        ``index(X, labels)`` that returns a number, 0 or more and larger for a better
        clustering. Its labels are -1 for objects that a clustering leaves out.

    Returns
    -------
    scores : ndarray of shape (n_clusterings,)
        Not negative; 0 for a clustering that an index is not defined for.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> votes = Ensemble([[0, 0], [0, 0], [0, 1], [1, 1], [1, 2], [1, 2]])
    >>> index_scores(X, votes, "dunn")
    array([4.   , 0.125])
    """
    if not callable(index):
        table = score_table(X, ensemble, [index], finite=False)
        return positive_scores(table.values[:, 0], index)
    scores = np.array([index(X, labels) for labels in ensemble.labels.T], float)
    if (scores < 0).any():
        m = int(np.argmax(scores < 0))
        raise ComitiaError(
            f"index returned {scores[m]:.6g} for clustering {m}; it must be 0 or more, "
            "and larger for a better clustering."
        )
    return scores


def entropy_relevance(values: ArrayLike) -> NDArray[np.float64]:
    r"""How close each clustering comes to the average, by several properties.

    Who does not know which properties matter follows the majority: a clustering that
    behaves like the others counts, and a property counts by its entropy [1]_.

    .. math::
        w_m = \sum_v H(p_v) \, \bigl( 1 - | I_{mv} - \bar I_v | \bigr), \qquad
        p_v = \Bigl( \frac{I_{1v}}{\sum_l I_{lv}}, \dots,
        \frac{I_{Mv}}{\sum_l I_{lv}} \Bigr)

    Parameters
    ----------
    values : array-like of shape (n_clusterings, n_properties)
        The values :math:`I_{mv}`, in [0, 1]; one property may be a vector.

    Returns
    -------
    weights : ndarray of shape (n_clusterings,)
        Not normalised. A property that is 0 everywhere has no distribution and adds
        nothing.

    References
    ----------
    .. [1] S. Vega-Pons, J. Correa-Morris and J. Ruiz-Shulcloper, "Weighted cluster
       ensemble using a kernel consensus function", CIARP 2008, LNCS 5197.

    Examples
    --------
    >>> entropy_relevance([0.2, 0.4, 0.6]).round(6)
    array([0.809123, 1.011404, 0.809123])
    """
    table = _in_unit_interval(values)
    return (1.0 - np.abs(table - table.mean(axis=0))) @ entropy(table.T)


def maximum_relevance(values: ArrayLike) -> NDArray[np.float64]:
    r"""How close each clustering comes to the best, by several properties.

    Who knows which properties matter rewards what comes near their largest
    values [1]_.

    .. math::
        w_m = \sum_v \bigl( 1 - | I_{mv} - \max_l I_{lv} | \bigr)

    Parameters
    ----------
    values : array-like of shape (n_clusterings, n_properties)
        The values :math:`I_{mv}`, in [0, 1]; one property may be a vector.

    Returns
    -------
    weights : ndarray of shape (n_clusterings,)
        Not normalised.

    References
    ----------
    .. [1] S. Vega-Pons, J. Correa-Morris and J. Ruiz-Shulcloper, "Weighted partition
       consensus via kernels", Pattern Recognition 43(8), 2010.
       :doi:`10.1016/j.patcog.2010.03.001`

    Examples
    --------
    >>> maximum_relevance([0.2, 0.4, 0.6])
    array([0.6, 0.8, 1. ])
    """
    table = _in_unit_interval(values)
    return (1.0 - (table.max(axis=0) - table)).sum(axis=1)


def _in_unit_interval(values: ArrayLike) -> NDArray[np.float64]:
    table = np.asarray(values, dtype=np.float64)
    if table.ndim not in (1, 2) or table.size == 0:
        raise ComitiaError(
            "values must have one row per clustering and one column per property; got "
            f"shape {table.shape}."
        )
    # Rounding can leave 1 + 1e-16.
    if not ((table >= 0) & (table <= 1 + 1e-9)).all():
        raise ComitiaError(
            "values must lie in [0, 1]; scale them with comitia.validity.unify first."
        )
    return np.minimum(table, 1.0).reshape(len(table), -1)
