"""Linkage: average on B W B' without the matrix, any on distances.

In average linkage the mean similarity of two clusters x and y is the weighted inner
product of their sums: with a_xc objects of x in base cluster c, it is

    s(x, y) = sum_c w_c a_xc a_yc / (n_x n_y).

The sums are sparse, so all similarities of x are had by walking the lists of the base
clusters that x meets. The integer weights make each numerator exact, hence s(x, y) and
s(y, x) are the same number and the order of the lists does not matter.

Where labels are missing, pairs count as far as clusterings have both objects: with
p_xm objects of x in clustering m, which has the share u_m of the weight, n_x n_y
becomes sum_m u_m p_xm p_ym. A merged cluster is as similar to a third as its parts
are together, so that no merge makes it more similar than the better of them.

The nearest cluster of x is found without most of the lists. Where no label is missing,
a cluster has no more than all its objects in the base clusters of one clustering, so
that those which share none of the lists walked so far are at most as similar as

    sum_m max_c w_c a_xc / n_x, over the base clusters c of m that were not walked.

Short lists of heavy base clusters are walked first, until that is less than what the
nearest cluster is known to have. Objects that differ in d of M clusterings are thus
found in d + 1 lists.

The tree is the one without such bounds, ties included.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comitia._kernels._njit import njit

__all__ = [
    "AVERAGE",
    "COMPLETE",
    "SINGLE",
    "WARD",
    "average_merges",
    "dense_merges",
    "label_merges",
]

# Neighbours that a search keeps. More make searches rarer and each look-up longer.
_N_CANDIDATES = 6

# A search wants all that has this share of the best similarity known, so that it keeps
# several neighbours; where it finds nothing, it wants this share of that.
_NEARLY, _LOWER = 0.95, 0.75

# Entries of lists that are walked in the time that one similarity in full takes.
_FULL_COST = 15

# Base clusters that a cluster meets: of more, all lists are walked in any order, since
# to choose among them takes longer.
_MANY_ROWS = 100

# What bounds and similarities may differ by rounding, as a share of the largest.
_ROUNDING = 1e-12

# The rules of linkage on distances.
SINGLE, COMPLETE, AVERAGE, WARD = range(4)


# -- average linkage -------------------------------------------------------------------


class Sums(NamedTuple):
    """The sums a_xc of the current clusters, by cluster and by base cluster.

    An entry is an (x, c) with a_xc > 0. Those of one cluster stand together among the
    entries, and those of one base cluster among the places; there, deletion swaps in
    the last. A cluster that grows moves behind all others, and what it leaves is used
    again when there is no room behind them.
    """

    # By cluster: where its entries begin and how many they are.
    begin: NDArray[np.int64]
    number: NDArray[np.int32]
    # Of each entry: its base cluster, the amount a_xc, and its place (-1: not in use).
    column: NDArray[np.int32]
    amount: NDArray[np.int32]
    place: NDArray[np.int32]
    # By base cluster: its clustering, where its places begin and how many are in use.
    clustering: NDArray[np.int32]
    list_begin: NDArray[np.int64]
    length: NDArray[np.int64]
    # Of each place: the cluster, the amount again, and the entry that stands there.
    owner: NDArray[np.int32]
    list_amount: NDArray[np.int32]
    entry: NDArray[np.int32]
    # One number: the entries from there on are free.
    end: NDArray[np.int64]


def make_sums(
    codes: NDArray[Any],
    offsets: NDArray[np.int64],
    weights: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> Sums:
    """Sums of the objects, each a cluster of its own that counts ``counts`` times."""
    n_clusterings, n_objects = codes.shape
    n_each = np.diff(offsets)
    length = np.zeros(offsets[-1], dtype=np.int64)
    number = np.zeros(n_objects, dtype=np.int32)
    for m, labels in enumerate(codes):
        # Base clusters of weight zero say nothing; what is missing neither.
        heavy = np.append(weights[offsets[m] : offsets[m + 1]] > 0, False)
        sizes = np.bincount(labels, minlength=n_each[m])[: n_each[m]]
        length[offsets[m] : offsets[m + 1]] = np.where(heavy[:-1], sizes, 0)
        number += heavy[np.minimum(labels, n_each[m])]
    n_entries = int(length.sum())
    # No cluster has more entries than there are base clusters.
    room = n_entries + max(n_entries // 4, len(length))
    index = np.promote_types(np.int32, np.min_scalar_type(-room))
    sums = Sums(
        begin=np.cumsum(number, dtype=np.int64) - number,
        number=number,
        column=np.empty(room, dtype=np.int32),
        amount=np.empty(room, dtype=np.int32),
        place=np.full(room, -1, dtype=index),
        clustering=np.repeat(np.arange(n_clusterings, dtype=np.int32), n_each),
        list_begin=np.cumsum(length) - length,
        length=length,
        owner=np.empty(n_entries, dtype=np.int32),
        list_amount=np.empty(n_entries, dtype=np.int32),
        entry=np.empty(n_entries, dtype=index),
        end=np.array([n_entries]),
    )
    used = sums.begin.copy()
    for m, labels in enumerate(codes):
        base = slice(offsets[m], offsets[m + 1])
        fill_sums(
            sums, labels, int(offsets[m]), sums.list_begin[base].copy(), used, counts
        )
    return sums


@njit(cache=True)
def fill_sums(sums, labels, offset, places, used, counts):
    """Write down the entries of one clustering, whose lists begin at ``places``."""
    for x in range(len(labels)):
        c = np.int64(labels[x])
        if c < len(places) and sums.length[offset + c] > 0:
            e, p = used[x], places[c]
            sums.column[e], sums.amount[e], sums.place[e] = offset + c, counts[x], p
            sums.owner[p], sums.list_amount[p], sums.entry[p] = x, counts[x], e
            used[x] += 1
            places[c] += 1


@njit(cache=True)
def mark(sums, x, weights, where):
    """Write what x has in its base clusters, times their weights."""
    for e in range(sums.begin[x], sums.begin[x] + sums.number[x]):
        c = sums.column[e]
        where[c] = weights[c] * sums.amount[e]


@njit(cache=True)
def unmark(sums, x, where):
    """Write zero there."""
    for e in range(sums.begin[x], sums.begin[x] + sums.number[x]):
        where[sums.column[e]] = 0


@njit(cache=True)
def pairs_seen(seen, shares, x, y):
    """The pairs of an object of x and one of y, as far as clusterings have both."""
    total = 0.0
    for m in range(len(shares)):
        total += shares[m] * (seen[x, m] * seen[y, m])
    return total


@njit(cache=True)
def similarity(sums, x, y, sizes, seen, shares, where):
    """s(x, y), with x marked; the formula is that of ``search``, to the last bit."""
    total = 0
    for e in range(sums.begin[y], sums.begin[y] + sums.number[y]):
        total += where[sums.column[e]] * sums.amount[e]
    if len(shares) == 0 or total == 0:
        return total / (float(sizes[x]) * sizes[y])
    return total / pairs_seen(seen, shares, x, y)


@njit(cache=True)
def drop_entry(sums, e):
    """Take an entry out of the list of its base cluster."""
    c = sums.column[e]
    sums.length[c] -= 1
    last = sums.list_begin[c] + sums.length[c]
    p = sums.place[e]
    sums.owner[p] = sums.owner[last]
    sums.list_amount[p] = sums.list_amount[last]
    sums.entry[p] = sums.entry[last]
    sums.place[sums.entry[p]] = p
    sums.place[e] = -1


@njit(cache=True)
def move_entry(sums, e, to, x):
    """Make an entry one of x, elsewhere."""
    p = sums.place[e]
    sums.place[e] = -1
    sums.column[to], sums.amount[to], sums.place[to] = sums.column[e], sums.amount[e], p
    sums.entry[p], sums.owner[p] = to, x


@njit(cache=True)
def close_gaps(sums):
    """Move all entries to the front, in their order."""
    to = 0
    for e in range(sums.end[0]):
        if sums.place[e] >= 0:
            x = sums.owner[sums.place[e]]
            if sums.begin[x] == e:
                sums.begin[x] = to
            if to < e:
                move_entry(sums, e, to, x)
            to += 1
    sums.end[0] = to


@njit(cache=True)
def merge(sums, x, y, where):
    """Add the sums of y to those of x; y is no more."""
    if sums.end[0] + sums.number[x] + sums.number[y] > len(sums.place):
        close_gaps(sums)
    for e in range(sums.begin[x], sums.begin[x] + sums.number[x]):
        where[sums.column[e]] = e + 1
    n_new = 0
    for e in range(sums.begin[y], sums.begin[y] + sums.number[y]):
        mine = where[sums.column[e]] - 1
        if mine >= 0:
            sums.amount[mine] += sums.amount[e]
            sums.list_amount[sums.place[mine]] = sums.amount[mine]
            drop_entry(sums, e)
        else:
            n_new += 1
    unmark(sums, x, where)
    if n_new > 0:
        to = sums.end[0]
        sums.end[0] += sums.number[x] + n_new
        begin, sums.begin[x] = sums.begin[x], to
        for e in range(begin, begin + sums.number[x]):
            move_entry(sums, e, to, x)
            to += 1
        for e in range(sums.begin[y], sums.begin[y] + sums.number[y]):
            if sums.place[e] >= 0:
                move_entry(sums, e, to, x)
                to += 1
        sums.number[x] += n_new
    sums.number[y] = 0


class Known(NamedTuple):
    """What is known of the neighbours of each cluster.

    Average linkage is reducible: a merge makes no cluster more similar to a third than
    the better of its parts was. So a cluster that holds none of the candidates of x
    never gets beyond the bound of x, and while a candidate does, the best of them is
    the nearest cluster. Two clusters that merge pool their candidates, and the higher
    bound holds for both.
    """

    candidates: NDArray[np.int32]
    n_candidates: NDArray[np.int32]  # -1: none known, search
    bound: NDArray[np.float64]
    inside: NDArray[np.int32]  # the cluster that took this one in; itself if none


@njit(cache=True)
def list_rows(sums, x, n_x, weights, rows):
    """Write down the base clusters of x by clustering, the heaviest first.

    Returns how many they are, the length of all their lists, and the most that a
    cluster can be similar to x.
    """
    n_rows = 0
    for e in range(sums.begin[x], sums.begin[x] + sums.number[x]):
        c = sums.column[e]
        v = weights[c] * sums.amount[e] / n_x
        j, m = n_rows, sums.clustering[c]
        while 0 < j < _MANY_ROWS and (
            rows.clustering[j - 1] > m
            or (rows.clustering[j - 1] == m and rows.value[j - 1] < v)
        ):
            rows.column[j], rows.value[j] = rows.column[j - 1], rows.value[j - 1]
            rows.clustering[j] = rows.clustering[j - 1]
            j -= 1
        rows.column[j], rows.value[j], rows.clustering[j] = c, v, m
        n_rows += 1
    most, m, n_left = 0.0, -1, 0
    for j in range(n_rows):
        rows.is_walked[j] = False
        rows.length[j] = sums.length[rows.column[j]]
        n_left += rows.length[j]
        if rows.clustering[j] != m:
            m = rows.clustering[j]
            most += rows.value[j]
    return n_rows, n_left, most


@njit(cache=True)
def cheapest_rows(rows, n_rows):
    """The rows of one clustering that lower the bound most for their length."""
    best, begin, end, total, drop = -1.0, 0, 0, 0, 0.0
    j = 0
    while j < n_rows:
        if rows.is_walked[j]:
            j += 1
            continue
        first, m, length = j, rows.clustering[j], 0
        while j < n_rows and rows.clustering[j] == m:
            length += rows.length[j]
            j += 1
            here = rows.value[first]
            if j < n_rows and rows.clustering[j] == m:
                here -= rows.value[j]
            if here > best * length:
                best, begin, end = here / length, first, j
                total, drop = length, here
    return begin, end, total, drop


@njit(cache=True)
def add_similarities(sums, c, factor, sums_with, touched, n_touched):
    """Add to the numerators of s(x, y) what is due to base cluster c."""
    # Unsigned indices need no test for "from the end" in the hot loop.
    count, begin = np.uint64(n_touched), np.uint64(sums.list_begin[c])
    for q in range(begin, begin + np.uint64(sums.length[c])):
        y = np.uint32(sums.owner[q])
        before = sums_with[y]
        touched[count] = y
        count += np.uint64(before == 0)
        sums_with[y] = before + factor * sums.list_amount[q]
    return np.int64(count)


@njit(cache=True)
def keep_best(s, y, found, best, n_found):
    """Insert y among the most similar, the lower of equals first."""
    j = n_found
    while j > 0 and (best[j - 1] < s or (best[j - 1] == s and found[j - 1] > y)):
        best[j] = best[j - 1]
        found[j] = found[j - 1]
        j -= 1
    best[j] = s
    found[j] = y


@njit(cache=True)
def walk(sums, rows, begin, end, scratch, n_touched):
    """Walk the lists of some rows of x, which is marked; return how many it touched."""
    for j in range(begin, end):
        if not rows.is_walked[j]:
            c = rows.column[j]
            rows.is_walked[j] = True
            n_touched = add_similarities(
                sums, c, scratch.where[c], scratch.sums_with, scratch.touched, n_touched
            )
    return n_touched


@njit(cache=True)
def pick_similar(sums_with, touched, n_touched, sizes, least, picked):
    """Write down those touched whose numerators are ``least`` or more for an object."""
    n_picked = np.uint64(0)
    for t in range(n_touched):
        y = np.uint32(touched[t])
        picked[n_picked] = y
        n_picked += np.uint64(sums_with[y] >= least * sizes[y])
    return np.int64(n_picked)


@njit(cache=True)
def search(sums, known, x, sizes, seen, shares, weights, scratch, at_least):
    """Find candidates of x and a bound for all others; return the nearest cluster.

    Some cluster is known to be as similar as ``at_least``; the goal is a little less.
    Lists are walked until what they do not touch is below the goal, and then further
    while many of those touched may reach it; the similarities of these are computed.
    """
    sums_with, touched, best = scratch.sums_with, scratch.touched, scratch.best
    n_x, is_complete = float(sizes[x]), len(shares) == 0
    rows = scratch.rows
    n_rows, n_left, unseen = list_rows(sums, x, n_x, weights, rows)
    slack = _ROUNDING * unseen
    goal = _NEARLY * at_least if at_least > 0.0 else _NEARLY * unseen
    # An object that one clustering alone has is as similar as its one list says.
    can_stop = is_complete and n_rows <= _MANY_ROWS
    found = known.candidates[x]
    n_touched, n_walked = 0, 0
    mark(sums, x, weights, scratch.where)
    while True:
        n_more = n_touched
        while n_left > 0 and (unseen + slack >= goal or n_more > 0 or not can_stop):
            begin, end, length, drop = 0, n_rows, n_left, unseen
            if can_stop and n_left > n_walked:
                begin, end, length, drop = cheapest_rows(rows, n_rows)
            n_touched = walk(sums, rows, begin, end, scratch, n_touched)
            n_walked += length
            n_more -= length
            n_left -= length
            unseen -= drop
        if n_left == 0:
            goal, n_picked, picked = 0.0, n_touched, touched
        else:
            picked = scratch.picked
            least = (goal - unseen - slack) * n_x
            n_picked = pick_similar(sums_with, touched, n_touched, sizes, least, picked)
            if _FULL_COST * n_picked > n_touched:
                continue
        n_found, least = 0, 0.0
        for t in range(n_picked):
            y = picked[t]
            if y == x:
                continue
            if n_left > 0:
                s = similarity(sums, x, y, sizes, seen, shares, scratch.where)
            elif is_complete:
                s = sums_with[y] / (n_x * sizes[y])
            else:
                s = sums_with[y] / pairs_seen(seen, shares, x, y)
            if s >= least and s > 0.0:
                # What falls off the end of a full list sets the bound.
                keep_best(s, y, found, best, n_found)
                if n_found < _N_CANDIDATES:
                    n_found += 1
                else:
                    least = best[_N_CANDIDATES]
        if n_left == 0 or (n_found > 0 and best[0] >= goal):
            break
        goal *= _LOWER
    for t in range(n_touched):
        sums_with[touched[t]] = 0
    unmark(sums, x, scratch.where)
    known.n_candidates[x] = n_found
    known.bound[x] = max(goal, least)
    if n_found == 0:
        return np.int32(-1), 0.0
    return found[0], best[0]


@njit(cache=True)
def nearest_candidate(sums, known, x, sizes, seen, shares, weights, where):
    """The most similar candidate of x, the lowest of equals, and its similarity."""
    nearest, best = -1, 0.0
    candidates = known.candidates[x]
    n_kept = 0
    mark(sums, x, weights, where)
    for t in range(known.n_candidates[x]):
        y = candidates[t]
        while known.inside[y] != y:
            y = known.inside[y]
        is_new = y != x
        for j in range(n_kept):
            is_new &= candidates[j] != y
        if is_new:
            candidates[n_kept] = y
            n_kept += 1
            s = similarity(sums, x, y, sizes, seen, shares, where)
            if s > best or (s == best and y < nearest):
                nearest, best = y, s
    unmark(sums, x, where)
    known.n_candidates[x] = n_kept
    return nearest, best


@njit(cache=True)
def pool_candidates(known, x, y):
    """Give x, which took in y, the candidates of both; too many are forgotten."""
    n_x, n_y = known.n_candidates[x], known.n_candidates[y]
    if n_x < 0 or n_y < 0 or n_x + n_y > known.candidates.shape[1]:
        known.n_candidates[x] = -1
        return
    # A slice assignment would take numba seconds to compile.
    for t in range(n_y):
        known.candidates[x, n_x + t] = known.candidates[y, t]
    known.n_candidates[x] = n_x + n_y
    known.bound[x] = max(known.bound[x], known.bound[y])


class Rows(NamedTuple):
    """The base clusters of one cluster, sorted by clustering."""

    column: NDArray[np.int32]
    clustering: NDArray[np.int32]
    value: NDArray[np.float64]  # what it adds to the similarity of those inside it
    is_walked: NDArray[np.bool_]
    length: NDArray[np.int64]  # of its list


class Scratch(NamedTuple):
    """Arrays that the loop works in."""

    sums_with: NDArray[np.int64]  # by cluster: numerators of one search, else 0
    touched: NDArray[np.int32]  # the clusters whose numerators are not 0
    best: NDArray[np.float64]  # the highest similarities of one search
    where: NDArray[np.int64]  # by base cluster: see mark
    chain: NDArray[np.int32]
    links: NDArray[np.float64]  # similarity to the one before in the chain
    position: NDArray[np.int32]  # by cluster: in the chain; -1: not there
    rows: Rows
    picked: NDArray[np.int32]  # the clusters touched that may be near


def make_scratch(n: int, n_base_clusters: int) -> tuple[Known, Scratch]:
    """Arrays for n clusters of which nothing is known yet."""
    known = Known(
        candidates=np.empty((n, 3 * _N_CANDIDATES), dtype=np.int32),
        n_candidates=np.full(n, -1, dtype=np.int32),
        bound=np.zeros(n),
        inside=np.arange(n, dtype=np.int32),
    )
    # Made here, because numba takes long to compile what makes arrays.
    scratch = Scratch(
        sums_with=np.zeros(n, dtype=np.int64),
        touched=np.empty(n + 1, dtype=np.int32),
        best=np.empty(_N_CANDIDATES + 1),
        where=np.zeros(n_base_clusters, dtype=np.int64),
        chain=np.empty(n, dtype=np.int32),
        links=np.empty(n, dtype=np.float64),
        position=np.full(n, -1, dtype=np.int32),
        rows=Rows(
            np.empty(n_base_clusters, dtype=np.int32),
            np.empty(n_base_clusters, dtype=np.int32),
            np.empty(n_base_clusters),
            np.empty(n_base_clusters, dtype=bool),
            np.empty(n_base_clusters, dtype=np.int64),
        ),
        picked=np.empty(n + 1, dtype=np.int32),
    )
    return known, scratch


def average_merges(
    codes: NDArray[Any],
    offsets: NDArray[np.int64],
    weights: NDArray[np.int64],
    counts: NDArray[np.int64],
    seen: NDArray[np.float64],
    shares: NDArray[np.float64],
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The merges of average linkage, not sorted.

    Parameters
    ----------
    codes : ndarray of shape (n_clusterings, n_objects)
        Labels, each object being different from the others.

    offsets : ndarray of shape (n_clusterings + 1,)
        Where the clusters of each clustering are.

    weights : ndarray of shape (n_clusters,)
        Integers, not negative, small enough for all numerators to fit int64.

    counts : ndarray of shape (n_objects,)
        How many times each object counts.

    seen : ndarray of shape (n_objects, n_shares)
        How many times an object counts in each clustering, 0 where it is missing; no
        columns where no label is missing. Overwritten.

    shares : ndarray of shape (n_shares,)
        The share that each clustering has of the weight, as whole numbers.

    Returns
    -------
    pairs : ndarray of shape (n_merges, 2)
        The two clusters of each merge, named by their lowest objects. Clusters that
        have no similarity to any other are not merged.

    similarities : ndarray of shape (n_merges,)
        Their mean similarities, in units of the weights over those of the shares.
    """
    n = codes.shape[1]
    pairs = np.empty((n, 2), dtype=np.int32)
    similarities = np.empty(n, dtype=np.float64)
    known, scratch = make_scratch(n, len(weights))
    n_merges = merge_along_chains(
        make_sums(codes, offsets, weights, counts),
        known,
        counts.astype(np.int64),
        seen,
        shares,
        weights,
        scratch,
        pairs,
        similarities,
    )
    return pairs[:n_merges], similarities[:n_merges]


