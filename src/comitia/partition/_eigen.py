"""The largest eigenpairs of a symmetric matrix, the same ones every time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["largest_eigenpairs"]

Floats = NDArray[np.float64]

# Up to here all eigenpairs cost less than importing scipy.linalg.
_SMALL = 256

# Beyond this order Lanczos iterations beat a dense decomposition.
_DENSE_UP_TO = 2048


def largest_eigenpairs(S: Any, n_pairs: int) -> tuple[Floats, Floats]:
    """Largest eigenvalues, in falling order, with their eigenvectors.

    Parameters
    ----------
    S : ndarray or sparse array of shape (n, n)
        A symmetric matrix.

    n_pairs : int
        How many; at most n.

    Returns
    -------
    values : ndarray of shape (n_pairs,)
        The eigenvalues.

    vectors : ndarray of shape (n, n_pairs)
        The eigenvectors, each with its largest entry positive.
    """
    n = S.shape[0]
    dense = isinstance(S, np.ndarray)
    if n <= _DENSE_UP_TO or n_pairs >= n // 2:
        S = S if dense else S.toarray()
        if n <= _SMALL:
            values, vectors = np.linalg.eigh(S)
        else:
            from scipy.linalg import eigh

            values, vectors = eigh(S, subset_by_index=(n - n_pairs, n - 1))
    else:
        from scipy.sparse.linalg import eigsh

        # ARPACK would draw its own start; this one has a part of every eigenvector.
        start = np.random.RandomState(0).uniform(0.5, 1.5, size=n)
        values, vectors = eigsh(S, n_pairs, which="LA", v0=start)
    order = np.argsort(-values, kind="stable")[:n_pairs]
    values, vectors = values[order], vectors[:, order]
    largest = np.abs(vectors).argmax(axis=0)
    signs = np.sign(vectors[largest, np.arange(n_pairs)])
    return values, vectors * np.where(signs == 0, 1.0, signs)
