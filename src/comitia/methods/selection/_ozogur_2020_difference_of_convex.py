"""Quadratic functions on a box: convex ones, and differences of convex ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.exceptions import ComitiaError
from comitia.optimize import qp_simplex

__all__ = ["BoxRun", "convex_concave", "qp_box"]

Array = NDArray[np.float64]

# Sweeps over the coordinates of one convex programme.
_MAX_SWEEPS = 10_000


class BoxRun(NamedTuple):
    """Result of the convex-concave procedure."""

    x: Array  # (n,), the best point found
    # (n_iter + 1,), the objective at the start and after each iteration; it does not
    # fall
    objective: Array
    converged: bool  # whether the objective stopped rising


def qp_box(
    P: ArrayLike, c: ArrayLike, start: ArrayLike | None = None, *, tol: float = 1e-12
) -> Array:
    r"""Minimise a convex quadratic function on the unit box.

    .. math::
        \min_x \; x' P x + c' x \quad \text{with} \quad 0 \le x_i \le 1,

    one coordinate after the other, each to its minimum.
    """
    P = np.asarray(P, dtype=np.float64)
    c = np.asarray(c, dtype=np.float64)
    n = len(c)
    x = np.full(n, 0.5) if start is None else np.array(start, dtype=np.float64)
    # Rounding can leave a trace of a curvature that is not there.
    flat = P.diagonal() <= 1e-14 * np.abs(P).max(initial=0.0)
    for _ in range(_MAX_SWEEPS):
        moved = 0.0
        for i in range(n):
            slope = c[i] + 2.0 * float(P[i] @ x)
            if flat[i]:
                best = x[i] if slope == 0 else float(slope < 0)
            else:
                best = min(max(x[i] - slope / (2.0 * P[i, i]), 0.0), 1.0)
            moved = max(moved, abs(best - x[i]))
            x[i] = best
        if moved <= tol:
            break
    return x


def convex_concave(
    Q: ArrayLike,
    b: ArrayLike,
    *,
    start: ArrayLike | None = None,
    total: int | None = None,
    max_iter: int = 100,
    tol: float = 1e-9,
) -> BoxRun:
    r"""Maximise a quadratic function that is not concave on the unit box.

    With the eigenvalues of Q split into :math:`Q = Q_+ - Q_-`, both positive
    semi-definite, the convex part is replaced by its tangent, again and again [1]_:

    .. math::
        \max_x \; x' Q x + b' x, \qquad
        x \leftarrow \arg\min_{0 \le x \le 1} x' Q_- x - (b + 2 Q_+ x_{old})' x .

    With a ``total`` the coordinates have this sum, also those of the start.

    References
    ----------
    .. [1] A. L. Yuille and A. Rangarajan, "The concave-convex procedure", Neural
       Computation 15(4), 2003. :doi:`10.1162/08997660360581958`
    """
    Q = np.asarray(Q, dtype=np.float64)
    b = np.asarray(b, dtype=np.float64)
    n = len(b)
    if Q.shape != (n, n) or not np.allclose(Q, Q.T, atol=1e-9):
        raise ComitiaError(
            f"Q must be symmetric, of shape ({n}, {n}) like b; got shape {Q.shape}."
        )
    x = np.ones(n) if start is None else np.array(start, dtype=np.float64)
    if x.shape != (n,) or x.min(initial=0.0) < 0 or x.max(initial=0.0) > 1:
        raise ComitiaError(f"start must be {n} numbers between 0 and 1.")
    if total is not None and abs(x.sum() - total) > 1e-9 * n:
        raise ComitiaError(f"start sums to {x.sum():.6g}; it must sum to {total}.")
    values, vectors = np.linalg.eigh(Q)
    plus = (vectors * np.maximum(values, 0.0)) @ vectors.T
    minus = (vectors * np.maximum(-values, 0.0)) @ vectors.T
    objective = [float(x @ Q @ x + b @ x)]
    converged = False
    for _ in range(max_iter):
        slope = -(b + 2.0 * (plus @ x))
        if total is None:
            new = qp_box(minus, slope, x)
        else:
            # Shares of the total; the programme on the simplex has a factor 1/2.
            P, c = 2.0 * total**2 * minus, total * slope
            new = np.clip(total * qp_simplex(P, c, cap=1.0 / total), 0.0, 1.0)
        value = float(new @ Q @ new + b @ new)
        # Rounding may lose what an iteration gains.
        if value < objective[-1]:
            new, value = x, objective[-1]
        gain, x = value - objective[-1], new
        objective.append(value)
        if gain <= tol * abs(value):
            converged = True
            break
    return BoxRun(x, np.array(objective), converged)
