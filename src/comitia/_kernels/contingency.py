"""Every contingency table of an ensemble, counted pair by pair, and sums over them.

The cost of a table is its increments, one per object. Clusterings with few clusters
are therefore fused into one column whose code names a cluster of each of them: one
increment then feeds the tables of all pairs of their members.

Codes, (M, n), are labels 0..k_m - 1, and k_m where the label is missing; ``n_clusters``
are the k_m, and ``offsets`` where the clusters of each clustering begin among all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comitia._kernels._njit import njit
from comitia._kernels.sums import over_tasks, xlogx

__all__ = [
    "Tables",
    "add_entropies",
    "all_tables",
    "cluster_sizes",
    "contingency_csr",
    "contingency_dense",
    "minimum_table",
    "pair_sums",
    "tables_against",
    "tables_of",
    "weighted_contingency",
    "xlogx_table",
]

# A fused column has at most this many codes: they fit uint8, and a table of two such
# columns fits the second cache.
_FUSED_CODES = 256

# Rows whose cells are computed, in vector instructions, before they are counted.
_ROWS_AT_ONCE = 4096

# Cells counted before they are handed on: 16 MB, which the last cache holds.
_BATCH_CELLS = 1 << 22

# Counts whose logarithm is looked up: 512 kB.
_TABULATED = 1 << 16

# Objects in one block: their weights and two of their label vectors stay in cache.
_BLOCK = 1 << 14


class Columns(NamedTuple):
    """Clusterings as the columns that are counted, some of them fused.

    The code of a column is ``sum(stride[m] * code[m])`` over its members m.
    """

    codes: NDArray[Any]  # (n_columns, n)
    n_codes: NDArray[np.int64]  # of each column
    begin: NDArray[np.int64]  # members of column c: begin[c]..begin[c + 1]
    member: NDArray[np.int64]
    stride: NDArray[np.int64]  # of each member
    base: NDArray[np.int64]  # codes of each member, "missing" included if it occurs
    n_clusters: NDArray[np.int64]  # clusters of each member


class Tables(NamedTuple):
    """Some of the tables, one behind the other.

    Table t has the clusters of clustering ``first[t]`` in rows and those of
    ``second[t]`` in columns, and stands at ``counts[begin[t]:begin[t + 1]]``.
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    begin: NDArray[np.int64]
    counts: NDArray[np.uint32]


def all_tables(
    codes: NDArray[Any], n_clusters: NDArray[np.int64], batch_cells: int = _BATCH_CELLS
) -> Iterator[Tables]:
    """Count the table of every two different clusterings, in batches.

    Each pair comes once, in either order; a batch has about ``batch_cells`` cells.
    """
    columns = fuse(codes, n_clusters, most_codes(codes.shape[1]))
    first, second = np.triu_indices(len(columns.codes), 1)
    yield from _inside(columns)
    yield from _in_batches(columns, columns, first, second, batch_cells)


def contingency_csr(
    codes: NDArray[Any],
    n_clusters: NDArray[np.int64],
    offsets: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.int64]]:
    """Every table at once as the parts of a CSR matrix: data, indices, indptr."""
    dense = contingency_dense(codes, n_clusters, offsets, sizes)
    filled = np.zeros(len(dense) + 1, dtype=np.int64)
    over_tasks(partial(_count_filled, dense, filled), len(dense))
    indptr = np.cumsum(filled)
    data = np.empty(indptr[-1], dtype=np.float64)
    indices = np.empty(indptr[-1], dtype=np.int32)
    over_tasks(partial(_gather_filled, dense, indptr, data, indices), len(dense))
    return data, indices, indptr


