"""Distances for fuzzy c-means, each with the centres that minimise it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._arrays import array_namespace
from comitia._scales import unit_rows
from comitia.exceptions import ComitiaError

__all__ = ["distances_to_centers"]

Array = NDArray[np.float64]
Distance = Callable[[Array, Array], Array]
Centers = Callable[[Array, Array], Array]


def geometry_of(
    metric: str | Distance, update_centers: Centers | None, X: Array
) -> tuple[Distance, Centers]:
    """The distance, and the centres that minimise it."""
    if callable(metric):
        return _checked(metric), update_centers or _means
    if metric not in _GEOMETRIES:
        words = ", ".join(f'"{word}"' for word in _GEOMETRIES)
        raise ComitiaError(f"metric={metric!r} is none of {words} nor a callable.")
    if metric == "kl" and (X < 0).any():
        raise ComitiaError('X has negative entries; metric="kl" needs X >= 0.')
    if metric == "cosine" and not (X != 0).any(axis=1).all():
        raise ComitiaError(
            'X has a row of zeros, which has no direction; metric="cosine" needs one.'
        )
    distance, centers = _GEOMETRIES[metric]
    return distance, update_centers or centers


def distances_to_centers(X: Any, centers: Any) -> Any:
    """Squared distances of objects to centres.

    Parameters
    ----------
    X : array of shape (n_objects, n_features)
        The objects.

    centers : array of shape (n_clusters, n_features)
        The centres.

    Returns
    -------
    distances : array of shape (n_objects, n_clusters)
        Exactly zero for an object at a centre.
    """
    xp = array_namespace(X, centers)
    if xp is np:
        from comitia._kernels import fuzzy

        return fuzzy.squared_distances(
            np.ascontiguousarray(X, dtype=np.float64),
            np.ascontiguousarray(centers, dtype=np.float64),
        )
    # |x|^2 - 2xc + |c|^2 would be quicker, and not zero for an object at a centre.
    return xp.stack(
        [xp.sum((X - centers[r, :]) ** 2, axis=1) for r in range(centers.shape[0])],
        axis=1,
    )


def _checked(metric: Distance) -> Distance:
    def distance(X: Array, centers: Array) -> Array:
        d = np.asarray(metric(X, centers), dtype=np.float64)
        if d.shape != (len(X), len(centers)):
            raise ComitiaError(
                "metric must give distances of shape (n_objects, n_clusters), "
                f"({len(X)}, {len(centers)}); got shape {d.shape}."
            )
        if not (d >= 0).all():
            raise ComitiaError("metric gave a distance that is negative or NaN.")
        return d

    return distance


def _manhattan(X: Array, centers: Array) -> Array:
    from scipy.spatial.distance import cdist

    return cdist(X, centers, "cityblock")


def _cosine(X: Array, centers: Array) -> Array:
    # Half the squared distance on the sphere is 1 - cos, and never negative.
    return distances_to_centers(unit_rows(X), unit_rows(centers)) / 2


def _kl(X: Array, centers: Array) -> Array:
    from scipy.special import kl_div

    return np.stack([kl_div(X, c).sum(axis=1) for c in centers], axis=1)


def _means(X: Array, weights: Array) -> Array:
    with np.errstate(invalid="ignore"):
        return (weights.T @ X) / weights.sum(axis=0)[:, None]


def _mean_directions(X: Array, weights: Array) -> Array:
    return unit_rows(_means(unit_rows(X), weights))


def _medians(X: Array, weights: Array) -> Array:
    """Lower weighted median of each feature, for each cluster."""
    order = np.argsort(X, axis=0, kind="stable")
    ordered = np.take_along_axis(X, order, axis=0)
    centers = np.empty((weights.shape[1], X.shape[1]))
    for r, w in enumerate(weights.T):
        cumulated = np.cumsum(w[order], axis=0)
        half = (cumulated < cumulated[-1] / 2).sum(axis=0)
        centers[r] = ordered[half, np.arange(X.shape[1])]
    return centers


_GEOMETRIES: dict[str, tuple[Distance, Centers]] = {
    "sqeuclidean": (distances_to_centers, _means),
    "manhattan": (_manhattan, _medians),
    "cosine": (_cosine, _mean_directions),
    "kl": (_kl, _means),
}
