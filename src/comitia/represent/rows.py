"""Sums over the clusters of each object."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._kernels.chunks import steps
from comitia.blocks import join
from comitia.config import require_memory
from comitia.device_ensemble import DeviceEnsemble
from comitia.ensemble import Ensemble

__all__ = [
    "best_column",
    "block_sums",
    "block_tables",
    "has_labels",
    "labels_in",
    "labels_of",
    "row_sums",
]

Floats = NDArray[np.float64]

# Fewer objects than this are not worth a second thread.
_MANY = 1 << 16


def row_sums(ensemble: Ensemble, cluster_values: ArrayLike) -> Floats:
    """Sum of the values of the clusters that each object is in.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    cluster_values : array-like of shape (n_clusters,)
        A value for each cluster; memberships multiply it.

    Returns
    -------
    sums : ndarray of shape (n_objects,)
        The product of B and the values. With the sizes of the clusters it is the
        degree of each object in the graph B B'. Of labels on a device, a tensor there.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> votes = Ensemble([[0, 0], [0, 1], [1, 1]])
    >>> row_sums(votes, votes.sizes)
    array([3., 4., 3.])
    """
    values = np.asarray(cluster_values, dtype=np.float64)
    return join(ensemble.row_blocks.map(block_sums, values=values), ensemble.n_objects)


def block_sums(block: Ensemble, *, values: Floats) -> Floats:
    """The sums of one row block.

    Parameters
    ----------
    block : Ensemble
        The block.

    values : ndarray of shape (n_clusters,)
        A value for each cluster.

    Returns
    -------
    sums : ndarray of shape (n_objects of the block,)
        The product of its rows of B and the values.
    """
    if block.is_sparse:
        return np.asarray(block.membership @ values)
    starts = block.offsets[:-1] + np.arange(block.n_clusterings)
    # A missing label reads the zero behind the values of its clustering.
    padded = np.insert(values, block.offsets[1:], 0.0)
    if isinstance(block, DeviceEnsemble):
        from comitia._kernels import device

        there: Floats = device.row_totals(block.device_codes, starts, padded)
        return there
    from comitia._kernels.tcut import row_totals

    out = np.empty(block.n_objects)
    row_totals(block.codes, starts, padded, out)
    return out


def has_labels(ensemble: Ensemble, m: int, labels: NDArray[np.int32]) -> bool:
    """Whether one clustering has these labels.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    m : int
        Which of them.

    labels : ndarray of shape (n_objects,)
        Labels, and -1 where there is none.

    Returns
    -------
    same : bool
        True if all are equal.
    """
    differ = ensemble.row_blocks.map(_differ_in, ensemble.split(labels), m=int(m))
    return bool(differ.total() == 0)


def _differ_in(block: Ensemble, labels: NDArray[np.int32], *, m: int) -> int:
    if isinstance(block, DeviceEnsemble):
        return int((labels_in(block, m=m) != labels).sum())
    none, codes, n_differ = int(block.n_clusters_each[m]), block.codes[m], 0
    for rows in steps(0, len(codes)):
        given = np.where(labels[rows] < 0, none, labels[rows])
        n_differ += int(np.count_nonzero(given != codes[rows]))
    return n_differ


def best_column(ensemble: Ensemble, table: Floats) -> NDArray[np.int32]:
    """The column with the largest sum over the clusters of each object.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    table : ndarray of shape (n_clusters, k)
        A row for each cluster; memberships multiply it.

    Returns
    -------
    best : ndarray of shape (n_objects,)
        The first of the largest entries in each row of B times the table.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> votes = Ensemble([[0, 0], [0, 1], [1, 1]])
    >>> best_column(votes, np.array([[1, 0], [0, 3], [1, 0], [0, 2]]))
    array([0, 1, 1], dtype=int32)
    """
    values = np.ascontiguousarray(table, dtype=np.float64)
    best = ensemble.row_blocks.map(_best_in, table=values)
    return join(best, ensemble.n_objects)


def _best_in(block: Ensemble, *, table: Floats) -> NDArray[np.int32]:
    if block.is_sparse:
        scores = np.asarray(block.membership @ table)
        return np.asarray(scores.argmax(axis=1), dtype=np.int32)
    from comitia._kernels.chunks import over_ranges
    from comitia._kernels.lloyd import nearest_rows

    k = table.shape[1]
    starts = block.offsets[:-1] + np.arange(block.n_clusterings)
    padded = np.insert(table, block.offsets[1:], 0.0, axis=0)
    codes, one = block.row_codes, np.ones(block.n_objects)
    nothing, no_rows = np.zeros(k), np.empty((0, k))
    labels = np.empty(block.n_objects, dtype=np.int32)
    best = np.empty(block.n_objects)

    def work(lo: int, hi: int) -> None:
        rows = slice(lo, hi)
        nearest_rows(
            codes[rows],
            starts,
            block.n_clusters_each,
            padded,
            one[rows],
            nothing,
            no_rows,
            labels[rows],
            best[rows],
        )

    over_ranges(work, block.n_objects)
    return labels


def labels_of(ensemble: Ensemble, m: int) -> NDArray[np.int32]:
    """The labels of one clustering.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    m : int
        Which of them.

    Returns
    -------
    labels : ndarray of shape (n_objects,)
        Labels 0..k_m - 1, and -1 where there is none. Of labels on a device, a tensor.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> labels_of(Ensemble([[0, 0], [0, -1], [1, 1]]), 1)
    array([ 0, -1,  1], dtype=int32)
    """
    return join(ensemble.row_blocks.map(labels_in, m=int(m)), ensemble.n_objects)


def labels_in(block: Ensemble, *, m: int) -> NDArray[np.int32]:
    """The labels of one clustering in one row block.

    Parameters
    ----------
    block : Ensemble
        The block.

    m : int
        Which clustering.

    Returns
    -------
    labels : ndarray of shape (n_objects of the block,)
        As of :func:`labels_of`.
    """
    if isinstance(block, DeviceEnsemble):
        codes: Any = block.device_codes[m].int()
    else:
        codes = block.codes[m].astype(np.int32)
    codes[codes == int(block.n_clusters_each[m])] = -1
    labels: NDArray[np.int32] = codes
    return labels


def block_tables(block: Ensemble, integers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Weighted contingency tables of one row block, B' diag(a) B.

    Parameters
    ----------
    block : Ensemble
        A hard one.

    integers : ndarray of int64 of shape (n_objects of the block,)
        The weights :math:`a`, in fixed point.

    Returns
    -------
    shared : ndarray of shape (n_clusters, n_clusters)
        In the same fixed point: tables of several blocks can be added.
    """
    from comitia._kernels.chunks import thread_count
    from comitia._kernels.tcut import weighted_contingency

    K = block.n_clusters
    require_memory(
        8 * K * K,
        f"the table of the weight that each two of {K} clusters share",
        "give fewer clusters",
    )
    out = np.zeros((K, K), dtype=np.int64)
    n_threads = thread_count() if block.n_objects > _MANY else 1

    def work(first: int) -> None:
        weighted_contingency(
            block.codes,
            block.n_clusters_each,
            block.offsets,
            integers,
            first,
            n_threads,
            out,
        )

    if n_threads == 1:
        work(0)
    else:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(n_threads) as pool:
            list(pool.map(work, range(n_threads)))
    return out
