"""Your own mix: any generator, weighting, selection and consensus together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from comitia._sklearn import HasMethods, StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError

__all__ = ["ConsensusClustering"]


def _linkage(linkage: Any) -> Callable[..., NDArray[Any]]:
    def consensus(ensemble: Ensemble, n_clusters: Any, rng: Any, **weights: Any) -> Any:
        from comitia.partition import cut, ensemble_linkage

        return cut(ensemble_linkage(ensemble, linkage=linkage, **weights), n_clusters)

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
    from comitia.partition import choose_n_clusters, kmeans_rows

    if cluster_weights is not None:
        raise ComitiaError(
            'consensus="kmeans" takes weights of clusterings, not of clusters; use '
            'consensus="tcut" or a linkage.'
        )
    if n_clusters is None:
        n_clusters = choose_n_clusters(ensemble, clustering_weights=clustering_weights)
    return kmeans_rows(
        ensemble, n_clusters, rng, clustering_weights=clustering_weights
    ).labels


_CONSENSUS: dict[str, Callable[..., NDArray[Any]]] = {
    "average": _linkage("average"),
    "complete": _linkage("complete"),
    "single": _linkage("single"),
    "ward": _linkage("ward"),
    "tcut": _tcut,
    "kmeans": _kmeans,
}


def _crowd_agreement(ensemble: Ensemble, X: Any) -> NDArray[Any]:
    from comitia.weigh import crowd_agreement

    return crowd_agreement(ensemble)


def _entropy_certainty(ensemble: Ensemble, X: Any) -> NDArray[Any]:
    from comitia.weigh import entropy_certainty

    return entropy_certainty(ensemble)


_WEIGHTINGS: dict[str, Callable[[Ensemble, Any], NDArray[Any]]] = {
    "crowd_agreement": _crowd_agreement,
    "entropy_certainty": _entropy_certainty,
}


class ConsensusClustering(EnsembleMethod):
    r"""Consensus clustering from parts of your choice.

    Every published method is one walk along generate, select, weigh, represent and
    partition; this class lets you choose each step.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` cuts a tree at its longest lifetime and otherwise
        looks for the eigengap of the ensemble's graph.

    generator : generator, default=None
        Makes the clusterings when :meth:`fit` is given data alone.

    selection : object with ``select`` or callable, default=None
        ``select(ensemble, X)`` returns the indices of the clusterings to keep.

    weighting : {"crowd_agreement", "entropy_certainty"} or callable, default=None
        ``weighting(ensemble, X)`` returns a weight for each clustering or for each
        cluster of the ensemble. ``None`` weighs all alike.

    consensus : str or callable, default="average"
        ``"average"``, ``"complete"``, ``"single"`` and ``"ward"`` link the weighted
        co-association, ``"tcut"`` cuts the bipartite graph of objects and clusters,
        ``"kmeans"`` runs k-means on the rows of the indicator matrix. A callable gets
        ``(ensemble, n_clusters, rng, clustering_weights=…)`` or
        ``cluster_weights=…`` and returns labels.

    random_state : int, RandomState instance or None, default=None
        Seed of the generator and of the consensus.

    Attributes
    ----------
    selected_ : ndarray of bool of shape (n_clusterings,)
        Which clusterings were kept, when there is a selection.

    clustering_weights_ : ndarray of shape (n_clusterings,)
        Weights of the clusterings, unless the weighting weighs clusters; what was
        not kept weighs nothing.

    cluster_weights_ : ndarray of shape (n_clusters of the ensemble,)
        Weights of the clusters, when the weighting gives these.

    Examples
    --------
    >>> from comitia import ConsensusClustering, Ensemble
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> mix = ConsensusClustering(n_clusters=2, weighting="crowd_agreement")
    >>> mix.fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="consensus_clustering",
        weighs="clusterings",
        approach="fixed",
        needs="labels",
        scales="quadratic",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **EnsembleMethod._parameter_constraints,
        "selection": [HasMethods(["select"]), callable, None],
        "weighting": [StrOptions(set(_WEIGHTINGS)), callable, None],
        "consensus": [StrOptions(set(_CONSENSUS)), callable],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        generator: Any = None,
        selection: Any = None,
        weighting: Any = None,
        consensus: Any = "average",
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.generator = generator
        self.selection = selection
        self.weighting = weighting
        self.consensus = consensus
        self.random_state = random_state

    def _combine(
        self, ensemble: Ensemble, X: Any, rng: np.random.RandomState
    ) -> NDArray[Any]:
        kept = np.ones(ensemble.n_clusterings, dtype=bool)
        if self.selection is not None:
            kept = self.selected_ = self._select(ensemble, X)
        smaller = ensemble.take(clusterings=kept)
        self._check_ensemble(smaller)
        weights = self._weigh(smaller, X)
        # What was dropped weighs nothing, so that fitted weights fit the ensemble.
        if "cluster_weights" in weights:
            self.cluster_weights_ = np.zeros(ensemble.n_clusters)
            of_kept = kept[ensemble.clustering_of]
            self.cluster_weights_[of_kept] = weights["cluster_weights"]
        else:
            self.clustering_weights_ = kept / kept.sum()
            self.clustering_weights_[kept] = weights.get(
                "clustering_weights", self.clustering_weights_[kept]
            )
        consensus = _CONSENSUS.get(self.consensus, self.consensus)
        return consensus(smaller, self.n_clusters, rng, **weights)

    def _select(self, ensemble: Ensemble, X: Any) -> NDArray[np.bool_]:
        select = getattr(self.selection, "select", self.selection)
        chosen = np.asarray(select(ensemble, X))
        kept = np.zeros(ensemble.n_clusterings, dtype=bool)
        if chosen.size == 0:
            raise ComitiaError("selection keeps no clustering; keep at least one.")
        try:
            kept[chosen] = True
        except IndexError:
            raise ComitiaError(
                "selection must return indices of clusterings or a mask; got "
                f"{chosen!r} for {ensemble.n_clusterings} clusterings."
            ) from None
        return kept

    def _weigh(self, ensemble: Ensemble, X: Any) -> dict[str, NDArray[Any]]:
        from comitia.weigh import normalise_weights

        if self.weighting is None:
            return {}
        weighting = _WEIGHTINGS.get(self.weighting, self.weighting)
        weights = np.asarray(weighting(ensemble, X), dtype=np.float64)
        if weights.shape == (ensemble.n_clusterings,):
            return {"clustering_weights": normalise_weights(weights)}
        if weights.shape == (ensemble.n_clusters,):
            if not np.isfinite(weights).all() or (weights < 0).any():
                raise ComitiaError(
                    "weighting gave weights that are negative or not finite."
                )
            return {"cluster_weights": weights}
        raise ComitiaError(
            f"weighting returned weights of shape {weights.shape}; expected one for "
            f"each of {ensemble.n_clusterings} clusterings or "
            f"{ensemble.n_clusters} clusters."
        )
