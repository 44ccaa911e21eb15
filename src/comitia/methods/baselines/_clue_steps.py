"""The steps of clue: match classes, then average memberships; or go downhill."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array

from comitia.ensemble import Ensemble
from comitia.optimize import project_simplex
from comitia.optimize.ties import first_lowest

__all__ = [
    "Classes",
    "allocate",
    "comembership_step",
    "descend",
    "first_memberships",
    "in_one_pass",
    "match_and_average",
    "matched_only",
    "weighted_rows",
]

Floats = NDArray[np.float64]

# Weight of a column that no class is matched with.
_FREE = 1e-12
# The longest step of the projected gradient of GV3.
_LARGEST_STEP = 1e3


class Classes(NamedTuple):
    """The clusterings as memberships of distinct label rows."""

    # rows, clusters: (n_memberships,), a label row, and a cluster of the ensemble that
    # it is in
    rows: NDArray[np.intp]
    clusters: NDArray[np.intp]
    # (n_memberships,), the membership; 1 in a clustering that is not fuzzy
    values: Floats
    # (n_clusterings + 1,), where the clusters of each clustering begin
    offsets: NDArray[np.intp]
    # (n_micro, n_clusterings), whether the clustering has the label row, as 0 or 1
    seen: Floats
    counts: Floats  # (n_micro,), how many objects have each label row
    weights: Floats  # (n_clusterings,), weights of the clusterings, which sum to 1

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


class FixedPoint(NamedTuple):
    """Where a start ended: memberships, the objective on the way, and why."""

    Q: Floats
    objective: list[float]
    converged: bool


def softened(Q: Floats) -> Floats:
    """Rows without zeros, from which a gradient can go anywhere."""
    return 0.9 * Q + 0.1 / Q.shape[1]


def medians(classes: Classes, columns: NDArray[Any], k: int) -> Floats:
    """Rows of k columns nearest to the matched memberships by absolute differences.

    What memberships have in other columns is as far from any row.
    """
    column = columns[classes.clusters]
    kept = column < k
    values = np.zeros((len(classes.counts), k, len(classes.weights)))
    at = classes.rows[kept], column[kept], classes.clusterings[kept]
    values[at] = classes.values[kept]
    return allocate(values, classes.weights * classes.seen)


def first_memberships(
    classes: Classes,
    order: NDArray[Any],
    k: int,
    n_init: int,
    rng: np.random.RandomState,
) -> list[Floats]:
    """Clusterings, the heaviest first, and then random memberships."""
    u = len(classes.counts)
    given = []
    for m in order[:n_init]:
        block = classes.matrix(m)
        Q = np.zeros((u, max(k, block.shape[1])))
        by_size = np.argsort(-(classes.counts @ block), kind="stable")
        Q[:, : block.shape[1]] = block[:, by_size]
        given.append(softened(even_rows(Q, k)))
    drawn = [rng.dirichlet(np.ones(k), size=u) for _ in range(n_init - len(given))]
    return given + drawn


def descend(
    classes: Classes,
    step: Callable[..., Any],
    Q: Floats,
    k: int,
    max_iter: int,
    tol: float,
) -> FixedPoint:
    """Repeat a step until the objective stops falling."""
    objective: list[float] = []
    state: Any = None
    for _ in range(max_iter + 1):
        new, value, state = step(classes, Q, k, state)
        if objective and value >= objective[-1] * (1.0 - tol):
            return FixedPoint(Q, objective, True)
        Q = new
        objective.append(value)
    return FixedPoint(Q, objective, False)


def match_and_average(
    variant: str, classes: Classes, Q: Floats, k: int, state: Any
) -> tuple[Floats, float, Any]:
    """One turn of SE, HE, SM or HM; there is no state."""
    width = max(k, classes.n_columns)
    padded = np.pad(Q, ((0, 0), (0, width - k)))
    columns = classes.matched(padded)
    power = 2 if variant.endswith("E") else 1
    if variant == "SM":
        Q = medians(classes, columns, k)
    else:
        Q = even_rows(classes.mean(columns, width), k)
    if variant.startswith("H"):
        Q = np.eye(k)[first_lowest(-Q)]
    padded = np.pad(Q, ((0, 0), (0, width - k)))
    return Q, classes.cost(padded, columns, power), None


def matched_only(
    classes: Classes, Q: Floats, k: int, state: Any
) -> tuple[Floats, float, Any]:
    """One turn of GV1; the state is the memberships of each clustering."""
    if state is None:
        state = [classes.matrix(m) for m in range(len(classes.weights))]
    sums, alpha = np.zeros_like(Q), np.zeros(k)
    pairs = []
    for m, overlap in enumerate(classes.overlaps(Q)):
        n = classes.counts * classes.seen[:, m]
        squares = classes.counts @ state[m] ** 2
        rows, columns = linear_sum_assignment(
            squares[:, None] + n @ Q**2 - 2.0 * overlap
        )
        pairs.append((rows, columns))
        w = classes.weights[m]
        sums[:, columns] += w * state[m][:, rows]
        alpha[columns] += w
    means = np.divide(sums, alpha, out=np.zeros_like(sums), where=alpha > 0)
    Q = weighted_rows(means, alpha)
    value = 0.0
    for m, (rows, columns) in enumerate(pairs):
        apart = Q[:, columns] - state[m][:, rows]
        n = classes.counts * classes.seen[:, m]
        value += classes.weights[m] * float(n @ (apart**2).sum(axis=1))
    return Q, value, state


def comembership_step(
    classes: Classes, Q: Floats, k: int, state: Any
) -> tuple[Floats, float, Any]:
    """One step of the projected gradient of GV3; the state has the step's length."""
    mean, length = (
        (_MeanComembership.of(classes), 1.0 / float(classes.counts.sum()))
        if state is None
        else state
    )
    value, gradient = mean.distance(Q)
    for _ in range(60):
        new = project_simplex(Q - length * gradient)
        changed, _ = mean.distance(new)
        moved = float(classes.counts @ ((new - Q) ** 2).sum(axis=1))
        if changed <= value - 1e-4 * moved / max(length, 1e-300) or moved == 0.0:
            return new, changed, (mean, min(2.0 * length, _LARGEST_STEP))
        length /= 2.0
    return Q, value, (mean, length)


