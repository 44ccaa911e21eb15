"""Sums and extremes over all pairs of objects, without an n x n array.

The objects come sorted by cluster and feature-major, so that a cluster is a run of
columns and the inner loops run along it. Distances are computed once per pair, for
four objects against a run of columns at a time: the loads of the columns are shared.
Sums of distances are given single precision and add up in double.
"""

import numpy as np

from comitia._kernels._njit import njit

__all__ = [
    "GROUPS",
    "ROWS",
    "columns_of_cluster",
    "dunn_extremes",
    "fill_distances",
    "point_symmetry_parts",
    "rows_of_cluster",
]

# 512 columns of ten features and four rows of distances, in single precision, fit into
# the first-level cache.
_COLUMNS = 512
ROWS = 64
# Column sums are kept once per group of row tiles. The number of groups is fixed, so
# that the order of additions does not depend on the number of threads.
GROUPS = 16


# The compiler knows that a slice of one row of a C-ordered array is contiguous; a slice
# of several rows would not be vectorised. Hence whole arrays and bounds as arguments.
@njit(cache=True, fastmath={"contract"})
def _add_four_features(XT, f, low, high, rows, out, keep):
    """Add features f..f+3 to the squared distances of four rows to some columns.

    ``keep`` is 0 for the first features and 1 for the others: multiplying what is there
    is cheaper than a pass that clears it, and a condition would not be vectorised.
    """
    x, y = XT[f, low:high], XT[f + 1, low:high]
    z, w = XT[f + 2, low:high], XT[f + 3, low:high]
    a0, b0, c0, d0 = rows[f, 0], rows[f + 1, 0], rows[f + 2, 0], rows[f + 3, 0]
    a1, b1, c1, d1 = rows[f, 1], rows[f + 1, 1], rows[f + 2, 1], rows[f + 3, 1]
    a2, b2, c2, d2 = rows[f, 2], rows[f + 1, 2], rows[f + 2, 2], rows[f + 3, 2]
    a3, b3, c3, d3 = rows[f, 3], rows[f + 1, 3], rows[f + 2, 3], rows[f + 3, 3]
    o0, o1, o2, o3 = out[0], out[1], out[2], out[3]
    for j in range(high - low):
        p, q, r, s = x[j], y[j], z[j], w[j]
        # Products, because numba's ** makes float64 of float32.
        t, u, v, g = p - a0, q - b0, r - c0, s - d0
        o0[j] = keep * o0[j] + (t * t + u * u) + (v * v + g * g)
        t, u, v, g = p - a1, q - b1, r - c1, s - d1
        o1[j] = keep * o1[j] + (t * t + u * u) + (v * v + g * g)
        t, u, v, g = p - a2, q - b2, r - c2, s - d2
        o2[j] = keep * o2[j] + (t * t + u * u) + (v * v + g * g)
        t, u, v, g = p - a3, q - b3, r - c3, s - d3
        o3[j] = keep * o3[j] + (t * t + u * u) + (v * v + g * g)


@njit(cache=True)
def _squared_distances(XT, i, stop, low, high, rows, out):
    """Squared distances of objects i..i+3 to objects low..high-1.

    Rows at ``stop`` and beyond repeat the last one; the caller leaves them out.
    """
    p = XT.shape[0]
    for f in range(p):
        for r in range(4):
            rows[f, r] = XT[f, min(i + r, stop - 1)]
    for f in range(0, p, 4):
        _add_four_features(XT, f, low, high, rows, out, out.dtype.type(f > 0))


# Reassociation lets the sums run in vector lanes. The lanes do not depend on threads.
@njit(cache=True, fastmath={"reassoc"})
def _add_roots(squared, begin, end, low, columns, sums, c):
    """Add the roots of four rows to ``columns`` and to the sums for cluster c."""
    row0 = squared[0, begin - low : end - low]
    row1 = squared[1, begin - low : end - low]
    row2 = squared[2, begin - low : end - low]
    row3 = squared[3, begin - low : end - low]
    into = columns[begin:end]
    total0 = total1 = total2 = total3 = 0.0
    for j in range(end - begin):
        d0, d1 = np.sqrt(row0[j]), np.sqrt(row1[j])
        d2, d3 = np.sqrt(row2[j]), np.sqrt(row3[j])
        total0 += np.float64(d0)
        total1 += np.float64(d1)
        total2 += np.float64(d2)
        total3 += np.float64(d3)
        into[j] += np.float64((d0 + d1) + (d2 + d3))
    sums[0, c] += total0
    sums[1, c] += total1
    sums[2, c] += total2
    sums[3, c] += total3


