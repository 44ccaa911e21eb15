"""Passes over the labels of the objects: sums, nearest rows, votes, distinct rows.

Cluster ``code`` of clustering m stands at ``starts[m] + code`` in tables over clusters;
each clustering has one place more than it has clusters, which a missing label reads. A
row of labels stands for the sum of the table rows that its labels name, so that no row
of B, or of an embedding, is ever stored. Weights are fixed-point integers where several
ranges of objects add to one sum.
"""

import numpy as np

from comitia._kernels._njit import njit

__all__ = [
    "add_to_table",
    "distinct_rows",
    "mean_rows",
    "nearest_points",
    "nearest_rows",
    "plurality",
    "row_totals",
    "score_rows",
    "sum_labels",
    "sum_of_table",
    "sum_points",
    "sum_rows",
    "unit_scales",
    "vote_table",
]

# Objects in one block: their weights and two of their label vectors stay in cache.
_BLOCK = 1 << 14

# Objects whose labels are hashed, clustering after clustering, before the next ones.
_HASHED = 1024


# -- sums of table rows ----------------------------------------------------------------


@njit(cache=True, nogil=True)
def row_totals(codes, starts, weights, out):
    """Sum of the weights of each object's clusters, clustering after clustering."""
    M, n = codes.shape
    for lo in range(0, n, _BLOCK):
        hi = min(lo + _BLOCK, n)
        for i in range(lo, hi):
            out[i] = 0.0
        for m in range(M):
            for i in range(lo, hi):
                out[i] += weights[starts[m] + codes[m, i]]


@njit(cache=True, nogil=True)
def unit_scales(row_codes, starts, table, degrees, floor, scale, squares):
    """What makes the sum of each object's table rows a unit vector, and its square.

    An object that no column reaches stays at the origin: a length of less than
    ``floor`` times its degree is a rounding error, which scaling would blow up.
    """
    n, M = row_codes.shape
    total = np.empty(table.shape[1])
    for i in range(n):
        total[:] = 0.0
        for m in range(M):
            row = table[starts[m] + row_codes[i, m]]
            for j in range(len(total)):
                total[j] += row[j]
        square = 0.0
        for j in range(len(total)):
            square += total[j] * total[j]
        length, least = np.sqrt(square), floor * degrees[i]
        scale[i] = 1.0 / (length + least) if length > least else 0.0
        squares[i] = (scale[i] * length) * (scale[i] * length)


@njit(cache=True, nogil=True)
def sum_of_table(row_codes, starts, table, out):
    """B @ table: the sum of the table rows that an object's labels name.

    Four labels at once, in a fixed order: the loop over columns is what costs.
    """
    n, M = row_codes.shape
    k = table.shape[1]
    for i in range(n):
        total = out[i]
        total[:] = 0.0
        m = 0
        while m + 4 <= M:
            a = table[starts[m] + row_codes[i, m]]
            b = table[starts[m + 1] + row_codes[i, m + 1]]
            c = table[starts[m + 2] + row_codes[i, m + 2]]
            d = table[starts[m + 3] + row_codes[i, m + 3]]
            for r in range(k):
                total[r] += (a[r] + b[r]) + (c[r] + d[r])
            m += 4
        while m < M:
            a = table[starts[m] + row_codes[i, m]]
            for r in range(k):
                total[r] += a[r]
            m += 1


@njit(cache=True, nogil=True)
def add_to_table(row_codes, starts, Q, table):
    """Add Q's rows to the table rows of their labels: table += B' @ Q."""
    n, M = row_codes.shape
    k = Q.shape[1]
    for i in range(n):
        row = Q[i]
        for m in range(M):
            total = table[starts[m] + row_codes[i, m]]
            for r in range(k):
                total[r] += row[r]


# -- k-means --------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _add_table_rows(codes, starts, table, total):
    """Add up the table rows of one object's labels, one after the other.

    Four are read at once, which is faster; devices add in the same order.
    """
    M, k = len(codes), len(total)
    total[:] = 0.0
    m = 0
    while m + 4 <= M:
        a = table[starts[m] + codes[m]]
        b = table[starts[m + 1] + codes[m + 1]]
        c = table[starts[m + 2] + codes[m + 2]]
        d = table[starts[m + 3] + codes[m + 3]]
        for r in range(k):
            total[r] = (((total[r] + a[r]) + b[r]) + c[r]) + d[r]
        m += 4
    while m < M:
        a = table[starts[m] + codes[m]]
        for r in range(k):
            total[r] += a[r]
        m += 1


