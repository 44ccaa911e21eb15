"""Groups of a symmetric 0/1 matrix whose blocks are as even as can be."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.exceptions import ComitiaError

__all__ = ["CrossAssociation", "cross_association"]


class CrossAssociation(NamedTuple):
    """Result of a cross-association."""

    labels: NDArray[np.int64]  # (n_objects,), group of each row and column
    # (n_sweeps + 1,), the cost at the start and after each sweep, in bits
    objective: NDArray[np.float64]
    converged: bool  # whether no single row would go elsewhere


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
    the length of a code for the matrix given the groups.
    """
    from comitia._kernels.cross_association import regroup

    cells, groups, k = _checked(matrix, labels)
    objective, converged = regroup(cells, groups, k, bool(weight_blocks), int(max_iter))
    return CrossAssociation(groups, np.asarray(objective), bool(converged))


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
