"""Matrices of all pairs of objects, kept as values of micro-objects.

Objects with equal label rows are twins. A matrix that treats twins alike has one value
for each two micro-objects, one for two different twins, and one for an object with
itself; products, solutions and norms of such matrices are of the same form.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lu_factor, lu_solve
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

__all__ = ["TwinMatrix", "TwinSolver", "components_of"]

Floats = NDArray[np.float64]


class TwinMatrix(NamedTuple):
    """A matrix of all pairs of objects that treats twins alike."""

    # (n_micro, n_micro), values of two different objects, by their micro-objects
    pairs: Floats
    own: Floats  # (n_micro,), values of an object with itself

    def map(self, function: Callable[..., Floats], *others: TwinMatrix) -> TwinMatrix:
        """Apply a function to the values of this matrix and of others, one by one."""
        return TwinMatrix(
            function(self.pairs, *(other.pairs for other in others)),
            function(self.own, *(other.own for other in others)),
        )

    @classmethod
    def sum(cls, *parts: tuple[float, TwinMatrix]) -> TwinMatrix:
        """Sum of matrices, each times its factor."""
        (factor, first), *others = parts
        pairs, own = factor * first.pairs, factor * first.own
        for factor, part in others:
            pairs += factor * part.pairs
            own += factor * part.own
        return cls(pairs, own)

    def symmetric(self) -> TwinMatrix:
        """The symmetric part."""
        return TwinMatrix((self.pairs + self.pairs.T) / 2, self.own)

    def transposed(self) -> TwinMatrix:
        """The transposed matrix; the values stay where they are."""
        return TwinMatrix(self.pairs.T, self.own)

    def taken(self, order: NDArray[np.intp]) -> TwinMatrix:
        """The matrix of the micro-objects in another order."""
        return TwinMatrix(self.pairs[np.ix_(order, order)], self.own[order])

    def norm(self, counts: NDArray[np.int64]) -> float:
        """Frobenius norm of the matrix of all objects."""
        return max(self.inner(self, counts), 0.0) ** 0.5

    def inner(self, other: TwinMatrix, counts: NDArray[np.int64]) -> float:
        """Sum of the products of all values with those of another matrix."""
        both = self.pairs * other.pairs
        n = counts.astype(np.float64)
        between = n @ both @ n - n @ np.diagonal(both)
        return float(between + n @ (self.own * other.own))

    def product(self, other: TwinMatrix, counts: NDArray[np.int64]) -> TwinMatrix:
        """The matrix product."""
        x, y = self.shift(), other.shift()
        pairs = x[:, None] * other.pairs
        if self.pairs.any():  # not so of the identity
            pairs += self.pairs * y
            pairs += (self.pairs * counts) @ other.pairs
        return TwinMatrix(pairs, np.diagonal(pairs) + x * y)

    def squared(self, counts: NDArray[np.int64]) -> TwinMatrix:
        """The matrix product of a symmetric matrix with itself, in half the time."""
        x, half = self.shift(), self.pairs * np.sqrt(counts)
        pairs = half @ half.T
        pairs += self.pairs * x + x[:, None] * self.pairs
        return TwinMatrix(pairs, np.diagonal(pairs) + x * x)

    def row_sums(self, counts: NDArray[np.int64]) -> Floats:
        """Sum of each row of the matrix of all objects."""
        return np.asarray(self.pairs @ counts - np.diagonal(self.pairs) + self.own)

    def shift(self) -> Floats:
        """What an object has with itself beyond what it has with a twin."""
        return self.own - np.diagonal(self.pairs)

    def laplacian(self, counts: NDArray[np.int64]) -> TwinMatrix:
        """Degrees on the diagonal, less the edges; loops do not count."""
        own = self.row_sums(counts) - self.own
        return TwinMatrix(-self.pairs, own)


class TwinSolver:
    """Solves L C = R for a symmetric L, one connected part after the other.

    Parameters
    ----------
    matrix : TwinMatrix
        L; it has to be regular.

    counts : ndarray of shape (n_micro,)
        How many objects each micro-object stands for.
    """

    def __init__(self, matrix: TwinMatrix, counts: NDArray[np.int64]) -> None:
        self.pairs, self.shift = matrix.pairs, matrix.shift()
        # Most micro-objects are parts of their own, which are divided at once.
        self.alone = np.diagonal(matrix.pairs) * counts + self.shift
        self.parts = []
        for part in components_of(matrix.pairs):
            if len(part) == 1:
                continue
            inner = self.pairs[np.ix_(part, part)] * counts[part]
            inner[np.diag_indices(len(part))] += self.shift[part]
            self.parts.append((part, lu_factor(inner)))

    def solve(self, right: TwinMatrix) -> TwinMatrix:
        """The matrix C."""
        shift = right.shift() / self.shift
        rest = right.pairs - self.pairs * shift
        pairs = rest / self.alone[:, None]
        for part, factors in self.parts:
            pairs[part] = lu_solve(factors, rest[part])
        return TwinMatrix(pairs, np.diagonal(pairs) + shift)


def components_of(pairs: Floats) -> list[NDArray[np.intp]]:
    """Micro-objects that hang together by values other than 0."""
    n_parts, part_of = connected_components(csr_array(pairs != 0), directed=False)
    order = np.argsort(part_of, kind="stable")
    sizes = np.bincount(part_of, minlength=n_parts)
    return np.split(order, np.cumsum(sizes)[:-1])
