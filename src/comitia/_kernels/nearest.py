"""The nearest of a few thousand points, exactly or nearly.

Coordinates lie feature by feature, so that the loops over points become vector
instructions without any sum being reordered: the result of an object does not depend on
the block or the thread it is in.
"""

import numpy as np

from comitia._kernels._njit import njit

__all__ = ["nearest_by_groups", "nearest_points"]


@njit(cache=True, nogil=True)
def squares_to(columns, i, points, first, last, out):
    """Squared distances of object i to the points first..last - 1, into out."""
    width = last - first
    for t in range(width):
        out[t] = 0.0
    for j in range(len(columns)):
        x, here = columns[j, i], points[j, first:last]
        for t in range(width):
            out[t] += (here[t] - x) * (here[t] - x)


@njit(cache=True, nogil=True)
def nearest_points(columns, points, start, stop, nearest):
    """The nearest of the points (p, m) for objects of (p, n); the first of equals."""
    buffer = np.empty(points.shape[1], points.dtype)
    for i in range(start, stop):
        squares_to(columns, i, points, 0, len(buffer), buffer)
        best = 0
        for t in range(1, len(buffer)):
            if buffer[t] < buffer[best]:
                best = t
        nearest[i] = best


@njit(cache=True, nogil=True)
def nearest_by_groups(
    columns, points, ids, starts, centers, n_looked, start, stop, nearest
):
    """Nearly the same: the nearest among the points of a few groups.

    They are the groups with the nearest centres. ``ids`` says what the points are
    called, and which of equals is first.
    """
    n_groups = centers.shape[1]
    away = np.empty(n_groups, points.dtype)
    buffer = np.empty(points.shape[1], points.dtype)
    looked = np.empty(n_looked, np.int64)
    for i in range(start, stop):
        squares_to(columns, i, centers, 0, n_groups, away)
        for g in range(n_groups):
            if g < n_looked or away[g] < away[looked[n_looked - 1]]:
                place = min(g, n_looked - 1)
                while place > 0 and away[g] < away[looked[place - 1]]:
                    looked[place] = looked[place - 1]
                    place -= 1
                looked[place] = g
        least, found = buffer.dtype.type(np.inf), -1
        for g in looked:
            first, last = starts[g], starts[g + 1]
            squares_to(columns, i, points, first, last, buffer)
            for t in range(last - first):
                if buffer[t] <= least:
                    if buffer[t] < least or ids[first + t] < found:
                        found = ids[first + t]
                    least = buffer[t]
        nearest[i] = found
