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
    """Front by front, and in a front those with most room around them first."""
    values = np.asarray(costs, dtype=np.float64)
    ranks = non_dominated_ranks(values)
    crowding = np.empty(len(values))
    for rank in np.unique(ranks):
        own = ranks == rank
        crowding[own] = crowding_distances(values[own])
    return np.lexsort((-crowding, ranks))


def crowding_distances(costs: ArrayLike) -> NDArray[np.float64]:
    """How far apart the neighbours of each solution of one front are."""
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
    """The solution of a front that is farthest below the line between its ends."""
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
