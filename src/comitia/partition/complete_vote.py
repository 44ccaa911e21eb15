"""A vote that leaves no object out."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.ensemble import Ensemble
from comitia.partition.vote_winners import cluster_vote
from comitia.represent.graphs import combined_weights

__all__ = ["complete_vote"]


def complete_vote(
    ensemble: Ensemble, targets: ArrayLike, n_labels: int, clustering_weights: ArrayLike
) -> NDArray[np.int32]:
    """Let aligned clusterings vote, those without weight where nobody else can.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    targets : array-like of shape (n_clusters,)
        The label each cluster votes for, as :func:`comitia.represent.align_clusters`
        finds it.

    n_labels : int
        Number of labels.

    clustering_weights : array-like of shape (n_clusterings,)
        Weight of each clustering.

    Returns
    -------
    labels : ndarray of shape (n_objects,)
        The winners, the lowest of equals. An object that only clusterings of weight 0
        have gets the label that most of them name.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> votes = Ensemble([[0, 0], [1, 0], [-1, 1]])
    >>> complete_vote(votes, [0, 1, 0, 1], 2, [1.0, 0.0])
    array([0, 1, 1], dtype=int32)
    """
    weights = combined_weights(ensemble, clustering_weights)
    labels = cluster_vote(ensemble, targets, n_labels, cluster_weights=weights)
    left = labels < 0
    if left.any():
        labels[left] = cluster_vote(ensemble, targets, n_labels)[left]
    return labels
