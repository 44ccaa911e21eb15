"""From contingency tables to the sums that the measures need.

Those of hard clusterings are integers, counted by :mod:`comitia.engine.tables`; those
of fuzzy ones are sums of products of memberships.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from comitia import _labels
from comitia._kernels.sums import xlogx
from comitia._names import in_order, matching_rows
from comitia.agreement._measures import Floats, PairSums, TableSums
from comitia.engine import tables
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError

if TYPE_CHECKING:
    from scipy.sparse import coo_array

__all__ = ["read_vector", "read_vectors", "sums_of_all", "sums_of_two", "sums_with"]

# Sums of memberships that differ by this share are equal on paper.
_ROUNDING = 1e-12


def read_vector(labels: Any, name: str) -> tuple[NDArray[Any], int]:
    column = _labels.as_labels(labels)
    if column.ndim == 1 and len(column) == 0:
        raise ComitiaError(f"{name} is empty; give at least one object.")
    return _labels.encode(column, name)[:2]


def read_vectors(a: Any, b: Any) -> tuple[NDArray[Any], int, NDArray[Any], int]:
    one, k_one = read_vector(a, "a")
    other, k_other = read_vector(b, "b")
    other = in_order(other, matching_rows(a, b, "ab"))
    if len(one) != len(other):
        raise ComitiaError(
            f"a and b must label the same objects; got {len(one)} and {len(other)}."
        )
    return one, k_one, other, k_other


def sums_of_two(a: Any, b: Any) -> PairSums:
    one, k_one, other, k_other = read_vectors(a, b)
    shared = _sparse_table(one, k_one, other, k_other)
    owners = np.zeros(k_one, np.int64), np.zeros(k_other, np.int64)
    totals, scale = tables.totals_of_sparse(shared, *owners, len(one))
    sums = _sums_of_totals(totals[0, 0], scale)
    return PairSums(*sums, np.array(k_one), np.array(k_other), len(one))


def sums_with(codes: NDArray[Any], k: int, ensemble: Ensemble) -> PairSums:
    n, each = ensemble.n_objects, ensemble.n_clusters_each
    if ensemble.is_hard:
        sums = _sums_of_totals(*tables.totals_with(ensemble, codes, k))
    else:
        one = (codes != k)[:, None].astype(np.float64)
        sums = _sums_of_fuzzy(
            tables.shared_with(ensemble, codes, k),
            np.zeros(k, dtype=np.int64),
            ensemble.clustering_of,
            (one, one),
            _squared(ensemble),
        )
        sums = TableSums(*(part[0] for part in sums))
    return PairSums(*sums, np.full(len(each), k), each, n)


def sums_of_all(ensemble: Ensemble) -> PairSums:
    n, each = ensemble.n_objects, ensemble.n_clusters_each
    k, k_other = np.broadcast_arrays(each[:, None], each[None, :])
    if ensemble.is_hard:
        sums = _sums_of_totals(*tables.pair_totals(ensemble))
    else:
        shared, owner = ensemble.contingency().tocoo(), ensemble.clustering_of
        squared = _squared(ensemble)
        sums = _sums_of_fuzzy(shared, owner, owner, squared, squared)
    return PairSums(*sums, k, k_other, n)


def _sums_of_totals(totals: NDArray[np.int64], scale: float) -> TableSums:
    """Pair counts and entropies from integer sums along the last axis.

    The sums are: objects; squares of cells, row and column sums; c ln c of these.
    """
    n = totals[..., 0]
    whole = xlogx(n, scale)
    unit = scale * np.maximum(n, 1)

    def pairs(squares: NDArray[np.int64]) -> Floats:
        return ((squares - n) // 2).astype(np.float64)

    return TableSums(
        n=n.astype(np.float64),
        pairs=pairs(n * n),
        both=pairs(totals[..., 1]),
        one=pairs(totals[..., 2]),
        other=pairs(totals[..., 3]),
        h_both=(whole - totals[..., 4]) / unit,
        h_one=(whole - totals[..., 5]) / unit,
        h_other=(whole - totals[..., 6]) / unit,
    )


def _sparse_table(
    one: NDArray[Any], k_one: int, other: NDArray[Any], k_other: int
) -> coo_array:
    from scipy.sparse import coo_array

    common = (one != k_one) & (other != k_other)
    cells = one[common].astype(np.int64) * k_other + other[common]
    if tables.table_fits(k_one, k_other, len(one)):
        counts = np.bincount(cells, minlength=k_one * k_other)
        filled = np.flatnonzero(counts)
        counts = counts[filled]
    else:
        filled, counts = np.unique(cells, return_counts=True)
    return coo_array((counts, np.divmod(filled, k_other)), shape=(k_one, k_other))


def _squared(ensemble: Ensemble) -> tuple[Floats, Floats]:
    """Whether each object is clustered, and its summed squared memberships; (n, M)."""
    from scipy.sparse import csr_array

    K = ensemble.n_clusters_total
    owner = csr_array(
        (np.ones(K), (np.arange(K), ensemble.clustering_of)),
        shape=(K, ensemble.n_clusterings),
    )
    B = ensemble.membership
    return (B @ owner).toarray(), (B.multiply(B) @ owner).toarray()


def _sums_of_fuzzy(
    shared: coo_array,
    row_owner: NDArray[np.int64],
    column_owner: NDArray[np.int64],
    one: tuple[Floats, Floats],
    other: tuple[Floats, Floats],
) -> TableSums:
    """Sums of fuzzy tables; pairs are expected pairs of two different objects."""
    rows, columns = tables.margins(shared, row_owner, column_owner)
    top, left = tables.begins(row_owner), tables.begins(column_owner)
    n = np.add.reduceat(rows, top, axis=0)

    def over_tables(of: Callable[[Floats], Floats]) -> tuple[Floats, ...]:
        return (
            tables.by_pair(of(shared.data), shared, row_owner, column_owner),
            np.add.reduceat(of(rows), top, axis=0),
            np.add.reduceat(of(columns), left, axis=1),
        )

    squares = over_tables(np.square)
    # An object is no pair with itself: what it adds to the squares is taken off.
    (present, q), (present_other, q_other) = one, other
    itself = q.T @ q_other, q.T @ present_other, present.T @ q_other
    both, single, single_other = (
        np.maximum(square - own, 0.0) / 2
        for square, own in zip(squares, itself, strict=True)
    )
    pairs = np.maximum(n**2 - present.T @ present_other, 0.0) / 2
    # What is equal on paper is made equal: measures divide such differences.
    single, single_other = (
        _snapped(_snapped(own, 0.0, n**2), pairs, n**2)
        for own in (single, single_other)
    )
    for whole in (0.0, single, single_other):
        both = _snapped(both, whole, n**2)
    # ln n - (1/n) sum c ln c, with nothing where there is nothing.
    safe = np.where(n > 0, n, 1.0)
    logs = over_tables(lambda c: c * np.log(np.where(c > 0, c, 1.0)))
    unit = 1.0 + np.log(safe)
    h_both, h_one, h_other = (
        _snapped(np.maximum(np.log(safe) - log / safe, 0.0), 0.0, unit) for log in logs
    )
    for whole in (h_one, h_other, h_one + h_other):
        h_both = _snapped(h_both, whole, unit)
    return TableSums(n, pairs, both, single, single_other, h_one, h_other, h_both)


def _snapped(values: Floats, whole: Floats | float, unit: Floats) -> Floats:
    """Values, with ``whole`` in place of those that differ from it by rounding."""
    return np.where(np.abs(values - whole) <= _ROUNDING * unit, whole, values)
