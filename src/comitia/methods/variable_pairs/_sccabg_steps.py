"""The steps of SCCABG: weights of edges, edges, and the parts of their graph."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from comitia.optimize.eigenpairs import smallest_eigenpairs

__all__ = [
    "BipartiteParts",
    "closest_edges",
    "count_parts_of_edges",
    "edge_weights",
    "spread_of_pairs",
]

Floats = NDArray[np.float64]

# A sum of eigenvalues that is whole but for rounding.
_WHOLE = 1e-7
# Eigenvalues that differ by less are the same; those below are 0.
_TIED = 1e-9
# Steps of a projected gradient, and the largest one that ends it.
_MAX_STEPS, _STILL = 500, 1e-9


class BipartiteParts(NamedTuple):
    """What the leading eigenvectors of a graph of objects and clusters say.

    Attributes
    ----------
    distances : ndarray of shape (n_micro, n_clusters_total)
        Squared distances of objects and clusters in the k leading eigenvectors, and in
        those whose eigenvalues equal the last of them.

    too_few, too_many : bool
        Whether the graph has fewer, or more, than k parts.
    """

    distances: Floats
    too_few: bool
    too_many: bool

    @classmethod
    def of(cls, S: Floats, counts: NDArray[np.int64], k: int) -> BipartiteParts:
        """Of edges of objects that stand for several."""
        left = _inverse_roots(S.sum(axis=1))
        right = _inverse_roots(counts @ S)
        X = left[:, None] * S * right
        rooted = np.sqrt(counts)[:, None] * X
        inner = rooted.T @ rooted
        values, vectors = _leading(inner, min(k + 1, len(inner)))
        if len(values) > k and values[k - 1] - values[k] <= _TIED:
            values, vectors = _leading(inner, len(inner))
        last = min(k, len(values))
        while last < len(values) and values[last - 1] - values[last] <= _TIED:
            last += 1
        kept = np.flatnonzero(values[:last] > _TIED)
        V = vectors[:, kept]
        U = (X @ V) / np.sqrt(values[kept])
        objects, clusters = left[:, None] * U, right[:, None] * V
        squares = (objects**2).sum(axis=1)[:, None] + (clusters**2).sum(axis=1)
        distances = objects @ clusters.T
        np.subtract(squares / 2.0, distances, out=distances)
        np.maximum(distances, 0.0, out=distances)
        few = float(values[:k].sum()) < k - _WHOLE
        many = len(values) > k and float(values[: k + 1].sum()) > k + 1 - _WHOLE
        return cls(distances, few, many)


def _leading(S: Floats, n_pairs: int) -> tuple[Floats, Floats]:
    """The largest eigenvalues, all of those that are equal, and their vectors."""
    values, vectors = smallest_eigenpairs(-S, n_pairs)
    return -values, vectors


def edge_weights(S: Floats, S0: Floats, W: Floats, A: Floats, pace: float) -> Floats:
    """Weights in [0, 1] of the edges of each object, from given ones on.

    Each row lowers w' (diag((s - s0)^2) + [A_rt (s_r - s_t)^2]) w - pace 1' w.
    """
    from comitia._kernels.bipartite_edges import weigh_rows

    found = W.copy()
    weigh_rows(found, S, S0, _without_zeros(A), pace, _MAX_STEPS, _STILL)
    return found


def closest_edges(S: Floats, S0: Floats, W: Floats, A: Floats, costs: Floats) -> Floats:
    """Edges in [0, 1] of each object, from given ones on.

    Each row has the lowest s' (diag(w^2) + 2 L) s + (costs - 2 w^2 s0)' s, where L is
    the Laplacian of the graph with the edges w_r w_t A_rt.
    """
    from comitia._kernels.bipartite_edges import closest_rows

    found = S.copy()
    closest_rows(found, S0, W, A, _without_zeros(A), costs, _MAX_STEPS, _STILL)
    return found


def spread_of_pairs(
    S: Floats, W: Floats, counts: NDArray[np.int64], A: Floats
) -> Floats:
    """How differently each two clusters that overlap are joined to the objects."""
    from comitia._kernels.bipartite_edges import spread_rows

    indptr, indices, data = _without_zeros(A)
    spread = np.zeros_like(data)
    spread_rows(S, W, counts, (indptr, indices, data), spread)
    once = csr_array((spread, indices, indptr), shape=A.shape).toarray()
    return np.asarray(once + once.T)


def _without_zeros(A: Floats) -> tuple[Any, Any, Any]:
    """A symmetric matrix in CSR form."""
    kept = csr_array(A)
    return kept.indptr, kept.indices, kept.data


def count_parts_of_edges(S: Floats) -> int:
    """Connected parts of the graph of objects and clusters that have objects."""
    rows, columns = np.nonzero(S > 0)
    n = len(S) + S.shape[1]
    edges = coo_array((np.ones(len(rows)), (rows, len(S) + columns)), shape=(n, n))
    _, part_of = connected_components(edges, directed=False)
    return len(np.unique(part_of[: len(S)]))


def _inverse_roots(degrees: Floats) -> Floats:
    roots = np.sqrt(np.maximum(degrees, 0.0))
    return np.divide(1.0, roots, out=np.zeros_like(roots), where=roots > 0)
