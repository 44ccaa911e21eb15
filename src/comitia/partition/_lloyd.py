"""Lloyd's algorithm, once, for every k-means of this package.

A *rule* turns the sums of the clusters into centres; rows of any kind (labels, sparse,
points) find the nearest. The distance of a row to a centre falls with its score
``row @ table - penalty``, for squared, Kullback-Leibler and matching distances alike.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from comitia import sizes
from comitia.engine.compiled import join_rows
from comitia.engine.protocol import NOTHING, Centers, Counted, KMeansRows
from comitia.engine.row_blocks import Blocks, LocalBlocks, Units, with_units
from comitia.optimize.ties import SAME

__all__ = [
    "Centers",
    "Entropy",
    "Matches",
    "Partition",
    "PowerNorm",
    "Rule",
    "Shares",
    "Squared",
    "lloyd",
]

Floats = NDArray[np.float64]

# The best start goes on with one of eight objects before it goes on with all: most of
# its passes cost an eighth then. Not where that is hardly more than the sample.
_SHARE = 8
_LARGER = 2

# A start on a sample need not be polished: the passes over all rows do that.
_SAMPLE_ITER = 30

# The more clusters, the more starts of k-means end in a poor place. On a part of the
# sample they cost little, so that there are so many for each start asked for.
_TRIED = 8  # with many clusters
_CLUSTERS_PER_TRIED = 5  # fewer with few
_TRIED_ITER = 8  # passes of each
_TRIED_ROWS_PER_CLUSTER = 30

# The authors of KCC add it inside the logarithm.
_EPSILON = float(np.finfo(np.float64).eps)


class Partition(NamedTuple):
    """What Lloyd's algorithm found."""

    labels: Blocks  # of the rows of each block
    centers: Centers
    objective: Floats  # one value per iteration
    converged: bool


class Rule(Protocol):
    """How sums become centres, and what a row costs. It knows no rows."""

    @property
    def metric(self) -> Callable[[Floats], Floats]:
        """Takes centres (k, p) to their score table (p, k)."""

    def centers(self, sums: Floats, mass: Floats, total: float) -> Centers:
        """The centres of clusters with these sums and masses.

        The total is the weighted sum of the squared lengths of all rows.
        """

    def costs(self, squares: Floats, best: Floats) -> Floats:
        """What each row costs, from its squared length and its best score."""


class Squared:
    """Squared distance in the metric G: centres are means.

    Parameters
    ----------
    metric : callable
        Takes centres (k, p) to their score table G C', (p, k).

    blocks : ndarray of int, default=None
        Where the columns of each clustering begin. With masses by clustering, means
        and distances are over the objects that have a label there.
    """

    def __init__(
        self,
        metric: Callable[[Floats], Floats],
        blocks: NDArray[np.int64] | None = None,
    ) -> None:
        self.metric = metric
        self.blocks = blocks

    def centers(self, sums: Floats, mass: Floats, total: float) -> Centers:
        means = _divided(sums, mass, self.blocks)
        table = self.metric(means)
        squares = means * table.T
        if mass.ndim == 1 or self.blocks is None:
            lengths = squares.sum(axis=1)
            return Centers(table, lengths / 2, None, total - float(mass @ lengths))
        lengths = np.add.reduceat(squares, self.blocks, axis=1)
        objective = total - float((mass * lengths).sum())
        return Centers(table, lengths.sum(axis=1) / 2, lengths.T / 2, objective)

    def costs(self, squares: Floats, best: Floats) -> Floats:
        return squares - 2 * best


class LabelRule:
    """Base class of the rules for one-hot blocks whose labels gain by themselves."""

    def __init__(self, cluster_weights: Floats, blocks: NDArray[np.int64]) -> None:
        self.cluster_weights = cluster_weights
        self.blocks = blocks

    def metric(self, centers: Floats) -> Floats:
        return (centers * self.cluster_weights).T

    def costs(self, squares: Floats, best: Floats) -> Floats:
        return squares - best


