"""Edges of objects to clusters and their weights: a programme for each object.

``overlaps`` are a matrix of the clusters, symmetric and not negative, in CSR form:
where its rows begin, and the columns and values of what is not zero. A row stays in the
cache while it takes its steps, and takes no more when the largest change is ``still``.
"""

import numpy as np

from comitia._kernels._njit import njit

__all__ = ["closest_rows", "spread_rows", "weigh_rows"]

# Rows of which less is zero are added as a whole, which is faster for each value.
_MOSTLY_ZERO = 0.75


@njit(cache=True, nogil=True)
def weigh_rows(W, S, S0, overlaps, pace, n_steps, still):
    """Replace each row of W by a point in [0, 1] where its programme is stationary.

    That is w' (diag((s - s0)^2) + [A_rt (s_r - s_t)^2]) w - pace 1' w. Between equal
    edges there is nothing, so that the matrix is much sparser than the overlaps.
    """
    indptr, indices, data = overlaps
    K = S.shape[1]
    starts, others = np.empty(K + 1, np.int64), np.empty(len(data), indices.dtype)
    pulls, own, values = np.empty(len(data)), np.empty(K), np.empty(K)
    for i in range(len(S)):
        s, w = S[i], W[i]
        n_pulls, steepest = 0, 0.0
        for r in range(K):
            starts[r] = n_pulls
            own[r] = (s[r] - S0[i, r]) ** 2
            total = own[r]
            for e in range(indptr[r], indptr[r + 1]):
                apart = s[r] - s[indices[e]]
                if apart != 0.0:
                    others[n_pulls] = indices[e]
                    pulls[n_pulls] = data[e] * apart * apart
                    total += pulls[n_pulls]
                    n_pulls += 1
            steepest = max(steepest, total)
        starts[K] = n_pulls
        # The curvature is below the sums of the rows, as all entries are positive.
        rate = 1.0 / max(2.0 * steepest, pace / 2.0)
        for _ in range(n_steps):
            change = 0.0
            for r in range(K):
                slope = own[r] * w[r]
                for e in range(starts[r], starts[r + 1]):
                    slope += pulls[e] * w[others[e]]
                values[r] = min(max(w[r] - rate * (2.0 * slope - pace), 0.0), 1.0)
                change = max(change, abs(values[r] - w[r]))
            w[:] = values
            if change <= still:
                break


@njit(cache=True, nogil=True)
def closest_rows(S, S0, W, A, overlaps, costs, n_steps, still):
    """Replace each row of S by the point in [0, 1] where its programme is lowest.

    That is s' (diag(w^2) + 2 L) s + (costs - 2 w^2 s0)' s, with the Laplacian L of the
    graph with the edges w_r w_t A_rt. A is given twice, and once without its zeros.
    Nesterov's steps go back to plain ones where they turn around.
    """
    K = len(A)
    new, ahead, product = np.empty(K), np.empty(K), np.empty(K)
    linear, curvature, rates = np.empty(K), np.empty(K), np.empty(K)
    for i in range(len(S)):
        s, w = S[i], W[i]
        _product(w, A, overlaps, product)
        for r in range(K):
            square, degree = w[r] * w[r], w[r] * product[r]
            linear[r] = costs[i, r] - 2.0 * square * S0[i, r]
            curvature[r] = 2.0 * square + 4.0 * degree
            # A Laplacian is below twice its degrees, which scale each edge on its own.
            rates[r] = 1.0 / max(curvature[r] + 4.0 * degree, 1e-12)
            ahead[r] = s[r]
        age = 1.0
        for _ in range(n_steps):
            for r in range(K):
                new[r] = 4.0 * w[r] * ahead[r]
            _product(new, A, overlaps, product)
            for r in range(K):
                slope = curvature[r] * ahead[r] - w[r] * product[r] + linear[r]
                new[r] = min(max(ahead[r] - rates[r] * slope, 0.0), 1.0)
            change = turn = 0.0
            for r in range(K):
                if new[r] != ahead[r]:
                    change = max(change, abs(new[r] - ahead[r]))
                    turn += (ahead[r] - new[r]) * (new[r] - s[r])
            if turn > 0.0:
                age = 1.0
            older = (1.0 + np.sqrt(1.0 + 4.0 * age * age)) / 2.0
            momentum = 0.0 if turn > 0.0 else (age - 1.0) / older
            for r in range(K):
                ahead[r] = new[r] + momentum * (new[r] - s[r])
                s[r] = new[r]
            age = older
            if change <= still:
                break


@njit(cache=True, nogil=True)
def _product(values, A, overlaps, out):
    """``values @ A``, where most values and most of A may be zero."""
    indptr, indices, data = overlaps
    out[:] = 0.0
    for r in range(len(values)):
        value, first, last = values[r], indptr[r], indptr[r + 1]
        if value == 0.0:
            continue
        if last - first > (1.0 - _MOSTLY_ZERO) * len(out):
            for t in range(len(out)):
                out[t] += value * A[r, t]
        else:
            for e in range(first, last):
                out[indices[e]] += value * data[e]


@njit(cache=True, nogil=True)
def spread_rows(S, W, counts, overlaps, spread):
    """Add n_i w_ir w_it (s_ir - s_it)^2 over the rows to the pairs that overlap.

    Each pair gets it in one of its two places; ``spread`` has one for each overlap.
    """
    indptr, indices, _ = overlaps
    for i in range(len(S)):
        s, w = S[i], W[i]
        for r in range(len(s)):
            if s[r] == 0.0:
                continue
            weight = counts[i] * w[r]
            for e in range(indptr[r], indptr[r + 1]):
                t = indices[e]
                if t > r or s[t] == 0.0:
                    spread[e] += weight * w[t] * (s[r] - s[t]) ** 2
