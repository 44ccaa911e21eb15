"""Minkowski k-means: centres, dispersions and distances of p-th powers."""

import numpy as np

from comitia._kernels._njit import njit
from comitia._kernels.powers import raise_all

__all__ = ["centers_of_power", "distances_of_power", "sums_of_power"]

# A centre is found when the next step is this small beside the spread of its cluster.
_TOLERANCE = 1e-13


@njit(cache=True, error_model="numpy")
def centers_of_power(columns, members, starts, p):
    """Minkowski centres of clusters that are not empty, for p > 1.

    Feature by feature, and all clusters at once: the powers that their steps need are
    taken together.

    Parameters
    ----------
    columns : ndarray of shape (n_features, n_objects)
        The data, a row for each feature.

    members : ndarray of shape (n_members,)
        Objects, those of one cluster after those of another; sorting them is left to
        NumPy, whose sort takes numba seconds to compile.

    starts : ndarray of shape (n_clusters + 1,)
        Cluster v holds ``members[starts[v]:starts[v + 1]]``.

    p : float
        The exponent.

    Returns
    -------
    centers : ndarray of shape (n_clusters, n_features)
        The minimisers of sum |x - c|^p over c.
    """
    k, n_features = len(starts) - 1, len(columns)
    centers = np.empty((k, n_features))
    values = np.empty(len(members))
    powers, room = np.empty(len(members)), np.empty(len(members))
    for r in range(n_features):
        for i in range(len(members)):
            values[i] = columns[r, members[i]]
        _solve_feature(values, starts, p, powers, room, centers[:, r])
    return centers


@njit(cache=True, error_model="numpy")
def _solve_feature(values, starts, p, powers, room, centers):
    """The centres of all clusters in one feature.

    The derivative rises with c: Newton steps, and halving whenever one leaves the
    interval that holds the root or shrinks it too slowly.
    """
    k = len(starts) - 1
    low, high, width, tolerance = np.empty((4, k))
    n_left, left = 0, np.empty(k, dtype=np.int64)
    for v in range(k):
        own = values[starts[v] : starts[v + 1]]
        low[v], high[v], total = own[0], own[0], 0.0
        for x in own:
            low[v], high[v] = min(low[v], x), max(high[v], x)
            total += x
        centers[v] = total / len(own)
        width[v] = high[v] - low[v]
        rounding = 1e-15 * max(abs(low[v]), abs(high[v]))
        tolerance[v] = _TOLERANCE * width[v] + rounding
        if width[v] > rounding:
            left[n_left] = v
            n_left += 1
    for _ in range(200):
        if n_left == 0:
            break
        _powers_of_distances(values, starts, left[:n_left], centers, p, powers, room)
        start, n_before, n_left = 0, n_left, 0
        for v in left[:n_before]:
            own = values[starts[v] : starts[v + 1]]
            slope, force, curvature = _slopes(own, centers[v], powers[start:])
            start += len(own)
            if slope == 0.0:
                continue
            if slope > 0.0:
                high[v] = centers[v]
            else:
                low[v] = centers[v]
            step = slope / ((p - 1.0) * curvature)
            newton = centers[v] - step
            small = abs(step) <= tolerance[v]
            # Beside an object the curvature is infinite if p < 2, and a small step
            # says nothing: then the slope must be small, too.
            if small and (p > 2.0 or abs(slope) <= 1e-6 * force):
                centers[v] = min(max(newton, low[v]), high[v])
                continue
            # Newton must stay inside, and every other step halve the interval.
            if low[v] < newton < high[v] and abs(step) < 0.5 * width[v] and not small:
                width[v] = abs(step)
                centers[v] = newton
            else:
                width[v] = 0.5 * (high[v] - low[v])
                centers[v] = low[v] + width[v]
            if high[v] - low[v] > tolerance[v]:
                left[n_left] = v
                n_left += 1


@njit(cache=True)
def _powers_of_distances(values, starts, left, centers, p, powers, room):
    """|x - c|^(p - 2) in the clusters that are left, one after the other."""
    n = 0
    for v in left:
        own = values[starts[v] : starts[v + 1]]
        for i in range(len(own)):
            powers[n + i] = abs(centers[v] - own[i])
        n += len(own)
    raise_all(powers[:n], p - 2.0, room)


@njit(cache=True)
def _slopes(own, center, powers):
    """Half of each derivative of sum |x - c|^p, and what pulls at c from both sides."""
    slope, force, curvature = 0.0, 0.0, 0.0
    for i in range(len(own)):
        distance = center - own[i]
        if distance != 0.0:
            pull = powers[i] * distance
            slope += pull
            force += abs(pull)
            curvature += powers[i]
    return slope, force, curvature


@njit(cache=True)
def sums_of_power(columns, members, starts, centers, p):
    """Sum of |x - c|^p over the objects of each cluster, in each feature.

    Parameters
    ----------
    columns, members, starts, p : ndarrays and float
        As for :func:`centers_of_power`, but p may be 1.

    centers : ndarray of shape (n_clusters, n_features)
        The centres.

    Returns
    -------
    sums : ndarray of shape (n_clusters, n_features)
        The dispersions.
    """
    sums = np.zeros(centers.shape)
    powers, room = np.empty(len(members)), np.empty(len(members))
    for r in range(len(columns)):
        for v in range(len(centers)):
            for i in range(starts[v], starts[v + 1]):
                powers[i] = abs(columns[r, members[i]] - centers[v, r])
        raise_all(powers, p, room)
        for v in range(len(centers)):
            for i in range(starts[v], starts[v + 1]):
                sums[v, r] += powers[i]
    return sums


@njit(cache=True)
def distances_of_power(columns, centers, factors, p, which, distances):
    """Sum of f |x - c|^p over the features, for some of the clusters.

    Parameters
    ----------
    columns : ndarray of shape (n_features, n_objects)
        The data, a row for each feature.

    centers, factors : ndarray of shape (n_clusters, n_features)
        The centres, and what counts for how much.

    p : float
        The exponent.

    which : ndarray of int
        Clusters whose row of ``distances`` is written.

    distances : ndarray of shape (n_clusters, n_objects)
        Takes the distances.
    """
    n_features, n = columns.shape
    powers, room = np.empty(n), np.empty(n)
    for v in which:
        distances[v] = 0.0
        for r in range(n_features):
            # A weight of zero is common when p is near 1, and costs nothing then.
            if factors[v, r] == 0.0:
                continue
            for i in range(n):
                powers[i] = abs(columns[r, i] - centers[v, r])
            raise_all(powers, p, room)
            for i in range(n):
                distances[v, i] += factors[v, r] * powers[i]
