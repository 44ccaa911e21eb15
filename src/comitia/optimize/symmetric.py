"""Symmetric factorisation with memberships as the factor."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.optimize._loops import squared_norm as _squared_norm
from comitia.optimize._loops import stalled
from comitia.optimize.simplex import project_simplex

__all__ = ["SimplexFactor", "symmetric_nmf_simplex"]

Array = NDArray[np.float64]


class SimplexFactor(NamedTuple):
    """The factor, and how the iteration went.

    Attributes
    ----------
    F : ndarray of shape (n, k)
        Non-negative, rows sum to one.

    objective : ndarray of shape (n_iter + 1,)
        The objective at the start and after each step; it does not rise.

    n_iter : int
        Number of steps.

    converged : bool
        Whether the objective stopped falling.
    """

    F: Array
    objective: Array
    n_iter: int
    converged: bool


def symmetric_nmf_simplex(
    S: Any,
    F: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    squared_norm: float | None = None,
    max_iter: int = 500,
    tol: float = 1e-6,
) -> SimplexFactor:
    r"""Factorise similarities into memberships.

    .. math::
        \min_F \|S - FF'\|_F^2 \quad \text{s. t.} \quad F \ge 0, \; F 1 = 1,

    by projected gradient: a step along :math:`-4(FF' - S)F`, rows projected onto the
    simplex, and the best point between there and here. The objective along that line is
    a polynomial of the fourth degree, so the line search is exact and takes one product
    with S.

    Parameters
    ----------
    S : matrix of shape (n, n)
        The similarities, symmetric; only ``S @ F`` is needed.

    F : array-like of shape (n, k)
        The start; its rows are projected onto the simplex. Equal rows are a saddle that
        the gradient does not leave: start from a partition or from random rows.

    weights : array-like of shape (n,), default=None
        How many objects each row stands for; ``S @ F`` is then the product over all
        copies.

    squared_norm : float, default=None
        :math:`\|S\|_F^2` over all copies, for matrices that cannot tell.

    max_iter : int, default=500
        The most steps.

    tol : float, default=1e-6
        Stop when ten steps together lowered the objective by less than this times
        :math:`\|S\|_F^2`.

    Returns
    -------
    factor : SimplexFactor
        The memberships, and how the iteration went.

    Examples
    --------
    >>> S = np.kron(np.eye(2), np.ones((3, 3)))
    >>> start = [[0.6, 0.4]] * 3 + [[0.5, 0.5]] * 3
    >>> symmetric_nmf_simplex(S, start).F.argmax(axis=1)
    array([0, 0, 0, 1, 1, 1])
    """
    F = project_simplex(F)
    C = np.ones((len(F), 1))
    if weights is not None:
        C = np.asarray(weights, dtype=np.float64)[:, None]
    size = _squared_norm(S) if squared_norm is None else float(squared_norm)
    SF, FF = np.asarray(S @ F, dtype=np.float64), F.T @ (C * F)
    objective = [size - 2 * _inner(C, F, SF) + float(np.vdot(FF, FF))]
    # Per copy of an object: the counts would only stretch the steps.
    gradient = 4 * (F @ FF - SF)
    step = 1.0 / max(float(np.abs(gradient).max()), 1e-300)
    converged = False
    for _ in range(max_iter):
        move = project_simplex(F - step * gradient) - F
        S_move = np.asarray(S @ move, dtype=np.float64)
        alpha, change = _line_search(C, F, SF, FF, move, S_move)
        if change >= 0.0:  # no way down is left that rounding would show
            converged = True
            break
        F = _onto_rows(F + alpha * move)
        SF, FF = SF + alpha * S_move, F.T @ (C * F)
        objective.append(objective[-1] + change)
        before, gradient = gradient, 4 * (F @ FF - SF)
        # The step of Barzilai and Borwein: as long as the last curvature allows.
        curvature = _inner(C, move, gradient - before)
        length = alpha * _inner(C, move, move)
        step = length / curvature if curvature > 0 else 10.0 * step
        if stalled(objective, tol, size):
            converged = True
            break
    return SimplexFactor(F, np.asarray(objective), len(objective) - 1, converged)


def _inner(C: Array, A: Array, B: Array) -> float:
    return float(np.vdot(A, C * B))


def _onto_rows(F: Array) -> Array:
    """Take the rounding of a convex combination off rows that are on the simplex."""
    F = np.maximum(F, 0.0)
    return np.asarray(F / F.sum(axis=1, keepdims=True))


def _line_search(
    C: Array, F: Array, SF: Array, FF: Array, move: Array, S_move: Array
) -> tuple[float, float]:
    """The best step in (0, 1] along a move, and the change of the objective there."""
    mixed = F.T @ (C * move)
    mixed = mixed + mixed.T
    moved = move.T @ (C * move)
    change = np.array(
        [
            float(np.vdot(moved, moved)),
            2 * float(np.vdot(mixed, moved)),
            float(np.vdot(mixed, mixed))
            + 2 * float(np.vdot(FF, moved))
            - 2 * _inner(C, move, S_move),
            2 * float(np.vdot(FF, mixed)) - 4 * _inner(C, move, SF),
            0.0,
        ]
    )
    roots = np.roots(np.polyder(change)) if change.any() else np.empty(0)
    inside = roots.real[
        (np.abs(roots.imag) < 1e-9) & (roots.real > 0) & (roots.real < 1)
    ]
    steps = np.append(inside, 1.0)
    changes = np.polyval(change, steps)
    best = int(np.argmin(changes))
    return float(steps[best]), float(changes[best])
