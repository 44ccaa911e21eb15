"""Columns that say again what another says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from comitia.prepare.table_columns import TableColumn

__all__ = ["column_prints", "repeated_columns"]

_N_PRINTS = 4

# Prints of one column in two units differ by rounding.
_EQUAL = 1e-9

# Rows that are summed at once.
_BLOCK = 1 << 18

# Two unrelated columns of few values are equal by chance in few rows. They have to tell
# so many bits to be taken for copies.
_FEWEST_BITS = 50.0


def column_prints(
    column: TableColumn, values: NDArray[np.float64] | None
) -> NDArray[np.float64] | None:
    r"""A few numbers that are equal for columns that say the same.

    With weights :math:`r_{iq}` that look random, those of numbers are the sums
    :math:`\sum_i r_{iq} z_i` of the standardised column, up to its sign, and those of
    names :math:`\sum_v (\sum_{x_i = v} r_{iq})^2`, on which no name has an influence.
    Missing values have prints of their own.

    Parameters
    ----------
    column : TableColumn
        The column.

    values : ndarray of shape (n_objects,) or None
        Its numbers; None if its values are names.

    Returns
    -------
    prints : ndarray of shape (9,) or None
        The first tells numbers and names apart. None for a column so short or poor
        that another may be equal by chance.
    """
    if values is None:
        return _prints_of_names(column)
    known = ~np.isnan(values)
    held = values[known]
    if _bits(np.unique(held, return_counts=True)[1]) < _FEWEST_BITS:
        return None
    # Of large numbers the squares overflow.
    held = (held - held.mean()) / np.abs(held).max()
    scaled = np.zeros(len(values))
    scaled[known] = held / (held.std() * np.sqrt(len(held)))
    found, gaps = np.zeros(_N_PRINTS), np.zeros(_N_PRINTS)
    for rows, weights in _weights(len(values)):
        found += scaled[rows] @ weights
        gaps += ~known[rows] @ weights
    sign = np.sign(found[np.argmax(np.abs(found))])
    return np.concatenate([[0.0], gaps, found * sign])


def _prints_of_names(column: TableColumn) -> NDArray[np.float64] | None:
    names = column.values.tolist()
    distinct = dict.fromkeys(v for v in names if v is not None and v == v)
    place = {name: i for i, name in enumerate(distinct)}
    codes = np.array([place.get(name, len(place)) for name in names], dtype=np.int64)
    counts = np.bincount(codes, minlength=len(place) + 1)[:-1]
    if _bits(counts) < _FEWEST_BITS:
        return None
    sums = np.zeros((len(place) + 1, _N_PRINTS))
    for rows, weights in _weights(len(codes)):
        for q in range(_N_PRINTS):
            sums[:, q] += np.bincount(codes[rows], weights[:, q], len(sums))
    found = (sums[:-1] ** 2).sum(axis=0) / len(codes)
    return np.concatenate([[1.0], sums[-1], found])


def _bits(counts: NDArray[np.int64]) -> float:
    """How much a column tells: rows times the entropy of its values."""
    return float(-(counts * np.log2(counts / counts.sum())).sum())


def _weights(n: int) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Numbers from -1 to 1 that look random, by rows; they are those of any table."""
    for start in range(0, n, _BLOCK):
        stop = min(start + _BLOCK, n)
        at = np.arange(_N_PRINTS * start, _N_PRINTS * stop, dtype=np.uint64) + 1
        # The mixing of SplitMix64 (G. L. Steele et al., OOPSLA 2014).
        at = at * np.uint64(0x9E3779B97F4A7C15)
        at = (at ^ (at >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        at = (at ^ (at >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        at = at ^ (at >> np.uint64(31))
        weights = (at >> np.uint64(11)) / 2.0**52 - 1.0
        yield slice(start, stop), weights.reshape(-1, _N_PRINTS)


def repeated_columns(prints: Mapping[int, NDArray[np.float64]]) -> dict[int, int]:
    """Which columns repeat an earlier one.

    Parameters
    ----------
    prints : dict of int to ndarray
        Those of some columns, by their places.

    Returns
    -------
    repeats : dict of int to int
        For each column that repeats others, the first of these.
    """
    if not prints:
        return {}
    places = sorted(prints)
    table = np.stack([prints[j] for j in places])
    order = np.lexsort((np.arange(len(table)), table[:, -1]))
    repeats: dict[int, int] = {}
    start = 0
    # Equal prints are neighbours in the order of one of their numbers.
    for end in range(1, len(order) + 1):
        if end < len(order) and _near(table[order[end], -1], table[order[end - 1], -1]):
            continue
        firsts: list[int] = []
        for j in sorted(order[start:end].tolist()):
            same = [i for i in firsts if _near(table[i], table[j]).all()]
            if same:
                repeats[places[j]] = places[same[0]]
            else:
                firsts.append(j)
        start = end
    return repeats


def _near(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.asarray(np.abs(a - b) <= _EQUAL * np.maximum(1.0, np.abs(a)))
