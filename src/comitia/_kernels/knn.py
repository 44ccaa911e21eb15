"""Several nearest neighbours of each object, and what neighbours share."""

import numpy as np

from comitia._kernels._njit import njit
from comitia._kernels.nearest import squares_to

__all__ = ["nearest_in_groups", "shared_neighbors"]


@njit(cache=True, nogil=True)
def shared_neighbors(near, lists, out, start, stop):
    """How many entries the sorted lists of an object and of its neighbours share."""
    width = lists.shape[1]
    for i in range(start, stop):
        for t in range(near.shape[1]):
            j, a, b, n_shared = near[i, t], 0, 0, 0
            while a < width and b < width:
                if lists[i, a] == lists[j, b]:
                    n_shared += 1
                    a += 1
                    b += 1
                elif lists[i, a] < lists[j, b]:
                    a += 1
                else:
                    b += 1
            out[i, t] = n_shared


@njit(cache=True, nogil=True)
def insert(squares, near, k, square, j):
    """Put a candidate among the k nearest, in order; of equals the lower number."""
    place = k - 1
    while place > 0 and (
        square < squares[place - 1]
        or (square == squares[place - 1] and j < near[place - 1])
    ):
        squares[place] = squares[place - 1]
        near[place] = near[place - 1]
        place -= 1
    squares[place] = square
    near[place] = j


@njit(cache=True, nogil=True)
def nearest_in_groups(points, starts, centers, n_looked, near, squares, start, stop):
    """The nearest of points (p, n) among those of the groups with the nearest centres.

    Points lie group after group. More groups are looked at if so many have too few.
    """
    n_groups, k = centers.shape[1], near.shape[1]
    longest = 0
    for g in range(n_groups):
        longest = max(longest, starts[g + 1] - starts[g])
    away = np.empty(n_groups, points.dtype)
    buffer = np.empty(longest, points.dtype)
    for i in range(start, stop):
        squares_to(points, i, centers, 0, n_groups, away)
        for t in range(k):
            squares[i, t] = np.inf
            near[i, t] = -1
        n_seen, n_done = 0, 0
        while n_done < n_groups and (n_done < n_looked or n_seen <= k):
            g = np.argmin(away)
            away[g] = np.inf
            first, last = starts[g], starts[g + 1]
            squares_to(points, i, points, first, last, buffer)
            for t in range(last - first):
                if first + t != i and buffer[t] <= squares[i, k - 1]:
                    insert(squares[i], near[i], k, buffer[t], first + t)
            n_seen += last - first
            n_done += 1
