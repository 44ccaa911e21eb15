"""What clusters share, over all row blocks: contingency tables and sums over them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from comitia import sizes
from comitia._kernels.sums import fixed_scale, over_tasks, xlogx, xlogx_scale
from comitia.config import require_memory
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
    "margins",
    "pair_totals",
    "shared_with",
    "table_fits",
    "tables_fit",
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
    """Every contingency table at once, B'B: objects that each two clusters share."""
    blocks = ensemble.row_blocks
    if not _keeps_tables(ensemble) and (len(blocks) == 1 or not tables_fit(ensemble)):
        return blocks.map("engine.contingency").total().tocsr()
    from scipy.sparse import csr_array

    return csr_array(ensemble.dense_contingency.astype(np.float64))


def count_tables(ensemble: Ensemble) -> Iterator[Tables]:
    """The table of every two different hard clusterings, some at a time.

    Each pair of clusterings comes once.
    """
    if len(ensemble.row_blocks) == 1 and not _keeps_tables(ensemble):
        (block,) = ensemble.row_blocks.gather()
        counted: Iterator[Tables] = block.engine.count_tables()
        return counted
    from comitia._kernels.contingency import tables_of

    return tables_of(
        ensemble.dense_contingency, ensemble.n_clusters_each, ensemble.offsets
    )


def _keeps_tables(ensemble: Ensemble) -> bool:
    """Whether all tables are kept as one matrix, for an ensemble that grows."""
    fits = 8 * ensemble.n_clusters_total**2 <= sizes.KEPT_TABLE_BYTES
    return fits and ensemble.is_hard and ensemble.keeps_tables and tables_fit(ensemble)


def tables_fit(ensemble: Ensemble) -> bool:
    """Whether full tables of clusters are worth it, and are not mostly zeros.

    False where clusters are nearly as many as objects; a sparse product is better
    there.
    """
    largest = np.sort(ensemble.n_clusters_each)[-2:]
    return table_fits(int(largest[0]), int(largest[-1]), ensemble.n_objects)


def table_fits(n_rows: int, n_columns: int, n_objects: int) -> bool:
    """The same for one table of so many objects."""
    most = max(sizes.CELLS_PER_OBJECT * n_objects, sizes.FEW_CELLS)
    return n_rows * n_columns <= most


def _is_counted(ensemble: Ensemble) -> bool:
    """Whether tables are counted one by one; otherwise all are one sparse product."""
    if not ensemble.is_hard or not tables_fit(ensemble):
        return False
    return all(ensemble.row_blocks.each(attrgetter("engine.counts_tables")))


# -- sums over tables ------------------------------------------------------------------


def pair_totals(ensemble: Ensemble) -> tuple[Integers, float]:
    """Integer sums over the table of every two hard clusterings, with themselves too.

    The totals, (M, M, 7), are objects; squares of cells, row sums and column sums;
    c ln c of these three. The scale is what the last three are multiplied by.
    """
    owner = ensemble.clustering_of
    if not _is_counted(ensemble):
        shared = ensemble.contingency().tocoo()
        return totals_of_sparse(shared, owner, owner, ensemble.n_objects)
    from comitia._kernels.contingency import pair_sums, xlogx_table

    M, k = ensemble.n_clusterings, ensemble.n_clusters_each
    scale = xlogx_scale(ensemble.n_objects)
    logs_of = xlogx_table(ensemble.n_objects, scale)
    totals = np.empty((M, M, 7), dtype=np.int64)
    # With itself a clustering has a diagonal table: cells and margins are its sizes.
    size, begin = ensemble.sizes, ensemble.offsets[:-1]
    own = np.arange(M)
    totals[own, own, 0] = np.add.reduceat(size, begin)
    totals[own, own, 1:4] = np.add.reduceat(size**2, begin)[:, None]
    totals[own, own, 4:] = np.add.reduceat(xlogx(size, scale), begin)[:, None]
    for batch in count_tables(ensemble):
        sums = pair_sums(batch, k, k, logs_of, scale)
        totals[batch.first, batch.second] = sums
        # The table of (second, first) is the transpose: margins change places.
        totals[batch.second, batch.first] = sums[:, [0, 1, 3, 2, 4, 6, 5]]
    return totals, scale


