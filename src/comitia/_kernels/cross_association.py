"""Groups of a symmetric 0/1 matrix, one row and its column at a time."""

import math

import numpy as np

from comitia._kernels._njit import njit

__all__ = ["block_cost", "regroup"]


@njit(cache=True)
def block_cost(ones, rows, columns, by_size):
    """Entropy of a block of ``rows`` x ``columns`` cells, times its size if wanted."""
    cells = float(rows * columns)
    if cells == 0.0 or ones <= 0.0 or ones >= cells:
        return 0.0
    p = ones / cells
    bits = -p * math.log2(p) - (1.0 - p) * math.log2(1.0 - p)
    return bits * cells if by_size else bits


@njit(cache=True)
def cost_of(ones, sizes, by_size):
    """Sum of the costs of all blocks."""
    total = 0.0
    for r in range(len(sizes)):
        for s in range(len(sizes)):
            total += block_cost(ones[r, s], sizes[r], sizes[s], by_size)
    return total


@njit(cache=True)
def shift(ones, sizes, links, own, r, step):
    """Move a row and its column into group r (step 1), or out of it (-1)."""
    for s in range(len(sizes)):
        ones[r, s] += step * links[s]
        ones[s, r] += step * links[s]
    ones[r, r] += own if step > 0 else -own
    sizes[r] += step


@njit(cache=True)
def cost_with(ones, sizes, links, own, r, by_size, base):
    """The cost if the row, which is in no group, joined group r."""
    total = base
    k = len(sizes)
    for s in range(k):
        if s == r:
            continue
        before = block_cost(ones[r, s], sizes[r], sizes[s], by_size)
        after = block_cost(ones[r, s] + links[s], sizes[r] + 1, sizes[s], by_size)
        total += 2.0 * (after - before)
    before = block_cost(ones[r, r], sizes[r], sizes[r], by_size)
    more = 2.0 * links[r] + own
    after = block_cost(ones[r, r] + more, sizes[r] + 1, sizes[r] + 1, by_size)
    return total + after - before


@njit(cache=True)
def regroup(matrix, labels, k, by_size, max_iter):
    """Move each row in turn to its cheapest group until none moves.

    Returns the cost before and after each sweep, and whether nothing moves any more.
    ``matrix`` is symmetric, 0 or 1; ``labels`` are changed. No group is emptied.
    """
    n = len(labels)
    sizes = np.zeros(k, dtype=np.int64)
    ones = np.zeros((k, k))
    for i in range(n):
        sizes[labels[i]] += 1
        for j in range(n):
            ones[labels[i], labels[j]] += matrix[i, j]
    costs = np.full(max_iter + 1, np.nan)
    costs[0] = cost_of(ones, sizes, by_size)
    links = np.empty(k)
    for sweep in range(max_iter):
        n_moved = 0
        for i in range(n):
            a = labels[i]
            if sizes[a] == 1:
                continue
            links[:] = 0.0
            for j in range(n):
                links[labels[j]] += matrix[i, j]
            own = float(matrix[i, i])
            links[a] -= own
            shift(ones, sizes, links, own, a, -1)
            base = cost_of(ones, sizes, by_size)
            best = a
            lowest = cost_with(ones, sizes, links, own, a, by_size, base) - 1e-9
            for r in range(k):
                if r != a:
                    cost = cost_with(ones, sizes, links, own, r, by_size, base)
                    if cost < lowest:
                        best, lowest = r, cost
            shift(ones, sizes, links, own, best, 1)
            labels[i] = best
            n_moved += best != a
        costs[sweep + 1] = cost_of(ones, sizes, by_size)
        if n_moved == 0:
            return costs[: sweep + 2], True
    return costs, False
