"""The co-association matrix: how much weight puts each two objects together."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from comitia._inputs import masked_to_nan
from comitia._steps import check_weights
from comitia.config import require_memory
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError, ComitiaWarning
from comitia.represent.graphs import combined_weights

__all__ = [
    "CoSampled",
    "PairWeights",
    "coassociation",
    "coassociation_blocks",
    "condensed_coassociation",
    "presence",
    "seen_by",
    "weight_shares",
]

# A matrix of factors, or a function that gives its rows start to stop - 1.
PairWeights = ArrayLike | Callable[[int, int], ArrayLike]

# Whether a missing label says nothing, and if so, whether clusterings weigh or count.
CoSampled = bool | Literal["count"]

_INSTEAD = "use a method that is linear in n, such as lwgp or sec"

# Share of the pairs that no clustering has both of, beyond which people are told. A few
# per cent are usual where clusterings are selected; the mean similarity of a cluster
# then goes by the other pairs.
_FEW_UNSEEN = 0.1

# Adding a value by list costs about as much as comparing with this many labels.
_COMPARES_PER_ENTRY = 14

# Values of one row block where blocks are made internally: 32 MB of float32.
_BLOCK_VALUES = 2**23


def coassociation(
    ensemble: Ensemble,
    *,
    clustering_weights: ArrayLike | None = None,
    cluster_weights: ArrayLike | None = None,
    pair_weights: PairWeights | None = None,
    co_sampled: CoSampled = True,
    dtype: DTypeLike = np.float32,
) -> NDArray[Any]:
    r"""How much weight puts each two objects together.

    .. math::
        S = B W B', \qquad
        S_{ij} = \sum_{m=1}^{M} w_m \, v_{c} \, [\,i, j \in c,\ c \in C_m\,],

    with clustering weights :math:`w_m` and cluster weights :math:`v_c`. The diagonal
    is what the formula gives; it is below 1 where cluster weights are. A missing label
    says nothing: :math:`S_{ij}` is divided by the share of the weight of the
    clusterings that have both objects,
    :math:`\sum_m w_m [\,i, j \text{ in } C_m\,] / \sum_m w_m`.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    clustering_weights : array-like of shape (n_clusterings,), default=None
        Weight of each clustering; 1 / n_clusterings by default.

    cluster_weights : array-like of shape (n_clusters,), default=None
        Weight of each cluster, multiplied by that of its clustering.

    pair_weights : array-like of shape (n_objects, n_objects) or callable, default=None
        Symmetric factors that multiply :math:`S` element by element. A callable is
        asked for the rows from ``start`` to ``stop - 1``, so that the factors need
        not be in memory at once.

    co_sampled : bool or "count", default=True
        Whether a missing label says nothing, as above. Pairs that no clustering has
        both of get 0, with a warning if they are more than one in ten. With
        ``"count"`` clusterings are counted, not weighed, where :math:`S_{ij}` is
        divided. With False a missing label means "apart from all others".

    dtype : dtype, default=float32
        Type of the result, float32 or float64.

    Returns
    -------
    coassociation : ndarray of shape (n_objects, n_objects)
        The weighted co-association, symmetric.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> coassociation(Ensemble([[0, 0], [0, 1], [1, 1]]))
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0.5],
           [0. , 0.5, 1. ]], dtype=float32)
    >>> coassociation(Ensemble([[0, 0], [0, -1], [1, 0]]))
    array([[1. , 1. , 0.5],
           [1. , 1. , 0. ],
           [0.5, 0. , 1. ]], dtype=float32)
    """
    n = ensemble.n_objects
    rows = _rows(
        ensemble, clustering_weights, cluster_weights, pair_weights, co_sampled, dtype
    )
    require_memory(n * n * rows.dtype.itemsize, _what(n), _INSTEAD)
    out = np.empty((n, n), dtype=rows.dtype)
    for block in _slices(n, n if rows.is_plain else _block_rows(n)):
        rows.fill(block.start, out[block])
    rows.warn_of_pairs_never_seen()
    return out


def condensed_coassociation(
    ensemble: Ensemble,
    *,
    clustering_weights: ArrayLike | None = None,
    cluster_weights: ArrayLike | None = None,
    pair_weights: PairWeights | None = None,
    co_sampled: CoSampled = True,
    dtype: DTypeLike = np.float32,
) -> NDArray[Any]:
    """The upper triangle of :func:`coassociation`, in half the memory.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    clustering_weights, cluster_weights, pair_weights, co_sampled : shared
        As for :func:`coassociation`.

    dtype : dtype, default=float32
        Type of the result, float32 or float64.

    Returns
    -------
    condensed : ndarray of shape (n_objects * (n_objects - 1) / 2,)
        Row by row without the diagonal, as SciPy's ``squareform`` has it.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> condensed_coassociation(Ensemble([[0, 0], [0, 1], [1, 1]]))
    array([0.5, 0. , 0.5], dtype=float32)
    """
    n = ensemble.n_objects
    rows = _rows(
        ensemble, clustering_weights, cluster_weights, pair_weights, co_sampled, dtype
    )
    size = n * (n - 1) // 2
    require_memory(size * rows.dtype.itemsize, _what(n), _INSTEAD)
    out = np.empty(size, dtype=rows.dtype)
    if rows.is_plain and isinstance(rows.source, _HardRows):
        rows.source.fill_condensed(out)
        return out
    buffer = np.empty((_block_rows(n), n), dtype=rows.dtype)
    end = 0
    for block in _slices(n, len(buffer)):
        values = buffer[: block.stop - block.start]
        rows.fill(block.start, values)
        for i, row in enumerate(values, start=block.start):
            begin, end = end, end + n - 1 - i
            out[begin:end] = row[i + 1 :]
    rows.warn_of_pairs_never_seen()
    return out


def coassociation_blocks(
    ensemble: Ensemble,
    *,
    n_rows: int | None = None,
    clustering_weights: ArrayLike | None = None,
    cluster_weights: ArrayLike | None = None,
    pair_weights: PairWeights | None = None,
    co_sampled: CoSampled = True,
    dtype: DTypeLike = np.float32,
) -> Iterator[tuple[slice, NDArray[Any]]]:
    """The rows of :func:`coassociation`, block by block.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    n_rows : int, default=None
        Rows in each block; by default as many as make 2**23 values.

    clustering_weights, cluster_weights, pair_weights, co_sampled : shared
        As for :func:`coassociation`.

    dtype : dtype, default=float32
        Type of the result, float32 or float64.

    Yields
    ------
    rows : slice
        Where the block stands.

    block : ndarray of shape (n_rows, n_objects)
        Its values; the last block may have fewer rows.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> from comitia.represent import coassociation_blocks
    >>> votes = Ensemble([[0, 0], [0, 1], [1, 1]])
    >>> for rows, block in coassociation_blocks(votes, n_rows=2):
    ...     print(rows.start, block.tolist())
    0 [[1.0, 0.5, 0.0], [0.5, 1.0, 0.5]]
    2 [[0.0, 0.5, 1.0]]
    """
    n = ensemble.n_objects
    if n_rows is not None and n_rows < 1:
        raise ComitiaError(f"n_rows={n_rows} must be at least 1.")
    rows = _rows(
        ensemble, clustering_weights, cluster_weights, pair_weights, co_sampled, dtype
    )
    for block in _slices(n, n_rows or _block_rows(n)):
        out = np.empty((block.stop - block.start, n), dtype=rows.dtype)
        rows.fill(block.start, out)
        yield block, out
    rows.warn_of_pairs_never_seen()


class _Compared(NamedTuple):
    """The clusterings of large clusters: (clusterings, objects)."""

    codes: NDArray[Any]
    values: NDArray[Any]


class _Listed(NamedTuple):
    """The clusterings of small clusters, as lists of members.

    ``until`` (clusterings, objects) says where the list of an object's cluster ends.
    """

    members: NDArray[np.uint32]
    until: NDArray[np.uint32]
    values: NDArray[Any]


class _HardRows:
    """Rows of B W B' where an object is in one cluster of each clustering."""

    def __init__(
        self, ensemble: Ensemble, weights: NDArray[np.float64], dtype: np.dtype[Any]
    ) -> None:
        n, each = ensemble.n_objects, ensemble.n_clusters_each
        # The mean share of the objects that an object finds in its own cluster.
        shares = np.add.reduceat((ensemble.sizes / n) ** 2, ensemble.offsets[:-1])
        large = shares * _COMPARES_PER_ENTRY > 1
        values = np.empty(ensemble.codes.shape, dtype=dtype)
        for m, codes in enumerate(ensemble.codes):
            own = weights[ensemble.offsets[m] : ensemble.offsets[m + 1]]
            # Two objects that both lack a label are not together.
            values[m] = np.append(own, 0.0).astype(dtype)[codes]
        small = np.flatnonzero(~large)
        members = np.empty((len(small), n), dtype=np.uint32)
        begins, after, until = np.empty((3, len(small), n), dtype=np.uint32)
        for t, codes in enumerate(ensemble.codes[small]):
            sizes = np.bincount(codes, minlength=each[small[t]] + 1)
            sizes[-1] = 0  # objects without a label are in nobody's list, sorted last
            ends = t * n + np.cumsum(sizes)
            members[t] = order = np.argsort(codes, kind="stable")
            begins[t] = (ends - sizes)[codes]
            until[t] = ends[codes]
            after[t, order] = np.arange(t * n + 1, (t + 1) * n + 1)
            np.minimum(after[t], until[t], out=after[t])
        self.n_objects = n
        self.compared = _Compared(ensemble.codes[large], values[large])
        self.listed = _Listed(members.ravel(), until, values[small])
        self.begins, self.after = begins, after

    def fill(self, start: int, out: NDArray[Any]) -> None:
        from comitia._kernels.coassociation import fill_rows
        from comitia._kernels.sums import over_ranges

        given = self.compared, self.listed, self.begins, start, out
        over_ranges(partial(fill_rows, *given), len(out), cost=self.n_objects)

    def fill_condensed(self, out: NDArray[Any]) -> None:
        from comitia._kernels.coassociation import fill_condensed
        from comitia._kernels.sums import over_ranges

        n = self.n_objects
        given = self.compared, self.listed, self.after, n, out
        over_ranges(partial(fill_condensed, *given), (n + 1) // 2, cost=n)


class _SoftRows:
    """Rows of B W B' for fuzzy and overlapping clusterings."""

    def __init__(
        self, ensemble: Ensemble, weights: NDArray[np.float64], dtype: np.dtype[Any]
    ) -> None:
        B = ensemble.membership.astype(np.float64)
        self.right = B.T.tocsr()
        self.left = B.copy()
        self.left.data = B.data * weights[B.indices]
        # The rows are added up in double precision whatever the result is.
        self.dtype = dtype

    def fill(self, start: int, out: NDArray[Any]) -> None:
        step = _block_rows(out.shape[1])
        for block in _slices(len(out), step):
            left = self.left[start + block.start : start + block.stop]
            out[block] = (left @ self.right).toarray()


class _Rows:
    """Rows of the co-association with its corrections."""

    def __init__(
        self,
        source: _HardRows | _SoftRows,
        seen: _HardRows | None,
        pair_weights: Callable[[int, int], ArrayLike] | None,
        dtype: np.dtype[Any],
    ) -> None:
        self.source = source
        self.seen = seen
        self.pair_weights = pair_weights
        self.dtype = dtype
        self.is_plain = seen is None and pair_weights is None
        self.n_values = 0
        self.n_never_seen = 0

    def fill(self, start: int, out: NDArray[Any]) -> None:
        self.source.fill(start, out)
        if self.seen is not None:
            share = np.empty_like(out)
            self.seen.fill(start, share)
            never = share == 0
            self.n_values += out.size - len(out)
            alone = never[np.arange(len(out)), start + np.arange(len(out))]
            self.n_never_seen += int(never.sum()) - int(alone.sum())
            np.divide(out, share, out=out, where=~never)
        if self.pair_weights is not None:
            factors = np.asarray(self.pair_weights(start, start + len(out)))
            if factors.shape != out.shape:
                raise ComitiaError(
                    f"pair_weights gave rows of shape {factors.shape}; rows {start} to "
                    f"{start + len(out) - 1} must have shape {out.shape}."
                )
            out *= factors

    def warn_of_pairs_never_seen(self) -> None:
        if self.n_never_seen > _FEW_UNSEEN * self.n_values:
            share = self.n_never_seen / self.n_values
            warnings.warn(
                f"{share:.1%} of the pairs of objects are in no clustering together; "
                "their similarity is set to 0. Use more clusterings or larger samples.",
                ComitiaWarning,
                stacklevel=3,
            )


def _rows(
    ensemble: Ensemble,
    clustering_weights: ArrayLike | None,
    cluster_weights: ArrayLike | None,
    pair_weights: PairWeights | None,
    co_sampled: CoSampled,
    dtype: DTypeLike,
) -> _Rows:
    kind = np.dtype(dtype)
    if kind not in (np.float32, np.float64):
        raise ComitiaError(f"dtype={kind} must be float32 or float64.")
    weights = combined_weights(ensemble, clustering_weights, cluster_weights)
    source = (_HardRows if ensemble.is_hard else _SoftRows)(ensemble, weights, kind)
    seen = None
    if co_sampled and ensemble.has_missing:
        counted = None if co_sampled == "count" else clustering_weights
        seen = _seen_rows(ensemble, counted, kind)
    return _Rows(source, seen, _check_pair_weights(pair_weights, ensemble), kind)


def _seen_rows(
    ensemble: Ensemble, clustering_weights: ArrayLike | None, dtype: np.dtype[Any]
) -> _HardRows:
    """Which share of the weight is with clusterings that have both of two objects."""
    shares = weight_shares(ensemble, clustering_weights)
    return _HardRows(presence(ensemble), shares, dtype)


def presence(ensemble: Ensemble) -> Ensemble:
    """One cluster for each clustering: of the objects that it has.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    Returns
    -------
    presence : Ensemble
        Labels are 0, and missing where they are missing in the ensemble.
    """
    missing = (~seen_by(ensemble)).astype(np.uint8)
    return Ensemble.from_codes(missing, np.ones(len(missing)))


def seen_by(ensemble: Ensemble) -> NDArray[np.bool_]:
    """Say which objects each clustering has.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    Returns
    -------
    seen : ndarray of bool of shape (n_clusterings, n_objects)
        False where a label is missing.
    """
    if ensemble.is_hard:
        return np.asarray(ensemble.codes < ensemble.n_clusters_each[:, None])
    B = ensemble.membership.tocoo()
    seen = np.zeros((ensemble.n_clusterings, ensemble.n_objects), dtype=bool)
    seen[ensemble.clustering_of[B.col], B.row] = True
    return seen


def weight_shares(
    ensemble: Ensemble, clustering_weights: ArrayLike | None = None
) -> NDArray[np.float64]:
    """The share that each clustering has of the weight of all.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    clustering_weights : array-like of shape (n_clusterings,), default=None
        Weight of each clustering; all the same by default.

    Returns
    -------
    shares : ndarray of shape (n_clusterings,)
        They sum to one, unless all weights are zero.
    """
    M = ensemble.n_clusterings
    if clustering_weights is None:
        return np.full(M, 1.0 / M)
    weights = check_weights(clustering_weights, M, "clustering_weights", "clustering")
    return weights / (weights.sum() or 1.0)


def _check_pair_weights(
    pair_weights: PairWeights | None, ensemble: Ensemble
) -> Callable[[int, int], ArrayLike] | None:
    if pair_weights is None or callable(pair_weights):
        return pair_weights
    factors = np.asarray(masked_to_nan(pair_weights))
    n = ensemble.n_objects
    if factors.shape != (n, n):
        raise ComitiaError(
            f"pair_weights must have shape ({n}, {n}), one factor per pair of objects; "
            f"got {factors.shape}."
        )
    return lambda start, stop: factors[start:stop]


def _slices(n: int, step: int) -> Iterator[slice]:
    for start in range(0, n, step):
        yield slice(start, min(start + step, n))


def _block_rows(n: int) -> int:
    return max(1, min(n, _BLOCK_VALUES // n))


def _what(n: int) -> str:
    return f"the co-association of {n} objects"