class Entropy(LabelRule):
    """Kullback-Leibler distance of one-hot blocks: centres are label frequencies."""

    def centers(self, sums: Floats, mass: Floats, total: float) -> Centers:
        shares = _divided(sums, mass, self.blocks)
        bits = self.cluster_weights * np.log2(shares + _EPSILON)
        objective = -float((sums * bits).sum())
        return Centers(
            np.ascontiguousarray(bits.T), np.zeros(len(sums)), None, objective
        )

    def costs(self, squares: Floats, best: Floats) -> Floats:
        return -best


class PowerNorm(LabelRule):
    r"""Distance of one-hot blocks to label frequencies by their direction.

    A label that has share :math:`c_l` of a cluster costs
    :math:`1 - (c_l / \lVert c \rVert_p)^{p-1}`; with p = 2 that is the cosine distance.
    """

    def __init__(
        self, cluster_weights: Floats, blocks: NDArray[np.int64], power: float
    ) -> None:
        super().__init__(cluster_weights, blocks)
        self.power = power

    def centers(self, sums: Floats, mass: Floats, total: float) -> Centers:
        shares = _divided(sums, mass, self.blocks)
        widths = np.diff(np.r_[self.blocks, sums.shape[1]])
        lengths = np.add.reduceat(shares**self.power, self.blocks, axis=1)
        lengths = np.repeat(lengths ** (1.0 / self.power), widths, axis=1)
        ratios = np.divide(
            shares, lengths, out=np.zeros_like(shares), where=lengths > 0
        )
        gains = self.cluster_weights * ratios ** (self.power - 1.0)
        objective = total - float((sums * gains).sum())
        return Centers(
            np.ascontiguousarray(gains.T), np.zeros(len(sums)), None, objective
        )


class Shares(LabelRule):
    """Share of a cluster that has another label: centres are label frequencies."""

    def centers(self, sums: Floats, mass: Floats, total: float) -> Centers:
        gains = self.cluster_weights * _divided(sums, mass, self.blocks)
        objective = total - float((sums * gains).sum())
        return Centers(
            np.ascontiguousarray(gains.T), np.zeros(len(sums)), None, objective
        )


class Matches(LabelRule):
    """Number of labels that differ: centres are the most frequent labels."""

    def centers(self, sums: Floats, mass: Floats, total: float) -> Centers:
        table = np.zeros(sums.shape[::-1])
        matched = 0.0
        for block in np.split(np.arange(sums.shape[1]), self.blocks[1:]):
            # argmax takes the first of equals: ties go to the lowest label.
            modes = block[sums[:, block].argmax(axis=1)]
            everyone = np.arange(len(sums))
            table[modes, everyone] = self.cluster_weights[modes]
            matched += float(self.cluster_weights[modes] @ sums[everyone, modes])
        return Centers(table, np.zeros(len(sums)), None, total - matched)


def _divided(sums: Floats, mass: Floats, blocks: NDArray[np.int64] | None) -> Floats:
    """Weighted means of the rows; empty clusters get zeros."""
    if mass.ndim == 1:
        mass = mass[:, None]
    elif blocks is not None:
        widths = np.diff(np.r_[blocks, sums.shape[1]])
        mass = np.repeat(mass, widths, axis=1)
    return np.divide(sums, mass, out=np.zeros_like(sums), where=mass > 0)


