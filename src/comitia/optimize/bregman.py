r"""The convex functions behind Bregman divergences.

A convex function g makes the divergence

.. math::
    D_g(x, y) = g(x) - g(y) - \langle \nabla g(y), x - y \rangle \ge 0.

It is not symmetric. The point y nearest to many x is their arithmetic mean, whatever g
is; the point x nearest to many y is the mean of their gradients, mapped back. Arrays
may be of any library that follows the array API standard.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from comitia._arrays import array_namespace
from comitia._steps import check_choice

__all__ = [
    "BREGMAN",
    "Bregman",
    "get_bregman",
]

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

    Examples
    --------
    >>> from comitia.optimize import get_bregman
    >>> get_bregman("kl").name
    'kl'
    """
    check_choice("divergence", divergence, BREGMAN)
    return BREGMAN[divergence]