@njit(cache=True)
def _tile_sums(XT, starts, r, i0, i1, to_columns, own, other):
    """Distances of objects i0..i1-1 of cluster r to all objects behind each of them.

    ``to_columns[j]`` collects the distances of object j to these rows; ``own`` and
    ``other`` of the rows are updated.
    """
    p, n = XT.shape
    k = len(starts) - 1
    to_clusters = np.zeros((ROWS, k))
    rows = np.empty((p, 4), XT.dtype)
    squared = np.zeros((4, _COLUMNS), XT.dtype)
    v = r
    for low in range(i0, n, _COLUMNS):
        high = min(low + _COLUMNS, n)
        while starts[v + 1] <= low:
            v += 1
        for i in range(i0, min(i1, high), 4):
            _squared_distances(XT, i, i1, low, high, rows, squared)
            # What is not behind a row, and rows that are none, have no distance.
            for q in range(4):
                behind = i + q + 1 if i + q < i1 else high
                for j in range(low, min(behind, high)):
                    squared[q, j - low] = 0
            c, begin = v, low
            while begin < high:
                end = min(high, starts[c + 1])
                _add_roots(
                    squared, begin, end, low, to_columns, to_clusters[i - i0 :], c
                )
                begin = end
                c += 1
    for i in range(i0, i1):
        own[i] += to_clusters[i - i0, r]
        for v in range(r + 1, k):
            mean = to_clusters[i - i0, v] / (starts[v + 1] - starts[v])
            other[i] = min(other[i], mean)


@njit(cache=True, nogil=True)
def rows_of_cluster(XT, starts, r, n_groups, to_columns, own, other, first, last):
    """Distances of the members of cluster r to all objects behind them.

    Parameters
    ----------
    XT : ndarray of shape (n_features, n_objects)
        Objects sorted by cluster; the number of features is a multiple of four.

    starts : ndarray of shape (n_clusters + 1,)
        Where each cluster begins.

    r : int
        The cluster.

    n_groups : int
        Groups of row tiles, at most one for each tile.

    to_columns : ndarray of shape (n_groups, n_objects)
        Zeros; sums of the distances of each object to the rows of each group.

    own, other : ndarray of shape (n_objects,)
        Updated for the members of r: the sum of the distances to members behind them,
        and the smallest mean distance to a later cluster.

    first, last : int
        The groups from first to last - 1 are done.
    """
    for group in range(first, last):
        for i0 in range(starts[r] + group * ROWS, starts[r + 1], n_groups * ROWS):
            i1 = min(i0 + ROWS, starts[r + 1])
            _tile_sums(XT, starts, r, i0, i1, to_columns[group], own, other)


@njit(cache=True)
def columns_of_cluster(starts, r, n_groups, to_columns, own, other, sums):
    """The other half of :func:`rows_of_cluster`, and zeros for the next cluster.

    Parameters
    ----------
    starts : ndarray of shape (n_clusters + 1,)
        Where each cluster begins.

    r : int
        The cluster.

    n_groups : int
        Groups of row tiles.

    to_columns : ndarray of shape (n_groups, n_objects)
        What :func:`rows_of_cluster` found; zeros again afterwards.

    own, other : ndarray of shape (n_objects,)
        Updated for r and for the objects behind it.

    sums : ndarray of shape (n_clusters,)
        Sum of the distances between r and each later cluster.
    """
    k = len(starts) - 1
    size = starts[r + 1] - starts[r]
    for v in range(r, k):
        sums[v] = 0.0
        for j in range(starts[v], starts[v + 1]):
            total = 0.0
            for group in range(n_groups):
                total += to_columns[group, j]
                to_columns[group, j] = 0.0
            if v == r:
                own[j] += total
            else:
                other[j] = min(other[j], total / size)
                sums[v] += total


# No NaN comes here, and a smallest value does not depend on the order of looking.
@njit(cache=True, fastmath={"nnan", "nsz", "reassoc"})
def _smallest(values):
    found = np.inf
    for value in values:
        found = min(found, value)
    return found


@njit(cache=True, fastmath={"nnan", "nsz", "reassoc"})
def _largest(values):
    found = 0.0
    for value in values:
        found = max(found, value)
    return found


