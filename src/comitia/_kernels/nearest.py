"""The nearest of a few thousand points, exactly or nearly.

Coordinates lie feature by feature, so that the loops over points become vector
instructions without any sum being reordered: the result of an object does not depend on
the block or the thread it is in.
"""

import numpy as np

from comitia._kernels._njit import njit

__all__ = ["nearest_by_groups", "nearest_of_wide", "nearest_points", "squares_between"]

# A tile of so many features of so many points stays in the cache while many objects
# are compared with it.
_POINTS, _FEATURES = 256, 256
# Objects that are compared with all points at once.
_OBJECTS = 64


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
def squares_between(columns, start, stop, points, lower, out):
    """Squared distances of objects of (p, n) to points of (p, m), into out.

    The sum of a pair goes from feature to feature, as in :func:`squares_to`; many
    features take a fraction of its time. Where objects and points are the same,
    ``lower`` leaves out most of those behind the object.
    """
    p, m = points.shape
    n = stop - start
    out[:n] = 0.0
    for first in range(0, m, _POINTS):
        last = min(first + _POINTS, m)
        for low in range(0, p, _FEATURES):
            high = min(low + _FEATURES, p)
            for i in range(0, n, 4):
                if lower and first > start + i + 3:
                    continue
                if i + 4 <= n:
                    # Four objects at once: what is read of the points serves for all.
                    a, b = out[i, first:last], out[i + 1, first:last]
                    c, d = out[i + 2, first:last], out[i + 3, first:last]
                    for j in range(low, high):
                        here, at = points[j, first:last], start + i
                        w, x = columns[j, at], columns[j, at + 1]
                        y, z = columns[j, at + 2], columns[j, at + 3]
                        for t in range(last - first):
                            a[t] += (here[t] - w) * (here[t] - w)
                            b[t] += (here[t] - x) * (here[t] - x)
                            c[t] += (here[t] - y) * (here[t] - y)
                            d[t] += (here[t] - z) * (here[t] - z)
                    continue
                for left in range(i, n):
                    a = out[left, first:last]
                    for j in range(low, high):
                        here, x = points[j, first:last], columns[j, start + left]
                        for t in range(last - first):
                            a[t] += (here[t] - x) * (here[t] - x)


@njit(cache=True, nogil=True)
def nearest_of_wide(columns, points, start, stop, nearest):
    """The same as :func:`nearest_points`, sooner where there are many features."""
    m = points.shape[1]
    buffer = np.empty((min(_OBJECTS, stop - start), m), points.dtype)
    for low in range(start, stop, _OBJECTS):
        high = min(low + _OBJECTS, stop)
        squares_between(columns, low, high, points, False, buffer)
        for i in range(low, high):
            row, best = buffer[i - low], 0
            for t in range(1, m):
                if row[t] < row[best]:
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
