"""Local moving, refinement and aggregation of a graph in CSR form.

Weights are integers, so that no sum depends on the order of its terms. Communities have
numbers that follow the visiting order of the vertices, and of equals the lowest is
taken; random numbers are hashed from these numbers. So nothing depends on where a
vertex stands, once the visiting order is given.
"""

import math

import numpy as np

from comitia._kernels._njit import njit

__all__ = [
    "aggregate",
    "connected_parts",
    "draw_keys",
    "hash_vertices",
    "move_until_stable",
    "refine",
    "renumbered",
]


@njit(cache=True, nogil=True)
def scrambled(x):
    """The finalizer of splitmix64."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@njit(cache=True, nogil=True)
def hash_vertices(indptr, indices, data, weights, n_steps):
    """Hash vertices by what so many steps around them look like, in whatever order."""
    n = len(weights)
    keys = np.empty(n, np.uint64)
    for i in range(n):
        keys[i] = scrambled(np.uint64(weights[i]))
    for _ in range(n_steps):
        last = keys.copy()
        for i in range(n):
            around = np.uint64(0)
            for e in range(indptr[i], indptr[i + 1]):
                around += scrambled(np.uint64(data[e]) + last[indices[e]])
            keys[i] = scrambled(scrambled(last[i]) + around)
    return keys


@njit(cache=True, nogil=True)
def draw_keys(keys, seed):
    """A random number for each key."""
    base = scrambled(seed + np.uint64(0x9E3779B97F4A7C15))
    draws = np.empty(len(keys), np.uint64)
    for i in range(len(keys)):
        draws[i] = scrambled(keys[i] + base)
    return draws


@njit(cache=True, nogil=True)
def exp_of_minus(x):
    """The exponential of -x, in operations that every processor rounds alike."""
    if x > 40.0:
        return 0.0
    halvings = math.floor(x * 1.4426950408889634)
    rest = halvings * 0.6931471805599453 - x
    term, value = 1.0, 1.0
    for power in range(1, 14):
        term *= rest / power
        value += term
    for _ in range(int(halvings)):
        value *= 0.5
    return value


@njit(cache=True, nogil=True)
def minus_log(u):
    """The logarithm of 1 / u for u in (0, 1), likewise."""
    mantissa, exponent = math.frexp(u)
    s = (mantissa - 1.0) / (mantissa + 1.0)
    square, term, value = s * s, s, s
    for power in range(3, 26, 2):
        term *= square
        value += term / power
    return -exponent * 0.6931471805599453 - 2.0 * value


@njit(cache=True, nogil=True)
def move_until_stable(
    indptr, indices, data, weights, order, pull, least, labels, totals, counts
):
    """Move vertices to the community with the largest gain until none gains.

    ``totals`` and ``counts`` hold the weight and the number of the vertices of each
    community; there is room for as many as there are vertices. A vertex is looked at
    again when a neighbour has left for a community other than its own.

    Returns whether any vertex has moved.
    """
    n = len(labels)
    # Of each community the weight of its links to a vertex, and its own: what is asked
    # for together is fetched together.
    both = np.zeros((n, 2), np.int64)
    both[:, 1] = totals
    touched = np.empty(n, np.int32)
    waits = np.ones(n, np.bool_)
    empty = np.empty(n + 1, np.int32)
    n_empty = 0
    for c in range(n - 1, -1, -1):
        if counts[c] == 0:
            empty[n_empty] = c
            n_empty += 1
    n_waiting, moved = n, False
    while n_waiting > 0:
        for i in order:
            if not waits[i]:
                continue
            waits[i] = False
            n_waiting -= 1
            own, n_touched = labels[i], 0
            for e in range(indptr[i], indptr[i + 1]):
                c = labels[indices[e]]
                if both[c, 0] == 0:
                    touched[n_touched] = c
                    n_touched += 1
                both[c, 0] += data[e]
            mine = pull * weights[i]
            stay = both[own, 0] - mine * (both[own, 1] - weights[i])
            best, top = -1, -np.inf
            for t in range(n_touched):
                c = touched[t]
                if c != own:
                    gain = both[c, 0] - mine * both[c, 1]
                    if gain > top:
                        top = gain
            if counts[own] > 1 and top < -least:
                # Alone it would lose nothing.
                best, top = empty[n_empty - 1], 0.0
            if top > stay + least:
                if best < 0:
                    for t in range(n_touched):
                        c = touched[t]
                        gain = both[c, 0] - mine * both[c, 1]
                        if c != own and gain >= top - least and (best < 0 or c < best):
                            best = c
                if counts[best] == 0:
                    n_empty -= 1
                both[own, 1] -= weights[i]
                counts[own] -= 1
                both[best, 1] += weights[i]
                counts[best] += 1
                if counts[own] == 0:
                    empty[n_empty] = own
                    n_empty += 1
                labels[i] = best
                moved = True
                for e in range(indptr[i], indptr[i + 1]):
                    j = indices[e]
                    if not waits[j] and labels[j] != best:
                        waits[j] = True
                        n_waiting += 1
            for t in range(n_touched):
                both[touched[t], 0] = 0
    totals[:] = both[:, 1]
    return moved


@njit(cache=True, nogil=True)
def refine(
    indptr,
    indices,
    data,
    weights,
    order,
    rank,
    pull,
    least,
    theta,
    seed,
    labels,
    totals,
):
    """Merge vertices inside of each community, at random among what is no loss.

    A vertex that is still alone and well connected to the rest of its community joins a
    well connected part of it, or stays alone: each with a probability that goes with
    the exponential of the gain over ``theta``.

    Returns the part of each vertex, by numbers that follow the rank.
    """
    n = len(labels)
    parts = rank.copy()
    # Of each part the weight of its links to a vertex, its own, and that of its links
    # to the rest of its community.
    link, heavy, outward = 0, 1, 2
    known = np.zeros((n, 4), np.int64)
    counts = np.ones(n, np.int32)
    for i in range(n):
        inward = 0
        for e in range(indptr[i], indptr[i + 1]):
            if labels[indices[e]] == labels[i]:
                inward += data[e]
        known[rank[i], heavy] = weights[i]
        known[rank[i], outward] = inward
    touched = np.empty(n, np.int32)
    for i in order:
        alone = parts[i]
        if counts[alone] != 1:
            continue
        total = totals[labels[i]]
        mine = pull * weights[i]
        if known[alone, outward] < mine * (total - weights[i]) - least:
            continue
        n_touched = 0
        for e in range(indptr[i], indptr[i + 1]):
            j = indices[e]
            if labels[j] != labels[i]:
                continue
            c = parts[j]
            if known[c, link] == 0:
                touched[n_touched] = c
                n_touched += 1
            known[c, link] += data[e]
        # Those that it may join come first.
        n_open, top = 0, 0.0
        for t in range(n_touched):
            c = touched[t]
            gain = known[c, link] - mine * known[c, heavy]
            needed = pull * known[c, heavy] * (total - known[c, heavy]) - least
            if gain < -least or known[c, outward] < needed:
                continue
            touched[t], touched[n_open] = touched[n_open], c
            n_open += 1
            top = max(top, gain)
        best, first = alone, np.inf
        base = scrambled(np.uint64(rank[i]) + seed)
        for t in range(-1, n_open):
            c = alone if t < 0 else touched[t]
            gain = 0.0 if t < 0 else max(known[c, link] - mine * known[c, heavy], 0.0)
            likely = exp_of_minus((top - gain) / theta)
            if likely > 0.0:
                # Whoever comes first in a race of these speeds is drawn.
                draw = scrambled(base + np.uint64(c)) >> np.uint64(12)
                when = minus_log((np.float64(draw) + 0.5) / 4503599627370496.0) / likely
                if when < first or (when == first and c < best):
                    best, first = c, when
        if best != alone:
            known[best, outward] += known[alone, outward] - 2 * known[best, link]
            known[best, heavy] += weights[i]
            counts[best] += 1
            counts[alone] = 0
            parts[i] = best
        for t in range(n_touched):
            known[touched[t], link] = 0
    return parts


@njit(cache=True, nogil=True)
def aggregate(indptr, indices, data, weights, parts, n_parts):
    """The graph whose vertices are the parts 0..n_parts - 1 of another, without loops.

    Returns its rows, columns and weights, and the weights of its vertices.
    """
    n = len(parts)
    begin = np.zeros(n_parts + 1, np.int64)
    heavy = np.zeros(n_parts, np.int64)
    for i in range(n):
        begin[parts[i] + 1] += 1
        heavy[parts[i]] += weights[i]
    for c in range(n_parts):
        begin[c + 1] += begin[c]
    members, at = np.empty(n, np.int32), begin.copy()
    for i in range(n):
        members[at[parts[i]]] = i
        at[parts[i]] += 1
    rows = np.zeros(n_parts + 1, np.int64)
    # Room for more than there will be: what is not written takes no memory.
    columns = np.empty(len(indices), np.int32)
    values = np.empty(len(indices), np.int64)
    link = np.zeros(n_parts, np.int64)
    end = 0
    for c in range(n_parts):
        first = end
        for m in range(begin[c], begin[c + 1]):
            i = members[m]
            for e in range(indptr[i], indptr[i + 1]):
                d = parts[indices[e]]
                if d == c:
                    continue
                if link[d] == 0:
                    columns[end] = d
                    end += 1
                link[d] += data[e]
        for e in range(first, end):
            values[e] = link[columns[e]]
            link[columns[e]] = 0
        rows[c + 1] = end
    return rows, columns[:end].copy(), values[:end].copy(), heavy


@njit(cache=True, nogil=True)
def renumbered(indptr, indices, data, order, rank):
    """The graph whose vertex t is vertex order[t] of another."""
    n = len(order)
    rows = np.zeros(n + 1, np.int64)
    columns = np.empty(len(indices), np.int32)
    values = np.empty(len(indices), np.int64)
    end = 0
    for t in range(n):
        i = order[t]
        for e in range(indptr[i], indptr[i + 1]):
            columns[end] = rank[indices[e]]
            values[end] = data[e]
            end += 1
        rows[t + 1] = end
    return rows, columns, values


@njit(cache=True, nogil=True)
def connected_parts(indptr, indices, labels):
    """The connected parts of each community, numbered by their first vertices."""
    n = len(labels)
    parts = np.full(n, -1, np.int32)
    stack = np.empty(n, np.int32)
    n_parts = 0
    for start in range(n):
        if parts[start] >= 0:
            continue
        parts[start], stack[0], height = n_parts, start, 1
        while height > 0:
            height -= 1
            i = stack[height]
            for e in range(indptr[i], indptr[i + 1]):
                j = indices[e]
                if parts[j] < 0 and labels[j] == labels[i]:
                    parts[j] = n_parts
                    stack[height] = j
                    height += 1
        n_parts += 1
    return parts
