"""Lloyd's algorithm, once, for every k-means of this package.

A *rule* turns the sums of the clusters into centres; rows of any kind (labels, sparse,
points) find the nearest. The distance of a row to a centre falls with its score
``row @ table - penalty``, for squared, Kullback-Leibler and matching distances alike.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from comitia.partition._rows import Rows

__all__ = ["Centres", "Entropy", "Matches", "Partition", "Rule", "Squared", "lloyd"]

Floats = NDArray[np.float64]

# Starts are tried on this many rows when there are many more.
_SAMPLE = 20_000

# A start on a sample need not be polished: the passes over all rows do that.
_SAMPLE_ITER = 30

# Squared distances below this share of the squared length are rounding errors.
_NOTHING = 1e-13

# Objectives that differ by less than this share are equal.
_SAME = 1e-9

# The authors of KCC add it inside the logarithm.
_EPSILON = float(np.finfo(np.float64).eps)


class Centres(NamedTuple):
    """Centres as a score table, and what the clusters they belong to cost."""

    table: Floats  # (p, k)
    penalty: Floats  # (k,)
    absent: Floats | None  # (M, k): what each clustering brings to the penalty
    objective: float


class Partition(NamedTuple):
    """What Lloyd's algorithm found."""

    labels: NDArray[np.int32]
    centres: Centres
    objective: Floats  # one value per iteration
    converged: bool


class Rule(Protocol):
    """How sums become centres, and what a row costs."""

    @property
    def squares(self) -> Floats:
        """Squared length of each row."""

    @property
    def metric(self) -> Callable[[Floats], Floats]:
        """Takes centres (k, p) to their score table (p, k)."""

    def centres(self, sums: Floats, mass: Floats) -> Centres:
        """The centres of clusters with these sums and masses."""

    def costs(self, best: Floats) -> Floats:
        """What each row costs, from its best score."""

    def take(self, which: NDArray[np.int64], weights: Floats) -> Rule:
        """The rule for some of the rows, with new weights."""


class Squared:
    """Squared distance in the metric G: centres are means.

    Parameters
    ----------
    metric : callable
        Takes centres (k, p) to their score table G C', (p, k).

    squares : ndarray of shape (n,)
        Squared length of each row.

    weights : ndarray of shape (n,)
        Weight of each row.

    blocks : ndarray of int, default=None
        Where the columns of each clustering begin. With masses by clustering, means
        and distances are over the objects that have a label there.
    """

    def __init__(
        self,
        metric: Callable[[Floats], Floats],
        squares: Floats,
        weights: Floats,
        blocks: NDArray[np.int64] | None = None,
    ) -> None:
        self.metric = metric
        self.squares = squares
        self.blocks = blocks
        self.total = float(squares @ weights)

    def centres(self, sums: Floats, mass: Floats) -> Centres:
        means = _divided(sums, mass, self.blocks)
        table = self.metric(means)
        squares = means * table.T
        if mass.ndim == 1 or self.blocks is None:
            lengths = squares.sum(axis=1)
            objective = self.total - float(mass @ lengths)
            return Centres(table, lengths / 2, None, objective)
        lengths = np.add.reduceat(squares, self.blocks, axis=1)
        objective = self.total - float((mass * lengths).sum())
        return Centres(table, lengths.sum(axis=1) / 2, lengths.T / 2, objective)

    def costs(self, best: Floats) -> Floats:
        return self.squares - 2 * best

    def take(self, which: NDArray[np.int64], weights: Floats) -> Squared:
        return Squared(self.metric, self.squares[which], weights, self.blocks)


class Entropy:
    """Kullback-Leibler distance of one-hot blocks: centres are label frequencies."""

    def __init__(
        self, cluster_weights: Floats, squares: Floats, blocks: NDArray[np.int64]
    ) -> None:
        self.cluster_weights = cluster_weights
        self.squares = squares
        self.blocks = blocks

    def metric(self, centres: Floats) -> Floats:
        return (centres * self.cluster_weights).T

    def centres(self, sums: Floats, mass: Floats) -> Centres:
        shares = _divided(sums, mass, self.blocks)
        bits = self.cluster_weights * np.log2(shares + _EPSILON)
        objective = -float((sums * bits).sum())
        return Centres(
            np.ascontiguousarray(bits.T), np.zeros(len(sums)), None, objective
        )

    def costs(self, best: Floats) -> Floats:
        return -best

    def take(self, which: NDArray[np.int64], weights: Floats) -> Entropy:
        return Entropy(self.cluster_weights, self.squares[which], self.blocks)


