"""The outermost eigenpairs of a symmetric matrix, the same ones every time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia import sizes
from comitia.config import require_memory
from comitia.optimize.ties import SAME

__all__ = ["largest_eigenpairs", "smallest_eigenpairs"]

Floats = NDArray[np.float64]


def largest_eigenpairs(
    S: Any, n_pairs: int, *, ties: bool = False
) -> tuple[Floats, Floats]:
    """Largest eigenvalues, in falling order, with their eigenvectors.

    Parameters
    ----------
    S : ndarray or sparse array of shape (n, n)
        A symmetric matrix.

    n_pairs : int
        How many; at most n.

    ties : bool, default=False
        Whether eigenvalues that equal the last one are returned as well, unless that is
        zero. Only all of them together span something that does not hang on rounding: a
        graph of four parts has four vectors for the eigenvalue 1, and any two of them
        are as good.

    Returns
    -------
    values : ndarray of shape (n_pairs,)
        The eigenvalues; more with ties.

    vectors : ndarray of shape (n, n_pairs)
        The eigenvectors, each with its largest entry positive.
    """
    n = S.shape[0]
    asked = n_pairs
    while ties and asked < n:
        asked = min(2 * asked, n) if asked > n_pairs else n_pairs + 1
        values, vectors = _signed(S, asked)
        nothing = SAME * abs(values[0])
        if values[n_pairs - 1] <= nothing:
            return values[:n_pairs], vectors[:, :n_pairs]
        among = values >= values[n_pairs - 1] - nothing
        if not among[-1]:
            return values[among], vectors[:, among]
    return _signed(S, asked)


def smallest_eigenpairs(S: Floats, n_pairs: int) -> tuple[Floats, Floats]:
    """Smallest eigenvalues, in rising order, with their eigenvectors.

    Always by a dense decomposition: Lanczos iterations may miss one of several that are
    equal, as the zeros of a graph's Laplacian are.

    Parameters
    ----------
    S : ndarray of shape (n, n)
        A symmetric matrix.

    n_pairs : int
        How many; at most n.

    Returns
    -------
    values : ndarray of shape (n_pairs,)
        The eigenvalues.

    vectors : ndarray of shape (n, n_pairs)
        The eigenvectors; their signs are those that LAPACK gives.
    """
    values, vectors = _decomposed(-S, n_pairs)
    order = np.argsort(-values, kind="stable")[:n_pairs]
    return -values[order], vectors[:, order]


def _signed(S: Any, n_pairs: int) -> tuple[Floats, Floats]:
    n = S.shape[0]
    found = None
    if n > sizes.DENSE_MATRIX and n_pairs < n // 2:
        found = _lanczos(S, n_pairs)
    values, vectors = found or _decomposed(S, n_pairs)
    order = np.argsort(-values, kind="stable")[:n_pairs]
    values, vectors = values[order], vectors[:, order]
    largest = np.abs(vectors).argmax(axis=0)
    signs = np.sign(vectors[largest, np.arange(n_pairs)])
    return values, vectors * np.where(signs == 0, 1.0, signs)


def _lanczos(S: Any, n_pairs: int) -> tuple[Floats, Floats] | None:
    """By ARPACK; None if it gives up, as it may where eigenvalues are nearly equal."""
    from scipy.sparse.linalg import ArpackError, eigsh

    n = S.shape[0]
    # ARPACK would draw its own start; this one has a part of every eigenvector.
    start = np.random.RandomState(0).uniform(0.5, 1.5, size=n)
    # Its own number of Lanczos vectors first, then room for many equal values.
    for n_vectors in (None, min(n, 4 * n_pairs + 20)):
        try:
            values, vectors = eigsh(S, n_pairs, which="LA", v0=start, ncv=n_vectors)
        except ArpackError:
            continue
        return values, vectors
    return None


def _decomposed(S: Any, n_pairs: int) -> tuple[Floats, Floats]:
    n = S.shape[0]
    if not isinstance(S, np.ndarray):
        require_memory(8 * n * n, f"the eigenvectors of a matrix of order {n}")
        S = S.toarray()
    if n > sizes.SMALL_MATRIX:
        from scipy.linalg import eigh

        values, vectors = eigh(S, subset_by_index=(n - n_pairs, n - 1))
        # LAPACK's evr can lose some of many eigenvalues that are nearly equal, as older
        # builds do where rows are tied by 1e-60; NumPy's evd takes them all.
        if len(values) == n_pairs:
            return values, vectors
    values, vectors = np.linalg.eigh(S)
    return values, vectors
