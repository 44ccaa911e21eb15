"""Ensembles to measure on. All of them are made from a seed, and quickly."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.ensemble import Ensemble

__all__ = ["planted_labels", "uniform_ensemble", "voronoi_ensemble"]


def voronoi_ensemble(
    n_objects: int,
    n_clusterings: int,
    n_clusters: int | tuple[int, int] = (10, 100),
    *,
    n_features: int = 10,
    n_blobs: int = 20,
    seed: int = 0,
) -> Ensemble:
    """Clusterings of Gaussian blobs, each by the nearest of some random objects.

    They have what real k-means ensembles have and random labels lack: clusters that
    overlap by far less than chance, unequal sizes, and objects that always meet.

    Parameters
    ----------
    n_objects, n_clusterings : int
        Size of the ensemble.

    n_clusters : int or (int, int), default=(10, 100)
        Clusters of each clustering, or the range they are drawn from.

    n_features, n_blobs : int
        Of the data.

    seed : int, default=0
        The same seed gives the same ensemble.

    Returns
    -------
    ensemble : Ensemble
        Hard.
    """
    rng = np.random.default_rng(seed)
    centers = 4 * rng.standard_normal((n_blobs, n_features), dtype=np.float32)
    X = centers[rng.integers(n_blobs, size=n_objects)]
    X += rng.standard_normal(X.shape, dtype=np.float32)
    k_each = _clusters_each(n_clusters, n_clusterings, n_objects, rng)
    codes: NDArray[Any] = np.empty((n_clusterings, n_objects), _dtype(k_each))
    for m, k in enumerate(k_each):
        seeds = X[rng.choice(n_objects, size=k, replace=False)]
        half_norms = (seeds**2).sum(axis=1) / 2
        for start in range(0, n_objects, 65536):
            rows = slice(start, start + 65536)
            codes[m, rows] = (half_norms - X[rows] @ seeds.T).argmin(axis=1)
    return Ensemble.from_codes(codes, k_each)


def uniform_ensemble(
    n_objects: int,
    n_clusterings: int,
    n_clusters: int | tuple[int, int] = (10, 100),
    *,
    seed: int = 0,
) -> Ensemble:
    """Labels drawn uniformly: nothing in common, every table full.

    Parameters
    ----------
    n_objects, n_clusterings : int
        Size of the ensemble.

    n_clusters : int or (int, int), default=(10, 100)
        Clusters of each clustering, or the range they are drawn from.

    seed : int, default=0
        The same seed gives the same ensemble.

    Returns
    -------
    ensemble : Ensemble
        Hard.
    """
    rng = np.random.default_rng(seed)
    k_each = _clusters_each(n_clusters, n_clusterings, n_objects, rng)
    codes = np.stack([rng.integers(k, size=n_objects) for k in k_each])
    return Ensemble.from_codes(codes.astype(_dtype(k_each)), k_each)


def planted_labels(
    n_objects: int,
    n_clusters: int,
    n_clusterings: int,
    noise: float | NDArray[np.float64],
    *,
    sizes: NDArray[np.float64] | None = None,
    seed: int = 0,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Copies of one partition, in each of which a share of the labels is random.

    Parameters
    ----------
    n_objects, n_clusters, n_clusterings : int
        Size of the partition and number of copies.

    noise : float or ndarray of shape (n_clusterings,)
        The share of random labels, of all copies or of each.

    sizes : ndarray of shape (n_clusters,), default=None
        Relative sizes of the clusters; equal by default.

    seed : int, default=0
        The same seed gives the same labels.

    Returns
    -------
    labels : ndarray of shape (n_objects, n_clusterings)
        The copies, with the names of their labels permuted.

    truth : ndarray of shape (n_objects,)
        The partition.
    """
    rng = np.random.default_rng(seed)
    shares = np.ones(n_clusters) if sizes is None else np.asarray(sizes, float)
    truth = rng.choice(n_clusters, size=n_objects, p=shares / shares.sum())
    labels = np.empty((n_objects, n_clusterings), dtype=np.int32)
    for m, share in enumerate(np.broadcast_to(noise, n_clusterings)):
        noisy = rng.random(n_objects) < share
        column = np.where(noisy, rng.integers(n_clusters, size=n_objects), truth)
        labels[:, m] = rng.permutation(n_clusters)[column]
    return labels, truth.astype(np.int32)


def _clusters_each(
    n_clusters: int | tuple[int, int],
    n_clusterings: int,
    n_objects: int,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    least, most = (
        (n_clusters, n_clusters) if isinstance(n_clusters, int) else n_clusters
    )
    drawn = rng.integers(least, most + 1, size=n_clusterings)
    return np.minimum(drawn, n_objects)


def _dtype(k_each: NDArray[np.int64]) -> type:
    return np.uint8 if k_each.max() < 256 else np.uint16
