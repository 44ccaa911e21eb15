"""Vote shares: how much of each object belongs to each cluster of a consensus."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._arrays import as_tensor, device_of
from comitia._labels import as_labels
from comitia.config import require_memory
from comitia.engine.row_blocks import join
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError

__all__ = ["cluster_shares", "overlaps", "spread_shares", "vote_shares"]


def overlaps(
    ensemble: Ensemble, labels: ArrayLike, n_labels: int | None = None
) -> NDArray[np.float64]:
    """Count the objects that each cluster shares with each label.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    labels : array-like of shape (n_objects,)
        Labels 0..n_labels - 1; -1 for objects that have none.

    n_labels : int, default=None
        Number of labels; one more than the largest by default.

    Returns
    -------
    shared : ndarray of shape (n_clusters, n_labels)
        Number of objects; of fuzzy clusters, their summed memberships.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> overlaps(Ensemble([[0, 0], [0, 1], [1, 1]]), [0, 0, 1])
    array([[2., 0.],
           [0., 1.],
           [1., 0.],
           [1., 1.]])
    """
    codes, k = check_labels(labels, "labels", ensemble.n_objects, n_labels)
    blocks = ensemble.row_blocks
    shared = blocks.map("engine.overlaps", ensemble.split(codes), n_labels=k).total()
    return np.asarray(shared, dtype=np.float64)


def cluster_shares(
    ensemble: Ensemble, labels: ArrayLike, n_clusters: int | None = None
) -> NDArray[np.float64]:
    r"""Share of each base cluster that each cluster of a consensus has.

    .. math::
        P_{cr} = |c \cap r| \, / \, |c|.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    labels : array-like of shape (n_objects,)
        The consensus, 0..n_clusters - 1.

    n_clusters : int, default=None
        Clusters of the consensus.

    Returns
    -------
    shares : ndarray of shape (n_clusters of the ensemble, n_clusters)
        Rows sum to one; the row of a cluster without labelled objects is zero.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> cluster_shares(Ensemble([[0, 0], [0, 1], [1, 1]]), [0, 0, 1])
    array([[1. , 0. ],
           [0. , 1. ],
           [1. , 0. ],
           [0.5, 0.5]])
    """
    shared = overlaps(ensemble, labels, n_clusters)
    sizes = shared.sum(axis=1, keepdims=True)
    shares: NDArray[np.float64] = np.zeros_like(shared)
    np.divide(shared, sizes, out=shares, where=sizes > 0)
    return shares


def spread_shares(
    ensemble: Ensemble,
    shares: NDArray[np.float64],
    clustering_weights: ArrayLike | None = None,
    cluster_weights: ArrayLike | None = None,
) -> NDArray[np.float64]:
    r"""Give each object the weighted mean share of the clusters it is in.

    .. math::
        U_{ir} = \frac{\sum_c w_c B_{ic} P_{cr}}{\sum_c w_c B_{ic}}.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings; not necessarily of the objects the shares were taken from.

    shares : ndarray of shape (n_clusters of the ensemble, n_clusters)
        The shares :math:`P` of :func:`cluster_shares`.

    clustering_weights : array-like of shape (n_clusterings,), default=None
        Weight of each clustering; equal by default.

    cluster_weights : array-like of shape (n_clusters of the ensemble,), default=None
        Weight of each cluster, multiplied by that of its clustering.

    Returns
    -------
    membership : ndarray of shape (n_objects, n_clusters)
        Rows sum to one. An object whose clusters all weigh nothing is shared out
        equally.
    """
    weights = share_weights(ensemble, shares, clustering_weights, cluster_weights)
    n, k = ensemble.n_objects, shares.shape[1]
    if len(ensemble.row_blocks) > 1:
        require_memory(
            8 * n * k,
            f"the vote shares of {n} objects in {k} clusters",
            "walk over the blocks of a fitted method with result_blocks()",
        )
    spread = ensemble.row_blocks.map(block_shares, shares=shares, weights=weights)
    return join(spread, n)


def share_weights(
    ensemble: Ensemble,
    shares: NDArray[np.float64],
    clustering_weights: ArrayLike | None = None,
    cluster_weights: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """What the share of each cluster weighs.

    Parameters
    ----------
    ensemble, shares, clustering_weights, cluster_weights : Ensemble, ndarray, ...
        As for :func:`spread_shares`.

    Returns
    -------
    weights : ndarray of shape (n_clusters of the ensemble,)
        A cluster that knows no consensus label has nothing to say.
    """
    from comitia.represent.graphs import combined_weights

    weights = combined_weights(ensemble, clustering_weights, cluster_weights)
    return np.where(shares.any(axis=1), weights, 0.0)


def block_shares(
    block: Ensemble, *, shares: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The mean shares of the objects of one row block.

    Parameters
    ----------
    block : Ensemble
        The block.

    shares : ndarray of shape (n_clusters of the ensemble, n_clusters)
        The shares of the clusters.

    weights : ndarray of shape (n_clusters of the ensemble,)
        Their weights.

    Returns
    -------
    membership : ndarray of shape (n_objects of the block, n_clusters)
        Rows sum to one.
    """
    membership: NDArray[np.float64] = block.engine.mean_rows(shares, weights)
    silent = ~membership.any(axis=1)
    membership[silent] = 1 / shares.shape[1]
    return membership


