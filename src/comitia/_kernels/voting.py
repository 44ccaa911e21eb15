"""Votes: the most voted label of each object, and the sums and means of votes.

Objects are independent of each other and vote weights are fixed-point integers, so that
neither the number of threads nor the order of the clusterings can change a result.
Cluster ``code`` of clustering m stands at ``bins[m] + code`` in tables over clusters;
each clustering has one place more than clusters, for the objects it leaves out. Who
does not vote, votes for label ``n_labels`` with weight 0.

Indices are unsigned: numba then has no negative ones to wrap around, which halves the
time of these loops.
"""

import numpy as np

from comitia._kernels._njit import njit

__all__ = ["mean_rows", "plurality", "vote_table"]


@njit(cache=True, nogil=True)
def _cast(votes, ballot, name, keep, best):
    """Count one ballot; the largest count so far."""
    label = ballot & name
    count = votes[np.uint64(label)] + (ballot ^ label)
    votes[np.uint64(label)] = count
    # Counts only grow: the largest ever seen is that of the winner.
    return max(best, count & keep)


@njit(cache=True, nogil=True)
def plurality(codes, bins, ballots, blank, keep, drop, labels, first, last):
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
            begin, row = bins[m], codes[m]
            b0 = _cast(v0, ballots[begin + np.uint64(row[a])], name, keep, b0)
            b1 = _cast(v1, ballots[begin + np.uint64(row[b])], name, keep, b1)
            b2 = _cast(v2, ballots[begin + np.uint64(row[c])], name, keep, b2)
            b3 = _cast(v3, ballots[begin + np.uint64(row[d])], name, keep, b3)
        labels[a] = n_labels - (b0 & name) if b0 >> drop > 0 else -1
        labels[b] = n_labels - (b1 & name) if b1 >> drop > 0 else -1
        labels[c] = n_labels - (b2 & name) if b2 >> drop > 0 else -1
        labels[d] = n_labels - (b3 & name) if b3 >> drop > 0 else -1


@njit(cache=True, nogil=True)
def vote_table(codes, bins, target, weights, scale, votes, first, last):
    """Sum the votes of each object for each label, and divide them by ``scale``."""
    n_clusterings = len(codes)
    n_labels = votes.shape[1]
    total = np.empty(n_labels + 1, dtype=np.int64)
    for i in range(first, last):
        total[:] = 0
        for m in range(n_clusterings):
            c = bins[m] + np.uint64(codes[m, i])
            total[target[c]] += weights[c]
        for r in range(n_labels):
            votes[i, r] = total[r] / scale


@njit(cache=True, nogil=True)
def mean_rows(codes, bins, table, weights, means, first, last):
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
            c = bins[m] + np.uint64(codes[m, i])
            w, row = weights[c], table[c]
            total += w
            for r in range(n_columns):
                mean[r] += w * row[r]
        if total > 0:
            for r in range(n_columns):
                mean[r] /= total
