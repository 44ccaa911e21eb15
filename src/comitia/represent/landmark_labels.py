"""A sample of the objects that stands for all of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia import sizes
from comitia._arrays import to_numpy
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.represent.cluster_sums import best_column, labels_of
from comitia.represent.votes import overlaps, share_weights

__all__ = ["Landmarks", "draw_landmarks", "extend_labels"]


class Landmarks(NamedTuple):
    """Some of the objects.

    Attributes
    ----------
    objects : ndarray of shape (n_landmarks,)
        Which ones, in rising order.

    ensemble : Ensemble
        Their labels; clusters that have none of them are left out.

    clusters : ndarray of shape (n_clusters of this ensemble,)
        Which clusters of the full ensemble these are.
    """

    objects: NDArray[np.int64]
    ensemble: Ensemble
    clusters: NDArray[np.int64]


def draw_landmarks(
    ensemble: Ensemble, rng: np.random.RandomState, n_landmarks: int = sizes.N_LANDMARKS
) -> Landmarks:
    """Draw objects at random, all with the same chance.

    A row of labels that many objects have is drawn as often as it is worth, so that
    the landmarks carry the weights of the rows.

    Parameters
    ----------
    ensemble : Ensemble
        Hard clusterings.

    rng : RandomState
        Draws them.

    n_landmarks : int, default=5000
        How many; all objects when there are fewer.

    Returns
    -------
    landmarks : Landmarks
        The objects and their labels.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> votes = Ensemble([[0, 0], [0, 1], [1, 1], [1, 2]])
    >>> drawn = draw_landmarks(votes, np.random.RandomState(0), 2)
    >>> drawn.objects, drawn.clusters
    (array([2, 3]), array([1, 3, 4]))
    """
    if not ensemble.is_hard:
        raise ComitiaError(
            'approximate="landmarks" needs hard clusterings; the ensemble is '
            f"{ensemble.kind}."
        )
    n = ensemble.n_objects
    objects = np.arange(min(n, n_landmarks))
    if n > n_landmarks:
        from sklearn.utils.random import sample_without_replacement

        drawn = sample_without_replacement(n, n_landmarks, random_state=rng)
        objects = np.sort(drawn).astype(np.int64)
    columns = [
        to_numpy(labels_of(ensemble, m)[objects]) for m in range(ensemble.n_clusterings)
    ]
    seen = [
        offset + np.unique(column[column >= 0])
        for offset, column in zip(ensemble.offsets[:-1], columns, strict=True)
    ]
    return Landmarks(objects, Ensemble(columns), np.concatenate(seen))


def extend_labels(
    ensemble: Ensemble,
    landmarks: Landmarks,
    labels: NDArray[np.int32],
    *,
    clustering_weights: ArrayLike | None = None,
    cluster_weights: ArrayLike | None = None,
) -> NDArray[np.int32]:
    """Give all objects the labels that their clusters have among the landmarks.

    Each cluster votes with the shares that the labels have among its landmarks. The
    landmarks keep their own labels.

    Parameters
    ----------
    ensemble : Ensemble
        All objects.

    landmarks : Landmarks
        Some of them.

    labels : ndarray of shape (n_landmarks,)
        The labels of the landmarks.

    clustering_weights : array-like of shape (n_clusterings,), default=None
        Weight of the vote of each clustering.

    cluster_weights : array-like of shape (n_clusters,), default=None
        Weight of the vote of each cluster of the full ensemble.

    Returns
    -------
    labels : ndarray of shape (n_objects,)
        A label for each object.
    """
    k = int(labels.max()) + 1
    shared = np.zeros((ensemble.n_clusters_total, k))
    shared[landmarks.clusters] = overlaps(landmarks.ensemble, labels, k)
    sizes = shared.sum(axis=1, keepdims=True)
    shares = np.divide(shared, sizes, out=np.zeros_like(shared), where=sizes > 0)
    weights = share_weights(ensemble, shares, clustering_weights, cluster_weights)
    extended = to_numpy(best_column(ensemble, weights[:, None] * shares))
    extended[landmarks.objects] = labels
    return extended
