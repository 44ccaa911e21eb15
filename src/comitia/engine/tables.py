"""What clusters share, over all row blocks: contingency tables and sums over them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from comitia._kernels.sums import fixed_scale, xlogx, xlogx_scale
from comitia.config import require_memory
from comitia.engine.compiled import tables_fit
from comitia.engine.row_blocks import Blocks

if TYPE_CHECKING:
    from scipy.sparse import coo_array, csr_array

    from comitia._kernels.contingency import Tables
    from comitia.ensemble import Ensemble

__all__ = [
    "begins",
    "by_pair",
    "cluster_entropies",
    "contingency",
    "count_tables",
    "dense_contingency",
    "margins",
    "pair_totals",
    "shared_with",
    "totals_of_sparse",
    "totals_with",
    "weighted_contingency",
]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# Integers that share one scale cannot hold shares that differ by more; a second sum,
# on a finer scale, then holds what the first one rounds away.
_MAX_RATIO = 2.0**16


def contingency(ensemble: Ensemble) -> csr_array:
    """Every contingency table at once, B'B.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    Returns
    -------
    shared : csr_array of shape (n_clusters_total, n_clusters_total)
        How many objects each two clusters share.
    """
    blocks = ensemble.row_blocks
    if len(blocks) == 1 or not tables_fit(ensemble):
        return blocks.map(_contingency_of).total().tocsr()
    from scipy.sparse import csr_array

    return csr_array(ensemble.dense_contingency.astype(np.float64))


def _contingency_of(block: Ensemble) -> csr_array:
    return block.engine.contingency()


def dense_contingency(ensemble: Ensemble) -> Integers:
    """The same as a full matrix of integers, for hard clusterings.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    Returns
    -------
    shared : ndarray of shape (n_clusters_total, n_clusters_total)
        How many objects each two clusters share.
    """
    return np.asarray(ensemble.row_blocks.map(_dense_of).total())


def _dense_of(block: Ensemble) -> Integers:
    return block.engine.dense_contingency()


def count_tables(ensemble: Ensemble) -> Iterator[Tables]:
    """Count the table of every two different clusterings.

    Parameters
    ----------
    ensemble : Ensemble
        Hard clusterings.

    Yields
    ------
    tables : Tables
        Some of the tables; each pair of clusterings comes once.
    """
    blocks = ensemble.row_blocks
    if len(blocks) == 1:
        (block,) = blocks.gather()
        yield from block.engine.count_tables()
        return
    from comitia._kernels.contingency import tables_of

    yield from tables_of(
        ensemble.dense_contingency, ensemble.n_clusters_each, ensemble.offsets
    )


def _is_counted(ensemble: Ensemble) -> bool:
    """Whether tables are counted one by one; otherwise all are one sparse product."""
    if not ensemble.is_hard or not tables_fit(ensemble):
        return False
    return all(ensemble.row_blocks.map(_counts_tables).gather())


def _counts_tables(block: Ensemble) -> bool:
    return block.engine.counts_tables


# -- sums over tables ----------------------------------------------------------------


def pair_totals(ensemble: Ensemble) -> tuple[Integers, float]:
    """Integer sums over the table of every two clusterings, with themselves too.

    Parameters
    ----------
    ensemble : Ensemble
        Hard clusterings.

    Returns
    -------
    totals : ndarray of shape (n_clusterings, n_clusterings, 7)
        Objects; squares of cells, row sums and column sums; c ln c of these three.

    scale : float
        What the last three are multiplied by.
    """
    owner = ensemble.clustering_of
    if not _is_counted(ensemble):
        shared = ensemble.contingency().tocoo()
        return totals_of_sparse(shared, owner, owner, ensemble.n_objects)
    from comitia._kernels.contingency import pair_sums, xlogx_table

    M, k = ensemble.n_clusterings, ensemble.n_clusters_each
    logs_of, scale = xlogx_table(ensemble.n_objects)
    totals = np.empty((M, M, 7), dtype=np.int64)
    # With itself a clustering has a diagonal table: cells and margins are its sizes.
    sizes, begin = ensemble.sizes, ensemble.offsets[:-1]
    own = np.arange(M)
    totals[own, own, 0] = np.add.reduceat(sizes, begin)
    totals[own, own, 1:4] = np.add.reduceat(sizes**2, begin)[:, None]
    totals[own, own, 4:] = np.add.reduceat(xlogx(sizes, scale), begin)[:, None]
    for batch in count_tables(ensemble):
        sums = pair_sums(batch, k, k, logs_of, scale)
        totals[batch.first, batch.second] = sums
        # The table of (second, first) is the transpose: margins change places.
        totals[batch.second, batch.first] = sums[:, [0, 1, 3, 2, 4, 6, 5]]
    return totals, scale


def totals_with(
    ensemble: Ensemble, codes: NDArray[Any], k: int
) -> tuple[Integers, float]:
    """Integer sums over the tables of one clustering with each of an ensemble.

    Parameters
    ----------
    ensemble : Ensemble
        Hard clusterings.

    codes : ndarray of shape (n_objects,)
        Labels 0..k - 1, and k where there is none.

    k : int
        Number of labels.

    Returns
    -------
    totals : ndarray of shape (n_clusterings, 7)
        As :func:`pair_totals`, with the labels in rows.

    scale : float
        What the last three are multiplied by.
    """
    n, each = ensemble.n_objects, ensemble.n_clusters_each
    if not _is_counted(ensemble) or k * int(each.max()) > max(8 * n, 2**16):
        shared = shared_with(ensemble, codes, k)
        owner = np.zeros(k, dtype=np.int64)
        totals, scale = totals_of_sparse(shared, owner, ensemble.clustering_of, n)
        return totals[0], scale
    from comitia._kernels.contingency import pair_sums, tables_against, xlogx_table

    dtype = np.promote_types(codes.dtype, ensemble.codes.dtype)
    logs_of, scale = xlogx_table(n)
    totals = np.empty((ensemble.n_clusterings, 7), dtype=np.int64)
    tables = tables_against(
        codes.astype(dtype), k, ensemble.codes.astype(dtype, copy=False), each
    )
    for batch in tables:
        totals[batch.second] = pair_sums(batch, np.array([k]), each, logs_of, scale)
    return totals, scale


def shared_with(ensemble: Ensemble, codes: NDArray[Any], k: int) -> coo_array:
    """Objects that each label shares with each cluster, as a sparse product.

    Parameters
    ----------
    ensemble, codes, k : Ensemble, ndarray, int
        As for :func:`totals_with`; of any kind.

    Returns
    -------
    shared : coo_array of shape (k, n_clusters_total)
        The tables, beside each other.
    """
    from scipy.sparse import csr_array

    rows = np.flatnonzero(codes != k)
    onehot = csr_array(
        (np.ones(len(rows)), (codes[rows], rows)), shape=(k, ensemble.n_objects)
    )
    return (onehot @ ensemble.membership).tocoo()


def totals_of_sparse(
    shared: coo_array, row_owner: Integers, column_owner: Integers, n_objects: int
) -> tuple[Integers, float]:
    """Integer sums over hard tables that stand in the blocks of one sparse matrix.

    Parameters
    ----------
    shared : coo_array of shape (K, K')
        The tables.

    row_owner, column_owner : ndarray of int of shapes (K,) and (K',)
        The clustering of each row and of each column, in rising order.

    n_objects : int
        Number of objects.

    Returns
    -------
    totals : ndarray of shape (M, M', 7)
        As :func:`pair_totals`.

    scale : float
        What the last three are multiplied by.
    """
    scale = xlogx_scale(n_objects)
    rows, columns = (
        margin.astype(np.int64) for margin in margins(shared, row_owner, column_owner)
    )
    cells = shared.data.astype(np.int64)
    top, left = begins(row_owner), begins(column_owner)

    def over_tables(of: Callable[[Integers], Integers]) -> tuple[Integers, ...]:
        return (
            by_pair(of(cells), shared, row_owner, column_owner),
            np.add.reduceat(of(rows), top, axis=0),
            np.add.reduceat(of(columns), left, axis=1),
        )

    totals = (
        np.add.reduceat(rows, top, axis=0),
        *over_tables(np.square),
        *over_tables(lambda counts: xlogx(counts, scale)),
    )
    return np.stack(totals, axis=-1), scale


def margins(
    shared: coo_array, row_owner: Integers, column_owner: Integers
) -> tuple[Floats, Floats]:
    """Row sums (K, M') and column sums (M, K') of the tables in a block matrix.

    Parameters
    ----------
    shared, row_owner, column_owner : coo_array, ndarray, ndarray
        As for :func:`totals_of_sparse`.

    Returns
    -------
    rows, columns : ndarray
        The sums.
    """
    row, column = shared.row.astype(np.int64), shared.col.astype(np.int64)
    M, M_other = int(row_owner[-1]) + 1, int(column_owner[-1]) + 1
    K, K_other = shared.shape
    rows = np.bincount(
        row * M_other + column_owner[column], shared.data, minlength=K * M_other
    )
    columns = np.bincount(
        row_owner[row] * K_other + column, shared.data, minlength=M * K_other
    )
    return (
        np.asarray(rows, np.float64).reshape(K, M_other),
        np.asarray(columns, np.float64).reshape(M, K_other),
    )


def by_pair(
    values: NDArray[Any], shared: coo_array, row_owner: Integers, column_owner: Integers
) -> NDArray[Any]:
    """Add up a value of each cell over each table.

    Parameters
    ----------
    values : ndarray
        One for each entry of ``shared``.

    shared, row_owner, column_owner : coo_array, ndarray, ndarray
        As for :func:`totals_of_sparse`.

    Returns
    -------
    total : ndarray of shape (M, M')
        The sums.
    """
    total = np.zeros((row_owner[-1] + 1, column_owner[-1] + 1), dtype=values.dtype)
    np.add.at(total, (row_owner[shared.row], column_owner[shared.col]), values)
    return total


def begins(owner: Integers) -> Integers:
    """Where each clustering begins among clusters.

    Parameters
    ----------
    owner : ndarray of int
        The clustering of each cluster, in rising order.

    Returns
    -------
    begins : ndarray of int
        The first cluster of each.
    """
    return np.flatnonzero(np.r_[True, np.diff(owner) != 0])


def cluster_entropies(ensemble: Ensemble) -> Floats:
    """Entropy of each cluster in each clustering, in nats.

    Parameters
    ----------
    ensemble : Ensemble
        Hard clusterings.

    Returns
    -------
    entropies : ndarray of shape (n_clusters_total, n_clusterings)
        Of the objects of the cluster that the clustering clusters; exactly 0 where
        it keeps them together.
    """
    K, M = ensemble.n_clusters, ensemble.n_clusterings
    require_memory(
        16 * K * M,
        f"the entropies of {K} clusters in {M} clusterings",
        "give fewer clusterings",
    )
    if not _is_counted(ensemble):
        return _sparse_entropies(ensemble)
    from comitia._kernels import contingency as kernels

    return kernels.cluster_entropies(
        count_tables(ensemble),
        ensemble.n_objects,
        ensemble.n_clusters_each,
        ensemble.offsets,
    )


def _sparse_entropies(ensemble: Ensemble) -> Floats:
    K, M = ensemble.n_clusters, ensemble.n_clusterings
    shared = ensemble.contingency().tocoo()
    pair = shared.row * np.int64(M) + ensemble.clustering_of[shared.col]
    observed = np.bincount(pair, shared.data, minlength=K * M)
    # Clusters that share no object are absent from the sparse table: no log of zero.
    p = shared.data / observed[pair]
    nats = np.bincount(pair, -p * np.log(p), minlength=K * M)
    return np.asarray(nats, np.float64).reshape(K, M)


# -- weighted tables -----------------------------------------------------------------


def weighted_contingency(
    rows: Blocks, values: Blocks, counts: Blocks, n_counted: int
) -> Any:
    """Objects that each two clusters share, each with its weight: B' diag(a) B.

    Parameters
    ----------
    rows : Blocks of Ensemble
        The clusterings.

    values : Blocks of ndarray
        Weight of one object of each row, positive.

    counts : Blocks of ndarray or None
        Objects of each row; None for one.

    n_counted : int
        All objects together.

    Returns
    -------
    shared : ndarray or csr_array of shape (n_clusters_total, n_clusters_total)
        The weighted tables; sparse where sums are sparse products.
    """
    ends = np.array(list(values.map(_ends).gather()))
    least, largest = float(ends[:, 0].min()), float(ends[:, 1].max())
    scale = fixed_scale(largest, n_counted)
    shared = rows.map(_tables_of, values, counts, scale=scale).total() / scale
    if largest > _MAX_RATIO * least:
        # What rounding took from the small ones, on a scale of its own.
        finer = fixed_scale(0.5 / scale, n_counted)
        rest = rows.map(_tables_of, values, counts, scale=scale, finer=finer).total()
        shared = shared + rest / finer
    return shared


def _ends(values: Any) -> tuple[float, float]:
    return float(values.min()), float(values.max())


def _tables_of(
    block: Ensemble,
    values: Any,
    counts: Integers | None,
    *,
    scale: float,
    finer: float | None = None,
) -> Any:
    return block.engine.weighted_tables(values, counts, scale, finer)
