"""What OMVC keeps of the objects that it has seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comitia.methods.multiview._incomplete import ViewUnits
from comitia.methods.multiview._shared import order_of_appearance
from comitia.partition import kmeans
from comitia.represent import impute_views, presence_weights

__all__ = [
    "Stream",
    "cut_chunks",
    "label_chunk",
    "meet",
    "nearest_profiles",
    "open_stream",
]

Floats = NDArray[np.float64]


class Stream(NamedTuple):
    """All that is kept of the objects seen; its size does not depend on their number.

    Attributes
    ----------
    units : list of ViewUnits
        How each view is scaled.

    V : list of array of shape (n_features of the view, k)
        The factors of the features; empty before the first chunk.

    past : list of Statistics or None
        What they need to know of the objects seen.

    n_seen : int
        Number of objects.

    n_present : ndarray of shape (n_views,)
        How many of them each view has.

    sums : list of ndarray of shape (n_features of the view,)
        Sums over these, by which missing rows are filled.

    n_clusters : int or None
        Number of clusters, k; None before it was chosen.

    centers : ndarray of shape (k, k)
        Means of the clusters in the consensus, when chunks come by ``partial_fit``.

    sizes : ndarray of shape (k,)
        Number of objects behind each.
    """

    units: list[ViewUnits]
    V: list[Any]
    past: list[Any]
    n_seen: int
    n_present: Any
    sums: list[Any]
    n_clusters: int | None
    centers: Any = None
    sizes: Any = None


def open_stream(
    arrays: Sequence[Floats], scale: str | None, n_clusters: int | None
) -> Stream:
    """A stream before its first chunk.

    Parameters
    ----------
    arrays : sequence of ndarray of shape (n_objects, n_features of the view)
        Objects that set the units.

    scale : {"minmax", "shift"} or None
        How views are made non-negative.

    n_clusters : int or None
        Number of clusters, if it is known.

    Returns
    -------
    stream : Stream
        Without any object.
    """
    units = [ViewUnits(X, scale) for X in arrays]
    sums = [np.zeros(X.shape[1]) for X in arrays]
    return Stream(units, [], [], 0, np.zeros(len(arrays)), sums, n_clusters)


def meet(
    stream: Stream, arrays: Sequence[Floats], present: NDArray[np.bool_]
) -> tuple[Stream, list[Floats], Floats]:
    """Count the objects of a chunk, and fill in what its views lack.

    Parameters
    ----------
    stream : Stream
        The objects before.

    arrays : sequence of ndarray of shape (n_objects, n_features of the view)
        The chunk, as given.

    present : ndarray of shape (n_objects, n_views)
        Which objects each view has.

    Returns
    -------
    stream : Stream
        With the new means and shares.

    arrays : list of ndarray
        The chunk in common units, without NaN.

    weights : ndarray of shape (n_objects, n_views)
        How much each object counts in each view.
    """
    scaled = [unit.apply(X) for unit, X in zip(stream.units, arrays, strict=True)]
    stream = stream._replace(
        n_seen=stream.n_seen + len(present),
        n_present=stream.n_present + present.sum(axis=0),
        sums=[
            sums + np.nansum(X, axis=0)
            for sums, X in zip(stream.sums, scaled, strict=True)
        ],
    )
    means = [
        sums / max(count, 1)
        for sums, count in zip(stream.sums, stream.n_present, strict=True)
    ]
    weights = presence_weights(present, stream.n_present / stream.n_seen)
    return stream, impute_views(scaled, means), weights


def cut_chunks(
    n: int, chunk_size: int, rng: np.random.RandomState
) -> list[NDArray[np.intp]]:
    """The objects in random order, in parts of about one size.

    Parameters
    ----------
    n : int
        Number of objects.

    chunk_size : int
        The least size of a part, if there are so many objects.

    rng : RandomState
        Draws the order.

    Returns
    -------
    chunks : list of ndarray
        Numbers of objects; in their own order if there is one part only.
    """
    n_chunks = max(n // chunk_size, 1)
    if n_chunks == 1:
        return [np.arange(n)]
    return np.array_split(rng.permutation(n), n_chunks)


def nearest_profiles(
    arrays: Sequence[Floats], profiles: Sequence[Floats], weights: Floats
) -> NDArray[np.intp]:
    """The nearest columns of V, over all views.

    Parameters
    ----------
    arrays : sequence of ndarray of shape (n_objects, n_features of the view)
        The views in common units.

    profiles : sequence of ndarray of shape (k, n_features of the view)
        The columns of V.

    weights : ndarray of shape (n_objects, n_views)
        How much each object counts in each view.

    Returns
    -------
    nearest : ndarray of shape (n_objects,)
        A column for each object.
    """
    from scipy.spatial.distance import cdist

    distances = [
        weights[:, m, None] ** 2 * cdist(X, profile, "sqeuclidean")
        for m, (X, profile) in enumerate(zip(arrays, profiles, strict=True))
    ]
    return np.sum(distances, axis=0).argmin(axis=1)


def label_chunk(
    stream: Stream, consensus: Floats, n_init: int, rng: np.random.RandomState
) -> tuple[Stream, NDArray[np.int32]]:
    """Give objects to the nearest cluster means, which move on with them.

    Parameters
    ----------
    stream : Stream
        Knows the means; before the first chunk k-means finds them.

    consensus : ndarray of shape (n_objects, k)
        The rows that are clustered.

    n_init : int
        Number of starts of k-means.

    rng : RandomState
        Draws them.

    Returns
    -------
    stream : Stream
        With the new means.

    labels : ndarray of shape (n_objects,)
        The cluster of each object.
    """
    if stream.centers is None:
        found = kmeans(consensus, consensus.shape[1], rng, n_init=n_init)
        order = order_of_appearance(found.labels)
        place = np.zeros(consensus.shape[1], dtype=np.intp)
        place[order] = np.arange(len(order))
        labels = place[found.labels]
        centers, sizes = found.centers[order], np.zeros(len(order))
    else:
        from scipy.spatial.distance import cdist

        centers, sizes = stream.centers, stream.sizes
        labels = cdist(consensus, centers).argmin(axis=1)
    own = np.eye(len(centers))[labels]
    grown = sizes + own.sum(axis=0)
    sums = centers * sizes[:, None] + own.T @ consensus
    moved = np.where(grown[:, None] > 0, sums / np.maximum(grown, 1)[:, None], centers)
    return stream._replace(centers=moved, sizes=grown), labels.astype(np.int32)
