"""Passes over the data, and over the centres, that the linear indices are made of."""

import numpy as np

from comitia._kernels._njit import njit

__all__ = [
    "center_pairs",
    "center_sums",
    "density_between",
    "nearest_centers",
    "scatter",
]


@njit(cache=True)
def center_sums(X, codes, n_clusters):
    """Sum of the objects of each cluster.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        The data.

    codes : ndarray of shape (n_objects,)
        The cluster of each object.

    n_clusters : int
        Number of clusters.

    Returns
    -------
    sums : ndarray of shape (n_clusters, n_features)
        The sums.
    """
    sums = np.zeros((n_clusters, X.shape[1]))
    for i in range(len(X)):
        c = codes[i]
        for f in range(X.shape[1]):
            sums[c, f] += X[i, f]
    return sums


@njit(cache=True)
def scatter(X, codes, centers):
    """How far the objects lie from the centre of their cluster.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        The data.

    codes : ndarray of shape (n_objects,)
        The cluster of each object.

    centers : ndarray of shape (n_clusters, n_features)
        The centres.

    Returns
    -------
    squares : ndarray of shape (n_clusters, n_features)
        Sum of the squared differences, feature by feature.

    distances, radii : ndarray of shape (n_clusters,)
        Sum of the distances, and the largest of them.
    """
    squares = np.zeros(centers.shape)
    distances = np.zeros(len(centers))
    radii = np.zeros(len(centers))
    for i in range(len(X)):
        c = codes[i]
        total = 0.0
        for f in range(X.shape[1]):
            square = (X[i, f] - centers[c, f]) ** 2
            squares[c, f] += square
            total += square
        distance = np.sqrt(total)
        distances[c] += distance
        radii[c] = max(radii[c], distance)
    return squares, distances, radii


@njit(cache=True)
def nearest_centers(X, codes, centers):
    """Distance of each object to its own centre and to the nearest other one.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        The data.

    codes : ndarray of shape (n_objects,)
        The cluster of each object.

    centers : ndarray of shape (n_clusters, n_features)
        The centres.

    Returns
    -------
    own, other : ndarray of shape (n_objects,)
        The distances; ``other`` is infinite when there is one cluster.
    """
    own = np.empty(len(X))
    other = np.empty(len(X))
    for i in range(len(X)):
        smallest = np.inf
        for c in range(len(centers)):
            total = 0.0
            for f in range(X.shape[1]):
                total += (X[i, f] - centers[c, f]) ** 2
            if c == codes[i]:
                own[i] = np.sqrt(total)
            else:
                smallest = min(smallest, total)
        other[i] = np.sqrt(smallest)
    return own, other


@njit(cache=True)
def center_pairs(centers, spreads):
    """What the indices need to know of the distances between centres.

    Parameters
    ----------
    centers : ndarray of shape (n_clusters, n_features)
        The centres.

    spreads : ndarray of shape (n_clusters,)
        Mean distance of the objects to their centre.

    Returns
    -------
    sums : ndarray of shape (n_clusters,)
        Sum of the distances of each centre to the others.

    similarities : ndarray of shape (n_clusters,)
        Largest ratio of the spreads of two clusters to the distance of their centres.

    smallest, largest, squares : float
        Smallest and largest distance, and the sum of the squared distances of pairs.
    """
    k = len(centers)
    sums = np.zeros(k)
    similarities = np.zeros(k)
    smallest, largest, squares = np.inf, 0.0, 0.0
    for r in range(k):
        for v in range(r + 1, k):
            total = 0.0
            for f in range(centers.shape[1]):
                total += (centers[r, f] - centers[v, f]) ** 2
            distance = np.sqrt(total)
            squares += total
            sums[r] += distance
            sums[v] += distance
            smallest = min(smallest, distance)
            largest = max(largest, distance)
            ratio = np.inf
            if distance > 0.0:
                ratio = (spreads[r] + spreads[v]) / distance
            similarities[r] = max(similarities[r], ratio)
            similarities[v] = max(similarities[v], ratio)
    return sums, similarities, smallest, largest, squares


@njit(cache=True)
def _n_near(X, first, last, point, radius):
    """Number of objects first..last-1 that lie within the radius of a point."""
    count = 0
    for i in range(first, last):
        total = 0.0
        for f in range(X.shape[1]):
            total += (X[i, f] - point[f]) ** 2
        if total <= radius * radius:
            count += 1
    return count


@njit(cache=True)
def density_between(X, starts, centers, radius):
    """Sum over pairs of clusters of the density half way, relative to their centres.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        The data, sorted by cluster.

    starts : ndarray of shape (n_clusters + 1,)
        Where each cluster begins.

    centers : ndarray of shape (n_clusters, n_features)
        The centres.

    radius : float
        Objects within this distance of a point make its density.

    Returns
    -------
    total : float
        The sum over unordered pairs.
    """
    k = len(centers)
    own = np.zeros(k, dtype=np.int64)
    for c in range(k):
        own[c] = _n_near(X, starts[c], starts[c + 1], centers[c], radius)
    total = 0.0
    middle = np.empty(X.shape[1])
    for r in range(k):
        for v in range(r + 1, k):
            for f in range(X.shape[1]):
                middle[f] = 0.5 * (centers[r, f] + centers[v, f])
            half_way = _n_near(X, starts[r], starts[r + 1], middle, radius)
            half_way += _n_near(X, starts[v], starts[v + 1], middle, radius)
            at_r = own[r] + _n_near(X, starts[v], starts[v + 1], centers[r], radius)
            at_v = own[v] + _n_near(X, starts[r], starts[r + 1], centers[v], radius)
            # Counts; where neither centre has an object near, one stands in for none.
            total += half_way / max(at_r, at_v, 1)
    return total
