"""The steps of clue's fixed points: match classes, then average memberships."""

from __future__ import annotations

from typing import NamedTuple

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
    """The clusterings as memberships of distinct label rows.

    Attributes
    ----------
    rows, clusters : ndarray of shape (n_memberships,)
        A label row, and a cluster of the ensemble that it is in.

    values : ndarray of shape (n_memberships,)
        The membership; 1 in a clustering that is not fuzzy.

    offsets : ndarray of shape (n_clusterings + 1,)
        Where the clusters of each clustering begin.

    seen : ndarray of shape (n_micro, n_clusterings)
        Whether the clustering has the label row, as 0 or 1.

    counts : ndarray of shape (n_micro,)
        How many objects have each label row.

    weights : ndarray of shape (n_clusterings,)
        Weights of the clusterings, which sum to 1.
    """

    rows: NDArray[np.intp]
    clusters: NDArray[np.intp]
    values: Floats
    offsets: NDArray[np.intp]
    seen: Floats
    counts: Floats
    weights: Floats

    @classmethod
    def of(cls, micro: Ensemble, counts: NDArray[np.int64], weights: Floats) -> Classes:
        """Of an ensemble of distinct label rows."""
        B = micro.membership.tocoo()
        offsets = np.asarray(micro.offsets, dtype=np.intp)
        rows, clusters = B.row.astype(np.intp), B.col.astype(np.intp)
        seen = np.zeros((B.shape[0], len(weights)))
        seen[rows, np.searchsorted(offsets, clusters, side="right") - 1] = 1.0
        values = B.data.astype(np.float64)
        objects = counts.astype(np.float64)
        return cls(rows, clusters, values, offsets, seen, objects, weights)

    @property
    def clusterings(self) -> NDArray[np.intp]:
        """The clustering of each membership."""
        return np.searchsorted(self.offsets, self.clusters, side="right") - 1

    @property
    def n_columns(self) -> int:
        """Clusters of the finest clustering."""
        return int(np.diff(self.offsets).max())

    def matrix(self, m: int) -> Floats:
        """The memberships of a clustering."""
        one = self.clusterings == m
        low, high = self.offsets[m], self.offsets[m + 1]
        B = np.zeros((len(self.counts), high - low))
        B[self.rows[one], self.clusters[one] - low] = self.values[one]
        return B

    def membership(self) -> csr_array:
        """The memberships of all clusterings, beside each other."""
        shape = (len(self.counts), int(self.offsets[-1]))
        return csr_array((self.values, (self.rows, self.clusters)), shape)

    def overlaps(self, Q: Floats) -> list[Floats]:
        """Inner products of the classes of each clustering with the columns of Q."""
        together = np.asarray(self.membership().T @ (self.counts[:, None] * Q))
        return np.split(together, self.offsets[1:-1])

    def matched(self, Q: Floats) -> NDArray[np.intp]:
        """The column of Q that fits best, for each cluster of the ensemble."""
        columns = [linear_sum_assignment(-overlap)[1] for overlap in self.overlaps(Q)]
        return np.concatenate(columns)

    def mean(self, columns: NDArray[np.intp], n_columns: int) -> Floats:
        """Weighted mean of the memberships, of the clusterings that have the row."""
        weighted = self.values * self.weights[self.clusterings]
        at = self.rows * n_columns + columns[self.clusters]
        sums = np.bincount(at, weighted, minlength=len(self.counts) * n_columns)
        total = np.maximum(self.seen @ self.weights, _FREE)
        return sums.reshape(-1, n_columns) / total[:, None]

    def cost(self, Q: Floats, columns: NDArray[np.intp], power: int) -> float:
        """Weighted sum of squared or absolute differences to Q, over all objects."""
        alone = (self.counts * (self.seen @ self.weights)) @ (Q**power).sum(axis=1)
        there = Q[self.rows, columns[self.clusters]]
        changed = np.abs(there - self.values) ** power - there**power
        weights = self.weights[self.clusterings] * self.counts[self.rows]
        return max(float(alone + weights @ changed), 0.0)


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
