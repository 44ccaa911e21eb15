"""What agreement and entropy need of contingency tables: exact sums over them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from comitia._kernels._njit import njit
from comitia._kernels.chunks import over_tasks
from comitia._kernels.contingency import Tables
from comitia._kernels.fixedpoint import xlogx, xlogx_scale

__all__ = ["cluster_entropies", "pair_sums", "xlogx_table"]

# Counts whose logarithm is looked up: 512 kB.
_TABULATED = 1 << 16


def xlogx_table(n: int) -> tuple[NDArray[np.int64], float]:
    """The values c ln c in fixed point, for the counts c that occur often.

    Parameters
    ----------
    n : int
        Number of objects.

    Returns
    -------
    table : ndarray of int64
        Values for the counts 0, 1, 2, …; larger counts are computed.

    scale : float
        What the values are multiplied by.
    """
    scale = xlogx_scale(n)
    return xlogx(np.arange(min(n + 1, _TABULATED)), scale), scale


@njit(cache=True)
def _xlogx(count, logs_of, scale):
    if count < logs_of.shape[0]:
        return logs_of[count]
    return np.int64(np.rint(count * math.log(count) * scale))


def pair_sums(
    tables: Tables,
    k_first: NDArray[np.int64],
    k_second: NDArray[np.int64],
    logs_of: NDArray[np.int64],
    scale: float,
) -> NDArray[np.int64]:
    """What the measures need of each table, in integers and hence exactly.

    Parameters
    ----------
    tables : Tables
        The tables.

    k_first, k_second : ndarray
        Clusters of the clusterings in rows and in columns.

    logs_of, scale : ndarray, float
        Of :func:`xlogx_table`.

    Returns
    -------
    sums : ndarray of shape (n_tables, 7)
        Objects; squares of cells, row sums and column sums; c ln c of these three.
    """
    sums = np.empty((len(tables.first), 7), dtype=np.int64)
    work = partial(_pair_sums, *tables, k_first, k_second, logs_of, scale, sums)
    over_tasks(work, len(sums))
    return sums


@njit(cache=True, nogil=True)
def _pair_sums(first, second, begin, counts, a_k, b_k, logs_of, scale, sums, lo, hi):
    for t in range(lo, hi):
        n_rows, n_columns = a_k[first[t]], b_k[second[t]]
        column_sums = np.zeros(n_columns, dtype=np.int64)
        total, squares, row_squares, column_squares = 0, 0, 0, 0
        logs, row_logs, column_logs = 0, 0, 0
        for r in range(n_rows):
            row = counts[begin[t] + r * n_columns : begin[t] + (r + 1) * n_columns]
            row_sum = 0
            # Two loops: the first is vector instructions, the second looks up.
            for s in range(n_columns):
                count = np.int64(row[s])
                row_sum += count
                column_sums[s] += count
                squares += count * count
            for s in range(n_columns):
                logs += _xlogx(row[s], logs_of, scale)
            total += row_sum
            row_squares += row_sum * row_sum
            row_logs += _xlogx(row_sum, logs_of, scale)
        for s in range(n_columns):
            column_squares += column_sums[s] * column_sums[s]
            column_logs += _xlogx(column_sums[s], logs_of, scale)
        sums[t, 0] = total
        sums[t, 1] = squares
        sums[t, 2] = row_squares
        sums[t, 3] = column_squares
        sums[t, 4] = logs
        sums[t, 5] = row_logs
        sums[t, 6] = column_logs


def cluster_entropies(
    counted: Iterable[Tables],
    n: int,
    n_clusters: NDArray[np.int64],
    offsets: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Entropy of each cluster in each clustering, in nats.

    Parameters
    ----------
    counted : iterable of Tables
        The tables of all pairs of clusterings, as
        :func:`comitia._kernels.contingency.all_tables` counts them.

    n : int
        Number of objects.

    n_clusters, offsets : ndarray
        Clusters of each clustering, and where they begin.

    Returns
    -------
    entropies : ndarray of shape (offsets[-1], n_clusterings)
        Of the objects of the cluster that the clustering clusters; exactly 0 where
        it keeps them together.
    """
    logs_of, scale = xlogx_table(n)
    entropies = np.zeros((offsets[-1], len(n_clusters)))
    for tables in counted:
        work = partial(
            _cluster_entropies, *tables, n_clusters, offsets, logs_of, scale, entropies
        )
        over_tasks(work, len(tables.first))
    return entropies


@njit(cache=True, nogil=True)
def _cluster_entropies(
    first, second, begin, counts, k, offsets, logs_of, scale, out, lo, hi
):
    for t in range(lo, hi):
        a, b = first[t], second[t]
        column_sums = np.zeros(k[b], dtype=np.int64)
        column_logs = np.zeros(k[b], dtype=np.int64)
        place = begin[t]
        for r in range(k[a]):
            row_sum = 0
            row_log = 0
            for s in range(k[b]):
                count = np.int64(counts[place + s])
                value = _xlogx(count, logs_of, scale)
                row_sum += count
                row_log += value
                column_sums[s] += count
                column_logs[s] += value
            place += k[b]
            if row_sum > 0:
                whole = _xlogx(row_sum, logs_of, scale)
                out[offsets[a] + r, b] = (whole - row_log) / (scale * row_sum)
        for s in range(k[b]):
            if column_sums[s] > 0:
                whole = _xlogx(column_sums[s], logs_of, scale)
                out[offsets[b] + s, a] = (whole - column_logs[s]) / (
                    scale * column_sums[s]
                )
