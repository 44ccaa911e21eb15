"""Clusters from the distances of each object to each centre in each feature."""

import numpy as np

from comitia._kernels._njit import njit

__all__ = ["nearest_weighted", "sums_to_own"]


@njit(cache=True)
def nearest_weighted(distances, factors):
    """The centre that is nearest when the features are added up with factors.

    Parameters
    ----------
    distances : ndarray of shape (n_clusters, n_objects, n_features)
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
    k, n, n_features = distances.shape
    labels = np.zeros(n, dtype=np.int64)
    nearest = np.full(n, np.inf)
    for v in range(k):
        for i in range(n):
            total = 0.0
            for r in range(n_features):
                total += factors[v, r] * distances[v, i, r]
            if total < nearest[i]:
                nearest[i] = total
                labels[i] = v
    return labels, nearest


@njit(cache=True)
def sums_to_own(distances, labels):
    """Sum of the distances of the objects of each cluster to its centre.

    Parameters
    ----------
    distances : ndarray of shape (n_clusters, n_objects, n_features)
        Distances in each feature.

    labels : ndarray of shape (n_objects,)
        The cluster of each object.

    Returns
    -------
    sums : ndarray of shape (n_clusters, n_features)
        The dispersions.
    """
    k, n, n_features = distances.shape
    sums = np.zeros((k, n_features))
    for i in range(n):
        v = labels[i]
        for r in range(n_features):
            sums[v, r] += distances[v, i, r]
    return sums