@njit(cache=True, nogil=True)
def nearest_rows(
    row_codes, starts, n_each, table, scale, penalty, absent, labels, best
):
    """Best cluster of each object: the largest scale * score - penalty.

    ``absent`` (M, k), or with no rows when it does not apply, is what clustering m
    brings to the penalty; objects without a label there get it back.
    """
    k = table.shape[1]
    score = np.empty(k)
    for i in range(len(row_codes)):
        codes = row_codes[i]
        _add_table_rows(codes, starts, table, score)
        for m in range(len(absent)):
            if codes[m] == n_each[m]:
                for r in range(k):
                    score[r] += absent[m, r] / scale[i]
        label, top = 0, scale[i] * score[0] - penalty[0]
        for r in range(1, k):
            here = scale[i] * score[r] - penalty[r]
            if here > top:
                label, top = r, here
        labels[i] = label
        best[i] = top


@njit(cache=True, nogil=True)
def score_rows(row_codes, starts, table, scale, out):
    """All scores of each object: scale times the sum of its table rows."""
    for i in range(len(row_codes)):
        _add_table_rows(row_codes[i], starts, table, out[i])
        out[i] *= scale[i]


@njit(cache=True, nogil=True)
def sum_rows(row_codes, starts, labels, weights, sums):
    """Add the integer weight of each object to its cluster, label by label."""
    n, M = row_codes.shape
    for i in range(n):
        total = sums[labels[i]]
        for m in range(M):
            total[starts[m] + row_codes[i, m]] += weights[i]


@njit(cache=True, nogil=True)
def sum_labels(labels, weights, sums):
    """Add the integer weight of each object to its cluster."""
    for i in range(len(labels)):
        sums[labels[i]] += weights[i]


@njit(cache=True, nogil=True)
def nearest_points(X, table, penalty, labels, best):
    """Best cluster of each point: the largest x'table - penalty."""
    n, p = X.shape
    k = table.shape[1]
    score = np.empty(k)
    for i in range(n):
        for r in range(k):
            score[r] = -penalty[r]
        for j in range(p):
            x = X[i, j]
            for r in range(k):
                score[r] += x * table[j, r]
        label, top = 0, score[0]
        for r in range(1, k):
            if score[r] > top:
                label, top = r, score[r]
        labels[i] = label
        best[i] = top


@njit(cache=True, nogil=True)
def sum_points(X, labels, weights, sums):
    """Weighted sums of the points of each cluster, in the order of the points."""
    n, p = X.shape
    for i in range(n):
        total = sums[labels[i]]
        for j in range(p):
            total[j] += weights[i] * X[i, j]


# -- votes -----------------------------------------------------------------------------
#
# Who does not vote, votes for label ``n_labels`` with weight 0. Indices are unsigned:
# numba then has no negative ones to wrap around, which halves the time of these loops.


@njit(cache=True, nogil=True)
def _cast(votes, ballot, name, keep, best):
    """Count one ballot; the largest count so far."""
    label = ballot & name
    count = votes[np.uint64(label)] + (ballot ^ label)
    votes[np.uint64(label)] = count
    # Counts only grow: the largest ever seen is that of the winner.
    return max(best, count & keep)


@njit(cache=True, nogil=True)
def plurality(codes, starts, ballots, blank, keep, drop, labels, first, last):
    """Give each object the label with the most votes; the lowest of equals.

    A count is one integer: votes above bit ``drop``, then guard bits, then the label,
    as ``n_labels - r``, in the bits that nothing is added to. A ballot is the weight of
    a cluster with the label it votes for in these bits. ``blank`` is the count of each
    label before the first vote, and ``keep`` masks the guard bits out, so that the
    largest count has most votes up to rounding and, of equals, the lowest label. An
    object without votes gets -1. The objects are those from ``first`` to ``last - 1``.
    """
    n_labels = len(blank) - 1
    name = keep & ((np.int64(1) << drop) - 1)
    v0, v1, v2, v3 = blank.copy(), blank.copy(), blank.copy(), blank.copy()
    # Four objects at a time: their best counts stay in registers, and an addition need
    # not wait for the one before it. The last few are done several times.
    for start in range(first, last, 4):
        a = np.uint64(start)
        b = np.uint64(min(start + 1, last - 1))
        c = np.uint64(min(start + 2, last - 1))
        d = np.uint64(min(start + 3, last - 1))
        for r in range(n_labels + 1):
            none = blank[np.uint64(r)]
            v0[np.uint64(r)] = none
            v1[np.uint64(r)] = none
            v2[np.uint64(r)] = none
            v3[np.uint64(r)] = none
        b0 = b1 = b2 = b3 = np.int64(0)
        for m in range(len(codes)):
            begin, row = starts[m], codes[m]
            b0 = _cast(v0, ballots[begin + np.uint64(row[a])], name, keep, b0)
            b1 = _cast(v1, ballots[begin + np.uint64(row[b])], name, keep, b1)
            b2 = _cast(v2, ballots[begin + np.uint64(row[c])], name, keep, b2)
            b3 = _cast(v3, ballots[begin + np.uint64(row[d])], name, keep, b3)
        labels[a] = n_labels - (b0 & name) if b0 >> drop > 0 else -1
        labels[b] = n_labels - (b1 & name) if b1 >> drop > 0 else -1
        labels[c] = n_labels - (b2 & name) if b2 >> drop > 0 else -1
        labels[d] = n_labels - (b3 & name) if b3 >> drop > 0 else -1