@njit(cache=True)
def merge_along_chains(
    sums, known, sizes, seen, shares, weights, scratch, pairs, similarities
):
    """Merge nearest neighbours along chains; return how many merges there were.

    Similarities rise strictly along a chain, so it ends in two clusters that are
    nearest to each other.
    """
    n = len(sizes)
    where, chain = scratch.where, scratch.chain
    links, position = scratch.links, scratch.position
    start, depth, n_merges = 0, 0, 0
    while start < n:
        if depth == 0:
            if known.inside[start] != start:
                start += 1
                continue
            chain[0], links[0], position[start], depth = start, 0.0, 0, 1
        x = chain[depth - 1]
        y, s = nearest_candidate(sums, known, x, sizes, seen, shares, weights, where)
        if s <= known.bound[x]:
            at_least = max(s, links[depth - 1])
            y, s = search(
                sums, known, x, sizes, seen, shares, weights, scratch, at_least
            )
        if s > links[depth - 1] and position[y] < 0:
            chain[depth], links[depth], position[y] = y, s, depth
            depth += 1
            continue
        if depth == 1:
            # No similarity to any other: it stays out of all chains.
            position[x], depth, start = -1, 0, start + 1
            continue
        if s <= links[depth - 1]:
            y, s = chain[depth - 2], links[depth - 1]
        # Otherwise rounding has made a cluster further down the chain look nearer
        # than its own nearest one: merge here, and the chain cannot run in a circle.
        below = position[y]
        for t in range(below, depth):
            position[chain[t]] = -1
        depth = below
        x, y = min(x, y), max(x, y)
        merge(sums, x, y, where)
        sizes[x] += sizes[y]
        for m in range(len(shares)):
            seen[x, m] += seen[y, m]
        known.inside[y] = x
        pool_candidates(known, x, y)
        pairs[n_merges, 0], pairs[n_merges, 1], similarities[n_merges] = x, y, s
        n_merges += 1
    return n_merges


# -- linkage with counts on distances, and trees in SciPy's form -----------------------


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
