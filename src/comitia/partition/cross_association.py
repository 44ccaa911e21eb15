"""Groups of a symmetric 0/1 matrix whose blocks are as even as can be."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.exceptions import ComitiaError

__all__ = ["CrossAssociation", "cross_association", "cross_association_cost"]


class CrossAssociation(NamedTuple):
    """Result of a cross-association.

    Attributes
    ----------
    labels : ndarray of shape (n_objects,)
        Group of each row and column.

    objective : ndarray of shape (n_sweeps + 1,)
        The cost at the start and after each sweep, in bits.

    converged : bool
        Whether no single row would go elsewhere.
    """

    labels: NDArray[np.int64]
    objective: NDArray[np.float64]
    converged: bool


def cross_association(
    matrix: ArrayLike,
    labels: ArrayLike,
    *,
    weight_blocks: bool = True,
    max_iter: int = 100,
) -> CrossAssociation:
    r"""Group rows and columns of a symmetric 0/1 matrix alike, into even blocks.

    Each row, and the column with it, is moved in turn to the group where

    .. math::
        \sum_{r,s} n_r n_s H(p_{rs}), \qquad
        H(p) = -p \log_2 p - (1 - p) \log_2 (1 - p),

    is least, :math:`p_{rs}` being the share of ones in the block of groups r and s:
    the length of a code for the matrix given the groups [1]_.

    Parameters
    ----------
    matrix : array-like of shape (n_objects, n_objects)
        Symmetric, with entries 0 and 1.

    labels : array-like of shape (n_objects,)
        The groups to start from, 0..k - 1. Their number is kept.

    weight_blocks : bool, default=True
        Whether a block counts by its size. Without, the sum is 0 for groups of one
        object each, and small for a few of them beside a large one.

    max_iter : int, default=100
        Most sweeps over the rows.

    Returns
    -------
    result : CrossAssociation
        Labels, cost after each sweep and whether it converged.

    References
    ----------
    .. [1] D. Chakrabarti, S. Papadimitriou, D. S. Modha and C. Faloutsos, "Fully
       automatic cross-associations", KDD 2004. :doi:`10.1145/1014052.1014064`

    Examples
    --------
    >>> import numpy as np
    >>> blocks = np.kron(np.eye(2), np.ones((3, 3)))
    >>> found = cross_association(blocks, [0, 0, 1, 1, 1, 1])
    >>> found.labels
    array([0, 0, 0, 1, 1, 1])
    >>> found.objective[-1]
    np.float64(0.0)
    """
    from comitia._kernels.cross_association import regroup

    cells, groups, k = _checked(matrix, labels)
    objective, converged = regroup(cells, groups, k, bool(weight_blocks), int(max_iter))
    return CrossAssociation(groups, np.asarray(objective), bool(converged))


def cross_association_cost(
    matrix: ArrayLike, labels: ArrayLike, *, weight_blocks: bool = True
) -> float:
    """What :func:`cross_association` minimises.

    Parameters
    ----------
    matrix : array-like of shape (n_objects, n_objects)
        Symmetric, with entries 0 and 1.

    labels : array-like of shape (n_objects,)
        The groups, 0..k - 1.

    weight_blocks : bool, default=True
        Whether a block counts by its size.

    Returns
    -------
    cost : float
        In bits.
    """
    cells, groups, k = _checked(matrix, labels)
    member = np.eye(k)[groups]
    area = np.outer(member.sum(axis=0), member.sum(axis=0))
    p = member.T @ cells @ member / area
    inside = (p > 0) & (p < 1)
    q = np.where(inside, p, 0.5)
    bits = np.where(inside, -q * np.log2(q) - (1 - q) * np.log2(1 - q), 0.0)
    return float((bits * area if weight_blocks else bits).sum())


def _checked(
    matrix: ArrayLike, labels: ArrayLike
) -> tuple[NDArray[np.uint8], NDArray[np.int64], int]:
    given = np.asarray(matrix)
    groups = np.array(labels, dtype=np.int64)
    if given.ndim != 2 or given.shape[0] != given.shape[1]:
        raise ComitiaError(f"matrix must be square; got shape {given.shape}.")
    if groups.shape != (len(given),):
        raise ComitiaError(
            f"labels must have one entry per row, {len(given)}; got shape "
            f"{groups.shape}."
        )
    cells = np.ascontiguousarray(given, dtype=np.uint8)
    if not ((cells == given).all() and (cells <= 1).all() and (cells == cells.T).all()):
        raise ComitiaError("matrix must be symmetric with entries 0 and 1.")
    k = int(groups.max()) + 1
    if groups.min() < 0 or len(np.unique(groups)) != k:
        raise ComitiaError("labels must be 0..k - 1, each used at least once.")
    return cells, groups, k
