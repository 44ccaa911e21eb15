"""Weights as integers, so that a sum does not depend on the order of its terms."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.exceptions import ComitiaError

__all__ = ["fixed_point", "fixed_scale", "xlogx", "xlogx_scale"]


def fixed_point(weights: ArrayLike, n_terms: int) -> tuple[NDArray[np.int64], float]:
    r"""Write weights as int64 multiples of a power of two.

    Integer addition is associative: sums of the result are the same for every order
    of rows, blocks, threads and workers, which sums of floats are not.

    .. math::
        w \approx \mathrm{round}(w \, s) \, / \, s, \qquad
        s = 2^e, \quad n_\text{terms} \, \max |w| \, s < 2^{62}.

    Parameters
    ----------
    weights : array-like of float
        The weights :math:`w`, finite.

    n_terms : int
        The most terms that any one sum will have.

    Returns
    -------
    integers : ndarray of int64, same shape as weights
        The weights times the scale, rounded. A sum of ``n_terms`` of them fits int64.

    scale : float
        The power of two :math:`s`; divide a sum by it to get back to weights.

    Examples
    --------
    >>> integers, scale = fixed_point([0.5, 0.25], n_terms=4)
    >>> integers.sum() / scale
    np.float64(0.75)
    """
    weights = np.asarray(weights, dtype=np.float64)
    scale = fixed_scale(float(np.abs(weights).max(initial=0.0)), n_terms)
    return np.rint(weights * scale).astype(np.int64), scale


def fixed_scale(largest: float, n_terms: int) -> float:
    """Scale at which a sum of so many weights fits int64.

    Parameters
    ----------
    largest : float
        The largest weight.

    n_terms : int
        The most terms that any one sum will have.

    Returns
    -------
    scale : float
        A power of two.
    """
    if not math.isfinite(largest):
        raise ComitiaError("weights must be finite; got NaN or infinity.")
    # frexp: largest < 2**a and n_terms < 2**b, also where their product overflows.
    _, a = math.frexp(largest)
    _, b = math.frexp(max(int(n_terms), 1))
    # Two to a power outside this range is no float64.
    exponent = 0 if largest == 0.0 else min(max(62 - a - b, -1022), 1023)
    return math.ldexp(1.0, exponent)


def xlogx_scale(n: int) -> float:
    """Scale at which sums of c ln c over the cells of a table of n objects fit int64.

    Parameters
    ----------
    n : int
        Number of objects; no such sum exceeds n ln n.

    Returns
    -------
    scale : float
        A power of two.
    """
    return fixed_point(n * math.log(max(n, 2)), 1)[1]


def xlogx(counts: ArrayLike, scale: float) -> NDArray[np.int64]:
    """The values c ln c in fixed point, with 0 ln 0 = 0.

    Parameters
    ----------
    counts : array-like
        The counts c, 0 or more.

    scale : float
        Of :func:`xlogx_scale`.

    Returns
    -------
    values : ndarray of int64, same shape as counts
        Rounded c ln c times the scale.
    """
    counts = np.asarray(counts, dtype=np.float64)
    return np.rint(counts * np.log(np.maximum(counts, 1.0)) * scale).astype(np.int64)
