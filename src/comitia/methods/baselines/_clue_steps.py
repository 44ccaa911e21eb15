"""The steps of clue's fixed points: match classes, then average memberships."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array

from comitia.ensemble import Ensemble

__all__ = ["Classes", "allocate", "even_rows", "weighted_rows"]

Floats = NDArray[np.float64]

# Weight of a column that no class is matched with.
_FREE = 1e-12


class Classes(NamedTuple):
    """The clusterings as membership matrices of distinct label rows.

    Attributes
    ----------
    blocks : list of csr_array of shape (n_micro, n_clusters of the clustering)
        Memberships of each clustering.

    seen : list of ndarray of shape (n_micro,)
        Whether the clustering has a label row.

    counts : ndarray of shape (n_micro,)
        How many objects have each label row.

    weights : ndarray of shape (n_clusterings,)
        Weights of the clusterings, which sum to 1.
    """

    blocks: list[Any]
    seen: list[Floats]
    counts: Floats
    weights: Floats

    @classmethod
    def of(cls, micro: Ensemble, counts: NDArray[np.int64], weights: Floats) -> Classes:
        """Of an ensemble of distinct label rows."""
        B = micro.membership.tocsc()
        ends = zip(micro.offsets[:-1], micro.offsets[1:], strict=True)
        blocks = [csr_array(B[:, lo:hi]) for lo, hi in ends]
        seen = [np.asarray(block.sum(axis=1)).ravel() > 0 for block in blocks]
        return cls(
            blocks,
            [s.astype(np.float64) for s in seen],
            counts.astype(np.float64),
            weights,
        )

    @property
    def n_columns(self) -> int:
        """Clusters of the finest clustering."""
        return max(block.shape[1] for block in self.blocks)

    def overlap(self, m: int, Q: Floats) -> Floats:
        """Inner products of the classes of a clustering with the columns of Q."""
        return np.asarray(self.blocks[m].T @ (self.counts[:, None] * Q))

    def placed(self, m: int, columns: NDArray[Any], n_columns: int) -> csr_array:
        """The memberships of a clustering, its classes in these columns."""
        block = self.blocks[m]
        shape = (block.shape[0], n_columns)
        return csr_array((block.data, columns[block.indices], block.indptr), shape)

    def matched(self, Q: Floats) -> list[csr_array]:
        """All clusterings, their classes in the columns of Q that fit best."""
        found = []
        for m in range(len(self.blocks)):
            rows, columns = linear_sum_assignment(-self.overlap(m, Q))
            place = np.empty(self.blocks[m].shape[1], dtype=np.int64)
            place[rows] = columns
            found.append(self.placed(m, place, Q.shape[1]))
        return found

    def mean(self, placed: list[csr_array]) -> Floats:
        """Weighted mean of the memberships, of the clusterings that have the row."""
        sums = np.zeros(placed[0].shape)
        total = np.zeros(len(self.counts))
        for w, one, seen in zip(self.weights, placed, self.seen, strict=True):
            sums += w * one.toarray()
            total += w * seen
        return sums / np.maximum(total, _FREE)[:, None]

    def cost(self, Q: Floats, placed: list[csr_array], power: int) -> float:
        """Weighted sum of squared or absolute differences to Q, over all objects."""
        total = 0.0
        for w, one, seen in zip(self.weights, placed, self.seen, strict=True):
            apart = np.abs(Q - one.toarray()) ** power
            total += w * float((self.counts * seen) @ apart.sum(axis=1))
        return total


def even_rows(Q: Floats, n_columns: int) -> Floats:
    """The first columns, with the mass that rows lose spread evenly among them."""
    if Q.shape[1] == n_columns:
        return Q
    kept = Q[:, :n_columns]
    kept = np.maximum(kept + (1.0 - kept.sum(axis=1, keepdims=True)) / n_columns, 0.0)
    return np.asarray(kept / kept.sum(axis=1, keepdims=True))


def weighted_rows(V: Floats, weights: Floats) -> Floats:
    """Nearest rows of the simplex where columns count by their weights.

    The rows are max(V - theta / weights, 0) with the theta that makes their sums 1.
    """
    w = np.maximum(weights, _FREE)
    knots = V * w
    order = np.argsort(-knots, axis=1, kind="stable")
    values = np.take_along_axis(V, order, axis=1)
    inverse = (1.0 / w)[order]
    theta = (np.cumsum(values, axis=1) - 1.0) / np.cumsum(inverse, axis=1)
    inside = np.take_along_axis(knots, order, axis=1) > theta
    last = np.maximum(inside.sum(axis=1, keepdims=True) - 1, 0)
    return np.maximum(V - np.take_along_axis(theta, last, axis=1) / w, 0.0)


def allocate(values: Floats, weights: Floats) -> Floats:
    """Rows of the simplex nearest to several, by the weighted sum of differences.

    ``values`` has shape (n_rows, n_columns, n_clusterings), ``weights`` (n_rows,
    n_clusterings). The cost of a column is piecewise linear and convex, so that the
    mass of a row goes where the slope is lowest.
    """
    n, k, M = values.shape
    order = np.argsort(values, axis=2, kind="stable")
    ends = np.take_along_axis(values, order, axis=2)
    w = np.take_along_axis(np.broadcast_to(weights[:, None], values.shape), order, 2)
    passed = np.cumsum(w, axis=2)
    total = passed[:, :, -1:]
    starts = np.concatenate([np.zeros((n, k, 1)), ends], axis=2)
    stops = np.concatenate([ends, np.ones((n, k, 1))], axis=2)
    below = np.concatenate([np.zeros((n, k, 1)), passed], axis=2)
    lengths = np.maximum(stops - starts, 0.0).reshape(n, -1)
    slopes = (2.0 * below - total).reshape(n, -1)
    by_slope = np.argsort(np.round(slopes, 12), axis=1, kind="stable")
    sorted_lengths = np.take_along_axis(lengths, by_slope, axis=1)
    before = np.cumsum(sorted_lengths, axis=1) - sorted_lengths
    taken = np.clip(1.0 - before, 0.0, sorted_lengths)
    spent = np.empty_like(taken)
    np.put_along_axis(spent, by_slope, taken, axis=1)
    return np.asarray(spent.reshape(n, k, M + 1).sum(axis=2))
