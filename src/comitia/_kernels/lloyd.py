"""The passes of k-means over label rows and over points.

A row of labels stands for the sum of the table rows that its labels name, so that a
score is the sum of M contiguous pieces and no row of B, or of an embedding, is ever
stored. Tables have one row more per clustering than it has clusters: a missing label
reads that one.
"""

import numpy as np

from comitia._kernels._njit import njit

__all__ = [
    "nearest_points",
    "nearest_rows",
    "score_rows",
    "sum_labels",
    "sum_points",
    "sum_rows",
]


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
