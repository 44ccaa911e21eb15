"""Steps along the edges of a layer, and the neighbours that its edges join."""

import numpy as np

from comitia._kernels._njit import njit

__all__ = ["nearest_rows", "walk_rows"]


@njit(cache=True, nogil=True)
def walk_rows(now, source, walk, scale, continuation, home, carried, new, carry):
    """Take a step in one of many layers, and add what it carries to the others.

    With what is carried, c, the sum of d t over all layers, row i of t becomes

        a ((W source)_i + d_i (c_i - d_i t_i)) + home_i.

    Edges are taken by twos, so that the sums are read and written half as often.

    Parameters
    ----------
    now, source : ndarray of shape (n, k) and ndarray of shape (n_sources, k)
        t, and what the edges lead to.

    walk : tuple of ndarray
        W in CSR form: where its rows begin, and the columns and values of its edges.

    scale, continuation, home : ndarray of shape (n,), float and ndarray of shape (n, k)
        d, a, and what each row returns to.

    carried : ndarray of shape (n, k)
        c.

    new, carry : ndarray of shape (n, k)
        New rows are written into the one, and what they carry is added to the other.
    """
    indptr, indices, data = walk
    k = new.shape[1]
    for i in range(len(new)):
        row, first, last = new[i], indptr[i], indptr[i + 1]
        across = continuation * scale[i]
        for c in range(k):
            row[c] = across * (carried[i, c] - scale[i] * now[i, c]) + home[i, c]
        for e in range(first, last - 1, 2):
            left, right = source[indices[e]], source[indices[e + 1]]
            a, b = continuation * data[e], continuation * data[e + 1]
            for c in range(k):
                row[c] += a * left[c] + b * right[c]
        if (last - first) % 2 == 1:
            left, a = source[indices[last - 1]], continuation * data[last - 1]
            for c in range(k):
                row[c] += a * left[c]
        for c in range(k):
            carry[i, c] += scale[i] * row[c]


@njit(cache=True, nogil=True)
def nearest_rows(columns, counts, wanted, same, start, stop, ends, neighbors, cosines):
    """Find the rows of unit length that are nearest to some of them, and themselves.

    All count that are as near as the last one wanted, and none at a right angle.

    Parameters
    ----------
    columns : ndarray of shape (k, n)
        The rows, column by column, so that all cosines of a row are summed alike.

    counts : ndarray of shape (n,)
        How many objects each row stands for, which are neighbours of each other.

    wanted : int
        Number of neighbours, which there are.

    same : float
        Cosines that differ by less are the same.

    start, stop : int
        The rows whose neighbours are looked for.

    ends, neighbors, cosines : ndarray
        Are written: how many there are, up to each row, which, and how near.
    """
    k, n = columns.shape
    near = np.empty(n)
    best, masses = np.empty(wanted + 2), np.empty(wanted + 2, np.int64)
    n_found = 0
    for i in range(start, stop):
        near[:] = 0.0
        for c in range(k):
            x = columns[c, i]
            for j in range(n):
                near[j] += x * columns[c, j]
        for j in range(n):
            near[j] = min(max(near[j], 0.0), 1.0)
        near[i] = 1.0
        # The best so far, in order, as long as those before the last are too few.
        n_best, total = 0, 0
        for j in range(n):
            if total >= wanted and near[j] <= best[n_best - 1]:
                continue
            place = n_best
            while place > 0 and best[place - 1] < near[j]:
                best[place], masses[place] = best[place - 1], masses[place - 1]
                place -= 1
            best[place], masses[place] = near[j], counts[j] - (i == j)
            total += masses[place]
            n_best += 1
            while total - masses[n_best - 1] >= wanted:
                n_best -= 1
                total -= masses[n_best]
        border = best[n_best - 1] - same
        for j in range(n):
            if near[j] >= border and near[j] > 0.0:
                neighbors[n_found], cosines[n_found] = j, near[j]
                n_found += 1
        ends[i - start] = n_found