class _MeanComembership(NamedTuple):
    """The weighted mean of the co-memberships, as the memberships that make it."""

    B: Any
    weights: Floats
    counts: Floats
    norm: float

    @classmethod
    def of(cls, classes: Classes) -> _MeanComembership:
        B = classes.membership()
        weights = np.repeat(classes.weights, np.diff(classes.offsets))
        shared = (B.T @ B.multiply(classes.counts[:, None])).tocoo()
        norm = weights[shared.row] * weights[shared.col] @ shared.data**2
        return cls(B, weights, classes.counts, float(norm))

    def distance(self, Q: Floats) -> tuple[float, Floats]:
        """Squared distance to Q Q' over all pairs of objects; gradient by object."""
        inner = Q.T @ (self.counts[:, None] * Q)
        overlap = np.asarray(self.B.T @ (self.counts[:, None] * Q))
        common = self.weights @ (overlap**2).sum(axis=1)
        value = float((inner**2).sum() + self.norm - 2.0 * common)
        return value, 4.0 * (Q @ inner - self.B @ (self.weights[:, None] * overlap))


def in_one_pass(classes: Classes, order: NDArray[Any], k: int) -> FixedPoint:
    """DWH: each clustering in turn is matched with the mean of those before it."""
    width = max(k, classes.n_columns)
    first = classes.matrix(order[0])
    by_size = np.argsort(-(classes.counts @ first), kind="stable")
    Q = np.zeros((len(first), width))
    Q[:, : first.shape[1]] = first[:, by_size]
    total = classes.weights[order[0]] * classes.seen[:, order[0]]
    for m in order[1:]:
        block = classes.matrix(m)
        columns = linear_sum_assignment(-(block.T @ (classes.counts[:, None] * Q)))[1]
        placed = np.zeros_like(Q)
        placed[:, columns] = block
        w = classes.weights[m] * classes.seen[:, m]
        total = total + w
        share = np.divide(w, total, out=np.zeros_like(w), where=total > 0)[:, None]
        Q = (1.0 - share) * Q + share * placed
    heavy = np.argsort(-(classes.counts @ Q), kind="stable")
    Q = even_rows(Q[:, heavy], k)
    padded = np.pad(Q, ((0, 0), (0, width - k)))
    value = classes.cost(padded, classes.matched(padded), 2)
    return FixedPoint(Q, [value], True)
