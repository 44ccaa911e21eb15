"""Minkowski centres: the point of least summed p-th powers of distances."""

import numpy as np

from comitia._kernels._njit import njit

__all__ = ["center_of_power", "centers_of_power"]


@njit(cache=True)
def center_of_power(values, p):
    """The minimiser of sum |x - c|^p over c, for p > 1.

    The derivative rises with c: Newton steps, and halving whenever one leaves the
    interval that holds the root or shrinks it too slowly.
    """
    low, high = values.min(), values.max()
    c = values.mean()
    width = high - low
    for _ in range(200):
        if high - low <= 1e-15 * max(abs(low), abs(high)):
            break
        slope = 0.0
        curvature = 0.0
        for x in values:
            distance = abs(c - x)
            if distance > 0.0:
                power = distance ** (p - 2.0)
                curvature += power
                slope += power * (c - x)
        if slope == 0.0:
            break
        if slope > 0.0:
            high = c
        else:
            low = c
        step = slope / ((p - 1.0) * curvature)
        newton = c - step
        # Newton must stay inside, and every other step at least halve the interval.
        if low < newton < high and abs(step) < 0.5 * width:
            width = abs(step)
            c = newton
            if abs(step) <= 1e-15 * max(abs(c), high - low):
                break
        else:
            width = 0.5 * (high - low)
            c = low + width
    return c


@njit(cache=True)
def centers_of_power(X, members, starts, p):
    """Minkowski centres of clusters that are not empty, feature by feature.

    Cluster v holds the objects ``members[starts[v]:starts[v + 1]]``; sorting them is
    left to NumPy, whose sort takes numba seconds to compile.
    """
    n_features = X.shape[1]
    centers = np.empty((len(starts) - 1, n_features))
    for v in range(len(starts) - 1):
        mine = members[starts[v] : starts[v + 1]]
        values = np.empty(len(mine))
        for r in range(n_features):
            for position in range(len(mine)):
                values[position] = X[mine[position], r]
            centers[v, r] = center_of_power(values, p)
    return centers