@njit(cache=True, nogil=True)
def vote_table(codes, starts, target, weights, scale, votes, first, last):
    """Sum the votes of each object for each label, and divide them by ``scale``."""
    n_clusterings = len(codes)
    n_labels = votes.shape[1]
    total = np.empty(n_labels + 1, dtype=np.int64)
    for i in range(first, last):
        total[:] = 0
        for m in range(n_clusterings):
            c = starts[m] + np.uint64(codes[m, i])
            total[target[c]] += weights[c]
        for r in range(n_labels):
            votes[i, r] = total[r] / scale


@njit(cache=True, nogil=True)
def mean_rows(codes, starts, table, weights, means, first, last):
    """Weighted mean, for each object, of the table rows of the clusters it is in.

    Objects whose clusters weigh nothing get a row of zeros.
    """
    n_clusterings = len(codes)
    n_columns = table.shape[1]
    for i in range(first, last):
        total = 0.0
        mean = means[i]
        mean[:] = 0.0
        for m in range(n_clusterings):
            c = starts[m] + np.uint64(codes[m, i])
            w, row = weights[c], table[c]
            total += w
            for r in range(n_columns):
                mean[r] += w * row[r]
        if total > 0:
            for r in range(n_columns):
                mean[r] /= total


# -- distinct rows --------------------------------------------------------------------


@njit(cache=True)
def _hash_rows(codes):
    """One 64-bit hash per object, from codes of shape (n_clusterings, n)."""
    n_clusterings, n = codes.shape
    hashes = np.zeros(n, dtype=np.uint64)
    prime = np.uint64(0x9E3779B97F4A7C15)
    for start in range(0, n, _HASHED):
        stop = min(start + _HASHED, n)
        # Four labels to one multiplication, which is what costs.
        for m in range(0, n_clusterings - 3, 4):
            for i in range(start, stop):
                word = (
                    np.uint64(codes[m, i])
                    ^ (np.uint64(codes[m + 1, i]) << np.uint64(16))
                    ^ (np.uint64(codes[m + 2, i]) << np.uint64(32))
                    ^ (np.uint64(codes[m + 3, i]) << np.uint64(48))
                )
                hashes[i] = (hashes[i] ^ (hashes[i] >> np.uint64(29)) ^ word) * prime
        for m in range(n_clusterings - n_clusterings % 4, n_clusterings):
            for i in range(start, stop):
                hashes[i] = (hashes[i] ^ np.uint64(codes[m, i])) * prime
        # The product mixes upwards only; bring the high bits down.
        for i in range(start, stop):
            hashes[i] ^= hashes[i] >> np.uint64(32)
    return hashes


@njit(cache=True)
def distinct_rows(codes, row_codes):
    """Number the distinct label rows in the order in which they first appear.

    Parameters
    ----------
    codes : ndarray of shape (n_clusterings, n)
        The labels of each clustering, contiguous.

    row_codes : ndarray of shape (n, n_clusterings)
        The same labels, those of each object contiguous.

    Returns
    -------
    first : ndarray of shape (n_distinct,)
        The first object with each row.

    inverse : ndarray of shape (n,)
        The number of the row of each object.
    """
    n, n_clusterings = row_codes.shape
    hashes = _hash_rows(codes)
    # At most half full, so that runs of occupied places stay short.
    n_places = 2
    while n_places < 2 * n:
        n_places *= 2
    mask = np.uint64(n_places - 1)
    # No block has two thousand million objects, and the table is the largest part.
    place_of = np.full(n_places, -1, dtype=np.int32)
    first = np.empty(n, dtype=np.int64)
    inverse = np.empty(n, dtype=np.int64)
    n_distinct = 0
    for i in range(n):
        place = hashes[i] & mask
        while True:
            d = place_of[place]
            if d < 0:
                place_of[place] = n_distinct
                first[n_distinct] = i
                inverse[i] = n_distinct
                n_distinct += 1
                break
            j = first[d]
            if hashes[j] == hashes[i]:
                equal = True
                for m in range(n_clusterings):
                    equal &= row_codes[i, m] == row_codes[j, m]
                if equal:
                    inverse[i] = d
                    break
            place = (place + np.uint64(1)) & mask
    return first[:n_distinct].copy(), inverse
