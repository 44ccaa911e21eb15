"""Trees of the same objects: their classes, and heights that a tree is fitted to."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comitia.methods._types import Rng
from comitia.methods.baselines._ultrametric_fit import (
    AbsoluteLoss,
    FittedTree,
    Loss,
    SquaredLoss,
    best_heights,
    in_scipy_form,
)
from comitia.partition import cophenetic, hac

__all__ = ["TreeProblem", "class_shares", "supports"]

Floats = NDArray[np.float64]


def class_shares(trees: list[Any], weights: Floats) -> dict[bytes, float]:
    """Share of the weight of the trees that have each class.

    A merge makes a class unless the next one that it goes into is as high.
    """
    shares: dict[bytes, float] = {}
    for tree, weight in zip(trees, weights, strict=True):
        n = len(tree) + 1
        above = np.full(2 * n - 1, np.inf)
        above[tree[:, 0].astype(int)] = above[tree[:, 1].astype(int)] = tree[:, 2]
        is_class = tree[:, 2] < above[n:]
        for own in _classes_of(tree)[is_class]:
            shares[_bits(own)] = shares.get(_bits(own), 0.0) + float(weight)
    return shares


def supports(tree: Floats, shares: dict[bytes, float]) -> Floats:
    """The share that each merge of a tree has."""
    return np.array([shares.get(_bits(own), 0.0) for own in _classes_of(tree)])


def _classes_of(tree: Floats) -> NDArray[np.bool_]:
    """The objects of each merge."""
    n = len(tree) + 1
    own = np.zeros((2 * n - 1, n), dtype=bool)
    np.fill_diagonal(own, True)
    for v, (a, b) in enumerate(tree[:, :2].astype(int), start=n):
        own[v] = own[a] | own[b]
    return own[n:]


def _bits(own: NDArray[np.bool_]) -> bytes:
    return np.packbits(own).tobytes()


class TreeProblem(NamedTuple):
    """The trees as heights at which objects meet, in an order of their own.

    The order of the objects follows from the heights: as they are given, they would
    decide ties, and which of them gets which noise.
    """

    order: NDArray[np.intp]
    mean: Floats
    loss: Loss

    @classmethod
    def of(cls, trees: list[Any], weights: Floats, *, absolute: bool) -> TreeProblem:
        """With the loss that is asked for."""
        from scipy.spatial.distance import squareform

        # Sums do not depend on the order of the trees either.
        by_heights = np.lexsort([*np.array([t[:, 2] for t in trees]).T, weights])
        n = len(trees[0]) + 1
        mean, squares = np.zeros((2, n * (n - 1) // 2))
        for m in by_heights:
            heights = cophenetic(trees[m])
            mean += weights[m] * heights
            squares += weights[m] * heights**2
        D = squareform(mean)
        order = np.lexsort(np.sort(D, axis=1).T)
        both = np.ix_(order, order)
        loss: Loss = SquaredLoss(D[both], squareform(squares)[both])
        if absolute:
            each = [squareform(cophenetic(trees[m]))[both] for m in by_heights]
            loss = AbsoluteLoss(np.stack(each), weights[by_heights])
        return cls(order, D[both], loss)

    def starts(self, n_init: int, rng: Rng) -> list[Floats]:
        """Average linkage of the mean, and of the mean with noise."""
        from scipy.spatial.distance import squareform

        heights = squareform(self.mean, checks=False)
        spread = heights.std() / np.sqrt(3.0)  # as much as clue adds
        noisy = [
            np.abs(heights + spread * rng.normal(size=len(heights)))
            for _ in range(n_init - 1)
        ]
        return [hac(one) for one in [heights, *noisy]]

    def with_classes(self, kept: list[bytes]) -> FittedTree:
        """The tree that has these classes, with the heights that cost least."""
        n = len(self.order)
        top, sizes = np.arange(n), np.ones(n, dtype=np.int64)
        nodes: list[list[int]] = []
        members = [
            np.unpackbits(np.frombuffer(bits, np.uint8), count=n)[self.order] > 0
            for bits in kept
        ]
        for own in sorted(members, key=np.count_nonzero):
            nodes.append(np.unique(top[own]).tolist())
            top[own] = n + len(nodes) - 1
            sizes = np.append(sizes, np.count_nonzero(own))
        heights, cost = best_heights(self.loss, nodes)
        binary, levels = self._resolved(nodes, heights, sizes)
        return FittedTree(in_scipy_form(binary, levels), [cost], True)

    def _resolved(
        self, nodes: list[list[int]], heights: Floats, sizes: NDArray[np.int64]
    ) -> tuple[list[list[int]], Floats]:
        """Two parts for each node; of more, the nearest on average are joined first."""
        n = len(self.order)
        below = np.vstack([np.eye(n), np.zeros((len(nodes), n))])
        binary: list[list[int]] = []
        levels: list[float] = []
        name = list(range(n))
        for v, children in enumerate(nodes, start=n):
            below[v] = below[children].sum(axis=0)
            parts = below[children]
            apart = parts @ self.mean @ parts.T
            apart /= np.outer(sizes[children], sizes[children])
            np.fill_diagonal(apart, 0.0)
            names = [name[child] for child in children]
            for a, b in hac(apart, counts=sizes[children])[:, :2].astype(int):
                binary.append([names[a], names[b]])
                levels.append(heights[v - n])
                names.append(n + len(binary) - 1)
            name.append(names[-1])
        return binary, np.array(levels)

    def with_given_names(self, linkage: Floats) -> Floats:
        """The tree of the objects as they were given."""
        n = len(self.order)
        merged = linkage[:, :2].astype(np.int64)
        names = np.append(self.order, np.arange(n, 2 * n - 1))
        return np.column_stack([np.sort(names[merged], axis=1), linkage[:, 2:]])
