"""Spectral clusterings by a scaled exponential kernel on nearest neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from comitia._steps import check_random_state
from comitia.cluster.clusterer import Clusterer
from comitia.partition import ncut

__all__ = ["ScaledSpectral", "scaled_affinity"]


class ScaledSpectral(Clusterer):
    """Normalised cut of the scaled exponential kernel of nearest neighbours."""

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_neighbors: int = 10,
        width: float = 0.5,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.width = width
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        X = self._read(X)
        rng = check_random_state(self.random_state)
        affinity = scaled_affinity(X, self.n_neighbors, self.width)
        self.labels_ = ncut(affinity, self.n_clusters, rng, n_init=3)
        return self


def scaled_affinity(X: NDArray[Any], n_neighbors: int, width: float) -> csr_array:
    """Normal densities of squared distances, at scales of both ends of a link.

    Each object keeps its nearest; of the two directions of a link the larger counts.
    """
    from sklearn.neighbors import NearestNeighbors

    n = len(X)
    q = min(n_neighbors, n - 1)
    distance, near = NearestNeighbors(n_neighbors=q).fit(X).kneighbors()
    D = distance.astype(np.float64) ** 2
    local = D.mean(axis=1)
    scale = (local[:, None] + local[near] + D) / 3.0
    # A common factor cancels in the cut, and objects that coincide need some scale.
    largest = float(scale.max()) or 1.0
    spread = width * np.maximum(scale / largest, np.finfo(np.float64).eps)
    values = np.exp(-0.5 * (D / largest / spread) ** 2) / spread
    values /= values.max()
    rows = np.repeat(np.arange(n), q)
    graph = csr_array((values.ravel(), (rows, near.ravel())), shape=(n, n))
    return csr_array(graph.maximum(graph.T))
