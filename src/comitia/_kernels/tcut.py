"""Sums over the objects that the transfer cut needs."""

import numpy as np

from comitia._kernels._njit import njit

__all__ = ["row_norms", "row_totals", "weighted_contingency"]

# Objects in one block: their weights and two of their label vectors stay in cache.
_BLOCK = 1 << 14


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
def weighted_contingency(codes, n_each, offsets, weights, first, step, out):
    """B' diag(weights) B, for every step-th clustering and all later ones.

    Integer weights have integer sums, whatever the order of the objects. One pair of
    clusterings at a time, so that its table of sums stays in cache; the tables hold one
    bin more for missing labels. ``out`` is the (K, K) matrix; both of its triangles are
    written. Threads that start at different clusterings write different entries.
    """
    M, n = codes.shape
    for m in range(first, M, step):
        k = n_each[m]
        # The tables of the pairs (m, m), (m, m + 1), … one behind the other.
        width = 1
        for other in range(m + 1, M):
            width += n_each[other] + 1
        tables = np.zeros((k + 1) * width, weights.dtype)
        for lo in range(0, n, _BLOCK):
            hi = min(lo + _BLOCK, n)
            a = codes[m, lo:hi]
            q = weights[lo:hi]
            for i in range(hi - lo):
                tables[a[i]] += q[i]
            begin = k + 1
            for other in range(m + 1, M):
                columns = n_each[other] + 1
                table = tables[begin : begin + (k + 1) * columns]
                b = codes[other, lo:hi]
                for i in range(hi - lo):
                    table[np.int64(a[i]) * columns + b[i]] += q[i]
                begin += (k + 1) * columns
        for c in range(k):
            out[offsets[m] + c, offsets[m] + c] = tables[c]
        begin = k + 1
        for other in range(m + 1, M):
            columns = n_each[other] + 1
            for c in range(k):
                for d in range(n_each[other]):
                    shared = tables[begin + c * columns + d]
                    out[offsets[m] + c, offsets[other] + d] = shared
                    out[offsets[other] + d, offsets[m] + c] = shared
            begin += (k + 1) * columns


@njit(cache=True, nogil=True)
def row_norms(row_codes, starts, table, out):
    """Length of the sum of each object's table rows."""
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
        out[i] = np.sqrt(square)
