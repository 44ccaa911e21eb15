"""What an Ensemble is made of, checked: labels, names, indices, memberships, clusters.

Kernels index tables by labels and do not look twice. Whatever labels come from, a file,
a pickle, a tensor or a caller, they pass :func:`check_codes` or
:func:`check_extremes` before a kernel sees them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._files import is_text
from comitia._inputs import check_sparse, masked_to_nan
from comitia._labels import check_not_sparse, narrowest
from comitia.config import require_memory
from comitia.exceptions import ComitiaError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = [
    "check_array",
    "check_cluster",
    "check_codes",
    "check_extremes",
    "check_indicator",
    "check_indices",
    "check_membership",
    "check_n_clusters",
    "check_names",
    "check_sequence",
    "frozen",
]

# The code of a missing label is the number of clusters, and codes are int32 at most.
_MOST_CLUSTERS = np.iinfo(np.int32).max

# Memberships read from text carry a few decimals; 1e-6 is closer than float32.
_SUM_TOLERANCE = 1e-6


def check_codes(
    codes: NDArray[Any], n_clusters_each: ArrayLike, *, least_objects: int = 1
) -> tuple[NDArray[Any], NDArray[np.int64], str]:
    """Check labels that are coded already: their types, lengths and range.

    Codes, (n_clusterings, n_objects), are 0..k_m - 1 in row m, and k_m where the label
    is missing. They come back contiguous and in the narrowest type, the same array
    where they are that already, with the k_m, and ``"hard"``, or ``"partial"`` if
    labels are missing.
    """
    codes = check_array(codes, "codes")
    least_shape = 1, least_objects
    fits = codes.ndim == 2 and all(np.greater_equal(codes.shape, least_shape))
    if not fits or codes.dtype.kind not in "iu":
        raise ComitiaError(
            "codes must be integers of shape (n_clusterings, n_objects), at least "
            f"(1, 1); got {codes.dtype} of shape {codes.shape}."
        )
    k = check_n_clusters(n_clusters_each, len(codes))
    most = codes.max(axis=1, initial=0)
    least = (
        codes.min(axis=1, initial=0) if codes.dtype.kind == "i" else np.zeros_like(most)
    )
    kind = check_extremes(least, most, k)
    return np.ascontiguousarray(codes, dtype=narrowest(int(k.max()))), k, kind


def check_extremes(
    least: NDArray[Any], most: NDArray[Any], n_clusters_each: NDArray[np.int64]
) -> str:
    """Check the smallest and the largest code of each clustering.

    Returns ``"partial"`` if one is the code of a missing label, otherwise ``"hard"``.
    """
    wrong = (least < 0) | (most > n_clusters_each)
    if wrong.any():
        m = int(np.argmax(wrong))
        found = least[m] if least[m] < 0 else most[m]
        raise ComitiaError(
            f"codes of clustering {m} must lie in 0..{n_clusters_each[m]}; got "
            f"{int(found)}."
        )
    return "partial" if (most == n_clusters_each).any() else "hard"


def check_n_clusters(
    n_clusters_each: ArrayLike, n_clusterings: int
) -> NDArray[np.int64]:
    """Check how many clusters each clustering has.

    A table with a line for each cluster must fit the memory budget.
    """
    k = check_array(n_clusters_each, "n_clusters_each")
    numbers = k.dtype.kind in "iuf" and k.shape == (n_clusterings,)
    if not numbers or not (k >= 1).all() or (k != np.rint(k)).any():
        raise ComitiaError(
            "n_clusters_each must have one positive entry per clustering; got "
            f"{k.tolist()} for {n_clusterings}."
        )
    if (k > _MOST_CLUSTERS).any():
        raise ComitiaError(
            f"n_clusters_each has an entry of {k.max():.15g}; a clustering has at most "
            f"{_MOST_CLUSTERS} clusters."
        )
    k = k.astype(np.int64)
    K = int(k.sum())
    require_memory(8 * K, f"a number for each of {K} clusters", "give fewer clusters")
    return k


def check_indicator(
    membership: csr_array,
    codes: NDArray[Any],
    n_clusters_each: NDArray[np.int64],
    kind: str,
) -> csr_array:
    """Check an indicator matrix against labels that are checked already.

    It comes back with sorted indices.
    """
    if kind not in ("fuzzy", "overlapping"):
        raise ComitiaError(
            f'kind={kind!r} must be "fuzzy" or "overlapping" beside memberships.'
        )
    n, K = codes.shape[1], int(n_clusters_each.sum())
    try:
        if membership.shape != (n, K):
            raise ValueError(f"they have shape {membership.shape} instead of {(n, K)}")
        check_sparse(membership, "the matrix")
        membership.sort_indices()
        if not membership.has_canonical_format:
            raise ValueError("an entry comes twice")
        data = membership.data
        if data.dtype != np.float64 or not (np.isfinite(data) & (data > 0)).all():
            raise ValueError("one is not a positive number")
        _check_votes(membership, codes, n_clusters_each, kind)
    except (AttributeError, TypeError, ValueError) as error:
        raise ComitiaError(
            f"memberships do not fit: {str(error).rstrip('.')}."
        ) from None
    return membership


def _check_votes(
    membership: csr_array,
    codes: NDArray[Any],
    n_clusters_each: NDArray[np.int64],
    kind: str,
) -> None:
    """Check the entries of each object in each clustering, and its label there."""
    M, n = codes.shape
    rows = np.repeat(np.arange(n), np.diff(membership.indptr))
    owner = np.repeat(np.arange(M), n_clusters_each)[membership.indices]
    # Entries are sorted by object and cluster, so those of a clustering are a run.
    run = rows * M + owner
    first = _starts(run)
    data, chosen = membership.data, first
    if kind == "overlapping":
        if (data != 1).any():
            raise ValueError("those of overlapping clusters must be 1")
    elif len(first):
        sums = np.add.reduceat(data, first)
        # Twice as much: they were added in another order when they were given.
        if (np.abs(sums - 1) > 2 * _SUM_TOLERANCE).any():
            raise ValueError("those of an object in a fuzzy clustering must sum to 1")
        lengths = np.diff(np.r_[first, len(run)])
        largest = np.repeat(np.maximum.reduceat(data, first), lengths)
        candidates = np.flatnonzero(data == largest)
        chosen = candidates[_starts(run[candidates])]
    expected = np.repeat(n_clusters_each[:, None].astype(codes.dtype), n, axis=1)
    m = owner[chosen]
    begins = np.cumsum(n_clusters_each) - n_clusters_each
    expected[m, rows[chosen]] = membership.indices[chosen] - begins[m]
    if not np.array_equal(expected, codes):
        raise ValueError("an object has a label that is not its cluster")


def _starts(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where equal numbers in a row begin."""
    return np.flatnonzero(np.diff(numbers, prepend=-1))


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Make an array one that cannot be written to."""
    array.flags.writeable = False
    return array


def check_names(names: Any, n: int, argument: str, noun: str) -> NDArray[Any] | None:
    """Check n names, and make them text; messages call them by argument and noun."""
    if names is None:
        return None
    if isinstance(names, np.ndarray) and names.dtype.kind == "U":
        checked = names.astype(names.dtype.newbyteorder("="))
        if not is_text(checked):
            raise ComitiaError(f"{argument} hold what is no text.")
    else:
        try:
            checked = np.array([str(name) for name in names])
        except TypeError:
            raise ComitiaError(
                f"{argument} must be a sequence of names; got {names!r}."
            ) from None
    if checked.shape != (n,):
        raise ComitiaError(
            f"{argument} must have one entry per {noun}; got {len(checked)} for {n}."
        )
    return frozen(checked)


def check_indices(which: ArrayLike | None, n: int, argument: str) -> NDArray[np.int64]:
    """Check which of n things were asked for, in that order: indices from 0 to n - 1.

    Indices, a mask, or None for all; messages call them by the argument.
    """
    if which is None:
        return np.arange(n)
    array = check_array(which, argument)
    if array.size == 0:
        raise ComitiaError(f"{argument} keeps nothing; give at least one.")
    if array.dtype == bool:
        if array.shape != (n,):
            raise ComitiaError(
                f"{argument} as a mask must have {n} entries; got shape {array.shape}."
            )
        array = np.flatnonzero(array)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ComitiaError(f"{argument} must be indices or a mask; got {which!r}.")
    if len(array) == 0:
        raise ComitiaError(f"{argument} keeps nothing; give at least one.")
    if array.min() < -n or array.max() >= n:
        wrong = array.max() if array.max() >= n else array.min()
        raise ComitiaError(f"{argument} must lie in 0..{n - 1}; got {wrong}.")
    return array.astype(np.int64) % n


def check_membership(membership: ArrayLike, m: int) -> NDArray[np.float64]:
    """Check the memberships of fuzzy clustering m, (n_objects, k).

    Rows sum to one, or are zeros or NaN for an object that is not clustered. Clusters
    that nobody is in are left out.
    """
    check_not_sparse(membership, f"memberships[{m}]")
    try:
        F = np.asarray(masked_to_nan(membership))
        if F.dtype.kind not in "biufO":
            raise TypeError
        F = F.astype(np.float64)
    except (TypeError, ValueError):
        raise ComitiaError(f"memberships[{m}] must be a table of numbers.") from None
    if F.ndim != 2 or 0 in F.shape:
        raise ComitiaError(
            f"memberships[{m}] must have one row per object and one column per "
            f"cluster; got shape {F.shape}."
        )
    F = np.where(np.isnan(F).all(axis=1, keepdims=True), 0.0, F)
    if not np.isfinite(F).all() or (F < 0).any():
        raise ComitiaError(f"memberships[{m}] must be finite and not negative.")
    sums = F.sum(axis=1)
    wrong = (sums != 0) & (np.abs(sums - 1) > _SUM_TOLERANCE)
    if wrong.any():
        i = int(np.argmax(wrong))
        raise ComitiaError(
            f"memberships[{m}] must have rows that sum to 1, or to 0 for an object "
            f"that is not clustered; row {i} sums to {sums[i]:.6g}."
        )
    if not sums.any():
        raise ComitiaError(f"memberships[{m}] clusters no object; leave it out.")
    return F[:, F.any(axis=0)]


def check_sequence(given: Any, argument: str) -> list[Any]:
    """Check that a list was given."""
    check_not_sparse(given, argument)
    try:
        return list(given)
    except TypeError:
        raise ComitiaError(
            f"{argument} must be a list; got {type(given).__name__}."
        ) from None


def check_array(given: ArrayLike, argument: str) -> NDArray[Any]:
    """Check that something is an array."""
    check_not_sparse(given, argument)
    if isinstance(given, np.ma.MaskedArray) and np.ma.getmaskarray(given).any():
        raise ComitiaError(f"{argument} has masked entries; leave them out.")
    try:
        return np.asarray(given)
    except ValueError:
        raise ComitiaError(
            f"{argument} is ragged: its rows differ in length."
        ) from None


def check_cluster(given: ArrayLike, n_objects: int, name: str) -> NDArray[np.int64]:
    """Check the objects of one cluster, and sort them."""
    cluster = check_array(given, name)
    if cluster.ndim != 1 or len(cluster) == 0 or cluster.dtype.kind not in "iu":
        raise ComitiaError(f"{name} must be a list of object indices, not empty.")
    if cluster.min() < 0 or cluster.max() >= n_objects:
        wrong = cluster.min() if cluster.min() < 0 else cluster.max()
        raise ComitiaError(
            f"{name} names object {int(wrong)}; indices are 0..{n_objects - 1}."
        )
    unique = np.unique(cluster)
    if len(unique) < len(cluster):
        raise ComitiaError(f"{name} names an object twice.")
    return unique.astype(np.int64)
