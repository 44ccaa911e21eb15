"""Does a table of whole numbers hold clusterings, and not features?

A label matrix that is read as features is clustered by its codes, which mean nothing. A
table looks like labels if, and only if,

- it has two columns or more, of whole numbers,
- each column holds 0..k-1 or 1..k without a gap, apart from -1 for a missing label,
  with k from 2 to half the number of objects, and not every column is of two values,
- columns agree as clusterings do, by the adjusted Rand index, and this is not what the
  *order* of the codes says: the index is 0.2 or more and no less than 0.9 of the
  squared correlation, or 0.05 or more and three times the squared correlation, on
  average over pairs of columns.

The last is what tells clusterings from ratings, counts and pixels. Two ordered columns
that agree in their values correlate: their squared correlation is larger than the index
(for cut normal variables 1.15 to 3 times as large, above 0.2). Codes of clusters are in
no order: with the same codes for the same clusters both are alike, and with others the
correlation vanishes.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.exceptions import ComitiaWarning

__all__ = ["looks_like_labels", "warn_of_labels"]

# Columns and rows that are compared, evenly spaced.
_COLUMNS = 12
_ROWS = 2000

# Codes beyond this are no labels of clusters that a person would count.
_MOST_CODES = 1000


def looks_like_labels(table: Any) -> bool:
    """Whether the columns of a table look like clusterings.

    Parameters
    ----------
    table : array-like of shape (n_objects, n_columns)
        Numbers. What is no table of whole numbers does not look like labels.

    Returns
    -------
    alike : bool
        By the rule of this module.

    Examples
    --------
    >>> looks_like_labels([[0, 1], [0, 1], [1, 2], [1, 2], [2, 0], [2, 0]])
    True
    >>> looks_like_labels([[1, 1], [2, 2], [3, 3], [4, 3], [5, 5], [5, 4]])
    False
    """
    X = np.asarray(table)
    if X.ndim != 2 or X.shape[1] < 2 or len(X) < 4 or X.dtype.kind not in "iuf":
        return False
    most = 0
    for column in X.T:
        n_codes = _n_codes(column)
        if n_codes < 2:
            return False  # most tables are seen through at their first column
        most = max(most, n_codes)
    if most < 3:
        return False
    columns = np.unique(np.linspace(0, X.shape[1] - 1, _COLUMNS).astype(np.int64))
    rows = np.unique(np.linspace(0, len(X) - 1, _ROWS).astype(np.int64))
    some = X[np.ix_(rows, columns)].astype(np.int64)
    index, squared = [], []
    for a in range(len(columns)):
        for b in range(a):
            known = (some[:, a] >= 0) & (some[:, b] >= 0)
            if known.sum() >= 2:
                pair = some[known, a], some[known, b]
                index.append(_adjusted_rand(*pair))
                squared.append(_squared_correlation(*pair))
    if not index:
        return False
    alike, ordered = float(np.mean(index)), float(np.mean(squared))
    return (alike >= 0.2 and alike >= 0.9 * ordered) or alike >= max(0.05, 3 * ordered)


def warn_of_labels(X: Any, instead: str, stacklevel: int = 2) -> None:
    """Warn if a table of whole numbers looks like clusterings.

    Parameters
    ----------
    X : array-like
        What was given as data. Only arrays and data frames of integers are looked at.

    instead : str
        What is to be called with clusterings.

    stacklevel : int, default=2
        As for :func:`warnings.warn`.
    """
    if not _is_integer(X) or not looks_like_labels(X):
        return
    warnings.warn(
        f"the columns of X look like clusterings, and were read as features; {instead} "
        "combines them as clusterings.",
        ComitiaWarning,
        stacklevel=stacklevel + 1,
    )


def _is_integer(X: Any) -> bool:
    """Whether somebody gave integers; numbers that happen to be whole do not count."""
    dtypes = getattr(X, "dtypes", None)  # pandas and Polars
    if dtypes is None:
        return getattr(getattr(X, "dtype", None), "kind", "") in "iu" and (
            getattr(X, "ndim", 0) == 2
        )
    return len(dtypes) > 1 and all("int" in str(each).lower() for each in dtypes)


def _n_codes(column: NDArray[Any]) -> int:
    """How many codes, from 0 or from 1 on; 0 if they are none."""
    least, most = column.min(), column.max()
    largest = min(_MOST_CODES, len(column) // 2)
    if not (least >= -1 and 1 <= most <= largest):
        return 0  # also for NaN
    codes = column.astype(np.int64)
    if column.dtype.kind == "f" and not np.array_equal(codes, column):
        return 0
    found = np.bincount(codes + 1)[1:]  # without -1, which is a missing label
    start = 0 if found[0] else 1
    return len(found) - start if found[start:].all() else 0


def _adjusted_rand(a: NDArray[np.int64], b: NDArray[np.int64]) -> float:
    table = np.bincount(a * (b.max() + 1) + b).astype(np.float64)
    both, one, other = (
        float((counts * (counts - 1)).sum())
        for counts in (table, np.bincount(a), np.bincount(b))
    )
    n = len(a)
    expected = one * other / (n * (n - 1))
    top = (one + other) / 2 - expected
    return (both - expected) / top if top > 0 else 0.0


def _squared_correlation(a: NDArray[np.int64], b: NDArray[np.int64]) -> float:
    a, b = a - a.mean(), b - b.mean()
    scale = float((a @ a) * (b @ b))
    return float(a @ b) ** 2 / scale if scale > 0 else 0.0
