"""The co-association as a picture: its rows, their order, and room for names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.display.seriation import seriated_order
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.represent.graphs import combined_weights
from comitia.represent.votes import overlaps

__all__ = ["HeatMap", "binned_coassociation", "heat_map", "with_room"]

Floats = NDArray[np.float64]

# Up to this many objects each has a row of its own; a screen has no room for more.
_OBJECTS_WITH_ROWS = 1000

# Rows of the picture of more objects.
_BINS = 400


@dataclass(frozen=True, eq=False)
class HeatMap:
    """How much of the vote puts objects together, in the order of the consensus.

    ``values[a, b]`` is the mean co-association of the bins a and b of objects; bin b
    holds the objects ``order[edges[b]:edges[b + 1]]``.
    """

    values: Floats
    order: NDArray[np.int64]
    edges: NDArray[np.int64]

    def taken(self, rows: NDArray[np.int64]) -> HeatMap:
        """The same heat map with its rows in another order."""
        bins = np.split(self.order, self.edges[1:-1])
        return HeatMap(
            self.values[np.ix_(rows, rows)],
            np.concatenate([bins[row] for row in rows]),
            np.r_[0, np.cumsum(np.diff(self.edges)[rows])],
        )


def heat_map(
    ensemble: Ensemble,
    labels: ArrayLike,
    n_bins: int | None = None,
    *,
    clustering_weights: ArrayLike | None = None,
    cluster_weights: ArrayLike | None = None,
) -> HeatMap:
    """Order the objects by the consensus and bin their co-association.

    By default there is a bin for each object up to 1000 objects, and 400 bins beyond.
    For clusterings of subsamples, values are shares of the clusterings that have both
    objects.

    >>> picture = heat_map(Ensemble([[0, 0], [1, 1], [0, 0], [1, 0]]), [0, 1, 0, 0])
    >>> picture.order, picture.values[0]
    (array([0, 2, 3, 1]), array([1. , 1. , 0.5, 0. ]))
    """
    n = ensemble.n_objects
    if n_bins is None:
        n_bins = n if n <= _OBJECTS_WITH_ROWS else _BINS
    order = seriated_order(ensemble, labels)
    values = binned_coassociation(
        ensemble,
        order,
        n_bins,
        clustering_weights=clustering_weights,
        cluster_weights=cluster_weights,
        co_sampled=ensemble.kind == "partial",
    )
    return HeatMap(values, order, np.arange(n_bins + 1) * n // n_bins)


def binned_coassociation(
    ensemble: Ensemble,
    order: ArrayLike,
    n_bins: int,
    *,
    clustering_weights: ArrayLike | None = None,
    cluster_weights: ArrayLike | None = None,
    co_sampled: bool = False,
) -> Floats:
    r"""Mean co-association of each two bins of objects, without an n × n matrix.

    Objects are put into bins of equal size, or nearly so, in the order given. The mean
    over the pairs of two bins, an object with itself included, is the inner product of
    their mean indicator rows:

    .. math::
        \frac{1}{|p| |q|} \sum_{i \in p} \sum_{j \in q} S_{ij} = \bar b_p' W \bar b_q,
        \qquad \bar b_p = \frac{1}{|p|} \sum_{i \in p} b_i .

    ``co_sampled`` divides by the mean share of clusterings that have both objects, for
    clusterings of subsamples; bins that are never sampled together get 0.

    >>> votes = Ensemble([[0, 0], [0, 1], [1, 1], [1, 1]])
    >>> binned_coassociation(votes, [0, 1, 2, 3], 2)
    array([[0.75, 0.25],
           [0.25, 1.  ]])
    """
    n = ensemble.n_objects
    places = np.asarray(order)
    if places.shape != (n,) or not np.array_equal(np.sort(places), np.arange(n)):
        raise ComitiaError(f"order must hold each of 0..{n - 1} once.")
    if not 1 <= n_bins <= n:
        raise ComitiaError(f"n_bins={n_bins} must lie in 1..{n}.")
    weights = combined_weights(ensemble, clustering_weights, cluster_weights)
    sizes = np.diff(np.arange(n_bins + 1) * n // n_bins)
    bins = np.empty(n, dtype=np.int32)
    bins[places] = np.repeat(np.arange(n_bins, dtype=np.int32), sizes)
    rows = overlaps(ensemble, bins, n_bins).T / sizes[:, None]
    S = _symmetric_product(rows, weights)
    if not co_sampled or ensemble.kind == "hard":
        return S
    present = ensemble.codes != ensemble.n_clusters_each[:, None]
    seen = np.empty((n_bins, ensemble.n_clusterings))
    for m, known in enumerate(present):
        seen[:, m] = np.bincount(bins, known, minlength=n_bins) / sizes
    M = ensemble.n_clusterings
    share = _symmetric_product(seen, np.full(M, 1.0 / M))
    return np.divide(S, share, out=np.zeros_like(S), where=share > 0)


def _symmetric_product(rows: Floats, weights: Floats) -> Floats:
    """Weighted inner products of rows, exactly symmetric."""
    S = (rows * weights) @ rows.T
    # BLAS does not promise a symmetric product.
    return (S + S.T) / 2


def with_room(places: Iterable[float], room: float) -> list[int]:
    """Which names on an axis, at rising places, have room after the one before.

    >>> with_room([0.0, 1.0, 2.5, 3.0], 2.0)
    [0, 2]
    """
    named: list[int] = []
    last = -np.inf
    for i, place in enumerate(places):
        if place - last >= room:
            named.append(i)
            last = place
    return named
