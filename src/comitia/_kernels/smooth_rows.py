"""A step of many quadratic programmes on the simplex, one for each row of a graph."""

import numpy as np

from comitia._kernels._njit import njit

__all__ = ["step_rows"]


@njit(cache=True, nogil=True)
def step_rows(now, before, slopes, matrix, linear, counts, rates):
    """Take a step of all rows; the new values are written over those before.

    With the momenta a and c, the point z, the one before it z' and the step s, a row
    becomes the nearest point of the simplex to

        z + a (z - z') - s (Q (z + c (z - z')) - b).

    A row has a value for each micro-object, which counts as often as there are other
    objects, and one for the object itself. The row stays in the cache.

    Parameters
    ----------
    now, before : tuple of ndarray of shape (n, n) and ndarray of shape (n,)
        z and z': values of two objects, and of one with itself.

    slopes : tuple of two ndarray of shape (n, n)
        Products of z and z' with ``matrix``.

    matrix : ndarray of shape (n, n)
        Values of two objects in Q, each row times its count.

    linear : tuple of ndarray of shape (n, n), ndarray of shape (n,) and float
        What each value costs, -b; what Q adds for an object with itself; b for an
        object with itself.

    counts : ndarray of shape (n,)
        How many objects each micro-object stands for, as floats.

    rates : tuple of float
        a, c and s.

    Returns
    -------
    change : float
        The largest change of a value.
    """
    (Z, own), (Z_before, own_before) = now, before
    (G, G_before), (costs, extra, pull) = slopes, linear
    a, c, s = rates
    n = len(Z)
    values, weights = np.empty(n + 1), np.empty(n + 1)
    change = 0.0
    for i in range(n):
        weights[:n] = counts
        weights[i] -= 1.0
        weights[n] = 1.0
        at = own[i] + c * (own[i] - own_before[i])
        at -= Z[i, i] + c * (Z[i, i] - Z_before[i, i])
        share = at / counts[i]
        for j in range(n):
            z, moved = Z[i, j], Z[i, j] - Z_before[i, j]
            slope = G[i, j] + c * (G[i, j] - G_before[i, j])
            slope += share * matrix[i, j] + (z + c * moved) * extra[j]
            values[j] = z + a * moved - s * (slope + costs[i, j])
            if j == i:
                values[n] = own[i] + a * (own[i] - own_before[i])
                values[n] -= s * (slope + at * extra[i] - pull)
        # The shift by any values of a row is at most that by those which stay positive:
        # begun with those that were, values not above it are left out until none are.
        # Fewer are left each time, but for rounding, which can bring the last one back.
        total, mass = values[n] - 1.0, 1.0
        for j in range(n):
            if Z[i, j] > 0.0:
                total += weights[j] * values[j]
                mass += weights[j]
        shift, n_above = total / mass, -1
        while True:
            total, mass, n_left = -1.0, 0.0, 0
            for j in range(n + 1):
                above = values[j] > shift
                weight = weights[j] if above else 0.0
                total += weight * values[j]
                mass += weight
                n_left += above
            if 0 <= n_above <= n_left:
                break
            shift, n_above = total / mass, n_left
        for j in range(n):
            z = max(values[j] - shift, 0.0)
            change = max(change, abs(z - Z[i, j]))
            Z_before[i, j] = z
        z = max(values[n] - shift, 0.0)
        change = max(change, abs(z - own[i]))
        own_before[i] = z
    return change
