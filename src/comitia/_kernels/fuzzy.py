"""Distances to centres, and one round of fuzzy c-means in one pass over the data."""

import numpy as np

from comitia._kernels._njit import njit

__all__ = ["fuzzy_pass", "squared_distances"]


# Vector instructions add in an order of their own; an object at a centre is still at
# distance zero.
@njit(cache=True, fastmath={"reassoc"})
def squared_distance(x, c):
    """Sum of the squared differences of two points."""
    total = 0.0
    for j in range(len(x)):
        difference = x[j] - c[j]
        total += difference * difference
    return total


@njit(cache=True)
def squared_distances(X, centers):
    """Squared Euclidean distance of each object to each centre."""
    n, k = len(X), len(centers)
    out = np.empty((n, k))
    for i in range(n):
        for r in range(k):
            out[i, r] = squared_distance(X[i], centers[r])
    return out


@njit(cache=True)
def fill_memberships(distance, fuzziness, out):
    """Best memberships of one object for its squared distances."""
    nearest = distance[0]
    for value in distance[1:]:
        nearest = min(nearest, value)
    total = 0.0
    for r in range(len(distance)):
        if nearest == 0.0:
            out[r] = 1.0 if distance[r] == 0.0 else 0.0
        else:
            out[r] = nearest / distance[r]
            if fuzziness != 2.0:
                out[r] **= 1.0 / (fuzziness - 1.0)
        total += out[r]
    for r in range(len(distance)):
        out[r] /= total


@njit(cache=True)
def fuzzy_pass(X, centers, weights, fuzziness, F, sums, mass):
    """Best memberships for centres, and the sums that the next centres are made of.

    Fills the memberships ``F`` (n, k), the sums (k, p) of the objects and the masses
    (k,); returns the objective and the largest change of a membership.
    """
    k = len(centers)
    distance = np.empty(k)
    own = np.empty(k)
    sums[:] = 0.0
    mass[:] = 0.0
    objective = 0.0
    change = 0.0
    for i in range(len(X)):
        for r in range(k):
            distance[r] = squared_distance(X[i], centers[r])
        fill_memberships(distance, fuzziness, own)
        for r in range(k):
            change = max(change, abs(own[r] - F[i, r]))
            F[i, r] = own[r]
            power = own[r] * own[r] if fuzziness == 2.0 else own[r] ** fuzziness
            power *= weights[i]
            objective += power * distance[r]
            mass[r] += power
            for j in range(X.shape[1]):
                sums[r, j] += power * X[i, j]
    return objective, change
