"""Label alignment: which cluster of one clustering is which of another."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._steps import check_choice
from comitia.engine.row_blocks import join
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.represent.votes import check_labels, overlaps

__all__ = ["Alignment", "align", "align_clusters", "kept_numbers"]


class Alignment(NamedTuple):
    """A clustering in the names of another.

    Attributes
    ----------
    labels : ndarray of shape (n_objects,)
        The new label of each object; -1 where it has none.

    mapping : ndarray of shape (n_labels,)
        The new label of each old one.
    """

    labels: NDArray[np.int32]
    mapping: NDArray[np.int64]


def align(
    labels: ArrayLike,
    reference: ArrayLike,
    *,
    method: str = "hungarian",
    surplus: str = "fresh",
    centers: ArrayLike | None = None,
    reference_centers: ArrayLike | None = None,
) -> Alignment:
    r"""Rename the clusters of a clustering after those of a reference.

    Clusters are matched one to one. "hungarian" maximises the number of objects in
    matched pairs, :math:`\sum_c |c \cap \pi(c)|`; "greedy" takes the pair with the
    largest overlap, then the largest among what is left, and so on [1]_; "centroids"
    minimises the summed distance of matched centres.

    Parameters
    ----------
    labels : array-like of shape (n_objects,)
        The clustering, 0..k - 1; -1 where an object is not clustered. Objects that
        either clustering leaves out do not count for the match.

    reference : array-like of shape (n_objects,)
        The reference, in the same form.

    method : {"hungarian", "greedy", "centroids"}, default="hungarian"
        How clusters are matched.

    surplus : {"fresh", "merge"}, default="fresh"
        What happens to clusters beyond the number of the reference. "fresh" gives
        them new labels behind the last of the reference. "merge" gives each the label
        of the reference cluster it overlaps most (or whose centre is nearest), chosen
        so that every reference cluster still has a counterpart. When the reference
        has more clusters, some of its labels are not used.

    centers, reference_centers : array-like of shape (k, n_features), default=None
        Cluster centres, for "centroids".

    Returns
    -------
    alignment : Alignment
        The new labels, and the new label of each old one.

    Notes
    -----
    Of equal overlaps "greedy" takes that of the smaller cluster, then of the lowest
    labels. Of several best matches "hungarian" returns the one SciPy finds.

    References
    ----------
    .. [1] Z.-H. Zhou and W. Tang, "Clusterer ensemble", Knowledge-Based Systems 19(1),
       2006. :doi:`10.1016/j.knosys.2005.11.003`

    Examples
    --------
    >>> labels, mapping = align([1, 1, 0, 0, 2], [0, 0, 0, 1, 1])
    >>> labels
    array([0, 0, 1, 1, 2], dtype=int32)
    >>> mapping
    array([1, 0, 2])
    """
    old, k = check_labels(labels, "labels")
    target, r = check_labels(reference, "reference", len(old))
    if method == "centroids":
        if centers is None or reference_centers is None:
            raise ComitiaError(
                'method="centroids" needs centers and reference_centers; give the '
                "centres of both clusterings."
            )
        benefit = -_distances(centers, reference_centers, k, r)
    else:
        both = (old >= 0) & (target >= 0)
        pairs = old[both].astype(np.int64) * r + target[both]
        benefit = np.bincount(pairs, minlength=k * r).reshape(k, r).astype(np.float64)
    sizes = np.bincount(old[old >= 0], minlength=k)
    mapping = _match(benefit, sizes, method, surplus)
    # An object without a label finds the -1 behind the last entry.
    return Alignment(np.append(mapping, -1)[old].astype(np.int32), mapping)


def align_clusters(
    ensemble: Ensemble,
    reference: ArrayLike,
    n_labels: int | None = None,
    *,
    method: str = "hungarian",
    surplus: str = "merge",
) -> NDArray[np.int64]:
    """Align all clusterings to a reference at once.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    reference : array-like of shape (n_objects,)
        The reference, 0..n_labels - 1; -1 for objects it leaves out.

    n_labels : int, default=None
        Number of labels of the reference.

    method, surplus : shared
        As for :func:`align`.

    Returns
    -------
    targets : ndarray of shape (n_clusters,)
        The label of the reference that each cluster stands for.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> align_clusters(Ensemble([[0, 1], [0, 1], [1, 0]]), [0, 0, 1])
    array([0, 1, 1, 0])
    """
    if method == "centroids":
        raise ComitiaError(
            'method="centroids" needs the centres of each clustering; use align.'
        )
    shared = overlaps(ensemble, reference, n_labels)
    return match_clusters(ensemble, shared, method=method, surplus=surplus)


def match_clusters(
    ensemble: Ensemble,
    shared: NDArray[np.float64],
    *,
    method: str = "hungarian",
    surplus: str = "merge",
) -> NDArray[np.int64]:
    """As :func:`align_clusters`, from the objects that are shared.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    shared : ndarray of shape (n_clusters, n_labels)
        What each cluster shares with each label of the reference, as
        :func:`comitia.represent.votes.overlaps` counts it.

    method, surplus : shared
        As for :func:`align`.

    Returns
    -------
    targets : ndarray of shape (n_clusters,)
        The label that each cluster stands for.
    """
    return np.concatenate(
        [
            _match(shared[lo:hi], ensemble.sizes[lo:hi], method, surplus)
            for lo, hi in pairwise(ensemble.offsets)
        ]
    )


def group_votes(
    ensemble: Ensemble,
    targets: NDArray[np.int64],
    n_labels: int,
    weights: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Sum the weights of the clusters that hold an object, by what they vote for.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    targets : ndarray of shape (n_clusters,)
        What each cluster votes for, 0..n_labels - 1; -1 for nothing.

    n_labels : int
        Number of labels.

    weights : ndarray of shape (n_clusters,)
        Weight of the vote of each cluster.

    Returns
    -------
    votes : ndarray of shape (n_objects, n_labels)
        The sums.
    """
    votes = ensemble.row_blocks.map(
        "engine.vote_table", targets=targets, n_labels=n_labels, weights=weights
    )
    return join(votes, ensemble.n_objects)


