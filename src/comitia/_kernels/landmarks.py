"""Nearest landmarks of objects, and the cluster that their landmarks vote for.

An object finds its landmarks from coarse to fine: the group of landmarks whose centre
is nearest, the nearest landmark of that group, and then the nearest of those around
that landmark. Coordinates lie feature by feature, so that the loops over landmarks
become vector instructions without any sum being reordered: the result of an object
does not depend on the block or the thread it is in.
"""

import math

import numpy as np

from comitia._kernels._njit import njit
from comitia._kernels.nearest import squares_to

__all__ = ["label_objects", "link_objects", "sum_links"]


@njit(cache=True, nogil=True)
def _nearest_few(columns, i, group, starts, landmarks, around, near, buffer, links, sq):
    """The nearest landmarks of object i, nearest first, and their squared distances.

    Of two that are equally near the one that is looked at first comes first.
    """
    first, last = starts[group], starts[group + 1]
    squares_to(columns, i, landmarks, first, last, buffer)
    best = 0
    for t in range(1, last - first):
        if buffer[t] < buffer[best]:
            best = t
    best += first
    width = around.shape[1]
    squares_to(columns, i, near[best], 0, width, buffer)
    K = len(links)
    worst, found = np.inf, 0
    for t in range(width):
        here = buffer[t]
        if found == K and here >= worst:
            continue
        place = found if found < K else K - 1
        while place > 0 and sq[place - 1] > here:
            sq[place] = sq[place - 1]
            links[place] = links[place - 1]
            place -= 1
        sq[place] = here
        links[place] = around[best, t]
        found = min(found + 1, K)
        worst = sq[found - 1]


@njit(cache=True, nogil=True)
def link_objects(
    columns, groups, starts, landmarks, around, near, start, stop, links, squares
):
    """The nearest landmarks of the objects start..stop - 1, and squared distances."""
    buffer = np.empty(max(landmarks.shape[1], around.shape[1]), columns.dtype)
    for i in range(start, stop):
        _nearest_few(
            columns,
            i,
            groups[i],
            starts,
            landmarks,
            around,
            near,
            buffer,
            links[i],
            squares[i],
        )


@njit(cache=True, nogil=True)
def sum_links(links, affinities, totals, shared, mass):
    """B' D^-1 B and the column sums of B, in the order of the objects."""
    n, K = links.shape
    for i in range(n):
        for a in range(K):
            j, b = links[i, a], affinities[i, a]
            mass[j] += b
            if totals[i] > 0.0:
                share = b / totals[i]
                for c in range(K):
                    shared[j, links[i, c]] += share * affinities[i, c]


@njit(cache=True, nogil=True)
def label_objects(
    columns,
    groups,
    starts,
    landmarks,
    around,
    near,
    gamma,
    table,
    scores,
    penalty,
    n_links,
    start,
    stop,
    labels,
):
    """The cluster of each object: that of the nearest centre to its point.

    The point is the mean of the rows of ``table`` that belong to its landmarks, by
    their affinities, and scaled to unit length; ``scores`` is the table times the
    centres, ``penalty`` half their squared lengths.
    """
    q, k = table.shape[1], scores.shape[1]
    buffer = np.empty(max(landmarks.shape[1], around.shape[1]), columns.dtype)
    links = np.empty(n_links, around.dtype)
    squares = np.empty(n_links, columns.dtype)
    point, score = np.empty(q), np.empty(k)
    for i in range(start, stop):
        _nearest_few(
            columns,
            i,
            groups[i],
            starts,
            landmarks,
            around,
            near,
            buffer,
            links,
            squares,
        )
        point[:] = 0.0
        score[:] = 0.0
        for a in range(n_links):
            # Relative to the nearest: what is far from all landmarks has a share too.
            share = math.exp(gamma * (np.float64(squares[0]) - squares[a]))
            row, line = table[links[a]], scores[links[a]]
            for r in range(q):
                point[r] += share * row[r]
            for r in range(k):
                score[r] += share * line[r]
        length = 0.0
        for r in range(q):
            length += point[r] * point[r]
        scale = 1.0 / math.sqrt(length) if length > 0.0 else 0.0
        label, top = 0, scale * score[0] - penalty[0]
        for r in range(1, k):
            here = scale * score[r] - penalty[r]
            if here > top:
                label, top = r, here
        labels[i] = label
