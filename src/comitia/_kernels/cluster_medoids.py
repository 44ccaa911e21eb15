"""Medoids: a greedy start, and swaps that are taken as soon as they pay."""

import numpy as np

from comitia._kernels._njit import njit

__all__ = ["build_medoids", "swap_medoids"]


@njit(cache=True)
def build_medoids(D, weights, n_clusters):
    """Add, one after the other, the object that lowers the cost most.

    ``D[c, i]`` is the dissimilarity of object i to candidate c.
    """
    n = len(D)
    medoids = np.empty(n_clusters, dtype=np.int64)
    taken = np.zeros(n, dtype=np.bool_)
    nearest = np.full(n, np.inf)
    for r in range(n_clusters):
        best, best_cost = -1, np.inf
        for c in range(n):
            if taken[c]:
                continue
            cost = 0.0
            for i in range(n):
                cost += weights[i] * min(nearest[i], D[c, i])
            # Of objects that cost the same but for rounding, the first.
            if best == -1 or cost < best_cost * (1.0 - 1e-12):
                best, best_cost = c, cost
        medoids[r] = best
        taken[best] = True
        for i in range(n):
            nearest[i] = min(nearest[i], D[best, i])
    return medoids


@njit(cache=True)
def swap_medoids(D, weights, medoids, max_iter):
    """FasterPAM: go through the objects, swap each for the medoid it replaces best.

    Returns the medoids, the cost after each pass, and whether a pass found no swap.
    """
    n, k = len(D), len(medoids)
    medoids = medoids.copy()
    is_medoid = np.zeros(n, dtype=np.bool_)
    is_medoid[medoids] = True
    near = np.empty(n, dtype=np.int64)
    first = np.empty(n)
    second = np.empty(n)
    removal = np.empty(k)
    loss = np.empty(k)
    cost = _nearest_two(D, weights, medoids, near, first, second, removal)
    costs = [cost]
    for _ in range(max_iter):
        swapped = False
        for c in range(n):
            if is_medoid[c]:
                continue
            gain = 0.0
            loss[:] = removal
            for i in range(n):
                d = D[c, i]
                if d < first[i]:
                    gain += weights[i] * (d - first[i])
                    loss[near[i]] += weights[i] * (first[i] - second[i])
                elif d < second[i]:
                    loss[near[i]] += weights[i] * (d - second[i])
            r = np.argmin(loss)
            # What rounding could feign is no improvement.
            if loss[r] + gain < -1e-12 * cost:
                is_medoid[medoids[r]] = False
                is_medoid[c] = True
                medoids[r] = c
                cost = _nearest_two(D, weights, medoids, near, first, second, removal)
                swapped = True
        costs.append(cost)
        if not swapped:
            return medoids, costs, True
    return medoids, costs, False


@njit(cache=True)
def _nearest_two(D, weights, medoids, near, first, second, removal):
    """Fill in the two nearest medoids of each object; the cost of the medoids."""
    removal[:] = 0.0
    cost = 0.0
    for i in range(len(near)):
        first[i] = np.inf
        second[i] = np.inf
        near[i] = 0
        for r in range(len(medoids)):
            d = D[medoids[r], i]
            if d < first[i]:
                second[i] = first[i]
                first[i] = d
                near[i] = r
            elif d < second[i]:
                second[i] = d
        removal[near[i]] += weights[i] * (second[i] - first[i])
        cost += weights[i] * first[i]
    return cost
