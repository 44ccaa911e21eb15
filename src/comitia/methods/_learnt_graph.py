"""Graphs of micro-objects that fall into as many parts as there are clusters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

__all__ = ["PartsOfGraph", "join_parts", "weighted_simplex"]

Floats = NDArray[np.float64]

# Sums of eigenvalues of a Laplacian that are 0 but for rounding.
_ZERO, _STILL_ZERO = 1e-9, 1e-11
# Eigenvalues that differ by less than this share of the largest are the same.
_TIED = 1e-9


class PartsOfGraph(NamedTuple):
    """The leading eigenvectors of a graph's Laplacian, and what they say of its parts.

    Attributes
    ----------
    vectors : ndarray of shape (n_micro, k)
        Of the k smallest eigenvalues, and of those that equal the last of them.

    too_few, too_many : bool
        Whether the graph has fewer, or more, than k parts.
    """

    vectors: Floats
    too_few: bool
    too_many: bool

    @classmethod
    def of(cls, S: Floats, counts: NDArray[np.int64], k: int) -> PartsOfGraph:
        """Of a symmetric graph in which each micro-object stands for its objects."""
        root = np.sqrt(counts)
        degrees = S @ counts
        reduced = np.diag(degrees) - S * root[:, None] * root
        values, vectors = np.linalg.eigh((reduced + reduced.T) / 2)
        last = min(k, len(values))
        while last < len(values) and (
            values[last] - values[last - 1] <= _TIED * max(values[-1], _TIED)
        ):
            last += 1
        few = float(values[:k].sum()) > _ZERO
        many = len(values) > k and float(values[: k + 1].sum()) < _STILL_ZERO
        return cls(vectors[:, :last] / root[:, None], few, many)

    def distances(self) -> Floats:
        """Squared distances of the rows of the eigenvectors."""
        squares = (self.vectors**2).sum(axis=1)
        G = squares[:, None] + squares - 2.0 * self.vectors @ self.vectors.T
        np.fill_diagonal(G, 0.0)
        return np.maximum((G + G.T) / 2, 0.0)


def join_parts(
    S: Floats, start: Floats, counts: NDArray[np.int64]
) -> tuple[Floats, int]:
    """Say how far the parts of a learnt graph, which share no edge, are apart.

    Two objects of different parts get the mean of the graph ``start``, with which the
    learning began, between their parts, less one: below everything in a part. Where
    there are more parts than clusters, those that the clusterings join come together.

    Also returned is the number of parts.
    """
    n_parts, part = connected_components((S > 0).astype(np.int8), directed=False)
    shares = np.zeros((len(S), n_parts))
    shares[np.arange(len(S)), part] = counts
    shares /= shares.sum(axis=0)
    between = shares.T @ start @ shares - 1.0
    between = (between + between.T) / 2
    same = part[:, None] == part
    return np.where(same, S, between[np.ix_(part, part)]), int(n_parts)


def weighted_simplex(V: Floats, counts: NDArray[np.int64]) -> Floats:
    """Nearest rows that are not negative and whose counted sums are 1.

    Each value of a row stands for as many equal ones as ``counts`` says, which has a
    number for each column, or for each value.
    """
    order = np.argsort(-V, axis=1, kind="stable")
    sorted_values = np.take_along_axis(V, order, axis=1)
    n = np.broadcast_to(counts.astype(np.float64), V.shape)
    weights = np.take_along_axis(n, order, axis=1)
    # Values that stand for none may come first.
    n_met = np.maximum(np.cumsum(weights, axis=1), np.finfo(np.float64).tiny)
    shift = (np.cumsum(weights * sorted_values, axis=1) - 1.0) / n_met
    # The last place at which the value is still above the shift.
    last = (sorted_values > shift).sum(axis=1, keepdims=True) - 1
    return np.maximum(V - np.take_along_axis(shift, last, axis=1), 0.0)
