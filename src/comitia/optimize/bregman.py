r"""Bregman divergences and the means that belong to them.

A convex function g makes the divergence

.. math::
    D_g(x, y) = g(x) - g(y) - \langle \nabla g(y), x - y \rangle \ge 0.

It is not symmetric. The point y nearest to many x is their arithmetic mean, whatever g
is; the point x nearest to many y is the mean of their gradients, mapped back.

Divergences take arrays of other libraries that follow the array API standard, and give
such arrays back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._arrays import array_namespace
from comitia.exceptions import ComitiaError
from comitia.optimize.nmf import floats

__all__ = [
    "BREGMAN",
    "Bregman",
    "bregman_divergence",
    "bregman_elementwise",
    "get_bregman",
    "left_centroid",
    "right_centroid",
]

Floats = NDArray[np.float64]

# Of NumPy, or of another library that follows the standard.
Array = Any


class Bregman(NamedTuple):
    """A convex function, as what divergences and means need of it.

    Attributes
    ----------
    name : str
        Its name.

    terms : callable
        What each element adds to g, or None where g is no sum over elements.

    value : callable
        g, along the last axis.

    gradient : callable
        The gradient of g.

    inverse : callable
        The point with a given gradient, or None where there is more than one.

    lowest : float
        Elements must be larger; minus infinity if all numbers do.
    """

    name: str
    terms: Callable[[Array], Array] | None
    value: Callable[[Array], Array]
    gradient: Callable[[Array], Array]
    inverse: Callable[[Array], Array] | None
    lowest: float


def _separable(
    name: str,
    terms: Callable[[Array], Array],
    gradient: Callable[[Array], Array],
    inverse: Callable[[Array], Array],
    lowest: float,
) -> Bregman:
    def value(x: Array) -> Array:
        return array_namespace(x).sum(terms(x), axis=-1)

    return Bregman(name, terms, value, gradient, inverse, lowest)


def _square(x: Array) -> Array:
    return x * x


def _xlogx(x: Array) -> Array:
    xp = array_namespace(x)
    return x * xp.log(xp.where(x > 0, x, xp.ones_like(x)))


def _log(x: Array) -> Array:
    # log 0 is minus infinity, which is what a divergence from zero wants.
    with np.errstate(divide="ignore"):
        return array_namespace(x).log(x)


def _exp(x: Array) -> Array:
    return array_namespace(x).exp(x)


def _norm(x: Array) -> Array:
    xp = array_namespace(x)
    return xp.sqrt(xp.sum(x * x, axis=-1))


def _direction(x: Array) -> Array:
    xp, length = array_namespace(x), _norm(x)[..., None]
    return x / xp.where(length > 0, length, xp.ones_like(length))


#: The functions g by name: the squared norm; x ln x - x, which gives the
#: Kullback-Leibler divergence; - ln x (Itakura-Saito); and the norm, whose divergence
#: looks at directions only.
BREGMAN: dict[str, Bregman] = {
    made.name: made
    for made in (
        _separable("squared", _square, lambda x: 2.0 * x, lambda g: g / 2.0, -np.inf),
        _separable("kl", lambda x: _xlogx(x) - x, _log, _exp, 0.0),
        _separable(
            "itakura_saito",
            lambda x: -_log(x),
            lambda x: -1.0 / x,
            lambda g: -1.0 / g,
            0.0,
        ),
        Bregman("norm", None, _norm, _direction, None, -np.inf),
    )
}


def get_bregman(divergence: str) -> Bregman:
    """Look a divergence up by its name.

    Parameters
    ----------
    divergence : {"squared", "kl", "itakura_saito", "norm"}
        Which.

    Returns
    -------
    bregman : Bregman
        Its convex function.
    """
    if divergence not in BREGMAN:
        raise ComitiaError(
            f"divergence={divergence!r} is not known; use one of {', '.join(BREGMAN)}."
        )
    return BREGMAN[divergence]


def bregman_divergence(
    x: ArrayLike, y: ArrayLike, divergence: str = "squared"
) -> Array:
    r"""Bregman divergence of vectors, along the last axis.

    .. math::
        D_g(x, y) = g(x) - g(y) - \langle \nabla g(y), x - y \rangle

    Parameters
    ----------
    x, y : array-like of shape (..., n_features)
        The vectors; they are broadcast against each other. For ``"kl"`` not negative,
        for ``"itakura_saito"`` positive.

    divergence : {"squared", "kl", "itakura_saito", "norm"}, default="squared"
        Squared Euclidean distance; :math:`\sum x \ln (x / y) - x + y`;
        :math:`\sum x / y - \ln (x / y) - 1`; :math:`\|x\| (1 - \cos(x, y))`.

    Returns
    -------
    divergence : ndarray of shape (...)
        0 or more; infinite where y has a zero that x has not.

    Examples
    --------
    >>> float(bregman_divergence([1.0, 0.0], [0.5, 0.5], "kl").round(6))
    0.693147
    """
    one, other = _points(x, y, divergence)
    xp = array_namespace(one)
    if divergence == "norm":
        # Written out: the inner product of y with its direction is its norm.
        g = get_bregman(divergence)
        inner = xp.sum(one * g.gradient(other), axis=-1)
        return xp.clip(g.value(one) - inner, 0.0, None)
    return xp.sum(bregman_elementwise(one, other, divergence), axis=-1)


def bregman_elementwise(
    x: ArrayLike, y: ArrayLike, divergence: str = "squared"
) -> Array:
    """Bregman divergence of numbers, element by element.

    Parameters
    ----------
    x, y : array-like
        The numbers; they are broadcast against each other.

    divergence : {"squared", "kl", "itakura_saito"}, default="squared"
        As for :func:`bregman_divergence`.

    Returns
    -------
    divergence : ndarray
        0 or more; infinite where y is zero and x is not.

    Examples
    --------
    >>> bregman_elementwise([1.0, 2.0], [2.0, 2.0])
    array([1., 0.])
    """
    one, other = _points(x, y, divergence)
    xp = array_namespace(one)
    if divergence == "squared":
        return _square(one - other)
    if divergence == "kl":
        # 0 ln (0 / y) = 0 for every y, also for y = 0.
        some, unit = one > 0, xp.ones_like(one)
        with np.errstate(divide="ignore"):
            ratio = xp.where(some, one, unit) / xp.where(some, other, unit)
            value = one * xp.log(ratio) - one + other
        return xp.clip(value, 0.0, None)
    if divergence == "itakura_saito":
        ratio = one / other
        return xp.clip(ratio - xp.log(ratio) - 1.0, 0.0, None)
    raise ComitiaError(
        f"divergence={divergence!r} is not a sum over elements; use bregman_divergence."
    )


def right_centroid(points: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    r"""The c that minimises :math:`\sum_i w_i D_g(x_i, c)`: the mean, for every g.

    Parameters
    ----------
    points : array-like of shape (n_points, ...)
        The points :math:`x_i`.

    weights : array-like of shape (n_points,), default=None
        The weights :math:`w_i`, not all zero; equal by default.

    Returns
    -------
    centroid : ndarray of shape (...)
        The weighted arithmetic mean.

    References
    ----------
    .. [1] A. Banerjee, S. Merugu, I. S. Dhillon and J. Ghosh, "Clustering with Bregman
       divergences", JMLR 6, 2005.
    """
    x = np.asarray(points, dtype=np.float64)
    return np.asarray(np.tensordot(_shares(weights, len(x)), x, axes=1))


def left_centroid(
    points: ArrayLike, weights: ArrayLike | None = None, divergence: str = "squared"
) -> Floats:
    r"""The c that minimises :math:`\sum_i w_i D_g(c, x_i)`.

    Its gradient is the mean of the gradients, :math:`\nabla g(c) = \sum_i w_i \nabla
    g(x_i)`: the arithmetic mean for ``"squared"``, the geometric mean for ``"kl"``, the
    harmonic mean for ``"itakura_saito"``.

    Parameters
    ----------
    points : array-like of shape (n_points, ...)
        The points :math:`x_i`.

    weights : array-like of shape (n_points,), default=None
        The weights :math:`w_i`, not all zero; equal by default.

    divergence : {"squared", "kl", "itakura_saito"}, default="squared"
        As for :func:`bregman_divergence`.

    Returns
    -------
    centroid : ndarray of shape (...)
        The generalised mean.

    Examples
    --------
    >>> float(left_centroid([0.25, 1.0], divergence="kl"))
    0.5
    """
    x, _ = _points(points, points, divergence)
    g = get_bregman(divergence)
    if g.inverse is None:
        raise ComitiaError(
            f"divergence={divergence!r} has no left centroid; use squared, kl or "
            "itakura_saito."
        )
    w = _shares(weights, len(x))
    # A point of no weight has no say, even where its gradient is infinite.
    present = w > 0
    mean = np.tensordot(w[present], g.gradient(x[present]), axes=1)
    return np.asarray(g.inverse(np.asarray(mean)))


def _points(x: Array, y: Array, divergence: str) -> tuple[Array, Array]:
    one, other = floats(x), floats(y)
    if not isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        # A number, where the others are.
        full = array_namespace(one).full
        other = full((), float(other), dtype=one.dtype, device=one.device)
    xp, g = array_namespace(one, other), get_bregman(divergence)
    for values in (one, other):
        # x ln x is defined at zero, ln x is not.
        outside = values < 0 if divergence == "kl" else values <= g.lowest
        if np.isfinite(g.lowest) and bool(xp.any(outside)):
            least = "0 or more" if divergence == "kl" else "positive"
            raise ComitiaError(
                f"divergence={divergence!r} needs numbers that are {least}."
            )
    return one, other


def _shares(weights: ArrayLike | None, n: int) -> Floats:
    w = np.ones(n) if weights is None else np.asarray(weights, dtype=np.float64)
    if w.shape != (n,) or not np.isfinite(w).all() or (w < 0).any() or not w.any():
        raise ComitiaError(
            f"weights must be {n} finite numbers, none negative and not all zero."
        )
    return np.asarray(w / w.sum())
