"""The transfer cut of any matrix of edges between objects and clusters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from comitia.config import require_memory
from comitia.exceptions import ComitiaError
from comitia.optimize.eigenpairs import largest_eigenpairs
from comitia.partition.k_means import kmeans

__all__ = ["matrix_cut"]

# The authors' floor for the degrees of objects and the lengths of their rows.
_FLOOR = 1e-10


def matrix_cut(
    edges: NDArray[np.float64],
    n_clusters: int,
    rng: np.random.RandomState,
    *,
    counts: NDArray[np.int64] | None = None,
    n_init: int = 3,
) -> NDArray[np.int32]:
    """Cut a graph of objects and clusters that is given as a dense matrix.

    As :func:`comitia.partition.tcut`, whose graphs have one weight for all edges of a
    cluster. Here each edge has its own.

    Parameters
    ----------
    edges : ndarray of shape (n_objects, n_clusters of the ensemble)
        Weights of the edges, not negative.

    n_clusters : int
        Number of parts, at most the number of clusters that have edges.

    rng : RandomState
        Draws the starts of k-means.

    counts : ndarray of shape (n_objects,), default=None
        How many equal objects each row stands for; 1 by default.

    n_init : int, default=3
        Number of starts.

    Returns
    -------
    labels : ndarray of shape (n_objects,)
        The part of each object; no more parts than objects.

    Examples
    --------
    >>> import numpy as np
    >>> edges = np.array([[1.0, 0.1], [0.9, 0.0], [0.0, 1.0], [0.2, 0.8]])
    >>> labels = matrix_cut(edges, 2, np.random.RandomState(0))
    >>> (labels == labels[0]).tolist()
    [True, True, False, False]
    """
    n, K = edges.shape
    require_memory(8 * (3 * K * K + n * K), f"the cut of a graph of {K} clusters")
    ones = np.ones(n, dtype=np.int64)
    counts = ones if counts is None else counts
    degrees = np.maximum(edges.sum(axis=1), _FLOOR)
    within = edges.T @ (edges * (counts / degrees)[:, None])
    totals = within.sum(axis=1)
    used = np.flatnonzero(totals > 0)
    if n_clusters > len(used):
        raise ComitiaError(
            f"n_clusters={n_clusters} is larger than the number of clusters that have "
            f"edges; give at most {len(used)}."
        )
    # Rows that are equal cannot be cut apart.
    n_clusters = min(n_clusters, n)
    root = np.sqrt(totals[used])
    normalized = within[np.ix_(used, used)] / root[:, None] / root
    # BLAS does not promise a symmetric product.
    normalized = (normalized + normalized.T) / 2
    _, vectors = largest_eigenpairs(normalized, n_clusters, ties=True)
    points = (edges[:, used] / degrees[:, None]) @ (vectors / root[:, None])
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    points /= np.maximum(lengths, _FLOOR)
    return kmeans(
        points, n_clusters, rng, sample_weight=counts, n_init=n_init, max_iter=100
    ).labels
