"""Weights on the simplex: projections and closed forms."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.exceptions import ComitiaError

__all__ = ["power_weights", "project_simplex"]


def project_simplex(
    v: ArrayLike, *, total: float = 1.0, cap: ArrayLike | None = None
) -> NDArray[np.float64]:
    r"""Nearest point of the simplex, in the Euclidean sense.

    .. math::
        P(v) = \arg\min_w \|w - v\|^2 \quad \text{s. t.} \quad
        w \ge 0, \; \sum_i w_i = s, \; w_i \le u_i.

    The solution is :math:`w_i = \min(\max(v_i - \vartheta, 0), u_i)`; the number
    :math:`\vartheta` is found exactly, from the sorted points where the sum of the
    right-hand side has a kink.

    Parameters
    ----------
    v : array-like of shape (n,) or (rows, n)
        What is projected; a matrix row by row.

    total : float, default=1.0
        What the weights sum to, :math:`s`.

    cap : float or array-like of shape (n,), default=None
        The most that each weight may be, :math:`u`; no limit by default.

    Returns
    -------
    w : ndarray, same shape as v
        Non-negative, at most ``cap``, with the sum ``total``.

    Examples
    --------
    >>> project_simplex([0.9, 0.5, -1.0])
    array([0.7, 0.3, 0. ])
    >>> project_simplex([0.9, 0.5, -1.0], cap=0.6)
    array([0.6, 0.4, 0. ])
    """
    v = np.asarray(v, dtype=np.float64)
    if v.ndim == 0 or v.shape[-1] == 0:
        raise ComitiaError("v is empty; give at least one number to project.")
    if not np.isfinite(v).all():
        raise ComitiaError("v contains NaN or infinity; give finite numbers.")
    if not (np.isfinite(total) and total > 0):
        raise ComitiaError(f"total={total} must be a positive number.")
    rows = np.atleast_2d(v)
    if cap is None:
        w = _project(rows, total)
    else:
        w = _project_capped(rows, total, check_cap(cap, v.shape[-1], total))
    return w.reshape(v.shape)


def power_weights(costs: ArrayLike, weight_power: float) -> NDArray[np.float64]:
    r"""Weights that trade costs against each other through a power.

    .. math::
        w = \arg\min_{w \in \Delta} \sum_m w_m^a t_m, \qquad
        w_m = \frac{t_m^{-1/(a-1)}}{\sum_l t_l^{-1/(a-1)}}.

    Parameters
    ----------
    costs : array-like of shape (n,) or (n_rows, n)
        The costs :math:`t`, non-negative. Terms without any cost share the whole
        weight. Each row has weights of its own.

    weight_power : float
        The power :math:`a`, at least 1. At :math:`a = 1`, and in the limit towards
        it, the cheapest terms share the whole weight; large powers make the weights
        uniform.

    Returns
    -------
    w : ndarray of the shape of costs
        Non-negative, with the sum one.

    Examples
    --------
    >>> power_weights([1.0, 4.0], 2.0)
    array([0.8, 0.2])
    >>> power_weights([1.0, 4.0], 3.0).round(4)
    array([0.6667, 0.3333])
    """
    t = np.asarray(costs, dtype=np.float64)
    if t.ndim not in (1, 2) or t.size == 0:
        raise ComitiaError(
            "costs must be a vector with at least one number, or rows of such; got "
            f"shape {t.shape}."
        )
    if not np.isfinite(t).all() or (t < 0).any():
        raise ComitiaError("costs must be finite and non-negative.")
    if not weight_power >= 1:
        raise ComitiaError(f"weight_power={weight_power} must be at least 1.")
    cheapest = t.min(axis=-1, keepdims=True)
    if weight_power == 1:
        w = (t == cheapest).astype(np.float64)
    else:
        # Relative to the cheapest no power overflows; one that underflows is zero.
        # Rows with a free term look at which terms are free, and not at ratios.
        shares = t if cheapest.all() else np.where(cheapest > 0, t, 1.0)
        logs = np.log(shares)
        w = np.exp((logs.min(axis=-1, keepdims=True) - logs) / (weight_power - 1))
        if shares is not t:
            w = np.where(cheapest > 0, w, t == 0)
    return np.asarray(w / w.sum(axis=-1, keepdims=True))


def check_cap(cap: ArrayLike, n: int, total: float) -> NDArray[np.float64]:
    """Cap of each of n weights; refused when the weights could not reach the total."""
    upper = np.asarray(cap, dtype=np.float64)
    if upper.ndim > 1 or (upper.ndim == 1 and len(upper) != n):
        raise ComitiaError(
            f"cap must be one number or {n} numbers; got shape {upper.shape}."
        )
    upper = np.broadcast_to(upper, (n,))
    if np.isnan(upper).any() or (upper < 0).any():
        raise ComitiaError("cap must be non-negative.")
    # A cap of 1/n is feasible although n rounded parts may miss the total.
    if upper.sum() < total * (1 - 1e-12):
        raise ComitiaError(
            f"cap is too small: {n} weights of at most {upper.max():g} cannot sum to "
            f"{total:g}; give at least {total / n:g}."
        )
    return np.minimum(upper, total)


def _project(rows: NDArray[np.float64], total: float) -> NDArray[np.float64]:
    # The answer does not change when a row is shifted; near zero it is rounded less.
    rows = rows - rows.max(axis=-1, keepdims=True)
    falling = -np.sort(-rows, axis=-1)
    n_free = np.arange(1, rows.shape[-1] + 1)
    theta = (np.cumsum(falling, axis=-1) - total) / n_free
    last = (falling > theta).sum(axis=-1, keepdims=True) - 1
    return np.maximum(rows - np.take_along_axis(theta, last, axis=-1), 0.0)


def _project_capped(
    rows: NDArray[np.float64], total: float, cap: NDArray[np.float64]
) -> NDArray[np.float64]:
    n = rows.shape[-1]
    # Of the largest entries, the first whose caps reach the total bounds theta from
    # above, and less the total from below. Seen from there, entries further away than
    # the total are at zero or at their cap, however far; cut off, they do not round.
    order = np.argsort(-rows, axis=-1, kind="stable")
    reach = np.cumsum(cap[order], axis=-1) >= total * (1 - 1e-12)
    pivot = np.take_along_axis(order, reach.argmax(axis=-1)[:, None], axis=-1)
    rows = np.clip(rows - np.take_along_axis(rows, pivot, axis=-1), -total, total)
    # As theta grows, weight i leaves its cap at v_i - u_i and reaches zero at v_i.
    kinks = np.concatenate([rows - cap, rows], axis=-1)
    order = np.argsort(kinks, axis=-1, kind="stable")
    kinks = np.take_along_axis(kinks, order, axis=-1)
    n_free = np.cumsum(np.where(order < n, 1, -1), axis=-1)
    fall = np.cumsum(n_free[:, :-1] * np.diff(kinks, axis=-1), axis=-1)
    sums = cap.sum() - np.concatenate([np.zeros((len(rows), 1)), fall], axis=-1)
    # The last kink at which the sum still reaches the total; the first when rounding
    # leaves none.
    left = np.maximum((sums >= total).sum(axis=-1, keepdims=True) - 1, 0)
    slope = np.maximum(np.take_along_axis(n_free, left, axis=-1), 1)
    theta = np.take_along_axis(kinks, left, axis=-1)
    theta = theta + (np.take_along_axis(sums, left, axis=-1) - total) / slope
    w = np.clip(rows - theta, 0.0, cap)
    # The running sums have rounded; what is missing goes to the weights in between.
    free = (w > 0) & (w < cap)
    missing = total - w.sum(axis=-1, keepdims=True)
    share = missing / np.maximum(free.sum(axis=-1, keepdims=True), 1)
    return np.asarray(np.clip(w + np.where(free, share, 0.0), 0.0, cap))
