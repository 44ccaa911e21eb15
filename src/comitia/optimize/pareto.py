"""Several objectives at once: fronts, the room in them, and their knee."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.exceptions import ComitiaError

__all__ = ["best_first", "crowding_distances", "knee", "non_dominated_ranks"]


def non_dominated_ranks(costs: ArrayLike) -> NDArray[np.intp]:
    """Sort by several objectives at once, into fronts that do not dominate themselves.

    One individual dominates another if it is no worse in any objective and better in
    one. Nobody dominates an individual of the first front; the second front is the
    first one of those that are left, and so on.

    Parameters
    ----------
    costs : array-like of shape (n_individuals, n_objectives)
        What is to be small; no NaN.

    Returns
    -------
    ranks : ndarray of shape (n_individuals,)
        The front of each individual, from 0.

    Examples
    --------
    >>> non_dominated_ranks([[1, 4], [2, 2], [4, 1], [3, 3], [5, 5]])
    array([0, 0, 0, 1, 2])
    """
    values = np.asarray(costs, dtype=np.float64)
    if values.ndim != 2 or np.isnan(values).any():
        raise ComitiaError(
            "costs must have one row per individual and one column per objective, "
            f"without NaN; got shape {values.shape}."
        )
    # One objective at a time: no array of individuals by individuals by objectives.
    n = len(values)
    no_worse, better = np.ones((n, n), dtype=bool), np.zeros((n, n), dtype=bool)
    for column in values.T:
        no_worse &= column[:, None] <= column
        better |= column[:, None] < column
    dominates = no_worse & better
    n_above = dominates.sum(axis=0)
    ranks = np.full(n, -1, dtype=np.intp)
    rank = 0
    while (ranks == -1).any():
        front = np.flatnonzero((ranks == -1) & (n_above == 0))
        ranks[front] = rank
        n_above = n_above - dominates[front].sum(axis=0)
        rank += 1
    return ranks


def best_first(costs: ArrayLike) -> NDArray[np.intp]:
    """Front by front, and in a front those with most room around them first.

    Parameters
    ----------
    costs : array-like of shape (n_individuals, n_objectives)
        What is to be small; no NaN.

    Returns
    -------
    order : ndarray of shape (n_individuals,)
        The individuals; of equals the first comes first.

    Examples
    --------
    >>> best_first([[5, 5], [1, 4], [2, 2], [4, 1]])
    array([1, 3, 2, 0])
    """
    values = np.asarray(costs, dtype=np.float64)
    ranks = non_dominated_ranks(values)
    crowding = np.empty(len(values))
    for rank in np.unique(ranks):
        own = ranks == rank
        crowding[own] = crowding_distances(values[own])
    return np.lexsort((-crowding, ranks))


def crowding_distances(costs: ArrayLike) -> NDArray[np.float64]:
    """How far apart the neighbours of each solution of one front are.

    Parameters
    ----------
    costs : array-like of shape (n_solutions, n_objectives)
        Objectives of solutions that do not dominate each other.

    Returns
    -------
    distances : ndarray of shape (n_solutions,)
        Sums over the objectives, relative to their ranges; infinite for the solution
        with the smallest and the one with the largest value of an objective.

    Examples
    --------
    >>> crowding_distances([[0.0, 4.0], [1.0, 1.0], [4.0, 0.0]])
    array([inf,  2., inf])
    """
    values = np.asarray(costs, dtype=np.float64)
    crowding = np.zeros(len(values))
    for column in values.T:
        order = np.argsort(column, kind="stable")
        ordered = column[order]
        crowding[order[[0, -1]]] = np.inf
        # Solutions with an infinite objective are last, and no room is theirs.
        if ordered[0] < ordered[-1] < np.inf:
            room = (ordered[2:] - ordered[:-2]) / (ordered[-1] - ordered[0])
            crowding[order[1:-1]] += room
    return crowding


def knee(costs: ArrayLike) -> int:
    """The solution of a front that is farthest below the line between its ends.

    Parameters
    ----------
    costs : array-like of shape (n_solutions, 2)
        Objectives of solutions that do not dominate each other.

    Returns
    -------
    index : int
        The knee; the first of equals.

    Examples
    --------
    >>> knee([[0.0, 10.0], [1.0, 2.0], [9.0, 0.0]])
    1
    """
    values = np.asarray(costs, dtype=np.float64)
    usable = np.isfinite(values).all(axis=1)
    if not usable.any():
        return 0
    low = values[usable].min(axis=0)
    extent = values[usable].max(axis=0) - low
    with np.errstate(invalid="ignore"):
        relative = (values - low) / np.where(extent > 0, extent, 1.0)
    # On the line between the ends the two add up to one.
    return int(np.where(usable, relative.sum(axis=1), np.inf).argmin())
