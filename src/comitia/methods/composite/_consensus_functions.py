"""The consensus functions that have names: ensemble and weights to labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia import sizes
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.optimize.ties import lowest_run

__all__ = ["CONSENSUS", "DEFAULT_CONSENSUS"]

# What is done when nobody names another: chosen on one half of the data sets of the
# evaluation and confirmed on the other (docs/evaluation.rst).
DEFAULT_CONSENSUS = "reassign"


def _linkage(linkage: Any) -> Callable[..., NDArray[Any]]:
    def consensus(ensemble: Ensemble, n_clusters: Any, rng: Any, **weights: Any) -> Any:
        from comitia.partition import cut, ensemble_linkage

        tree = ensemble_linkage(ensemble.whole, linkage=linkage, **weights)
        return cut(tree, n_clusters)

    return consensus


def _tcut(ensemble: Ensemble, n_clusters: Any, rng: Any, **weights: Any) -> Any:
    from comitia.partition import tcut
    from comitia.represent import bipartite_graph

    return tcut(bipartite_graph(ensemble, **weights), n_clusters, rng)


def _kmeans(
    ensemble: Ensemble,
    n_clusters: Any,
    rng: Any,
    clustering_weights: Any = None,
    cluster_weights: Any = None,
) -> Any:
    from comitia.partition import kmeans_rows

    if cluster_weights is not None:
        raise ComitiaError(
            'consensus="kmeans" takes weights of clusterings, not of clusters; use '
            'consensus="tcut" or a linkage.'
        )
    return kmeans_rows(
        ensemble, n_clusters, rng, clustering_weights=clustering_weights
    ).labels


def _reassign(
    ensemble: Ensemble, n_clusters: Any, rng: Any, **weights: Any
) -> NDArray[Any]:
    from comitia.partition.reassign import reassign, voters_of

    voters = voters_of(ensemble, **weights)
    starts = _starts(ensemble, n_clusters, rng, **weights)
    found = [reassign(voters, labels) for labels in starts]
    return lowest_run(found, lambda one: -one.log_likelihood).labels


def _starts(
    ensemble: Ensemble, n_clusters: Any, rng: Any, **weights: Any
) -> Iterator[NDArray[Any]]:
    """Consensus partitions to start from, the first preferred."""
    if ensemble.n_objects >= sizes.MANY_FOR_TREES:
        yield _tcut(ensemble, n_clusters, rng, **weights)
        return
    tree = _linkage("average")(ensemble, n_clusters, rng, **weights)
    yield tree
    k = len(np.unique(tree))
    if 1 < k <= _n_clusters_with_weight(ensemble, **weights) <= sizes.MANY_FOR_GRAPHS:
        graph = _tcut(ensemble, k, rng, **weights)
        # A graph in many pieces may have fewer parts than were asked for.
        if len(np.unique(graph)) == k:
            yield graph


def _n_clusters_with_weight(ensemble: Ensemble, **weights: Any) -> int:
    from comitia.represent.graphs import combined_weights

    weight = combined_weights(ensemble, **weights)
    return int(np.count_nonzero(weight * ensemble.sizes > 0))


CONSENSUS: dict[str, Callable[..., NDArray[Any]]] = {
    "reassign": _reassign,
    "average": _linkage("average"),
    "complete": _linkage("complete"),
    "single": _linkage("single"),
    "ward": _linkage("ward"),
    "tcut": _tcut,
    "kmeans": _kmeans,
}