def _match(
    benefit: NDArray[np.float64], sizes: NDArray[np.int64], method: str, surplus: str
) -> NDArray[np.int64]:
    """The column of each row; rows in excess get new columns or share the best."""
    check_choice("method", method, ("hungarian", "greedy", "centroids"))
    check_choice("surplus", surplus, ("fresh", "merge"))
    k, r = benefit.shape
    mapping = np.full(k, -1, dtype=np.int64)
    rows: Any
    columns: Any
    if method == "greedy":
        rows, columns = _greedy(benefit, sizes)
    else:
        from scipy.optimize import linear_sum_assignment

        # A row that shares its best column loses nothing, so when rows are in excess
        # and may share, those that get a column to themselves should lose least.
        regret = benefit.max(axis=1, keepdims=True, initial=-np.inf) - benefit
        cost = regret if surplus == "merge" else -benefit
        rows, columns = linear_sum_assignment(cost)
    mapping[rows] = columns
    left = np.flatnonzero(mapping < 0)
    if surplus == "merge" and r > 0:
        best = benefit.argmax(axis=1)
        mapping[left] = best[left]
        # A row that loses nothing in a lower column goes there, if its own is shared.
        for c in np.flatnonzero(benefit[np.arange(k), mapping] == benefit.max(axis=1)):
            if (mapping == mapping[c]).sum() > 1:
                mapping[c] = best[c]
    else:
        mapping[left] = r + np.arange(len(left))
    return mapping


def kept_numbers(
    shared: NDArray[Any], *, contiguous: bool = True
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number clusters so that they keep the numbers of those before them.

    Parameters
    ----------
    shared : array of shape (k, k_before)
        Objects that each cluster shares with each of those before.

    contiguous : bool, default=True
        Whether the numbers are 0..k - 1; otherwise those before may be larger.

    Returns
    -------
    numbers : ndarray of shape (k,)
        That of the matched cluster before. What has no match, or has one whose number
        is too large, gets the numbers that are free: clusters with a match first, then
        the others, the largest first.

    partner : ndarray of shape (k,)
        The matched cluster before; -1 for none.
    """
    from scipy.optimize import linear_sum_assignment

    k = len(shared)
    partner = np.full(k, -1, dtype=np.int64)
    rows, columns = linear_sum_assignment(-np.asarray(shared, dtype=np.float64))
    alike = shared[rows, columns] > 0
    partner[rows[alike]] = columns[alike]
    numbers = partner.copy()
    if contiguous:
        numbers[numbers >= k] = -1
    new = np.flatnonzero(numbers < 0)
    size = np.asarray(shared).sum(axis=1)[new]
    new = new[np.lexsort((-size, partner[new], partner[new] < 0))]
    numbers[new] = np.setdiff1d(np.arange(k), numbers)[: len(new)]
    return numbers, partner


def _greedy(
    benefit: NDArray[np.float64], sizes: NDArray[np.int64]
) -> tuple[list[int], list[int]]:
    k, r = benefit.shape
    row, column = np.divmod(np.arange(k * r), max(r, 1))
    rows: list[int] = []
    columns: list[int] = []
    for pair in np.lexsort((column, row, sizes[row], -benefit.ravel())):
        if row[pair] not in rows and column[pair] not in columns:
            rows.append(int(row[pair]))
            columns.append(int(column[pair]))
    return rows, columns


def _distances(
    centers: ArrayLike, reference_centers: ArrayLike, k: int, r: int
) -> NDArray[np.float64]:
    one = np.asarray(centers, dtype=np.float64)
    other = np.asarray(reference_centers, dtype=np.float64)
    if one.ndim != 2 or other.ndim != 2 or one.shape[1] != other.shape[1]:
        raise ComitiaError(
            "centers and reference_centers must have one row per cluster and the same "
            f"features; got shapes {one.shape} and {other.shape}."
        )
    if len(one) < k or len(other) < r:
        raise ComitiaError(
            f"centers and reference_centers have {len(one)} and {len(other)} rows for "
            f"{k} and {r} clusters; give one for each."
        )
    difference = one[:, None, :] - other[None, :, :]
    return np.asarray(np.sqrt((difference**2).sum(axis=2)))
