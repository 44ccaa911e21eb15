"""Clusters from the distances of each object to each centre in each feature."""

import numpy as np

from comitia._kernels._njit import njit
from comitia._kernels.powers import exp2_all

__all__ = ["gaussian_distances", "nearest_weighted", "sums_to_own"]

# Distances are multiples of this: of copies of an object the centre is off by rounding.
_UNIT = 2.0**-40

# The exponential of -x^2 / 2 is two to the power of minus the square of this times x.
_FACTOR = 0.5**0.5 / np.log(2.0) ** 0.5


@njit(cache=True)
def gaussian_distances(columns, centers, widths, which, distances):
    """2 (1 - exp(-(x - c)^2 / 2 s^2)) for each object and centre, in each feature.

    Parameters
    ----------
    columns : ndarray of shape (n_features, n_objects)
        The data, a row for each feature.

    centers : ndarray of shape (n_clusters, n_features)
        The centres.

    widths : ndarray of shape (n_features,)
        The width s of the kernel in each feature.

    which : ndarray of int
        Clusters whose distances are written.

    distances : ndarray of shape (n_clusters, n_features, n_objects)
        Takes the distances.
    """
    n_features, n = columns.shape
    logs = np.empty(n)
    for v in which:
        for r in range(n_features):
            own, center, factor = distances[v, r], centers[v, r], _FACTOR / widths[r]
            for i in range(n):
                apart = factor * (columns[r, i] - center)
                logs[i] = -apart * apart
            exp2_all(logs, own)
            for i in range(n):
                own[i] = _UNIT * np.floor((1.0 - own[i]) * (2.0 / _UNIT) + 0.5)


@njit(cache=True)
def nearest_weighted(distances, factors):
    """The centre that is nearest when the features are added up with factors.

    Parameters
    ----------
    distances : ndarray of shape (n_clusters, n_features, n_objects)
        Distances in each feature.

    factors : ndarray of shape (n_clusters, n_features)
        What a feature counts in a cluster.

    Returns
    -------
    labels : ndarray of shape (n_objects,)
        The nearest centre; the first of equals.

    nearest : ndarray of shape (n_objects,)
        How far it is.
    """
    k, n_features, n = distances.shape
    labels = np.zeros(n, dtype=np.int64)
    nearest, total = np.full(n, np.inf), np.empty(n)
    for v in range(k):
        total[:] = 0.0
        for r in range(n_features):
            for i in range(n):
                total[i] += factors[v, r] * distances[v, r, i]
        for i in range(n):
            if total[i] < nearest[i]:
                nearest[i] = total[i]
                labels[i] = v
    return labels, nearest


@njit(cache=True)
def sums_to_own(distances, labels):
    """Sum of the distances of the objects of each cluster to its centre.

    Parameters
    ----------
    distances : ndarray of shape (n_clusters, n_features, n_objects)
        Distances in each feature.

    labels : ndarray of shape (n_objects,)
        The cluster of each object.

    Returns
    -------
    sums : ndarray of shape (n_clusters, n_features)
        The dispersions.
    """
    k, n_features, n = distances.shape
    sums = np.zeros((k, n_features))
    for r in range(n_features):
        for i in range(n):
            v = labels[i]
            sums[v, r] += distances[v, r, i]
    return sums
