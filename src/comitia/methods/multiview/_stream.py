"""What OMVC keeps of the objects that it has seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comitia.methods._memberships import order_of_appearance
from comitia.methods.multiview._incomplete import ViewUnits
from comitia.methods.multiview._prepared_views import impute_views, presence_weights
from comitia.partition import kmeans

__all__ = [
    "Stream",
    "add_chunk",
    "cut_chunks",
    "label_chunk",
    "nearest_profiles",
    "open_stream",
]

Floats = NDArray[np.float64]


class Stream(NamedTuple):
    """All that is kept of the objects seen, of a size that does not depend on them."""

    units: list[ViewUnits]  # how each view is scaled
    # (n_features of the view, k), the factors of the features; empty before the first
    # chunk
    V: list[Any]
    past: list[Any]  # what they need to know of the objects seen
    n_seen: int  # number of objects
    n_present: Any  # (n_views,), how many of them each view has
    # (n_features of the view,), sums over these, by which missing rows are filled
    sums: list[Any]
    n_clusters: int | None  # number of clusters, k; None before it was chosen
    # (k, k), means of the clusters in the consensus, when chunks come by partial_fit
    centers: Any = None
    sizes: Any = None  # (k,), number of objects behind each


def open_stream(
    arrays: Sequence[Floats], scale: str | None, n_clusters: int | None
) -> Stream:
    """A stream before its first chunk."""
    units = [ViewUnits(X, scale) for X in arrays]
    sums = [np.zeros(X.shape[1]) for X in arrays]
    return Stream(units, [], [], 0, np.zeros(len(arrays)), sums, n_clusters)


def add_chunk(
    stream: Stream, arrays: Sequence[Floats], present: NDArray[np.bool_]
) -> tuple[Stream, list[Floats], Floats]:
    """Count the objects of a chunk, and fill in what its views lack.

    ``stream``: with the new means and shares. ``arrays``: the chunk in common units,
    without NaN. ``weights``: how much each object counts in each view.
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

    Numbers of objects; in their own order if there is one part only.
    """
    n_chunks = max(n // chunk_size, 1)
    if n_chunks == 1:
        return [np.arange(n)]
    return np.array_split(rng.permutation(n), n_chunks)


def nearest_profiles(
    arrays: Sequence[Floats], profiles: Sequence[Floats], weights: Floats
) -> NDArray[np.intp]:
    """The nearest columns of V, over all views."""
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

    ``stream``: with the new means. ``labels``: the cluster of each object.
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