def contingency_dense(
    codes: NDArray[Any],
    n_clusters: NDArray[np.int64],
    offsets: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> NDArray[np.uint32]:
    """Every table at once as one matrix, B'B; sizes are its diagonal."""
    dense = np.zeros((offsets[-1], offsets[-1]), dtype=np.uint32)
    np.fill_diagonal(dense, sizes)
    for tables in all_tables(codes, n_clusters):
        work = partial(_scatter, *tables, n_clusters, offsets, dense)
        over_tasks(work, len(tables.first))
    return dense


def tables_of(
    shared: NDArray[np.int64],
    n_clusters: NDArray[np.int64],
    offsets: NDArray[np.int64],
) -> Iterator[Tables]:
    """The tables that stand in one matrix, a clustering against all later ones."""
    for m in range(len(n_clusters) - 1):
        later = np.arange(m + 1, len(n_clusters))
        rows = shared[offsets[m] : offsets[m + 1]]
        counts = [
            rows[:, offsets[other] : offsets[other + 1]].ravel() for other in later
        ]
        yield Tables(
            np.full(len(later), m),
            later,
            np.r_[0, np.cumsum([part.size for part in counts])],
            np.concatenate(counts).astype(np.uint32),
        )


def tables_against(
    labels: NDArray[Any],
    n_labels: int,
    codes: NDArray[Any],
    n_clusters: NDArray[np.int64],
    batch_cells: int = _BATCH_CELLS,
) -> Iterator[Tables]:
    """Count the tables of one label vector against every clustering, in batches.

    Its labels are 0..n_labels - 1, and n_labels where missing; it is ``first`` 0.
    """
    one = fuse(labels[None, :], np.array([n_labels]), 0)
    columns = fuse(codes, n_clusters, 0)
    second = np.arange(len(columns.codes))
    return _in_batches(one, columns, np.zeros_like(second), second, batch_cells)


def cluster_sizes(
    codes: NDArray[Any], n_clusters: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Objects of each cluster: tables against a clustering into one cluster."""
    everybody = np.zeros(codes.shape[1], dtype=codes.dtype)
    tables = tables_against(everybody, 1, codes, n_clusters)
    return np.concatenate([batch.counts for batch in tables]).astype(np.int64)


def most_codes(n: int) -> int:
    """Codes that a fused column may have: folding its tables must not cost more."""
    return min(_FUSED_CODES, math.isqrt(n))


def fuse(codes: NDArray[Any], n_clusters: NDArray[np.int64], n_codes: int) -> Columns:
    """Put clusterings with few clusters together into columns of ``n_codes`` at most.

    Clusterings with more stay alone.
    """
    base = n_clusters + (codes.max(axis=1) == n_clusters)
    # First fit, largest first: the usual heuristic of bin packing, here for products.
    bins: list[list[int]] = []
    # Bins without room for the smallest are closed, or ten thousand would be tried for
    # each clustering.
    room: dict[int, int] = {}
    smallest = max(int(base.min()), 1)
    for m in np.argsort(-base, kind="stable"):
        size = max(int(base[m]), 1)
        place = next((c for c, free in room.items() if size <= free), len(bins))
        if place == len(bins):
            bins.append([])
        bins[place].append(int(m))
        room[place] = room.get(place, n_codes) // size
        if room[place] < smallest:
            del room[place]
    if len(bins) == len(codes):
        bins = [[m] for m in range(len(codes))]
    member = np.concatenate([np.array(b) for b in bins])
    stride = np.concatenate([np.cumprod([1, *base[b[:-1]]]) for b in bins])
    begin = np.r_[0, np.cumsum([len(b) for b in bins])]
    if len(bins) == len(codes):
        fused = codes
    else:
        fused = np.empty((len(bins), codes.shape[1]), dtype=codes.dtype)
        for c, b in enumerate(bins):
            fused[c] = codes[b[0]]
            for j in range(1, len(b)):
                # The type holds every code, and so every stride.
                fused[c] += codes[b[j]] * codes.dtype.type(stride[begin[c] + j])
    return Columns(
        codes=fused,
        n_codes=np.array([np.prod(base[b]) for b in bins]),
        begin=begin,
        member=member,
        stride=stride,
        base=base[member],
        n_clusters=n_clusters[member].astype(np.int64),
    )


def _inside(columns: Columns) -> Iterator[Tables]:
    """The tables of clusterings that share a column: margins of its histogram."""
    for c in np.flatnonzero(np.diff(columns.begin) > 1):
        members = range(columns.begin[c], columns.begin[c + 1])
        histogram = np.bincount(columns.codes[c], minlength=columns.n_codes[c])
        # The last member has the largest stride, so its axis comes first.
        cube = histogram.reshape(columns.base[members][::-1])
        axis = {j: len(members) - 1 - i for i, j in enumerate(members)}
        pairs = [(i, j) for i in members for j in members if i < j]
        tables = []
        for i, j in pairs:
            rest = tuple(a for a in axis.values() if a not in (axis[i], axis[j]))
            table = cube.sum(axis=rest).T  # rows: the smaller stride
            tables.append(table[: columns.n_clusters[i], : columns.n_clusters[j]])
        yield Tables(
            first=columns.member[[i for i, _ in pairs]],
            second=columns.member[[j for _, j in pairs]],
            begin=np.r_[0, np.cumsum([table.size for table in tables])],
            counts=np.concatenate([table.ravel() for table in tables]).astype(
                np.uint32
            ),
        )


def _in_batches(
    left: Columns,
    right: Columns,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    batch_cells: int,
) -> Iterator[Tables]:
    """Count the tables of the column pairs (first, second)."""
    rows = np.add.reduceat(left.n_clusters, left.begin[:-1])
    cells = rows[first] * np.add.reduceat(right.n_clusters, right.begin[:-1])[second]
    batch = (np.cumsum(cells) - cells) // batch_cells
    ends = np.r_[0, np.flatnonzero(np.diff(batch)) + 1, len(first)]
    for lo, hi in pairwise(ends.tolist()):
        if lo == hi:
            continue
        f, s = first[lo:hi], second[lo:hi]
        begin = np.r_[0, np.cumsum(cells[lo:hi])]
        counts = np.zeros(begin[-1], dtype=np.uint32)
        work = partial(count_pairs, *left, *right, f, s, begin, counts)
        over_tasks(work, len(f))
        yield _describe(left, right, f, s, counts)


def _describe(
    left: Columns,
    right: Columns,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    counts: NDArray[np.uint32],
) -> Tables:
    """Say which clusterings the tables belong to, in the order they are counted in."""
    if len(left.member) == len(left.codes) and len(right.member) == len(right.codes):
        i, j = left.begin[first], right.begin[second]
    else:
        pairs = [
            (i, j)
            for p, q in zip(first, second, strict=True)
            for i in range(left.begin[p], left.begin[p + 1])
            for j in range(right.begin[q], right.begin[q + 1])
        ]
        i, j = np.array(pairs).T
    begin = np.r_[0, np.cumsum(left.n_clusters[i] * right.n_clusters[j])]
    return Tables(left.member[i], right.member[j], begin, counts)


@njit(cache=True)
def _cells(a, b, n_b, cells):
    width = np.uint32(n_b)
    for i in range(a.shape[0]):
        cells[i] = np.uint32(a[i]) * width + np.uint32(b[i])


@njit(cache=True)
def _increment(cells, table):
    # Four rows from four parts of the data at a time: neighbouring rows are often in
    # the same cell, and an increment would have to wait for the one before it.
    quarter = cells.shape[0] // 4
    c0, c1 = cells[:quarter], cells[quarter:]
    c2, c3 = cells[2 * quarter :], cells[3 * quarter :]
    one = np.uint32(1)
    for i in range(quarter):
        table[np.uint64(c0[i])] += one
        table[np.uint64(c1[i])] += one
        table[np.uint64(c2[i])] += one
        table[np.uint64(c3[i])] += one
    for i in range(4 * quarter, cells.shape[0]):
        table[np.uint64(cells[i])] += one


@njit(cache=True)
def _histogram(a, b, n_b, cells, table):
    """Count the pairs of codes; ``cells`` is room for the rows of one step."""
    step = cells.shape[0]
    for lo in range(0, a.shape[0], step):
        hi = min(lo + step, a.shape[0])
        some = cells[: hi - lo]
        _cells(a[lo:hi], b[lo:hi], n_b, some)
        _increment(some, table)


@njit(cache=True)
def _fold_rows(table, n_columns, stride, base, folded):
    """Add up the rows of a table that belong to the same cluster of a member."""
    for p in range(table.shape[0] // n_columns):
        r = (p // stride) % base
        for q in range(n_columns):
            folded[r * n_columns + q] += table[p * n_columns + q]


@njit(cache=True)
def _fold_columns(table, n_columns, stride, base, n_rows, k, out):
    """Write the clusters of a member from the columns of a table, none for missing."""
    if n_columns == base:
        for r in range(n_rows):
            for s in range(k):
                out[r * k + s] = table[r * n_columns + s]
        return
    digit = np.empty(n_columns, dtype=np.int64)
    for q in range(n_columns):
        digit[q] = (q // stride) % base
    for r in range(n_rows):
        for q in range(n_columns):
            if digit[q] < k:
                out[r * k + digit[q]] += table[r * n_columns + q]


@njit(cache=True, nogil=True)
def count_pairs(
    a_codes,
    a_n_codes,
    a_begin,
    a_member,
    a_stride,
    a_base,
    a_k,
    b_codes,
    b_n_codes,
    b_begin,
    b_member,
    b_stride,
    b_base,
    b_k,
    first,
    second,
    begin,
    counts,
    lo,
    hi,
):
    """Count the tables of the column pairs lo..hi - 1."""
    cells = np.empty(_ROWS_AT_ONCE, dtype=np.uint32)
    for t in range(lo, hi):
        P, Q = first[t], second[t]
        n_q = b_n_codes[Q]
        table = np.zeros(a_n_codes[P] * n_q, dtype=np.uint32)
        _histogram(a_codes[P], b_codes[Q], n_q, cells, table)
        place = begin[t]
        for i in range(a_begin[P], a_begin[P + 1]):
            rows = table
            if a_begin[P + 1] - a_begin[P] > 1:
                rows = np.zeros(a_base[i] * n_q, dtype=np.uint32)
                _fold_rows(table, n_q, a_stride[i], a_base[i], rows)
            for j in range(b_begin[Q], b_begin[Q + 1]):
                end = place + a_k[i] * b_k[j]
                _fold_columns(
                    rows, n_q, b_stride[j], b_base[j], a_k[i], b_k[j], counts[place:end]
                )
                place = end


@njit(cache=True, nogil=True)
def _scatter(first, second, begin, counts, k, offsets, out, lo, hi):
    """Write each table into the symmetric matrix of all clusters."""
    for t in range(lo, hi):
        a, b = first[t], second[t]
        for r in range(k[a]):
            row = offsets[a] + r
            place = begin[t] + r * k[b]
            for s in range(k[b]):
                out[row, offsets[b] + s] = counts[place + s]
                out[offsets[b] + s, row] = counts[place + s]


@njit(cache=True, nogil=True)
def _count_filled(matrix, filled, lo, hi):
    for r in range(lo, hi):
        n_filled = 0
        for s in range(matrix.shape[1]):
            n_filled += matrix[r, s] != 0
        filled[r + 1] = n_filled


@njit(cache=True, nogil=True)
def _gather_filled(matrix, indptr, data, indices, lo, hi):
    for r in range(lo, hi):
        place = indptr[r]
        for s in range(matrix.shape[1]):
            if matrix[r, s] != 0:
                data[place] = matrix[r, s]
                indices[place] = s
                place += 1


@njit(cache=True)
def minimum_table(data, indices, indptr, n_clusters):
    """Sum over the objects of the smaller of their memberships in two clusters."""
    shared = np.zeros((n_clusters, n_clusters), dtype=np.float64)
    for i in range(indptr.shape[0] - 1):
        for p in range(indptr[i], indptr[i + 1]):
            for q in range(indptr[i], indptr[i + 1]):
                shared[indices[p], indices[q]] += min(data[p], data[q])
    return shared


@njit(cache=True, nogil=True)
def weighted_contingency(codes, n_each, offsets, weights, out, first, last):
    """B' diag(weights) B, for clusterings first..last - 1 and all later ones.

    Integer weights have integer sums, whatever the order of the objects. One pair of
    clusterings at a time, so that its table of sums stays in cache; the tables hold one
    bin more for missing labels. ``out`` is the (K, K) matrix; both of its triangles are
    written. Threads that start at different clusterings write different entries.
    """
    M, n = codes.shape
    for m in range(first, last):
        k = n_each[m]
        # The tables of the pairs (m, m), (m, m + 1), … one behind the other.
        width = 1
        for other in range(m + 1, M):
            width += n_each[other] + 1
        tables = np.zeros((k + 1) * width, weights.dtype)
        for lo in range(0, n, _BLOCK):
            hi = min(lo + _BLOCK, n)
            a = codes[m, lo:hi]
            q = weights[lo:hi]
            for i in range(hi - lo):
                tables[a[i]] += q[i]
            begin = k + 1
            for other in range(m + 1, M):
                columns = n_each[other] + 1
                table = tables[begin : begin + (k + 1) * columns]
                b = codes[other, lo:hi]
                for i in range(hi - lo):
                    table[np.int64(a[i]) * columns + b[i]] += q[i]
                begin += (k + 1) * columns
        for c in range(k):
            out[offsets[m] + c, offsets[m] + c] = tables[c]
        begin = k + 1
        for other in range(m + 1, M):
            columns = n_each[other] + 1
            for c in range(k):
                for d in range(n_each[other]):
                    shared = tables[begin + c * columns + d]
                    out[offsets[m] + c, offsets[other] + d] = shared
                    out[offsets[other] + d, offsets[m] + c] = shared
            begin += (k + 1) * columns


# -- sums over tables ------------------------------------------------------------------


def xlogx_table(n: int, scale: float) -> NDArray[np.int64]:
    """The values c ln c in fixed point, for counts c of n objects that occur often.

    These are 0, 1, 2, …; larger counts are computed.
    """
    return xlogx(np.arange(min(n + 1, _TABULATED)), scale)


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

    Objects; squares of cells, row sums and column sums; c ln c of these three, times
    the scale.
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


@njit(cache=True, nogil=True)
def add_entropies(
    first, second, begin, counts, k, offsets, logs_of, scale, out, lo, hi
):
    """Write the entropies of the clusters of each table: rows in columns, and back."""
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