class Matches:
    """Number of labels that differ: centres are the most frequent labels."""

    def __init__(
        self,
        cluster_weights: Floats,
        squares: Floats,
        weights: Floats,
        blocks: NDArray[np.int64],
    ) -> None:
        self.cluster_weights = cluster_weights
        self.squares = squares
        self.blocks = blocks
        self.total = float(squares @ weights)

    def metric(self, centres: Floats) -> Floats:
        return (centres * self.cluster_weights).T

    def centres(self, sums: Floats, mass: Floats) -> Centres:
        table = np.zeros(sums.shape[::-1])
        matched = 0.0
        for block in np.split(np.arange(sums.shape[1]), self.blocks[1:]):
            # argmax takes the first of equals: ties go to the lowest label.
            modes = block[sums[:, block].argmax(axis=1)]
            everyone = np.arange(len(sums))
            table[modes, everyone] = self.cluster_weights[modes]
            matched += float(self.cluster_weights[modes] @ sums[everyone, modes])
        return Centres(table, np.zeros(len(sums)), None, self.total - matched)

    def costs(self, best: Floats) -> Floats:
        return self.squares - best

    def take(self, which: NDArray[np.int64], weights: Floats) -> Matches:
        return Matches(self.cluster_weights, self.squares[which], weights, self.blocks)


def _divided(sums: Floats, mass: Floats, blocks: NDArray[np.int64] | None) -> Floats:
    """Sums over masses; nothing over nothing is nothing."""
    if mass.ndim == 1:
        mass = mass[:, None]
    elif blocks is not None:
        widths = np.diff(np.r_[blocks, sums.shape[1]])
        mass = np.repeat(mass, widths, axis=1)
    return np.divide(sums, mass, out=np.zeros_like(sums), where=mass > 0)


def lloyd(
    rows: Rows,
    rule: Rule,
    n_clusters: int,
    rng: np.random.RandomState,
    *,
    n_init: int,
    max_iter: int,
    tol: float,
) -> Partition:
    """Partition rows: the best of several starts.

    Parameters
    ----------
    rows : Rows
        What is partitioned. With many rows the starts are tried on a sample of them,
        and the best one goes on with all.

    rule : Rule
        How centres are made.

    n_clusters : int
        Number of clusters; fewer are found when fewer rows differ.

    rng : RandomState
        Draws the sample and the starts.

    n_init, max_iter : int
        Number of starts, and of passes in each.

    tol : float
        Stop when the objective falls by less than this share of itself. It stops
        anyway when no label changes.

    Returns
    -------
    partition : Partition
        The labels, the centres and the objective of each iteration.
    """
    n = len(rows.weights)
    if n <= 2 * _SAMPLE:
        return _best_start(rows, rule, n_clusters, rng, n_init, max_iter, tol)
    # Rows are drawn by their weight, so a row drawn twice counts twice.
    ends = np.cumsum(rows.weights)
    drawn = np.searchsorted(ends, rng.uniform(0, ends[-1], size=_SAMPLE), side="right")
    which, copies = np.unique(np.minimum(drawn, n - 1), return_counts=True)
    weights = copies.astype(np.float64)
    sample = _best_start(
        rows.take(which, weights),
        rule.take(which, weights),
        n_clusters,
        rng,
        n_init,
        min(max_iter, _SAMPLE_ITER),
        tol,
    )
    return _iterate(rows, rule, sample.centres, max_iter, tol)


def _best_start(
    rows: Rows,
    rule: Rule,
    n_clusters: int,
    rng: np.random.RandomState,
    n_init: int,
    max_iter: int,
    tol: float,
) -> Partition:
    best: Partition | None = None
    for _ in range(n_init):
        start = _seeds(rows, rule, n_clusters, rng)
        found = _iterate(rows, rule, start, max_iter, tol)
        # Starts that end in the same place differ by rounding; the first one is kept.
        if best is None or found.objective[-1] < best.objective[-1] - _SAME * abs(
            best.objective[-1]
        ):
            best = found
    assert best is not None
    return best


