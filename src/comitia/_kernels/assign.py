"""Nearest centres for data that are stored feature by feature.

Feature-major data (p, n) let the loop over objects run over neighbours in memory, so
that the compiler makes vector instructions of it without reordering any sum: the
result of an object does not depend on the block or the thread it is in.
"""

import numpy as np

from comitia._kernels._njit import njit

__all__ = ["nearest_centers", "spread_centers", "sum_columns"]

# Objects in a block: its scores and a few of its features stay in the first cache.
_BLOCK = 512


@njit(cache=True, nogil=True)
def nearest_centers(columns, centers, penalty, start, stop, labels, best):
    """Centre with the largest x'centre - penalty, and that score; the first of equals.

    ``penalty`` is half the squared length of a centre: then the largest score is the
    least distance.
    """
    p, k = len(columns), len(centers)
    score = np.empty(_BLOCK, columns.dtype)
    top = np.empty(_BLOCK, columns.dtype)
    label = np.empty(_BLOCK, np.int32)
    for lo in range(start, stop, _BLOCK):
        width = min(_BLOCK, stop - lo)
        top[:] = -np.inf
        label[:] = 0
        for c in range(k):
            score[:] = -penalty[c]
            j = 0
            # Four features at a time: the scores are read and written less often.
            while j + 4 <= p:
                a = columns[j, lo : lo + width]
                b = columns[j + 1, lo : lo + width]
                d = columns[j + 2, lo : lo + width]
                e = columns[j + 3, lo : lo + width]
                ca, cb = centers[c, j], centers[c, j + 1]
                cd, ce = centers[c, j + 2], centers[c, j + 3]
                for i in range(width):
                    score[i] += (ca * a[i] + cb * b[i]) + (cd * d[i] + ce * e[i])
                j += 4
            while j < p:
                a = columns[j, lo : lo + width]
                ca = centers[c, j]
                for i in range(width):
                    score[i] += ca * a[i]
                j += 1
            for i in range(width):
                better = score[i] > top[i]
                top[i] = score[i] if better else top[i]
                label[i] = c if better else label[i]
        for i in range(width):
            labels[lo + i] = label[i]
            best[lo + i] = top[i]


@njit(cache=True, nogil=True)
def sum_columns(columns, labels, weights, sums, mass):
    """Weighted sums of the objects of each centre, in the order of the objects."""
    p, n = columns.shape
    for i in range(n):
        mass[labels[i]] += weights[i]
    for j in range(p):
        for i in range(n):
            sums[labels[i], j] += weights[i] * columns[j, i]


@njit(cache=True, nogil=True)
def _squared_distances(columns, i, out):
    out[:] = 0.0
    for j in range(len(columns)):
        column, x = columns[j], columns[j, i]
        for o in range(len(out)):
            out[o] += (column[o] - x) * (column[o] - x)


@njit(cache=True, nogil=True)
def spread_centers(columns, weights, draws, chosen):
    """Choose k-means++ centres; ``draws`` (k, L) has uniform numbers for L candidates.

    Of the candidates for a centre that which leaves the least cost is taken.
    """
    n = columns.shape[1]
    k, n_candidates = draws.shape
    nearest = np.full(n, np.inf, columns.dtype)
    here = np.empty(n, columns.dtype)
    kept = np.empty(n, columns.dtype)
    cumulated = np.empty(n)
    for c in range(k):
        total = 0.0
        for i in range(n):
            # The first centre is drawn by the weights alone.
            total += weights[i] if c == 0 else weights[i] * nearest[i]
            cumulated[i] = total
        least = np.inf
        for t in range(1 if c == 0 else n_candidates):
            i = np.searchsorted(cumulated, draws[c, t] * total, side="right")
            i = min(i, n - 1)
            _squared_distances(columns, i, here)
            cost = 0.0
            for o in range(n):
                here[o] = min(here[o], nearest[o])
                cost += weights[o] * here[o]
            if cost < least:
                least = cost
                chosen[c] = i
                here, kept = kept, here
        nearest, kept = kept, nearest
