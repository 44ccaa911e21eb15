"""What the methods share that make their clusterings round by round."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.base import EnsembleMethod
from comitia.ensemble import Ensemble
from comitia.generate.boosting import BoostingGenerator
from comitia.generate.boosting_rounds import kmeans_round
from comitia.generate.boosting_votes import vote_so_far
from comitia.weigh import normalize_weights

__all__ = ["BoostedMethod"]


class BoostedMethod(EnsembleMethod):
    """Base class of the methods whose rounds weigh what the last ones found hard.

    A method says in ``_boosting`` what happens in a round, and in ``_combine`` what
    becomes of the rounds, ``generator_.rounds_``; by default they vote.
    """

    n_rounds: int
    generator_: BoostingGenerator

    def _boosting(self, X: NDArray[Any], n_clusters: int) -> BoostingGenerator:
        """The loop, for data and a number of clusters."""
        raise TypeError(f"{type(self).__name__} does not say what its rounds do.")

    def _default_generator(self) -> BoostingGenerator:
        # Asked before there are data whether members can label new objects: they can.
        return BoostingGenerator(cluster=kmeans_round)

    def _generate(self, X: NDArray[Any], rng: np.random.RandomState) -> Ensemble:
        n_clusters = self.n_clusters
        if n_clusters is None:
            from comitia.generate import KMeansGenerator

            # Rounds cannot start without a number: plain k-means is asked for it.
            seed = rng.randint(np.iinfo(np.int32).max)
            n_clusters = self._resolve_n_clusters(
                KMeansGenerator(random_state=seed).generate(X)
            )
        generator = self._boosting(X, n_clusters)
        seed = rng.randint(np.iinfo(np.int32).max)
        return self._run_generator(generator.set_params(random_state=seed), X)

    def _combine(
        self, ensemble: Ensemble, X: Any, rng: np.random.RandomState
    ) -> NDArray[Any]:
        self.object_weights_ = self.generator_.weights_
        return self._elect()

    def _elect(self) -> NDArray[Any]:
        """Weigh the rounds by their votes; the cluster that each object elects."""
        rounds = self.generator_.rounds_
        votes = [made.measures.get("vote", 1.0) for made in rounds]
        self.clustering_weights_ = normalize_weights(votes)
        return vote_so_far(rounds).argmax(axis=1)
