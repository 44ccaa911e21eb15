"""Graphs of micro-objects that fall into as many parts as there are clusters."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from comitia import sizes
from comitia.optimize.eigenpairs import eigenpairs_beside, smallest_eigenpairs

__all__ = ["PartsOfGraph", "SeenPairs", "join_parts", "weighted_simplex"]

Floats = NDArray[np.float64]

# Sums of eigenvalues of a Laplacian that are 0 but for rounding.
_ZERO, _STILL_ZERO = 1e-9, 1e-11
# Eigenvalues that differ by less than this share of the largest are the same.
_TIED = 1e-9


class PartsOfGraph(NamedTuple):
    """Leading eigenvectors of a graph's Laplacian, and what they say of its parts."""

    # (n_micro, k), of the k smallest eigenvalues, and of those that equal the last of
    # them
    vectors: Floats
    # too_few, too_many: whether the graph has fewer, or more, than k parts
    too_few: bool
    too_many: bool

    @classmethod
    def of(
        cls,
        S: Floats,
        counts: NDArray[np.int64],
        k: int,
        before: PartsOfGraph | None = None,
    ) -> PartsOfGraph:
        """Of a symmetric graph in which each micro-object stands for its objects.

        Where there are too many parts and some ``before`` are given, the vectors are
        those of these.
        """
        root = np.sqrt(counts)
        degrees = S @ counts
        # The largest degree stands for the largest eigenvalue, at most twice as large.
        scale = max(float(degrees.max()), _TIED)
        large = len(S) > sizes.KRYLOV_MATRIX
        if large:
            part = _components(S)
            n_parts = int(part.max()) + 1
            if n_parts > k and before is not None:
                return cls(before.vectors, too_few=False, too_many=True)
        reduced = -S * root[:, None]
        reduced *= root
        reduced[np.diag_indices(len(S))] += degrees
        if large and n_parts <= k:
            known = np.zeros((len(S), n_parts))
            known[np.arange(len(S)), part] = root
            known /= np.linalg.norm(known, axis=0)
            found = eigenpairs_beside(reduced, known, k - n_parts, scale)
            if found is not None:
                values = np.concatenate([np.zeros(n_parts), found[0]])
                vectors = np.hstack([known, found[1]])
                return cls._told(values, vectors / root[:, None], k)
        reduced = (reduced + reduced.T) / 2
        values, vectors = smallest_eigenpairs(reduced, min(k + 1, len(S)))
        if len(values) > k and values[k] - values[k - 1] <= _TIED * scale:
            values, vectors = np.linalg.eigh(reduced)
        last = min(k, len(values))
        while last < len(values) and values[last] - values[last - 1] <= _TIED * scale:
            last += 1
        parts = cls._told(values, vectors[:, :last] / root[:, None], k)
        if parts.too_many and before is not None:
            return parts._replace(vectors=before.vectors)
        return parts

    @classmethod
    def _told(cls, values: Floats, vectors: Floats, k: int) -> PartsOfGraph:
        few = float(values[:k].sum()) > _ZERO
        many = len(values) > k and float(values[: k + 1].sum()) < _STILL_ZERO
        return cls(vectors, few, many)

    def distances(self) -> Floats:
        """Squared distances of the rows of the eigenvectors."""
        squares = (self.vectors**2).sum(axis=1)
        G = self.vectors @ self.vectors.T  # symmetric to the last bit
        for row, own in zip(G, squares, strict=True):
            row *= -2.0
            row += own + squares
            np.maximum(row, 0.0, out=row)
        np.fill_diagonal(G, 0.0)
        return G


def _components(S: Floats) -> NDArray[np.intp]:
    """The part of each object; S is symmetric, and parts share no edge."""
    part = np.full(len(S), -1)
    n_parts, rest = 0, np.arange(len(S))
    while len(rest):
        reached = rest[:1]
        while len(reached):
            part[reached] = n_parts
            rest = rest[part[rest] < 0]
            reached = rest[(S[np.ix_(reached, rest)] > 0).any(axis=0)]
        n_parts += 1
    return part


class SeenPairs:
    """Which pairs of micro-objects each clustering has, where labels are missing.

    What a clustering without one of two objects would say of them is unknown. It is
    taken to say what the others say, so that sums over the clusterings are those over
    the ones that have both, made as large as those over all.

    Parameters
    ----------
    seen : ndarray of bool of shape (n_clusterings, n_micro)
        Which objects each clustering has.
    """

    def __init__(self, seen: NDArray[np.bool_]) -> None:
        self.seen = seen.astype(np.float64)
        self.all_seen = bool(seen.all())

    def complete(self, sums: Floats, weights: Floats) -> Floats:
        """Sums over the clusterings for each pair, (n_micro, n_micro), in place."""
        if not self.all_seen:
            # One array times itself is symmetric to the last bit.
            half = self.seen * np.sqrt(weights / weights.sum())[:, None]
            shares = half.T @ half
            # Where no clustering has both, there is nothing to make larger.
            np.divide(sums, shares, out=sums, where=shares > 0)
        return sums

    def summed(self, values: Floats, weights: Floats) -> Floats:
        """Weighted sums of (n_micro, n_clusterings) values, 0 where one is missing."""
        sums = values @ weights
        return sums if self.all_seen else sums * weights.sum() / (weights @ self.seen)

    def pairs_each(self, counts: NDArray[Any]) -> Floats:
        """Share of all pairs of objects that each clustering has."""
        share: Floats = self.seen @ counts / float(np.sum(counts))
        return share**2


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


def weighted_simplex(V: Floats, counts: NDArray[Any]) -> Floats:
    """Nearest rows that are not negative and whose counted sums are 1.

    Each value of a row stands for as many equal ones as ``counts`` says, which has a
    number for each column, or for each value.
    """
    n = np.broadcast_to(np.asarray(counts, dtype=np.float64), V.shape)
    # The shift by any values of a row is at most that by those which stay positive:
    # values that are not above it are left out, until there are none.
    shift = (np.einsum("ij,ij->i", V, n) - 1.0) / n.sum(axis=1)
    at = np.nonzero(shift[:, None] < V)
    rows, values, weights = at[0], V[at], n[at]
    while True:
        shift = _shift(rows, values, weights)
        above = values > shift[rows]
        if above.all():
            return np.maximum(V - shift[:, None], 0.0)
        rows, values, weights = rows[above], values[above], weights[above]


def _shift(rows: NDArray[np.intp], values: Floats, weights: Floats) -> Floats:
    """What has to go from the values of each row, so that their sum is 1."""
    sums = np.bincount(rows, weights * values) - 1.0
    return np.asarray(sums / np.bincount(rows, weights))
