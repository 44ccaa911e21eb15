"""Votes that decide: of aligned labels, of groups of clusters, of a median."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._steps import nonnegative_weights
from comitia.engine.row_blocks import join
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.represent.alignment import group_votes
from comitia.represent.votes import check_labels

__all__ = ["cluster_vote", "median_selection", "meta_vote", "refuse_excess_groups"]


def cluster_vote(
    ensemble: Ensemble,
    targets: ArrayLike,
    n_labels: int,
    *,
    cluster_weights: ArrayLike | None = None,
) -> NDArray[np.int32]:
    r"""Let each cluster vote for a label with its weight.

    .. math::
        y_i = \arg\max_r \sum_{c:\, \text{target}(c) = r} w_c B_{ic}.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    targets : array-like of shape (n_clusters,)
        The label each cluster votes for, as :func:`comitia.represent.align_clusters`
        finds it; -1 for a cluster that does not vote.

    n_labels : int
        Number of labels.

    cluster_weights : array-like of shape (n_clusters,), default=None
        Weight of the vote of each cluster; 1 by default.

    Returns
    -------
    labels : ndarray of shape (n_objects,)
        The winners, the lowest of equals; -1 for an object without votes.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> cluster_vote(Ensemble([[0, 0], [0, 1], [1, 1]]), [0, 1, 0, 1], 2)
    array([0, 0, 1], dtype=int32)
    """
    groups, weights = _check_groups(ensemble, targets, n_labels, cluster_weights)
    return _plurality(ensemble, groups, n_labels, weights)


def refuse_excess_groups(n_groups: int, ensemble: Ensemble) -> None:
    """Refuse more meta-clusters than there are clusters.

    Parameters
    ----------
    n_groups : int
        Meta-clusters asked for.

    ensemble : Ensemble
        The clusterings.
    """
    if n_groups > ensemble.n_clusters_total:
        raise ComitiaError(
            f"n_clusters={n_groups} is larger than the number of clusters of all "
            f"clusterings together; give at most {ensemble.n_clusters_total}."
        )


def meta_vote(
    ensemble: Ensemble,
    groups: ArrayLike,
    n_groups: int,
    *,
    cluster_weights: ArrayLike | None = None,
    association: bool = True,
) -> tuple[NDArray[np.int32], NDArray[np.float64] | None]:
    r"""Give each object to the meta-cluster it is associated with most.

    The association of an object with a meta-cluster is the weighted mean of its
    memberships in the clusters of the meta-cluster:

    .. math::
        A_{ig} = \frac{1}{|g|} \sum_{c \in g} w_c B_{ic}.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    groups : array-like of shape (n_clusters,)
        The meta-cluster of each cluster, 0..n_groups - 1; -1 for a cluster that is in
        none.

    n_groups : int
        Number of meta-clusters; some may be empty, and some may win no object.

    cluster_weights : array-like of shape (n_clusters,), default=None
        Weight :math:`w_c` of each cluster; 1 by default.

    association : bool, default=True
        Whether the associations are wanted; without them nothing of size
        (n_objects, n_groups) is made.

    Returns
    -------
    labels : ndarray of shape (n_objects,)
        The meta-cluster of the largest association, the lowest of equals; -1 for an
        object that is in no cluster.

    association : ndarray of shape (n_objects, n_groups) or None
        The associations.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> votes = Ensemble([[0, 0], [0, 1], [1, 1]])
    >>> meta_vote(votes, [0, 1, 0, 1], 2)
    (array([0, 0, 1], dtype=int32), array([[1. , 0. ],
           [0.5, 0.5],
           [0. , 1. ]]))
    """
    members, weights = _check_groups(ensemble, groups, n_groups, cluster_weights)
    sizes = np.bincount(members[members >= 0], minlength=n_groups)
    # A cluster that is in no group finds some size, and does not vote.
    weights = weights / np.maximum(sizes, 1)[members]
    labels = _plurality(ensemble, members, n_groups, weights)
    if not association:
        return labels, None
    return labels, group_votes(ensemble, members, n_groups, weights)


def median_selection(
    similarity: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    candidates: ArrayLike | None = None,
) -> int:
    r"""Pick the clustering with the largest summed similarity to the others.

    .. math::
        \arg\max_m \sum_{l \ne m} w_l S_{ml}.

    Parameters
    ----------
    similarity : array-like of shape (n, n)
        Similarities, such as ``ensemble.agreement()``; the diagonal does not count.

    weights : array-like of shape (n,), default=None
        Weight of each clustering as one of the others; equal by default.

    candidates : array-like of int, default=None
        Those that may be picked; all by default.

    Returns
    -------
    index : int
        The median; the lowest of equals.

    Examples
    --------
    >>> median_selection([[1.0, 0.5, 0.1], [0.5, 1.0, 0.4], [0.1, 0.4, 1.0]])
    1
    """
    S = np.array(similarity, dtype=np.float64)
    if S.ndim != 2 or S.shape[0] != S.shape[1] or len(S) == 0:
        raise ComitiaError(f"similarity must be square; got shape {S.shape}.")
    if not np.isfinite(S).all():
        raise ComitiaError("similarity must be finite.")
    among = np.arange(len(S)) if candidates is None else np.unique(candidates)
    np.fill_diagonal(S, 0.0)
    sums = (S @ nonnegative_weights(weights, len(S), "weights", "clustering"))[among]
    # Sums that are equal on paper differ by rounding; the first of them is meant.
    return int(among[np.argmax(sums >= sums.max() - 1e-12 * np.abs(sums).max())])


def _plurality(
    ensemble: Ensemble,
    targets: NDArray[np.int64],
    n_labels: int,
    weights: NDArray[np.float64],
) -> NDArray[np.int32]:
    given = {"targets": targets, "n_labels": n_labels, "weights": weights}
    return join(ensemble.row_blocks.map("engine.winners", **given), ensemble.n_objects)


def _check_groups(
    ensemble: Ensemble,
    groups: ArrayLike,
    n_groups: int,
    cluster_weights: ArrayLike | None,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    members, _ = check_labels(groups, "groups", ensemble.n_clusters_total, n_groups)
    weights = nonnegative_weights(
        cluster_weights, ensemble.n_clusters_total, "cluster_weights", "cluster"
    )
    return members.astype(np.int64), weights
