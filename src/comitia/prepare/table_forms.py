"""How the columns of a table are to be compared with each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia import sizes
from comitia.prepare.table_columns import TableColumn

__all__ = ["form_of", "looks_like_counts"]

# Columns are alike if the spread of the widest tenth is no more than so many times that
# of the narrowest tenth. On seven wide tables to choose by (expression, images, words)
# those in one unit have up to 8.3, raw intensities 10.1.
_ALIKE = 10.0

# A table of counts has zeros in at least this share of its cells, and some larger
# counts.
_ZEROS = 0.2
_COUNT = 5


def form_of(columns: Sequence[TableColumn], asked: str) -> tuple[str, str]:
    """The form of a table, and why.

    Parameters
    ----------
    columns : sequence of TableColumn
        The columns.

    asked : {"auto", "columns", "alike", "counts"}
        What was asked for.

    Returns
    -------
    form, reason : str, str
        One of the others, and the reason in words.
    """
    if asked != "auto":
        return asked, "as it was asked for"
    numbers = [each.values for each in columns if not each.is_text]
    if len(numbers) < sizes.WIDE_COLUMNS:
        return "columns", "each column has a unit of its own"
    matrix = np.stack(numbers, axis=1)
    if len(numbers) == len(columns) and looks_like_counts(matrix):
        return "counts", "whole numbers from 0 with many zeros"
    return _form_of_matrix(matrix)


def _form_of_matrix(X: NDArray[np.float64]) -> tuple[str, str]:
    """The same for numbers that are no counts."""
    n, p = X.shape
    if p <= n:
        return "columns", "each column has a unit of its own"
    with np.errstate(all="ignore"):
        held = np.where(np.isfinite(X), X, np.nan)
        low, high = np.fmin.reduce(held, axis=0), np.fmax.reduce(held, axis=0)
        middle = np.nanmean(held[:, high > low], axis=0)
        spread = np.sqrt(np.nanmean((held[:, high > low] - middle) ** 2, axis=0))
    if len(spread) < sizes.WIDE_COLUMNS:
        return "columns", "each column has a unit of its own"
    narrow, wide = np.percentile(spread, [10, 90])
    if wide <= _ALIKE * narrow:
        return "alike", (
            f"{p} columns for {n} rows, whose spreads are alike (the widest tenth "
            f"{wide / narrow:.1f} times the narrowest)"
        )
    return "columns", (
        f"{p} columns for {n} rows, whose spreads differ (the widest tenth "
        f"{wide / narrow:.0f} times the narrowest)"
    )


def looks_like_counts(X: Any) -> bool:
    """Whether a matrix, dense or sparse, holds raw counts.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_objects, n_features)
        The matrix.

    Returns
    -------
    yes : bool
        True for whole numbers from 0, many of them 0 and some large, in many columns.
    """
    n, p = X.shape
    if p < sizes.WIDE_COLUMNS or n < 3:
        return False
    values = X.data if hasattr(X, "indptr") else X.ravel()
    n_zeros = n * p - np.count_nonzero(values)
    if n_zeros < _ZEROS * n * p or not len(values):
        return False
    whole = (
        values.min() >= 0
        and values.max() >= _COUNT
        and np.isfinite(values).all()
        and (values == np.rint(values)).all()
    )
    if not whole:
        return False
    # Small counts are the most frequent ones. Grey values of images are not like that.
    ones, twos, threes = (int((values == count).sum()) for count in (1, 2, 3))
    return ones > twos > threes and ones > int((values == values.max()).sum())
