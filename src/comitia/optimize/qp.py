"""Small convex quadratic programmes on the simplex."""

import warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.exceptions import ComitiaError
from comitia.optimize.simplex import check_cap, project_simplex

__all__ = ["qp_gap", "qp_simplex"]

# Eigenvalues this far below zero, relative to the largest, are rounding.
_PSD_TOLERANCE = 1e-8


def qp_simplex(
    Q: ArrayLike,
    c: ArrayLike | None = None,
    *,
    cap: ArrayLike | None = None,
    tol: float = 1e-10,
    max_iter: int = 1000,
) -> NDArray[np.float64]:
    r"""Minimise a convex quadratic function over weights.

    .. math::
        \min_w \; \tfrac12 w' Q w + c' w \quad \text{s. t.} \quad
        w \ge 0, \; \sum_m w_m = 1, \; w_m \le u_m.

    Mind the factor: the programme :math:`w'Gw - 2h'w` is ``qp_simplex(2 * G, -2 * h)``,
    or ``qp_simplex(G, -h)``.

    Projected-gradient steps find which weights are zero or at their cap; Newton steps
    on the others find the rest exactly. Every step lowers the objective, and
    :func:`qp_gap` certifies the result.

    Parameters
    ----------
    Q : array-like of shape (n, n)
        Symmetric and positive semi-definite; it may be singular, or zero.

    c : array-like of shape (n,), default=None
        The linear part; zero by default.

    cap : float or array-like of shape (n,), default=None
        The most that each weight may be, :math:`u`.

    tol : float, default=1e-10
        How far from the optimum the objective may be, relative to the spread of the
        gradient over the weights.

    max_iter : int, default=1000
        The most steps of each kind; a ``ConvergenceWarning`` says when they did not
        do.

    Returns
    -------
    w : ndarray of shape (n,)
        The weights. Where several are optimal, the one that the steps from equal
        weights lead to.

    Examples
    --------
    >>> qp_simplex([[1.0, 0.0], [0.0, 3.0]])
    array([0.75, 0.25])
    >>> qp_simplex([[0.0, 0.0], [0.0, 0.0]], [0.0, 2.0], cap=0.6)
    array([0.6, 0.4])
    """
    Q, c = _check_program(Q, c)
    n = len(c)
    upper = check_cap(1.0 if cap is None else cap, n, 1.0)
    curvature = float(np.linalg.eigvalsh(Q)[-1])
    # What the gradient can differ by between two weights: the unit of the gap.
    unit = float(np.abs(Q).max() + np.ptp(c))
    if unit == 0.0:  # nothing to minimise
        return project_simplex(np.zeros(n), cap=upper)
    step = 1.0 / max(curvature, 1e-8 * unit)
    w = project_simplex(np.zeros(n), cap=upper)
    for _ in range(max_iter):
        if qp_gap(Q, c, w, cap=upper) <= tol * unit:
            return w
        gradient = Q @ w + c
        # Shifted, so that large common parts do not drown the differences.
        w = project_simplex(w - step * (gradient - gradient.min()), cap=upper)
        for _ in range(max_iter):
            w, reached = _newton_step(Q, c, w, upper, unit)
            if reached:
                break
    if qp_gap(Q, c, w, cap=upper) > tol * unit:
        from sklearn.exceptions import ConvergenceWarning

        warnings.warn(
            f"qp_simplex did not reach tol={tol:g} in max_iter={max_iter} steps; "
            "raise max_iter or tol.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return w


def qp_gap(
    Q: ArrayLike,
    c: ArrayLike | None,
    w: ArrayLike,
    *,
    cap: ArrayLike | None = None,
) -> float:
    r"""How far from the optimum weights can be, at most.

    The objective :math:`f` is convex, so with the gradient :math:`g = Qw + c`

    .. math::
        f(w) - f(w^*) \; \le \; g'w - \min_{v} g'v,

    where v runs over the same weights. The gap is zero exactly where the conditions of
    Karush, Kuhn and Tucker hold: no weight could move to a place with less gradient.

    Parameters
    ----------
    Q, c : array-like
        The programme, as for :func:`qp_simplex`.

    w : array-like of shape (n,)
        Weights on the simplex.

    cap : float or array-like of shape (n,), default=None
        As for :func:`qp_simplex`.

    Returns
    -------
    gap : float
        An upper bound of what could still be gained, up to rounding.

    Examples
    --------
    >>> qp_gap([[1.0, 0.0], [0.0, 3.0]], None, [0.75, 0.25])
    0.0
    >>> qp_gap([[1.0, 0.0], [0.0, 3.0]], None, [1.0, 0.0])
    1.0
    """
    w = np.asarray(w, dtype=np.float64)
    gradient = np.asarray(Q, dtype=np.float64) @ w
    if c is not None:
        gradient = gradient + np.asarray(c, dtype=np.float64)
    gradient = gradient - gradient.min()
    if cap is None:
        return float(gradient @ w)
    # The cheapest weights under caps: fill the smallest gradient first.
    order = np.argsort(gradient, kind="stable")
    room = np.broadcast_to(np.asarray(cap, dtype=np.float64), w.shape)[order]
    before = np.cumsum(room) - room
    cheapest = np.clip(1.0 - before, 0.0, room)
    return float(gradient @ w - gradient[order] @ cheapest)


def _check_program(
    Q: ArrayLike, c: ArrayLike | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    quadratic = np.asarray(Q, dtype=np.float64)
    n = len(quadratic) if quadratic.ndim == 2 else 0
    if n == 0 or quadratic.shape != (n, n):
        raise ComitiaError(f"Q must be a square matrix; got shape {quadratic.shape}.")
    linear = np.zeros(n) if c is None else np.asarray(c, dtype=np.float64)
    if linear.shape != (n,):
        raise ComitiaError(
            f"c must have one number for each row of Q, {n}; got shape {linear.shape}."
        )
    if not (np.isfinite(quadratic).all() and np.isfinite(linear).all()):
        raise ComitiaError("Q and c must be finite; got NaN or infinity.")
    size = float(np.abs(quadratic).max())
    if np.abs(quadratic - quadratic.T).max() > _PSD_TOLERANCE * size:
        raise ComitiaError("Q must be symmetric; give (Q + Q.T) / 2.")
    quadratic = (quadratic + quadratic.T) / 2
    lowest = float(np.linalg.eigvalsh(quadratic)[0])
    if lowest < -_PSD_TOLERANCE * size * n:
        raise ComitiaError(
            f"Q must be positive semi-definite; its lowest eigenvalue is {lowest:g}. "
            "Add a ridge to its diagonal."
        )
    return quadratic, linear


def _newton_step(
    Q: NDArray[np.float64],
    c: NDArray[np.float64],
    w: NDArray[np.float64],
    cap: NDArray[np.float64],
    unit: float,
) -> tuple[NDArray[np.float64], bool]:
    """Move the free weights to their best sum-preserving place, or to the first bound.

    The second result is True when the place was reached and no bound was met.
    """
    free = np.flatnonzero((w > 0) & (w < cap))
    if len(free) < 2:
        return w, True
    from scipy.linalg import helmert

    # An orthonormal basis of the moves that keep the sum.
    basis = helmert(len(free)).T
    values, vectors = np.linalg.eigh(basis.T @ Q[np.ix_(free, free)] @ basis)
    vectors = basis @ vectors
    along = vectors.T @ (Q[free] @ w + c[free])
    flat = values <= 1e-12 * unit
    if np.abs(along[flat]).max(initial=0.0) > 1e-12 * unit:
        # Downhill without curvature: all the way to a bound.
        move, longest = vectors[:, flat] @ -along[flat], np.inf
    else:
        move, longest = vectors[:, ~flat] @ (-along[~flat] / values[~flat]), 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(move > 0, (cap[free] - w[free]) / move, -w[free] / move)
    room[np.abs(move) <= 1e-300] = np.inf
    first = int(np.argmin(room))
    stopped = room[first] < longest
    w = w.copy()
    w[free] = np.clip(w[free] + min(room[first], longest) * move, 0.0, cap[free])
    if stopped:
        i = free[first]
        w[i] = cap[i] if move[first] > 0 else 0.0
    return w, not stopped
