"""The outermost eigenpairs of a symmetric matrix, the same ones every time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia import sizes
from comitia.config import require_memory
from comitia.optimize.ties import SAME

__all__ = ["eigenpairs_beside", "largest_eigenpairs", "smallest_eigenpairs"]

Floats = NDArray[np.float64]

# Blocks of a Krylov space before it is looked at, and at the most; vectors in each
# beyond those that are wanted.
_FEWEST_BLOCKS, _MOST_BLOCKS, _MORE = 5, 20, 6
# Shift that makes the matrix regular, the largest residual of a vector, and the least
# gap to the next eigenvalue: shares of the largest degree.
_SHIFT, _RESIDUAL, _GAP = 1e-6, 1e-14, 1e-6


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


def eigenpairs_beside(
    L: Floats, known: Floats, n_pairs: int, scale: float
) -> tuple[Floats, Floats] | None:
    """Smallest eigenpairs of a Laplacian beside the known ones of the eigenvalue 0.

    From a block Krylov space of the inverse, a dozen products with a few vectors in
    place of the thousands with one that a dense decomposition makes. The start is a
    block of random vectors, which finds equal eigenvalues together. Vectors are
    accepted that solve the equations as well as those of LAPACK, and whose eigenvalues
    are apart from the next.

    Parameters
    ----------
    L : ndarray of shape (n, n)
        Symmetric, without negative eigenvalues.

    known : ndarray of shape (n, n_known)
        Orthonormal basis of all vectors that L maps to 0.

    n_pairs : int
        How many, possibly none.

    scale : float
        The size of the eigenvalues, such as the largest degree.

    Returns
    -------
    values : ndarray of shape (n_pairs + 1,)
        The eigenvalues, and an upper bound of the next.

    vectors : ndarray of shape (n, n_pairs)
        The eigenvectors. None instead of both where none were accepted; a dense
        decomposition then tells what is equal.
    """
    from scipy.linalg.lapack import dpotrf, dpotrs

    shifted = L.copy().T  # symmetric, in the order of LAPACK
    shifted[np.diag_indices(len(L))] += _SHIFT * scale
    factor, failed = dpotrf(shifted, lower=1, overwrite_a=1, clean=0)
    if failed:
        return None
    width = n_pairs + _MORE
    block = np.random.RandomState(0).standard_normal((len(L), width))
    basis = images = np.empty((len(L), 0))
    for n_blocks in range(1, min(_MOST_BLOCKS, (len(L) - known.shape[1]) // width) + 1):
        block = _orthonormal(_orthonormal(block, known, basis), known, basis)
        basis, images = np.hstack([basis, block]), np.hstack([images, L @ block])
        if n_blocks >= _FEWEST_BLOCKS:
            values, within = np.linalg.eigh(basis.T @ images)
            values, within = values[: n_pairs + 1], within[:, : n_pairs + 1]
            vectors = basis @ within
            residuals = np.linalg.norm(images @ within - vectors * values, axis=0)
            gap = float(values[-1] - max(values[:-1], default=0.0))
            solved = max(residuals[:-1], default=0.0) <= _RESIDUAL * scale
            if solved and gap > max(_GAP * scale, 2.0 * float(residuals[-1])):
                return values, vectors[:, :-1]
        block = dpotrs(factor, block, lower=1)[0]
    return None


def _orthonormal(block: Floats, *others: Floats) -> Floats:
    """Columns that are orthogonal to those of the others, and to each other."""
    for other in others:
        block = block - other @ (other.T @ block)
    return np.linalg.qr(block)[0]


def _signed(S: Any, n_pairs: int) -> tuple[Floats, Floats]:
    n = S.shape[0]
    found = None
    if n > sizes.DENSE_MATRIX and n_pairs < n // 2:
        found = lanczos(S, n_pairs)
    values, vectors = found or _decomposed(S, n_pairs)
    order = np.argsort(-values, kind="stable")[:n_pairs]
    values, vectors = values[order], vectors[:, order]
    largest = np.abs(vectors).argmax(axis=0)
    signs = np.sign(vectors[largest, np.arange(n_pairs)])
    return values, vectors * np.where(signs == 0, 1.0, signs)


def lanczos(S: Any, n_pairs: int) -> tuple[Floats, Floats] | None:
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