@njit(cache=True)
def _tile_extremes(XT, starts, i0, i1):
    p, n = XT.shape
    rows = np.empty((p, 4), XT.dtype)
    squared = np.zeros((4, _COLUMNS), XT.dtype)
    separation, diameter = np.inf, 0.0
    c = np.searchsorted(starts, i0, side="right") - 1
    for low in range(i0, n, _COLUMNS):
        high = min(low + _COLUMNS, n)
        v = c
        for i in range(i0, min(i1, high), 4):
            _squared_distances(XT, i, i1, low, high, rows, squared)
            for q in range(min(4, i1 - i)):
                while starts[v + 1] <= i + q:
                    v += 1
                behind = max(low, i + q + 1)
                end = min(max(starts[v + 1], behind), high)
                inside = squared[q, behind - low : end - low]
                outside = squared[q, end - low : high - low]
                diameter = max(diameter, _largest(inside))
                separation = min(separation, _smallest(outside))
    return separation, diameter


@njit(cache=True, nogil=True)
def dunn_extremes(XT, starts, separation, diameter, first, last):
    """Smallest squared distance between clusters and largest inside one.

    Parameters
    ----------
    XT : ndarray of shape (n_features, n_objects)
        Objects sorted by cluster; the number of features is a multiple of four.

    starts : ndarray of shape (n_clusters + 1,)
        Where each cluster begins.

    separation, diameter : ndarray of shape (n_tiles,)
        Filled for each tile of 64 rows.

    first, last : int
        The tiles from first to last - 1 are done.
    """
    n = XT.shape[1]
    for tile in range(first, last):
        i0 = tile * ROWS
        separation[tile], diameter[tile] = _tile_extremes(
            XT, starts, i0, min(i0 + ROWS, n)
        )


@njit(cache=True, nogil=True)
def fill_distances(XT, distances, first, last):
    """Distances of all pairs of objects.

    Parameters
    ----------
    XT : ndarray of shape (n_features, n_objects)
        The objects; the number of features is a multiple of four.

    distances : ndarray of shape (n_objects, n_objects)
        Filled, on both sides of the diagonal.

    first, last : int
        The rows of four objects from first to last - 1, and their columns, are done.
    """
    p, n = XT.shape
    rows = np.empty((p, 4), XT.dtype)
    squared = np.zeros((4, _COLUMNS), XT.dtype)
    for i in range(4 * first, min(4 * last, n), 4):
        for low in range(i, n, _COLUMNS):
            high = min(low + _COLUMNS, n)
            _squared_distances(XT, i, n, low, high, rows, squared)
            for q in range(min(4, n - i)):
                for j in range(max(low, i + q), high):
                    distance = np.sqrt(squared[q, j - low])
                    distances[i + q, j] = distance
                    distances[j, i + q] = distance


@njit(cache=True)
def _asymmetry(ZT, norms, i, first, last):
    """Smallest relative distance of the mirror image of i to another member."""
    squared = np.zeros(last - first)
    for f in range(ZT.shape[0]):
        a = ZT[f, i]
        z = ZT[f, first:last]
        for j in range(last - first):
            squared[j] += (z[j] + a) ** 2
    best = np.inf
    for j in range(last - first):
        if first + j != i:
            best = min(best, np.sqrt(squared[j]) / (norms[i] + norms[first + j]))
    return best


@njit(cache=True, nogil=True)
def point_symmetry_parts(ZT, norms, starts, cluster_of, parts, first, last):
    """Point symmetry distance of each object times its distance to the centre.

    Parameters
    ----------
    ZT : ndarray of shape (n_features, n_objects)
        Objects sorted by cluster, less the centre of their cluster.

    norms : ndarray of shape (n_objects,)
        Their distances to the centre.

    starts : ndarray of shape (n_clusters + 1,)
        Where each cluster begins.

    cluster_of : ndarray of shape (n_objects,)
        The cluster of each object.

    parts : ndarray of shape (n_objects,)
        Filled; 0 for an object that is its own mirror image.

    first, last : int
        The objects from first to last - 1 are done.
    """
    for i in range(first, last):
        parts[i] = 0.0
        if norms[i] > 0.0:
            c = cluster_of[i]
            parts[i] = norms[i] * _asymmetry(ZT, norms, i, starts[c], starts[c + 1])