def _iterate(
    rows: Rows, rule: Rule, centres: Centres, max_iter: int, tol: float
) -> Partition:
    labels, objective, converged = None, [], False
    n_clusters = len(centres.penalty)
    for _ in range(max_iter):
        new, best = rows.nearest(centres.table, centres.penalty, centres.absent)
        _fill_empty(new, rule.costs(best), rows.weights, rule.squares, n_clusters)
        if labels is not None and np.array_equal(new, labels):
            converged = True
            break
        labels = new
        centres = rule.centres(
            rows.sums(labels, n_clusters), rows.mass(labels, n_clusters)
        )
        # An empty cluster has no centre; zeros would be one like any other.
        empty = np.bincount(labels, minlength=n_clusters) == 0
        centres.penalty[empty] = np.inf
        objective.append(centres.objective)
        if len(objective) > 1 and (
            objective[-2] - objective[-1] <= tol * abs(objective[-2])
        ):
            converged = True
            break
    assert labels is not None
    return Partition(labels, centres, np.array(objective), converged)


def _fill_empty(
    labels: NDArray[np.int32],
    costs: Floats,
    weights: Floats,
    squares: Floats,
    n_clusters: int,
) -> None:
    """Give each empty cluster the row that costs most where it is, in place."""
    sizes = np.bincount(labels, minlength=n_clusters)
    empty = np.flatnonzero(sizes == 0)
    if len(empty) == 0:
        return
    costs = np.where(costs > _NOTHING * squares, costs * weights, 0.0)
    costs[sizes[labels] == 1] = 0.0
    for r in empty:
        i = int(costs.argmax())
        if costs[i] <= 0:
            return  # every row is where it belongs: there are too few different rows
        sizes[labels[i]] -= 1
        costs[i] = 0.0
        if sizes[labels[i]] == 1:  # do not empty one cluster to fill another
            costs[labels == labels[i]] = 0.0
        labels[i] = r


def _seeds(
    rows: Rows, rule: Rule, n_clusters: int, rng: np.random.RandomState
) -> Centres:
    """Greedy k-means++: rows drawn by their cost, each the best of a few draws."""
    weights, squares = rows.weights, rule.squares
    n_trials = 2 + int(np.log(n_clusters))
    chosen = [int(_draw(weights, rng.uniform(size=1))[0])]
    nearest = _distances(rows, rule, np.array(chosen))[:, 0]
    while len(chosen) < n_clusters:
        nearest[nearest <= _NOTHING * squares] = 0.0
        if not nearest.any():
            break  # the other rows all equal one that was chosen
        tried = _draw(weights * nearest, rng.uniform(size=n_trials))
        reached = np.minimum(nearest[:, None], _distances(rows, rule, tried))
        best = int((weights[:, None] * reached).sum(axis=0).argmin())
        chosen.append(int(tried[best]))
        nearest = reached[:, best]
    which = np.array(chosen)
    start = rule.centres(rows.dense(which), rows.present(which))
    missing = n_clusters - len(chosen)
    if missing == 0:
        return start
    # Centres that nobody is near; the first pass finds their clusters empty.
    absent = (
        None if start.absent is None else np.pad(start.absent, ((0, 0), (0, missing)))
    )
    return Centres(
        np.ascontiguousarray(np.pad(start.table, ((0, 0), (0, missing)))),
        np.pad(start.penalty, (0, missing), constant_values=np.inf),
        absent,
        start.objective,
    )


def _draw(weights: Floats, uniform: Floats) -> NDArray[np.int64]:
    ends = np.cumsum(weights)
    drawn = np.searchsorted(ends, uniform * ends[-1], side="right")
    # Rounding may put the last draw behind the last row that has a weight.
    return np.minimum(drawn, np.flatnonzero(weights)[-1])


def _distances(rows: Rows, rule: Rule, which: NDArray[np.int64]) -> Floats:
    """Squared distance of every row to some of them, (n, len(which))."""
    table = rule.metric(rows.dense(which))
    distances = rule.squares[:, None] + rule.squares[which]
    distances -= 2 * rows.scores(np.ascontiguousarray(table))
    return np.maximum(distances, 0.0)
