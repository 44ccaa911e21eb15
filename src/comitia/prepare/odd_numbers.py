"""Numbers that stand for no number, and numbers that would drown all others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["far_limits", "has_long_tail", "missing_code", "only_negative"]

# Codes that stand for a missing number are nines: 99, 999, -9999, 99.99.
_NINES = frozenset(
    sign * nines
    for whole in (999.0, 9999.0, 99999.0, 999999.0, 9999999.0, 99999999.0)
    for nines in (whole, whole / 10, whole / 100, 99.0)
    for sign in (1.0, -1.0)
    if nines >= 99.0
)

# Values are far out beyond so many interquartile ranges from the quartiles (J. W.
# Tukey, Exploratory Data Analysis, 1977).
_FAR = 3.0

# Few values are no more than this share. They decide the scale of a column if so much
# of its variance is theirs: all others are then alike.
_FEW = 0.05
_MOST = 0.9

# A normal distribution has the skewness 0, an exponential one 2.
_LONG = 3.0

# Fewer numbers have no quartiles to speak of.
_FEWEST = 8


def missing_code(values: NDArray[np.float64]) -> float | None:
    """The code in a column of numbers that means that there is none.

    It is a number of nines, or the only negative number and whole, that occurs more
    than once and is further from all other values than these are from each other.

    Parameters
    ----------
    values : ndarray of shape (n_objects,)
        The column, NaN where missing.

    Returns
    -------
    code : float or None
        Such as -999.

    Examples
    --------
    >>> import numpy as np
    >>> from comitia.prepare.odd_numbers import missing_code
    >>> missing_code(np.array([31.0, -999.0, 45.0, 52.0, -999.0]))
    -999.0
    """
    distinct, counts = np.unique(values[np.isfinite(values)], return_counts=True)
    if len(distinct) < 4:
        return None
    for at, low, high in ((0, 1, -1), (-1, 0, -2)):
        code, rest = float(distinct[at]), distinct[low] - distinct[high]
        gap = min(abs(code - distinct[low]), abs(code - distinct[high]))
        lone = at == 0 and code < 0 <= distinct[1] and code.is_integer()
        if (lone or round(code, 6) in _NINES) and counts[at] > 1 and gap > abs(rest):
            return code
    return None


def only_negative(values: NDArray[np.float64]) -> float | None:
    """The one negative number of a column, if it occurs more than once.

    It may stand for a missing value, as -1 does in many a table, or be meant.

    Parameters
    ----------
    values : ndarray of shape (n_objects,)
        The column, NaN where missing.

    Returns
    -------
    number : float or None
        Such as -1. None where it is a fraction, or where fewer than four other numbers
        stand beside it.

    Examples
    --------
    >>> import numpy as np
    >>> from comitia.prepare.odd_numbers import only_negative
    >>> only_negative(np.array([31.0, -1.0, 45.0, 52.0, 38.0, -1.0]))
    -1.0
    """
    distinct, counts = np.unique(values[np.isfinite(values)], return_counts=True)
    if len(distinct) < 5 or distinct[0] >= 0 or distinct[1] < 0 or counts[0] < 2:
        return None
    return float(distinct[0]) if distinct[0].is_integer() else None


def far_limits(values: NDArray[np.float64]) -> tuple[float, float] | None:
    r"""The limits of a column in which a few values would drown all others.

    The limits are :math:`q_{1/4} - s r` and :math:`q_{3/4} + s r` with the quartiles
    :math:`q`, :math:`r = q_{3/4} - q_{1/4}`, and the first :math:`s` among 3, 6, 12, …
    with few values beyond them. Where at least half of the values are equal, the
    quartiles are those of the others.

    Parameters
    ----------
    values : ndarray of shape (n_objects,)
        The column, NaN where missing.

    Returns
    -------
    limits : tuple of float, or None
        None where no value is beyond them, or where those that are have no more than
        nine tenths of the variance. Few are one, or one in twenty.

    Examples
    --------
    >>> import numpy as np
    >>> from comitia.prepare.odd_numbers import far_limits
    >>> far_limits(np.array([*range(21), 1e9]))
    (-26.25, 47.25)
    """
    present = np.sort(values[np.isfinite(values)])
    n = len(present)
    if n < _FEWEST:
        return None
    low, middle, high = np.percentile(present, [25, 50, 75])
    if 2 * np.count_nonzero(present == middle) >= n:
        others = present[present != middle]
        if len(others) < _FEWEST:
            return None
        low, high = np.percentile(others, [25, 75])
        low, high = min(low, middle), max(high, middle)
    reach = _FAR * (high - low)
    while reach > 0 and np.isfinite(reach):
        limits = float(low - reach), float(high + reach)
        far = (present < limits[0]) | (present > limits[1])
        if far.sum() <= max(1.0, _FEW * n):
            break
        reach *= 2
    else:
        return None
    if not far.any():
        return None
    # Of large numbers the squares overflow.
    square = ((present - middle) / np.abs(present - middle).max()) ** 2
    return limits if square[far].sum() > _MOST * square.sum() else None


def has_long_tail(values: NDArray[np.float64]) -> bool:
    """Whether numbers from 0 are spread as logarithms are, such as amounts.

    Parameters
    ----------
    values : ndarray of shape (n_objects,)
        The column, NaN where missing.

    Returns
    -------
    yes : bool
        True where the skewness is above 3 and log(1 + x) takes at least half of it
        away.

    Examples
    --------
    >>> import numpy as np
    >>> from comitia.prepare.odd_numbers import has_long_tail
    >>> has_long_tail(np.exp(np.linspace(-8, 8, 60)))
    True
    >>> has_long_tail(np.linspace(0, 4, 30))
    False
    """
    present = values[np.isfinite(values)]
    if len(present) < 2 * _FEWEST or present.min() < 0 or present.max() <= 0:
        return False
    skewness = _skewness(present / present.max())
    return skewness > _LONG and 2 * _skewness(np.log1p(present)) < skewness


def _skewness(values: NDArray[np.float64]) -> float:
    centered = values - values.mean()
    spread = float(np.sqrt((centered**2).mean()))
    return float((centered**3).mean()) / spread**3 if spread > 0 else 0.0
