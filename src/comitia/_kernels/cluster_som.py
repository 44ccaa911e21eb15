"""One pass of a self-organising map over the objects."""

from comitia._kernels._njit import njit

__all__ = ["train_pass"]


@njit(cache=True)
def train_pass(X, order, units, pull):
    """Pull the units, in place, towards each object, with the nearest unit as best."""
    k, n_features = units.shape
    for i in order:
        best, shortest = 0, 0.0
        for u in range(k):
            distance = 0.0
            for r in range(n_features):
                distance += (units[u, r] - X[i, r]) ** 2
            if u == 0 or distance < shortest:
                best, shortest = u, distance
        for u in range(k):
            for r in range(n_features):
                units[u, r] += pull[best, u] * (X[i, r] - units[u, r])
