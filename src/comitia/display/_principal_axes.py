"""The two directions in which objects differ most."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia import sizes

__all__ = ["leading_directions", "principal_coordinates", "with_signs"]

Floats = NDArray[np.float64]

# A direction that carries less of the variance than this is rounding.
_ROUNDING = 1e-12


def principal_coordinates(B: Any, counts: NDArray[np.int64]) -> Floats:
    """Two coordinates of each row of an indicator matrix; row i counts[i] times."""
    d_x = np.asarray(B.sum(axis=1)).ravel() * counts
    d_y = np.asarray(B.T @ counts)
    # Empty clusters, and objects that no clustering has, stay at the origin.
    root_x = np.sqrt(np.where(d_x > 0, d_x, 1.0))
    root_y = np.sqrt(np.where(d_y > 0, d_y, 1.0))
    A = B.multiply((counts / root_x)[:, None]).multiply(1.0 / root_y).tocsr()
    trivial = np.sqrt(d_y / d_y.sum())
    return np.asarray(
        (A @ leading_directions(A, trivial)) * (d_y.sum() ** 0.5 / root_x)[:, None]
    )


def leading_directions(A: Any, known: Floats | None) -> Floats:
    """The two leading right singular vectors of A, orthogonal to a known one."""
    q = A.shape[1]
    if known is None:
        known = np.zeros(q)
    if q <= sizes.DENSE_COLUMNS:
        gram = A.T @ A
        gram = gram if isinstance(gram, np.ndarray) else gram.toarray()
        values, vectors = np.linalg.eigh(gram - np.outer(known, known))
    else:
        from scipy.sparse.linalg import LinearOperator, eigsh

        def product(v: Floats) -> Floats:
            v = np.ravel(v)
            return np.asarray(A.T @ (A @ v)) - known * (known @ v)

        gram = LinearOperator((q, q), matvec=product, dtype=np.float64)
        # ARPACK would draw its own start, another one in each run.
        start = np.random.RandomState(0).uniform(0.5, 1.5, size=q)
        values, vectors = eigsh(gram, 2, which="LA", v0=start)
    order = np.argsort(-values, kind="stable")[:2]
    vectors = vectors[:, order]
    total = (A.multiply(A) if hasattr(A, "multiply") else A * A).sum()
    vectors[:, values[order] <= _ROUNDING * total] = 0.0
    if q == 1:
        vectors = np.hstack([vectors, np.zeros((1, 1))])
    return with_signs(vectors)


def with_signs(vectors: Floats) -> Floats:
    """Columns with the sign that makes their largest entry positive."""
    sizes = np.abs(vectors)
    # Entries that differ by rounding only count as equal; the first one decides.
    largest = (sizes >= (1 - 1e-9) * sizes.max(axis=0)).argmax(axis=0)
    signs = np.sign(vectors[largest, np.arange(vectors.shape[1])])
    return vectors * np.where(signs == 0, 1.0, signs)
