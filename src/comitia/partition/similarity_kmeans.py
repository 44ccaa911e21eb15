"""K-means-like reassignment by mean similarity."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.exceptions import ComitiaError
from comitia.optimize._ties import is_lower

__all__ = ["mean_similarity_kmeans"]


def mean_similarity_kmeans(
    S: Any,
    n_clusters: int,
    rng: np.random.RandomState,
    *,
    n_init: int = 10,
    max_iter: int = 100,
) -> NDArray[np.int32]:
    r"""Move each object to the cluster it is most similar to, until none moves.

    .. math::
        \ell_i \leftarrow \arg\max_r \;
        \frac{1}{|r \setminus i|} \sum_{j \in r, \, j \ne i} S_{ij} .

    Parameters
    ----------
    S : ndarray of shape (n, n), or anything with ``S @ V`` and ``S.diagonal()``
        Similarities, symmetric.

    n_clusters : int
        Number of clusters.

    rng : RandomState
        Draws the random partitions to start from.

    n_init : int, default=10
        Number of starts; the one whose objects are most similar to their clusters,
        on average, is returned.

    max_iter : int, default=100
        The most sweeps of a start.

    Returns
    -------
    labels : ndarray of shape (n,)
        The cluster of each object. A cluster that loses all its objects gets the one
        that is least similar to its own.

    Examples
    --------
    >>> import numpy as np
    >>> S = np.kron(np.eye(2), np.ones((2, 2)))
    >>> labels = mean_similarity_kmeans(S, 2, np.random.RandomState(0))
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """
    own = np.asarray(S.diagonal(), dtype=np.float64)
    n = len(own)
    if not 1 <= n_clusters <= n:
        raise ComitiaError(f"n_clusters={n_clusters} must be between 1 and {n}.")
    best, best_score = np.zeros(n, dtype=np.int32), -np.inf
    for start in range(n_init):
        # Every cluster starts with an object, so that none starts empty.
        labels = rng.randint(n_clusters, size=n).astype(np.int32)
        labels[rng.permutation(n)[:n_clusters]] = np.arange(n_clusters)
        for _ in range(max_iter):
            means = _mean_similarities(S, own, labels, n_clusters)
            new = means.argmax(axis=1).astype(np.int32)
            # Staying is better than moving to a cluster that is just as similar.
            stay = means[np.arange(n), labels] >= means.max(axis=1)
            new[stay] = labels[stay]
            _refill(new, means, n_clusters)
            if np.array_equal(new, labels):
                break
            labels = new
        means = _mean_similarities(S, own, labels, n_clusters)
        score = float(means[np.arange(n), labels].sum())
        if start == 0 or is_lower(best_score, score):
            best, best_score = labels, score
    return best


def _mean_similarities(
    S: Any,
    own: NDArray[np.float64],
    labels: NDArray[np.int32],
    n_clusters: int,
) -> NDArray[np.float64]:
    """Mean similarity of each object to each cluster, itself left out."""
    rows = np.arange(len(labels))
    chosen = np.zeros((len(labels), n_clusters))
    chosen[rows, labels] = 1.0
    sums = np.asarray(S @ chosen)
    mass = np.tile(chosen.sum(axis=0), (len(labels), 1))
    sums[rows, labels] -= own
    mass[rows, labels] -= 1.0
    # An object alone in its cluster is as similar to it as to itself.
    alone = mass[rows, labels] <= 0
    sums[rows[alone], labels[alone]] = own[alone]
    mass[rows[alone], labels[alone]] = 1.0
    return np.divide(sums, mass, out=np.zeros_like(sums), where=mass > 0)


def _refill(
    labels: NDArray[np.int32], means: NDArray[np.float64], n_clusters: int
) -> None:
    """Give each empty cluster the object that fits its own cluster least."""
    sizes = np.bincount(labels, minlength=n_clusters)
    for r in np.flatnonzero(sizes == 0):
        fit = means[np.arange(len(labels)), labels]
        fit = np.where(sizes[labels] > 1, fit, np.inf)
        i = int(np.argmin(fit))
        sizes[labels[i]] -= 1
        sizes[r] += 1
        labels[i] = r
