"""Minimum spanning trees, and the order in which Genie merges along them."""

import numpy as np

from comitia._kernels._njit import njit

__all__ = ["joined", "merge_order", "prim", "prim_of_squares", "spanning_edges"]


@njit(cache=True, nogil=True)
def prim(columns, cores, ends, weights, squares):
    """Minimum spanning tree of points (p, n), which are moved about.

    The weight of two points is their squared distance, or the larger of their
    ``cores`` if that is more; of equal weights the nearer pair is lighter, then the
    earlier point. The points that are left lie together, so that the loops over them
    become vector instructions.
    """
    p, n = columns.shape
    ids, cores, state = np.arange(n), cores.copy(), _nothing(n)
    buffer, x = np.empty(n), np.empty(p)
    place, left = 0, n
    for e in range(n - 1):
        # The point at this place joins the tree; the last one takes its place.
        here, core = ids[place], cores[place]
        left -= 1
        for j in range(p):
            x[j] = columns[j, place]
            columns[j, place] = columns[j, left]
        buffer[:left] = 0.0
        for j in range(p):
            column, value = columns[j], x[j]
            for t in range(left):
                buffer[t] += (column[t] - value) * (column[t] - value)
        _move(place, left, ids, cores, state)
        place = _next(buffer, left, here, core, ids, cores, state)
        ends[e, 0], ends[e, 1] = state[2][place], ids[place]
        weights[e], squares[e] = state[0][place], state[1][place]


@njit(cache=True, nogil=True)
def prim_of_squares(between, cores, ends, weights, squares):
    """The same for points whose squared distances are known below the diagonal."""
    n = len(between)
    ids, cores, state = np.arange(n), cores.copy(), _nothing(n)
    buffer = np.empty(n)
    place, left = 0, n
    for e in range(n - 1):
        here, core = ids[place], cores[place]
        left -= 1
        _move(place, left, ids, cores, state)
        for t in range(left):
            buffer[t] = between[max(here, ids[t]), min(here, ids[t])]
        place = _next(buffer, left, here, core, ids, cores, state)
        ends[e, 0], ends[e, 1] = state[2][place], ids[place]
        weights[e], squares[e] = state[0][place], state[1][place]


@njit(cache=True, nogil=True)
def _nothing(n):
    """Weight, square and end in the tree of the lightest edge of each point."""
    return np.full(n, np.inf), np.full(n, np.inf), np.zeros(n, np.int64)


@njit(cache=True, nogil=True)
def _move(place, left, ids, cores, state):
    """Put the last point that is left in the place of one that joined."""
    lightest, nearest, origin = state
    ids[place], cores[place] = ids[left], cores[left]
    lightest[place], nearest[place] = lightest[left], nearest[left]
    origin[place] = origin[left]


@njit(cache=True, nogil=True)
def _next(buffer, left, here, core, ids, cores, state):
    """The point that joins next, with the squared distances to the one that joined."""
    lightest, nearest, origin = state
    place = 0
    for t in range(left):
        square = buffer[t]
        weight = max(square, core, cores[t])
        if weight < lightest[t] or (weight == lightest[t] and square < nearest[t]):
            lightest[t], nearest[t], origin[t] = weight, square, here
        if lightest[t] < lightest[place] or (
            lightest[t] == lightest[place]
            and (
                nearest[t] < nearest[place]
                or (nearest[t] == nearest[place] and ids[t] < ids[place])
            )
        ):
            place = t
    return place


@njit(cache=True, nogil=True)
def _root(parents, i):
    while parents[i] != i:
        parents[i] = parents[parents[i]]
        i = parents[i]
    return i


@njit(cache=True, nogil=True)
def _add(tree, place, amount):
    """Add to an entry of a Fenwick tree, which is numbered from one."""
    while place < len(tree):
        tree[place] += amount
        place += place & -place


@njit(cache=True, nogil=True)
def _up_to(tree, place):
    total = 0
    while place > 0:
        total += tree[place]
        place -= place & -place
    return total


@njit(cache=True, nogil=True)
def _distance_to_all(counts, sums, n_clusters, total, size):
    """Sum of the differences of a size to those of all clusters."""
    n_below, below = _up_to(counts, size), _up_to(sums, size)
    return size * (2 * n_below - n_clusters) + total - 2 * below


@njit(cache=True, nogil=True)
def merge_order(ends, threshold, order, parts):
    """The edges of a tree, sorted by their weight, in the order in which Genie merges.

    ``parts`` gets the two clusters that each merges: objects, then n + the number of
    an earlier merge.
    """
    n = len(ends) + 1
    parents, sizes, names = np.arange(n), np.ones(n, np.int64), np.arange(n)
    # Of each size the number of clusters; the trees hold it, and the objects in them.
    number = np.zeros(n + 1, np.int64)
    counts, sums = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    number[1] = n
    _add(counts, 1, n)
    _add(sums, 1, n)
    spread, smallest = 0, 1  # the sum of the differences of all pairs of sizes
    # The edges that are left, as a list: each knows the next and the one before.
    after, before = np.arange(1, n), np.arange(-1, n - 2)
    first = 0
    # Edges before this one have no end in a cluster of this size, and never will.
    looked, looked_size = 0, 1
    for m in range(n - 1):
        n_clusters = n - m
        if spread <= threshold * (n * (n_clusters - 1)):
            e = first
        else:
            while number[smallest] == 0:
                smallest += 1
            if looked_size != smallest:
                looked, looked_size = first, smallest
            while (
                sizes[_root(parents, ends[looked, 0])] != smallest
                and sizes[_root(parents, ends[looked, 1])] != smallest
            ):
                looked = after[looked]
            e = looked
        if e == looked:
            looked = after[e]
        if e == first:
            first = after[e]
        else:
            after[before[e]] = after[e]
        if after[e] < n - 1:
            before[after[e]] = before[e]
        a, b = _root(parents, ends[e, 0]), _root(parents, ends[e, 1])
        if sizes[a] < sizes[b]:
            a, b = b, a
        total = n
        for size in (sizes[a], sizes[b]):
            n_clusters -= 1
            total -= size
            number[size] -= 1
            _add(counts, size, -1)
            _add(sums, size, -size)
            spread -= _distance_to_all(counts, sums, n_clusters, total, size)
        order[m] = e
        parts[m, 0], parts[m, 1] = min(names[a], names[b]), max(names[a], names[b])
        parents[b] = a
        sizes[a] += sizes[b]
        names[a] = n + m
        size = sizes[a]
        spread += _distance_to_all(counts, sums, n_clusters, total, size)
        number[size] += 1
        _add(counts, size, 1)
        _add(sums, size, size)


@njit(cache=True, nogil=True)
def joined(ends, n):
    """The first object of each object's component."""
    parents = np.arange(n)
    for e in range(len(ends)):
        a, b = _root(parents, ends[e, 0]), _root(parents, ends[e, 1])
        parents[max(a, b)] = min(a, b)
    for i in range(n):
        parents[i] = _root(parents, i)
    return parents


@njit(cache=True, nogil=True)
def spanning_edges(ends, n):
    """Kruskal: the edges, in their order, that join parts which are not joined yet."""
    parents = np.arange(n)
    kept = np.empty(n - 1, np.int64)
    found = 0
    for e in range(len(ends)):
        a, b = _root(parents, ends[e, 0]), _root(parents, ends[e, 1])
        if a != b:
            parents[max(a, b)] = min(a, b)
            kept[found] = e
            found += 1
    return kept[:found]