def lloyd(
    rows: Blocks,
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
    rows : Blocks of KMeansRows
        What is partitioned. With many rows more starts are tried, up to eight times as
        many, on a sample of them, and the best one goes on with all, block by block.

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
    if isinstance(rows, LocalBlocks) and len(rows) == 1:
        only = rows.values[0]
        if len(only.squares) <= sizes.MANY_ROWS:
            return _best_start(only, rule, n_clusters, rng, n_init, max_iter, tol)
    sample = _gathered(_sample(rows, sizes.SAMPLE_ROWS, rng))
    passes = min(max_iter, _SAMPLE_ITER)
    few = max(sizes.TRIED_ROWS, _TRIED_ROWS_PER_CLUSTER * n_clusters)
    if _LARGER * few <= sizes.SAMPLE_ROWS:
        part = _gathered(_sample(LocalBlocks([sample]), few, rng))
        n_init *= max(1, min(_TRIED, n_clusters // _CLUSTERS_PER_TRIED))
        short = min(max_iter, _TRIED_ITER)
        tried = _best_start(part, rule, n_clusters, rng, n_init, short, tol)
        found = _iterate(sample, rule, tried.centers, passes, tol)
    else:
        found = _best_start(sample, rule, n_clusters, rng, n_init, passes, tol)
    size = rows.map(attrgetter("n_objects")).total() // _SHARE
    if size >= _LARGER * sizes.SAMPLE_ROWS:
        larger = _sample(rows, size, rng, counted=True)
        found = _over_blocks(larger, rule, found.centers, max_iter, tol)
    return _over_blocks(rows, rule, found.centers, max_iter, tol)


def _sample(
    rows: Blocks, size: int, rng: np.random.RandomState, *, counted: bool = False
) -> Blocks:
    """Rows of objects that are drawn by their weight, in the order of the objects.

    One is drawn from each of as many stretches of equal weight.
    """
    weights = list(rows.map("weigh_objects").gather())
    ends = np.cumsum(weights)
    at = rng.uniform(size=size)
    at += np.arange(size)
    at *= ends[-1] / size
    at = np.minimum(at.astype(np.int64), ends[-1] - 1)  # rounding may reach the end
    places = np.searchsorted(at, ends, side="left")
    begins = np.r_[0, places[:-1]]
    each = [
        at[lo:hi] - (end - weight)
        for lo, hi, end, weight in zip(begins, places, ends, weights, strict=True)
    ]
    which = rows.map("draw", rows.put(each))
    return with_units(rows.map("take", which, counted=counted), size)


def _gathered(rows: Blocks) -> KMeansRows:
    """A sample of all blocks as rows of one block, in memory."""
    only: KMeansRows = join_rows(list(rows.gather()))
    return only


def _best_start(
    rows: KMeansRows,
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
        cost = found.objective[-1]
        # Starts that end in the same place differ by rounding; the first one is kept.
        if best is None or cost + SAME * abs(cost) < best.objective[-1]:
            best = found
    assert best is not None
    return best


def _iterate(
    rows: KMeansRows, rule: Rule, centers: Centers, max_iter: int, tol: float
) -> Partition:
    labels, objective, converged = None, [], False
    n_clusters = len(centers.penalty)
    units, weights, squares = rows.units, rows.weights, rows.squares
    total = rows.total() / units.square
    for _ in range(max_iter):
        new, best = rows.nearest(centers)
        _fill_empty(new, rule.costs(squares, best), weights, squares, n_clusters)
        if labels is not None and np.array_equal(new, labels):
            converged = True
            break
        before: NDArray[np.int32] | None = labels
        labels = new
        counted = rows.assign(None, centers=centers, labels=labels).counted
        centers = rule.centers(
            counted.sums / units.row, counted.mass / units.weight, total
        )
        # An empty cluster has no centre; zeros would be one like any other.
        centers.penalty[counted.sizes == 0] = np.inf
        objective.append(centers.objective)
        if before is not None and _has_risen(objective):
            labels, converged = before, True
            break
        if _has_settled(objective, tol):
            converged = True
            break
    assert labels is not None
    return Partition(LocalBlocks([labels]), centers, np.array(objective), converged)


def _over_blocks(
    rows: Blocks, rule: Rule, centers: Centers, max_iter: int, tol: float
) -> Partition:
    """Lloyd's passes over many rows, from centres that are good already."""
    objective, converged = [], False
    units: Units = next(iter(rows.map(attrgetter("units")).gather()))
    total = rows.map("total").total() / units.square
    passed = rows.repeat(None)
    for _ in range(max_iter):
        before, passed = passed, rows.map("assign", passed, centers=centers)
        counted: Counted = passed.map(attrgetter("counted")).total()
        if counted.n_changed == 0:
            converged = True
            break
        old = centers
        centers = rule.centers(
            counted.sums / units.row, counted.mass / units.weight, total
        )
        empty = np.flatnonzero(counted.sizes == 0)
        centers.penalty[empty] = np.inf
        objective.append(centers.objective)
        if _has_risen(objective):
            passed, converged = before, True
            break
        if len(empty) and _found_again(rows, rule, old, centers, int(empty[0])):
            continue
        if _has_settled(objective, tol):
            converged = True
            break
    return Partition(
        passed.map(attrgetter("labels")), centers, np.array(objective), converged
    )


def _has_settled(objective: list[float], tol: float) -> bool:
    """Whether the last pass hardly made it better."""
    return len(objective) > 1 and (
        objective[-2] - objective[-1] <= tol * abs(objective[-2])
    )


def _has_risen(objective: list[float]) -> bool:
    """Whether the last pass made it worse, as it can by :class:`Shares`; forget it."""
    if len(objective) < 2 or objective[-1] <= objective[-2] + SAME * abs(objective[-2]):
        return False
    objective.pop()
    return True


def _found_again(
    rows: Blocks, rule: Rule, old: Centers, centers: Centers, empty: int
) -> bool:
    """Put the centre of an empty cluster on the row that costs most, in place.

    One cluster in each pass: rows that equal the one chosen would be chosen next.
    """
    worst = list(rows.map(_worst, rule=rule, centers=old).gather())
    costs = [cost for cost, _, _ in worst]
    cost, row, present = worst[int(np.argmax(costs))]
    if cost <= 0:
        return False  # every row is where it belongs: there are too few different rows
    found = rule.centers(row, present, 0.0)
    centers.table[:, empty] = found.table[:, 0]
    centers.penalty[empty] = found.penalty[0]
    if centers.absent is not None and found.absent is not None:
        centers.absent[:, empty] = found.absent[:, 0]
    return True


def _worst(
    rows: KMeansRows, *, rule: Rule, centers: Centers
) -> tuple[float, Floats, Floats]:
    """The largest cost of a row, and the row."""
    _, best = rows.nearest(centers)
    return rows.worst(rule.costs(rows.squares, best))


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
    costs = np.where(costs > NOTHING * squares, costs * weights, 0.0)
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
    rows: KMeansRows, rule: Rule, n_clusters: int, rng: np.random.RandomState
) -> Centers:
    """Greedy k-means++: rows drawn by their cost, each the best of a few draws."""
    weights, squares = rows.weights, rows.squares
    n_trials = 2 + int(np.log(n_clusters))
    chosen = [int(_draw(weights, rng.uniform(size=1))[0])]
    nearest = _distances(rows, rule, np.array(chosen))[:, 0]
    while len(chosen) < n_clusters:
        nearest[nearest <= NOTHING * squares] = 0.0
        if not nearest.any():
            break  # the other rows all equal one that was chosen
        tried = _draw(weights * nearest, rng.uniform(size=n_trials))
        reached = np.minimum(nearest[:, None], _distances(rows, rule, tried))
        best = int((weights[:, None] * reached).sum(axis=0).argmin())
        chosen.append(int(tried[best]))
        nearest = reached[:, best]
    which = np.array(chosen)
    start = rule.centers(rows.dense(which), rows.present(which), 0.0)
    missing = n_clusters - len(chosen)
    if missing == 0:
        return start
    # Centres that nobody is near; the first pass finds their clusters empty.
    absent = (
        None if start.absent is None else np.pad(start.absent, ((0, 0), (0, missing)))
    )
    return Centers(
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


def _distances(rows: KMeansRows, rule: Rule, which: NDArray[np.int64]) -> Floats:
    """Squared distance of every row to some of them, (n, len(which))."""
    table = rule.metric(rows.dense(which))
    distances = rows.squares[:, None] + rows.squares[which]
    distances -= 2 * rows.scores(np.ascontiguousarray(table))
    return np.maximum(distances, 0.0)
