"""Sweeps over the vertices of a graph in CSR form.

Every random number comes in as an argument, so that the seed is the caller's.
"""

import numpy as np

from comitia._kernels._njit import njit

__all__ = ["core", "listen", "propagate_labels"]


@njit(cache=True, nogil=True)
def core(indptr, indices, k):
    """Which vertices are left when those with fewer than k links go, until none is."""
    n = len(indptr) - 1
    degree = np.empty(n, np.int64)
    inside = np.ones(n, np.bool_)
    stack = np.empty(n, np.int64)
    height = 0
    for i in range(n):
        degree[i] = indptr[i + 1] - indptr[i]
        if degree[i] < k:
            inside[i] = False
            stack[height] = i
            height += 1
    while height > 0:
        height -= 1
        i = stack[height]
        for e in range(indptr[i], indptr[i + 1]):
            j = indices[e]
            degree[j] -= 1
            if inside[j] and degree[j] < k:
                inside[j] = False
                stack[height] = j
                height += 1
    return inside


@njit(cache=True, nogil=True)
def _one_of_heaviest(link, touched, top, draw):
    """The label of most weight among those touched; a draw decides ties."""
    n_best = 0
    for c in touched:
        n_best += link[c] == top
    which = min(int(draw * n_best), n_best - 1)
    for c in touched:
        if link[c] == top:
            if which == 0:
                return c
            which -= 1
    return -1  # never


@njit(cache=True, nogil=True)
def propagate_labels(indptr, indices, data, order, draws, labels):
    """One sweep: each vertex takes the label that weighs most among its neighbours.

    It keeps its own if that is one of the heaviest; ``draws`` decides other ties.
    """
    n = len(labels)
    link = np.zeros(n)
    touched = np.empty(n, np.int64)
    n_changed = 0
    for i in order:
        n_touched, top = 0, 0.0
        for e in range(indptr[i], indptr[i + 1]):
            c = labels[indices[e]]
            if link[c] == 0.0:
                touched[n_touched] = c
                n_touched += 1
            link[c] += data[e]
            top = max(top, link[c])
        if n_touched > 0 and link[labels[i]] < top:
            labels[i] = _one_of_heaviest(link, touched[:n_touched], top, draws[i])
            n_changed += 1
        for t in range(n_touched):
            link[touched[t]] = 0.0
    return n_changed


@njit(cache=True, nogil=True)
def listen(indptr, indices, data, order, draws, ties, memory, lengths):
    """One round of speaking and listening.

    Each neighbour of a listener says a label from its memory, chosen by ``draws`` (one
    for each edge); the listener remembers the one that weighs most.
    """
    n = len(lengths)
    link = np.zeros(n)
    touched = np.empty(n, np.int64)
    for i in order:
        n_touched, top = 0, 0.0
        for e in range(indptr[i], indptr[i + 1]):
            j = indices[e]
            said = memory[j, min(int(draws[e] * lengths[j]), lengths[j] - 1)]
            if link[said] == 0.0:
                touched[n_touched] = said
                n_touched += 1
            link[said] += data[e]
            top = max(top, link[said])
        if n_touched == 0:
            continue
        heard = _one_of_heaviest(link, touched[:n_touched], top, ties[i])
        memory[i, lengths[i]] = heard
        lengths[i] += 1
        for t in range(n_touched):
            link[touched[t]] = 0.0
