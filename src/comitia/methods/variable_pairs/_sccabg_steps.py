"""The steps of SCCABG: weights of edges, edges, and the parts of their graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
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
        inner = X.T @ (counts[:, None] * X)
        inner = (inner + inner.T) / 2
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
        distances = np.maximum(squares - 2.0 * objects @ clusters.T, 0.0) / 2.0
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
    own = (S - S0) ** 2

    def crossed(V: Floats) -> Floats:
        return np.asarray(
            S**2 * (V @ A) - 2.0 * S * ((S * V) @ A) + (S**2 * V) @ A, dtype=float
        )

    # The curvature is below the sums of the rows, as all entries are positive.
    scale = 2.0 * (own + np.maximum(crossed(np.ones_like(S)), 0.0)).max(axis=1)
    steps = 1.0 / np.maximum(scale, pace / 2.0)[:, None]

    def step(V: Floats) -> Floats:
        gradient = 2.0 * (own * V + crossed(V)) - pace
        return np.clip(V - steps * gradient, 0.0, 1.0)

    for _ in range(_MAX_STEPS):
        new = step(W)
        moved = np.abs(new - W).max(initial=0.0)
        W = new
        if moved <= _STILL:
            break
    return W


def closest_edges(S: Floats, S0: Floats, W: Floats, A: Floats, costs: Floats) -> Floats:
    """Edges in [0, 1] of each object, from given ones on.

    Each row has the lowest s' (diag(w^2) + 2 L) s + (costs - 2 w^2 s0)' s, where L is
    the Laplacian of the graph with the edges w_r w_t A_rt.
    """
    squares = W**2
    degrees = W * (W @ A)
    linear = costs - 2.0 * squares * S0
    curvature = 2.0 * squares + 4.0 * degrees
    # A Laplacian is below twice its degrees, which scale each edge on its own.
    steps = 1.0 / np.maximum(curvature + 4.0 * degrees, 1e-12)
    pull = 4.0 * A

    def step(V: Floats) -> Floats:
        gradient = (W * V) @ pull
        gradient *= W
        np.subtract(curvature * V, gradient, out=gradient)
        gradient += linear
        gradient *= steps
        np.subtract(V, gradient, out=gradient)
        return np.clip(gradient, 0.0, 1.0, out=gradient)

    return _accelerated(step, S)


def _accelerated(step: Callable[[Floats], Floats], S: Floats) -> Floats:
    """Nesterov's steps, row by row back to plain ones where they turn around."""
    ahead, age = S, np.ones((len(S), 1))
    for _ in range(_MAX_STEPS):
        new = step(ahead)
        back = ahead - new
        if max(back.max(initial=0.0), -back.min(initial=0.0)) <= _STILL:
            return new
        forward = new - S
        turned = np.einsum("ir,ir->i", back, forward)[:, None] > 0
        age = np.where(turned, 1.0, age)
        older = (1.0 + np.sqrt(1.0 + 4.0 * age**2)) / 2.0
        forward *= np.where(turned, 0.0, (age - 1.0) / older)
        forward += new
        S, ahead, age = new, forward, older
    return S


def spread_of_pairs(S: Floats, W: Floats, counts: NDArray[np.int64]) -> Floats:
    """How differently each two clusters are joined to the objects, weighted."""
    n = counts[:, None]
    square = (W * S**2).T @ (n * W)
    product = (W * S).T @ (n * W * S)
    spread = np.maximum(square + square.T - product - product.T, 0.0)
    np.fill_diagonal(spread, 0.0)
    return np.asarray(spread)


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
