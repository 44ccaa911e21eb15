"""The ultrametric nearest to several, by squared or absolute differences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "AbsoluteLoss",
    "FittedTree",
    "SquaredLoss",
    "best_heights",
    "fit_ultrametric",
    "in_scipy_form",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# A move counts that lowers the cost by more than this share of what there is to fit.
_TINY = 1e-12


class _Squares(NamedTuple):
    """The distances of some pairs of objects, as far as squares need them."""

    total: float
    n_pairs: float
    squares: float

    def height(self) -> float:
        return self.total / self.n_pairs

    def cost(self, height: float) -> float:
        return self.squares + height * (self.n_pairs * height - 2.0 * self.total)


class _Values(NamedTuple):
    """The distances of some pairs of objects in all trees, with the trees' weights."""

    values: Floats
    weights: Floats

    def height(self) -> float:
        return _median(self.values, self.weights)

    def cost(self, height: float) -> float:
        return float(self.weights @ np.abs(self.values - height))


def _median(values: Floats, weights: Floats) -> float:
    """The lowest value with half of the weight at or below it."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    return float(values[order[np.argmax(reached >= _HALF * reached[-1])]])


def _least(values: Floats, weights: Floats) -> Floats:
    """For each column the least weighted sum of absolute differences from a value."""
    order = np.argsort(values, axis=0)
    reached = np.cumsum(weights[order], axis=0)
    half = np.argmax(reached >= _HALF * reached[-1], axis=0)[None]
    middle = np.take_along_axis(values, np.take_along_axis(order, half, axis=0), axis=0)
    return np.asarray(weights @ np.abs(values - middle))


# Half, less what rounding of a sum of weights comes to.
_HALF = 0.5 - 1e-9


class SquaredLoss:
    r"""Weighted squared differences from several ultrametrics.

    :math:`\sum_m w_m \sum_{i < j} (d^m_{ij} - u_{ij})^2` depends on the mean of the
    :math:`d^m` alone, but for a constant.

    Parameters
    ----------
    D : ndarray of shape (n_objects, n_objects)
        The weighted mean.

    squares : ndarray of shape (n_objects, n_objects)
        The weighted mean of the squares.
    """

    def __init__(self, D: Floats, squares: Floats) -> None:
        self.D, self.squares = D, squares
        self.scale = float(squares.sum()) / 2

    def between(self, A: Ints, B: Ints) -> _Squares:
        """What is known of the pairs of an object here and an object there."""
        both = np.ix_(A, B)
        total, squares = self.D[both].sum(), self.squares[both].sum()
        return _Squares(float(total), float(len(A) * len(B)), float(squares))

    def merged(self, one: _Squares, other: _Squares) -> _Squares:
        """What is known of two kinds of pairs together."""
        return _Squares(*(a + b for a, b in zip(one, other, strict=True)))

    def offers(self, own: Ints, leaves: Ints, first: Ints, last: Ints) -> Any:
        """What it costs some objects to meet those below each node."""
        return _SquaredOffers(self.D, own, leaves, first, last)


class _SquaredOffers:
    def __init__(
        self, D: Floats, own: Ints, leaves: Ints, first: Ints, last: Ints
    ) -> None:
        apart, others = D[own].sum(axis=0), np.ones(len(D))
        apart[own], others[own] = 0.0, 0.0
        self.total, self.n_pairs = (
            np.diff(np.append(0.0, np.cumsum(values[leaves]))[[first, last]], axis=0)[0]
            for values in (apart, len(own) * others)
        )

    def at(self, heights: Floats) -> Floats:
        """The cost at a height for each node, less what it is in all places."""
        return heights * (self.n_pairs * heights - 2.0 * self.total)

    def meeting(self, v: int, height: float) -> float:
        """The same for one node."""
        return float(height * (self.n_pairs[v] * height - 2.0 * self.total[v]))

    def cheapest(
        self, where: Ints, lowest: Floats, highest: Floats, above: Floats
    ) -> tuple[int, float, float]:
        """The node to meet first, at which height within bounds, and the whole cost."""
        best = np.clip(self.total[where] / self.n_pairs[where], lowest, highest)
        costs = above + best * (self.n_pairs[where] * best - 2.0 * self.total[where])
        i = int(np.argmin(costs))
        return int(where[i]), float(best[i]), float(costs[i])


class AbsoluteLoss:
    r"""Weighted absolute differences from several ultrametrics.

    :math:`\sum_m w_m \sum_{i < j} |d^m_{ij} - u_{ij}|`.

    Parameters
    ----------
    D : ndarray of shape (n_trees, n_objects, n_objects)
        The ultrametrics.

    weights : ndarray of shape (n_trees,)
        Their weights.
    """

    def __init__(self, D: Floats, weights: Floats) -> None:
        self.D, self.weights = D, weights
        self.scale = float(np.tensordot(weights, D, 1).sum()) / 2
        # What a pair costs at its own best height: it never costs less.
        self.least = np.stack([_least(D[:, i], weights) for i in range(D.shape[1])])

    def between(self, A: Ints, B: Ints) -> _Values:
        """What is known of the pairs of an object here and an object there."""
        values = self.D[:, A[:, None], B].reshape(len(self.weights), -1)
        return _Values(values.ravel(), np.repeat(self.weights, values.shape[1]))

    def merged(self, one: _Values, other: _Values) -> _Values:
        """What is known of two kinds of pairs together."""
        pairs = zip(one, other, strict=True)
        return _Values(*(np.concatenate(both) for both in pairs))

    def offers(self, own: Ints, leaves: Ints, first: Ints, last: Ints) -> Any:
        """What it costs some objects to meet those below each node."""
        return _AbsoluteOffers(self, own, leaves, first, last)


class _AbsoluteOffers:
    def __init__(
        self, loss: AbsoluteLoss, own: Ints, leaves: Ints, first: Ints, last: Ints
    ) -> None:
        self.loss, self.own, self.leaves = loss, own, leaves
        self.first, self.last = first, last
        self.others = ~np.isin(leaves, own)
        least = np.where(self.others, loss.least[own].sum(axis=0)[leaves], 0.0)
        sums = np.append(0.0, np.cumsum(least))
        self.least = sums[last] - sums[first]

    def at(self, heights: Floats) -> Floats:
        """The cost at a height for each node."""
        sizes = self.last - self.first
        node = np.repeat(np.arange(len(sizes)), sizes)
        # The leaves below each node, one node after the other.
        begin = np.cumsum(sizes) - sizes
        leaf = np.arange(len(node)) - np.repeat(begin - self.first, sizes)
        counted = self.others[leaf]
        node, objects = node[counted], self.leaves[leaf[counted]]
        asked, cost = heights[node], np.zeros(len(node))
        for i in self.own:
            cost += self.loss.weights @ np.abs(self.loss.D[:, i, objects] - asked)
        return np.asarray(np.bincount(node, cost, minlength=len(sizes)), np.float64)

    def meeting(self, v: int, height: float) -> float:
        """The same for one node."""
        return self._pairs(v).cost(height)

    def _pairs(self, v: int) -> _Values:
        below = slice(self.first[v], self.last[v])
        return self.loss.between(self.own, self.leaves[below][self.others[below]])

    def cheapest(
        self, where: Ints, lowest: Floats, highest: Floats, above: Floats
    ) -> tuple[int, float, float]:
        """The node to meet first, at which height within bounds, and the whole cost."""
        found = (int(where[0]), float(lowest[0]), np.inf)
        bound = above + self.least[where]
        for i in np.argsort(bound, kind="stable"):
            if bound[i] > found[2]:
                break
            pairs = self._pairs(where[i])
            height = float(np.clip(pairs.height(), lowest[i], highest[i]))
            cost = above[i] + pairs.cost(height)
            if cost < found[2]:
                found = (int(where[i]), height, float(cost))
        return found


Loss = SquaredLoss | AbsoluteLoss


class FittedTree(NamedTuple):
    """A tree, and how it was found."""

    linkage: Floats  # (n_objects - 1, 4), in SciPy form
    objective: list[float]  # the loss at the start and after each round
    converged: bool  # whether the last round moved nothing


def fit_ultrametric(loss: Loss, linkage: Floats, max_iter: int) -> FittedTree:
    """Improve a tree until no subtree is better off in another place.

    In each round each subtree in turn is taken out and put back where it costs least,
    at the best height that the nodes above and below leave it. Then all heights become
    the best ones of the tree. No step raises the loss. The nearest ultrametric of all
    is NP-hard to find.

    Parameters
    ----------
    loss : SquaredLoss or AbsoluteLoss
        What a height costs.

    linkage : ndarray of shape (n_objects - 1, 4)
        Where the search begins; its heights do not matter.

    max_iter : int
        Most rounds.

    Returns
    -------
    fitted : FittedTree
        The tree.
    """
    tree = _Tree(loss, linkage)
    objective = [tree.settle()]
    converged = False
    for _ in range(max_iter):
        n_moved = sum(tree.improve(a) for a in range(2 * tree.n - 1))
        if not n_moved:
            converged = True
            break
        objective.append(tree.settle())
    return FittedTree(tree.linkage(), objective, converged)


def best_heights(loss: Loss, nodes: Sequence[Sequence[int]]) -> tuple[Floats, float]:
    """The heights of the nodes of a tree that cost least, and what they cost.

    Each suits the pairs of objects that meet there, unless a node would then be higher
    than its parent: these get the height that suits the pairs of both.

    Parameters
    ----------
    loss : SquaredLoss or AbsoluteLoss
        What a height costs.

    nodes : sequence of sequences of int
        What each node joins, two or more: objects, or n_objects plus the number of a
        node that comes before. The last one joins all.

    Returns
    -------
    heights : ndarray of shape (n_nodes,)
        None is above that of its parent.

    cost : float
        The loss.
    """
    n = 1 + sum(len(children) - 1 for children in nodes)
    members = [np.array([i]) for i in range(n)]
    pairs: list[Any] = [None] * n
    heights = [0.0] * n
    # The node whose height a node shares; and below each, those with their own.
    shared = np.arange(n + len(nodes))
    below: list[list[int]] = [[] for _ in range(n)]
    for v, children in enumerate(nodes, start=n):
        own = members[children[0]]
        together: Any = None
        for child in children[1:]:
            new: Any = loss.between(own, members[child])
            together = new if together is None else loss.merged(together, new)
            own = np.concatenate([own, members[child]])
        height = together.height()
        left = [child for child in children if child >= n]
        while left:
            highest = max(left, key=heights.__getitem__)
            if heights[highest] <= height:
                break
            together = loss.merged(together, pairs[highest])
            height = together.height()
            shared[highest] = v
            left.remove(highest)
            left += below[highest]
        members.append(own)
        pairs.append(together)
        heights.append(height)
        below.append(left)
    for v in range(len(shared) - 1, n - 1, -1):  # what it is shared with comes later
        shared[v] = shared[shared[v]]
    alone = np.flatnonzero(shared == np.arange(len(shared)))[n:]
    cost = sum(pairs[v].cost(heights[v]) for v in alone)
    return np.array(heights)[shared[n:]], float(cost)


def in_scipy_form(nodes: Sequence[Sequence[int]], heights: Floats) -> Floats:
    """A tree of two children each, whose nodes come bottom-up, sorted by height."""
    n = len(nodes) + 1
    # Of equal heights those that came first stay first: children before parents.
    order = np.argsort(heights, kind="stable")
    name = np.arange(2 * n - 1)
    name[n + order] = n + np.arange(n - 1)
    linkage = np.empty((n - 1, 4))
    size = np.ones(2 * n - 1)
    for row, v in enumerate(order):
        a, b = sorted(name[child] for child in nodes[v])
        size[n + row] = size[a] + size[b]
        linkage[row] = a, b, heights[v], size[n + row]
    return linkage


class _Tree:
    """A tree whose subtrees can be moved.

    Objects are nodes 0 to n - 1; a node that a subtree leaves goes with it.
    """

    def __init__(self, loss: Loss, linkage: Floats) -> None:
        self.loss, self.n = loss, len(linkage) + 1
        n_all = 2 * self.n - 1
        self.children = np.full((n_all, 2), -1)
        self.children[self.n :] = linkage[:, :2]
        self.parent = np.full(n_all, -1)
        for v in range(self.n, n_all):
            self.parent[self.children[v]] = v
        self.heights = np.zeros(n_all)
        self._walk()

    def _walk(self) -> None:
        """Where each node comes, parents first, and which leaves are below it."""
        n_all = 2 * self.n - 1
        self.place, self.end = np.empty(n_all, np.int64), np.empty(n_all, np.int64)
        self.first, self.last = np.empty(n_all, np.int64), np.empty(n_all, np.int64)
        children = self.children.tolist()
        order: list[int] = []
        leaves: list[int] = []
        root = int(np.flatnonzero(self.parent < 0)[0])
        stack = [root]
        while stack:
            v = stack.pop()
            if v < 0:  # all below ~v has been seen
                self.end[~v], self.last[~v] = len(order), len(leaves)
                continue
            self.place[v], self.first[v] = len(order), len(leaves)
            order.append(v)
            stack.append(~v)
            if v < self.n:
                leaves.append(v)
            else:
                stack += children[v]
        self.root, self.order, self.leaves = root, order, np.array(leaves)
        self.sizes = self.last - self.first
        siblings = self.children[self.parent].sum(axis=1) - np.arange(n_all)
        self.sibling = np.where(self.parent >= 0, siblings, -1)

    def _bottom_up(self) -> tuple[Ints, list[list[int]]]:
        """The nodes, children before parents, and what each joins by these numbers."""
        nodes = np.array([v for v in reversed(self.order) if v >= self.n])
        name = np.arange(2 * self.n - 1)
        name[nodes] = self.n + np.arange(len(nodes))
        return nodes, name[self.children[nodes]].tolist()

    def settle(self) -> float:
        """Make all heights the best ones; the loss."""
        nodes, joins = self._bottom_up()
        self.heights[nodes], cost = best_heights(self.loss, joins)
        return cost

    def linkage(self) -> Floats:
        """The tree in SciPy form."""
        nodes, joins = self._bottom_up()
        return in_scipy_form(joins, self.heights[nodes])

    def _leaves(self, v: int) -> Ints:
        return self.leaves[self.first[v] : self.last[v]]

    def improve(self, a: int) -> bool:
        """Move the subtree of a node to where it costs least, if that is elsewhere."""
        p, s = self.parent[a], self.sibling[a]
        if p < 0:
            return False
        place, h = self.place, self.heights
        has = self.parent >= 0
        up = np.where(has, h[self.parent], np.inf)
        offers = self.loss.offers(self._leaves(a), self.leaves, self.first, self.last)
        # What a subtree below each node pays at its parent, for the sibling's objects.
        paid = np.where(has, offers.at(np.where(has, up, 0.0))[self.sibling], 0.0)
        steps = np.zeros(len(h) + 1)
        steps[place] += paid
        np.subtract.at(steps, self.end, paid)
        above = np.cumsum(steps)[place]
        now = above[s] + offers.meeting(s, h[p])
        up[s] = up[p]
        lowest = np.maximum(h[a], h)
        inside = (place[a] <= place) & (place < self.end[a])
        possible = ~inside & (lowest <= up)
        possible[p] = False
        where = np.flatnonzero(possible)
        v, height, cost = offers.cheapest(where, lowest[where], up[where], above[where])
        if cost >= now - _TINY * self.loss.scale:
            return False
        h[p] = height
        if v != s:
            self._move(a, v)
        return True

    def _move(self, a: int, v: int) -> None:
        """Put the subtree of a node beside another node."""
        p, s = self.parent[a], self.sibling[a]
        self._replace(p, s)
        self._replace(v, p)
        self.children[p] = a, v
        self.parent[[a, v]] = p
        self._walk()

    def _replace(self, old: int, new: int) -> None:
        """Let a node stand where another one stands."""
        above = self.parent[old]
        self.parent[new] = above
        if above >= 0:
            self.children[above, self.children[above] == old] = new