def vote_shares(
    ensemble: Ensemble,
    labels: ArrayLike,
    n_clusters: int | None = None,
    clustering_weights: ArrayLike | None = None,
    cluster_weights: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Share of the votes that each object gives to each cluster of a consensus.

    Each cluster that holds the object votes with the shares that the clusters of the
    consensus have among its objects; :func:`cluster_shares`, then
    :func:`spread_shares`.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    labels : array-like of shape (n_objects,)
        The consensus, 0..n_clusters - 1.

    n_clusters : int, default=None
        Clusters of the consensus.

    clustering_weights : array-like of shape (n_clusterings,), default=None
        Weight of each clustering; equal by default.

    cluster_weights : array-like of shape (n_clusters of the ensemble,), default=None
        Weight of each cluster, multiplied by that of its clustering.

    Returns
    -------
    membership : ndarray of shape (n_objects, n_clusters)
        Rows sum to one.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> vote_shares(Ensemble([[0, 0], [0, 1], [1, 1]]), [0, 0, 1])
    array([[1.  , 0.  ],
           [0.75, 0.25],
           [0.25, 0.75]])
    """
    shares = cluster_shares(ensemble, labels, n_clusters)
    return spread_shares(ensemble, shares, clustering_weights, cluster_weights)


def check_labels(
    labels: ArrayLike, argument: str, n: int | None = None, n_labels: int | None = None
) -> tuple[NDArray[np.int32], int]:
    """Check one label vector and count its labels.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Labels 0..n_labels - 1, and -1 for objects without one.

    argument : str
        How messages call the labels.

    n : int, default=None
        The length they must have.

    n_labels : int, default=None
        The number they must not exceed.

    Returns
    -------
    labels : ndarray of shape (n,)
        As int32, those given where they are; a tensor where they were one.

    n_labels : int
        The number given, or one more than the largest.
    """
    if device_of(labels) is None:
        array: Any = as_labels(labels)
        integers = array.dtype.kind in "iu"
    else:
        array = as_tensor(labels)
        integers = not array.dtype.is_floating_point
    if array.ndim != 1 or not integers or (n or len(array)) != len(array):
        wanted = "" if n is None else f" of {n} entries"
        raise ComitiaError(
            f"{argument} must be one integer vector{wanted}; got shape {array.shape} "
            f"of type {array.dtype}."
        )
    largest = int(array.max()) if len(array) else -1
    if (len(array) and int(array.min()) < -1) or (
        n_labels is not None and largest >= n_labels
    ):
        limit = "0 or more" if n_labels is None else f"0..{n_labels - 1}"
        raise ComitiaError(f"{argument} must be {limit}, or -1 where there is none.")
    narrow: Any
    if isinstance(array, np.ndarray):
        narrow = array.astype(np.int32, copy=False)
    else:
        narrow = array.int()
    return narrow, largest + 1 if n_labels is None else n_labels
