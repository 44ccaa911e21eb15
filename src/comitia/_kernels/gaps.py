"""Numbers that are missing in a table, from the rows that are nearest."""

import numpy as np

from comitia._kernels._njit import njit

__all__ = ["fill_from_nearest"]

# Squares that differ by less, in proportion, are the same.
_SAME = 1e-9


@njit(cache=True, nogil=True)
def fill_from_nearest(rows, known, n_nearest, filled, start, stop):
    """Write into ``filled`` what is missing in the first columns of rows.

    It is the mean over the nearest known rows that have a value there, and all that are
    as near as the last of them. How far rows are apart is the mean square over the
    columns that both have; where no row shares one, ``filled`` stays as it is.

    Parameters
    ----------
    rows, known : ndarray of shape (n, p) and ndarray of shape (n_known, p)
        NaN is what is missing.

    n_nearest : int
        How many rows are wanted.

    filled : ndarray of shape (n, n_filled)
        The first columns of ``rows``, with something in each place.

    start, stop : int
        The rows to fill.
    """
    n_known, p = known.shape
    apart, best = np.empty(n_known), np.empty(n_nearest)
    for i in range(start, stop):
        looked = False
        for c in range(filled.shape[1]):
            if not np.isnan(rows[i, c]):
                continue
            if not looked:
                looked = True
                for j in range(n_known):
                    total, n_shared = 0.0, 0
                    for d in range(p):
                        gap = rows[i, d] - known[j, d]
                        if not np.isnan(gap):
                            total += gap * gap
                            n_shared += 1
                    apart[j] = total / n_shared if n_shared > 0 else np.inf
            n_best = 0
            for j in range(n_known):
                if np.isnan(known[j, c]) or apart[j] == np.inf:
                    continue
                if n_best < n_nearest:
                    n_best += 1
                elif apart[j] >= best[n_best - 1]:
                    continue
                place = n_best - 1
                while place > 0 and best[place - 1] > apart[j]:
                    best[place] = best[place - 1]
                    place -= 1
                best[place] = apart[j]
            if n_best == 0:
                continue
            border, total, n_near = best[n_best - 1] * (1.0 + _SAME), 0.0, 0
            for j in range(n_known):
                if apart[j] <= border and not np.isnan(known[j, c]):
                    total += known[j, c]
                    n_near += 1
            filled[i, c] = total / n_near
