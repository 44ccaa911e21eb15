"""Silhouettes cluster by cluster, the best first."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["sorted_silhouettes"]

Floats = NDArray[np.float64]


def sorted_silhouettes(
    values: ArrayLike, labels: ArrayLike, n_rows: int = 600
) -> dict[int, Floats]:
    """Silhouettes of each cluster in falling order, in about so many rows.

    Objects without a value, NaN, are left out. Of more objects than rows, each cluster
    has as many rows as its share of the objects, at least one, taken at equal steps.

    >>> found = sorted_silhouettes([0.1, 0.5, np.nan, 0.3], [0, 0, 0, 1])
    >>> {c: row.tolist() for c, row in found.items()}
    {0: [0.5, 0.1], 1: [0.3]}
    """
    numbers = np.asarray(values, dtype=np.float64)
    known = np.isfinite(numbers)
    numbers, codes = numbers[known], np.asarray(labels)[known]
    rows = {}
    for c in np.unique(codes).tolist():
        falling = -np.sort(-numbers[codes == c])
        n = len(falling)
        if len(numbers) > n_rows:
            n = max(1, n_rows * n // len(numbers))
        middles = (2 * np.arange(n) + 1) * len(falling) // (2 * n)
        rows[c] = falling[middles]
    return rows
