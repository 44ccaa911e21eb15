"""Linkage with counts on a distance matrix, and trees in SciPy's form."""

import numpy as np

from comitia._kernels._njit import njit

__all__ = ["AVERAGE", "COMPLETE", "SINGLE", "WARD", "dense_merges", "label_merges"]

SINGLE, COMPLETE, AVERAGE, WARD = range(4)


@njit(cache=True)
def between(n, i, j):
    """Where the distance of objects i and j stands in a condensed matrix."""
    i, j = min(i, j), max(i, j)
    return n * i - i * (i + 1) // 2 + j - i - 1


@njit(cache=True)
def joined(rule, d_xz, d_yz, d_xy, n_x, n_y, n_z):
    """Distance of z to x and y together (Lance and Williams); squared for Ward."""
    if rule == SINGLE:
        return min(d_xz, d_yz)
    if rule == COMPLETE:
        return max(d_xz, d_yz)
    if rule == AVERAGE:
        return (n_x * d_xz + n_y * d_yz) / (n_x + n_y)
    return ((n_x + n_z) * d_xz + (n_y + n_z) * d_yz - n_z * d_xy) / (n_x + n_y + n_z)


@njit(cache=True)
def nearest(distances, alive, x, y):
    """The cluster nearest to x; y wins a tie if given, then the lowest index."""
    n = len(alive)
    found = y
    least = distances[between(n, x, y)] if y >= 0 else np.inf
    for z in range(n):
        if alive[z] and z != x:
            d = distances[between(n, x, z)]
            if d < least or found < 0:
                least, found = d, z
    return found, least


@njit(cache=True)
def dense_merges(distances, sizes, rule, pairs, heights):
    """Merge nearest neighbours along chains; ``distances`` is overwritten."""
    n = len(sizes)
    alive = np.ones(n, dtype=np.bool_)
    position = np.full(n, -1, dtype=np.int64)
    chain = np.empty(n, dtype=np.int64)
    start, depth = 0, 0
    for t in range(n - 1):
        while True:
            if depth == 0:
                while not alive[start]:
                    start += 1
                chain[0], position[start], depth = start, 0, 1
            x = chain[depth - 1]
            y, d = nearest(distances, alive, x, chain[depth - 2] if depth > 1 else -1)
            # Rounding can lead back to the chain; what it leads to is merged then.
            if position[y] >= 0:
                break
            chain[depth], position[y] = y, depth
            depth += 1
        below = position[y]
        for p in range(below, depth):
            position[chain[p]] = -1
        depth = below
        x, y = min(x, y), max(x, y)
        pairs[t, 0], pairs[t, 1], heights[t] = x, y, d
        alive[y] = False
        for z in range(n):
            if alive[z] and z != x:
                xz = between(n, x, z)
                distances[xz] = joined(
                    rule,
                    distances[xz],
                    distances[between(n, y, z)],
                    d,
                    sizes[x],
                    sizes[y],
                    sizes[z],
                )
        sizes[x] += sizes[y]


@njit(cache=True)
def label_merges(pairs, counts, tree):
    """Name the merges, sorted by height, as SciPy does; the heights are there already.

    A pair names two objects of the clusters that merge.
    """
    n = len(counts)
    parent = np.arange(2 * n - 1)
    size = np.zeros(2 * n - 1, dtype=np.int64)
    for i in range(n):  # a slice assignment would take numba seconds to compile
        size[i] = counts[i]
    for t in range(len(pairs)):
        a, b = pairs[t]
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        while parent[b] != b:
            parent[b] = parent[parent[b]]
            b = parent[b]
        parent[a] = parent[b] = n + t
        size[n + t] = size[a] + size[b]
        tree[t, 0], tree[t, 1], tree[t, 3] = min(a, b), max(a, b), size[n + t]
