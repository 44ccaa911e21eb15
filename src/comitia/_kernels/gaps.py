"""Numbers that are missing in a table, from the rows that are nearest."""

import numpy as np

from comitia._kernels._njit import njit

__all__ = ["fill_from_nearest"]

# Squares that differ by less, in proportion, are the same.
_SAME = 1e-9

# So many rows are compared with so many known ones at a time, which stay in the cache.
_AT_A_TIME, _TILE = 16, 128


@njit(cache=True, nogil=True)
def fill_from_nearest(rows, known, n_nearest, filled, start, stop):
    """Write into ``filled`` what is missing in the first columns of rows.

    It is the mean over the nearest known rows that have a value there, and all that are
    as near as the last of them. How far rows are apart is the mean square over the
    columns that both have; where no row shares one, ``filled`` stays as it is.

    Parameters
    ----------
    rows, known : ndarray of shape (n, p) and ndarray of shape (p, n_known)
        The rows, and those to look at, column by column; NaN is what is missing.

    n_nearest : int
        How many rows are wanted.

    filled : ndarray of shape (n, n_filled)
        The first columns of ``rows``, with something in each place.

    start, stop : int
        The rows to fill.
    """
    n_known = known.shape[1]
    apart = np.empty((_AT_A_TIME, n_known))
    best, block = np.empty(n_nearest), np.empty(_AT_A_TIME, np.int64)
    i = start
    while i < stop:
        n_block = 0
        while i < stop and n_block < _AT_A_TIME:
            if np.isnan(rows[i, : filled.shape[1]]).any():
                block[n_block] = i
                n_block += 1
            i += 1
        _mean_squares(rows, block[:n_block], known, apart)
        for b in range(n_block):
            row, fill = rows[block[b]], filled[block[b]]
            for c in range(len(fill)):
                if np.isnan(row[c]):
                    _fill(apart[b], known[c], best, fill, c)


@njit(cache=True, nogil=True)
def _mean_squares(rows, block, known, apart):
    """How far the rows of a block are from the known ones; infinitely, if unknown."""
    p, n_known = known.shape
    shared = np.empty(_TILE)
    for first in range(0, n_known, _TILE):
        width = min(_TILE, n_known - first)
        for b in range(len(block)):
            sums = apart[b, first : first + width]
            sums[:] = 0.0
            shared[:] = 0.0
            for d in range(p):
                x = rows[block[b], d]
                if np.isnan(x):
                    continue
                column = known[d, first : first + width]
                for t in range(width):
                    gap = x - column[t]
                    sums[t] += gap * gap if gap == gap else 0.0
                    shared[t] += 1.0 if gap == gap else 0.0
            for t in range(width):
                sums[t] = sums[t] / shared[t] if shared[t] > 0.0 else np.inf


@njit(cache=True, nogil=True)
def _fill(apart, column, best, fill, c):
    """Fill one gap by the nearest of the rows that have a value in its column."""
    n_best = 0
    for j in range(len(column)):
        if np.isnan(column[j]) or apart[j] == np.inf:
            continue
        if n_best < len(best):
            n_best += 1
        elif apart[j] >= best[n_best - 1]:
            continue
        place = n_best - 1
        while place > 0 and best[place - 1] > apart[j]:
            best[place] = best[place - 1]
            place -= 1
        best[place] = apart[j]
    if n_best == 0:
        return
    border, total, n_near = best[n_best - 1] * (1.0 + _SAME), 0.0, 0
    for j in range(len(column)):
        if apart[j] <= border and not np.isnan(column[j]):
            total += column[j]
            n_near += 1
    fill[c] = total / n_near