def totals_with(
    ensemble: Ensemble, codes: NDArray[Any], k: int
) -> tuple[Integers, float]:
    """The same, (M, 7), over the tables of one clustering with each of an ensemble.

    The codes of the clustering are labels 0..k - 1, and k where there is none; it has
    the rows of the tables.
    """
    n, each = ensemble.n_objects, ensemble.n_clusters_each
    if not _is_counted(ensemble) or not table_fits(k, int(each.max()), n):
        shared = shared_with(ensemble, codes, k)
        owner = np.zeros(k, dtype=np.int64)
        totals, scale = totals_of_sparse(shared, owner, ensemble.clustering_of, n)
        return totals[0], scale
    from comitia._kernels.contingency import pair_sums, tables_against, xlogx_table

    dtype = np.promote_types(codes.dtype, ensemble.codes.dtype)
    scale = xlogx_scale(n)
    logs_of = xlogx_table(n, scale)
    totals = np.empty((ensemble.n_clusterings, 7), dtype=np.int64)
    tables = tables_against(
        codes.astype(dtype), k, ensemble.codes.astype(dtype, copy=False), each
    )
    for batch in tables:
        totals[batch.second] = pair_sums(batch, np.array([k]), each, logs_of, scale)
    return totals, scale


def shared_with(ensemble: Ensemble, codes: NDArray[Any], k: int) -> coo_array:
    """Objects that each label shares with each cluster, as a sparse product, (k, K).

    The codes are those of :func:`totals_with`; the ensemble is of any kind.
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
    """As :func:`pair_totals`, of hard tables in the blocks of one sparse matrix.

    The owners are the clusterings of the rows and of the columns, in rising order.
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
    """Row sums (K, M') and column sums (M, K') of the tables in a block matrix."""
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
    """Add up a value of each cell over each table, (M, M')."""
    total = np.zeros((row_owner[-1] + 1, column_owner[-1] + 1), dtype=values.dtype)
    np.add.at(total, (row_owner[shared.row], column_owner[shared.col]), values)
    return total


def begins(owner: Integers) -> Integers:
    """Where each clustering begins among clusters, whose owners are in rising order."""
    return np.flatnonzero(np.r_[True, np.diff(owner) != 0])


def cluster_entropies(ensemble: Ensemble) -> Floats:
    """Entropy of each cluster in each hard clustering, in nats, (K, M).

    Of the objects of the cluster that the clustering clusters; exactly 0 where it
    keeps them together.
    """
    K, M = ensemble.n_clusters_total, ensemble.n_clusterings
    require_memory(
        16 * K * M,
        f"the entropies of {K} clusters in {M} clusterings",
        "give fewer clusterings",
    )
    if not _is_counted(ensemble):
        return _sparse_entropies(ensemble)
    from comitia._kernels.contingency import add_entropies, xlogx_table

    k, n = ensemble.n_clusters_each, ensemble.n_objects
    scale = xlogx_scale(n)
    given = k, ensemble.offsets, xlogx_table(n, scale), scale
    entropies = np.zeros((K, M))
    for tables in count_tables(ensemble):
        work = partial(add_entropies, *tables, *given, entropies)
        over_tasks(work, len(tables.first))
    return entropies


def _sparse_entropies(ensemble: Ensemble) -> Floats:
    K, M = ensemble.n_clusters_total, ensemble.n_clusterings
    shared = ensemble.contingency().tocoo()
    pair = shared.row * np.int64(M) + ensemble.clustering_of[shared.col]
    observed = np.bincount(pair, shared.data, minlength=K * M)
    # Clusters that share no object are absent from the sparse table: no log of zero.
    p = shared.data / observed[pair]
    nats = np.bincount(pair, -p * np.log(p), minlength=K * M)
    return np.asarray(nats, np.float64).reshape(K, M)


# -- weighted tables -------------------------------------------------------------------


def weighted_contingency(
    rows: Blocks, values: Blocks, counts: Blocks, n_counted: int
) -> Any:
    """Objects that each two clusters share, each with its weight: B' diag(a) B.

    Rows are Blocks of Ensemble, values the positive weights of one object of each row,
    and counts the objects of each row, or None for one. ``n_counted`` is all objects
    together. Sparse where sums are sparse products.
    """
    ends = np.array(list(values.map(_ends).gather()))
    least, largest = float(ends[:, 0].min()), float(ends[:, 1].max())
    scale, tables = fixed_scale(largest, n_counted), "engine.weighted_tables"
    shared = rows.map(tables, values, counts, scale=scale).total() / scale
    if largest > _MAX_RATIO * least:
        # What rounding took from the small ones, on a scale of its own.
        finer = fixed_scale(0.5 / scale, n_counted)
        rest = rows.map(tables, values, counts, scale=scale, finer=finer).total()
        shared = shared + rest / finer
    return shared


def _ends(values: Any) -> tuple[float, float]:
    return float(values.min()), float(values.max())
