"""Rows of the co-association: large clusters by comparing labels, small ones by lists.

A value is a sum over the clusters that hold both objects, in an order that depends on
the clusterings alone. So (i, j) and (j, i) are the same number, for any tiles and any
number of threads.
"""

import numpy as np

from comitia._kernels._njit import njit

__all__ = ["add_matches", "add_on_links", "fill_condensed", "fill_rows", "sums_inside"]


@njit(cache=True)
def add_matches(codes, labels, values, first, out):
    """Add to ``out`` the values of the labels that objects first, first + 1, … have.

    Each label is compared with those of all objects, at full vector width.
    """
    n_clusterings, n_out = codes.shape[0], len(out)
    m = 0
    # Four clusterings in one pass: a sum stays in its register three times out of four.
    while m + 4 <= n_clusterings:
        a, b, c, d = labels[m], labels[m + 1], labels[m + 2], labels[m + 3]
        v_a, v_b, v_c, v_d = values[m], values[m + 1], values[m + 2], values[m + 3]
        A, B = codes[m, first:], codes[m + 1, first:]
        C, D = codes[m + 2, first:], codes[m + 3, first:]
        zero = v_a - v_a
        for j in range(n_out):
            s = out[j]
            s += v_a if A[j] == a else zero
            s += v_b if B[j] == b else zero
            s += v_c if C[j] == c else zero
            s += v_d if D[j] == d else zero
            out[j] = s
        m += 4
    while m < n_clusterings:
        a, v_a, A = labels[m], values[m], codes[m, first:]
        zero = v_a - v_a
        for j in range(n_out):
            out[j] += v_a if A[j] == a else zero
        m += 1


@njit(cache=True, nogil=True)
def add_on_links(indptr, indices, codes, values, out, start, stop):
    """Add the value of the label that both ends of a link have, for rows of a graph."""
    for i in range(start, stop):
        own = codes[i]
        value = values[own]
        for e in range(indptr[i], indptr[i + 1]):
            if codes[indices[e]] == own:
                out[e] += value


@njit(cache=True)
def fill_row(compared, listed, i, since, first, row):
    """Similarities of object i to first, first + 1, …"""
    codes, values = compared
    members, until, weights = listed
    row[:] = 0
    add_matches(codes, codes[:, i], values[:, i], first, row)
    # Unsigned indices need no test for "from the end".
    shift = np.uint32(first)
    for m in range(until.shape[0]):
        value = weights[m, i]
        for p in range(since[m, i], until[m, i]):
            row[members[p] - shift] += value


@njit(cache=True)
def fill_upper(compared, listed, since, n, i, out):
    """The part of row i that a condensed matrix keeps."""
    begin = n * i - i * (i + 1) // 2
    fill_row(compared, listed, i, since, i + 1, out[begin : begin + n - i - 1])


@njit(cache=True, nogil=True)
def fill_condensed(compared, listed, since, n, out, start, stop):
    """The upper triangle, row by row, into a condensed array.

    ``since`` is where, in the list of its cluster, the objects after i begin. The rows
    are those from start to stop - 1 and as many from the end: a long row and a short
    one make equal work for every thread.
    """
    for i in range(start, stop):
        fill_upper(compared, listed, since, n, i, out)
        if i != n - 1 - i:
            fill_upper(compared, listed, since, n, n - 1 - i, out)


@njit(cache=True, nogil=True)
def fill_rows(compared, listed, since, first, out, start, stop):
    """Rows start to stop - 1 of ``out``, which are those of objects first + start, …

    ``since`` is where each list begins.
    """
    for i in range(start, stop):
        fill_row(compared, listed, first + i, since, 0, out[i])


@njit(cache=True)
def sums_inside(A, rows, columns):
    """Sum a matrix over the pairs of objects of each cluster, by their memberships.

    Row by row: the entries of a row that its clusters ask for stay near.

    Parameters
    ----------
    A : ndarray of shape (n_objects, n_objects)
        The matrix.

    rows, columns : tuples of ndarrays
        Starts, places and values of the memberships, by objects and by clusters.

    Returns
    -------
    sums : ndarray of shape (n_clusters,)
        B_c' A B_c for each cluster c.
    """
    of_object, clusters, shares = rows
    of_cluster, members, values = columns
    sums = np.zeros(len(of_cluster) - 1)
    for i in range(len(A)):
        for a in range(of_object[i], of_object[i + 1]):
            c, total = clusters[a], 0.0
            for b in range(of_cluster[c], of_cluster[c + 1]):
                total += A[i, members[b]] * values[b]
            sums[c] += shares[a] * total
    return sums
