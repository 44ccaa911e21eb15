"""K-means on samples of the objects, and a tree on how often objects meet."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.config import require_memory
from comitia.ensemble import Ensemble
from comitia.generate.boosting import BoostingGenerator
from comitia.generate.boosting_rounds import draw_objects, kmeans_round
from comitia.methods._boosted import BoostedMethod
from comitia.partition import cut, hac
from comitia.represent import coassociation

__all__ = ["SampledTreeMethod"]


class SampledTreeMethod(BoostedMethod):
    """Base class of the methods that draw samples by how hard objects are.

    Each round draws objects without replacement and clusters them by k-means; a method
    says in ``_steps`` how the weights of the objects follow.
    """

    object_fraction: float
    linkage: Any

    def _steps(self) -> dict[str, Any]:
        """Steps of :class:`BoostingGenerator` beside drawing and clustering."""
        raise TypeError(f"{type(self).__name__} does not say how it weighs objects.")

    def _boosting(self, X: NDArray[Any], n_clusters: int) -> BoostingGenerator:
        # Asked before the rounds, which take long, for what their end will take.
        require_memory(
            4 * len(X) ** 2,
            f"the co-association of {len(X)} objects",
            "use boost_clustering",
        )
        return BoostingGenerator(
            self.n_rounds,
            draw=partial(
                draw_objects, object_fraction=self.object_fraction, replace=False
            ),
            cluster=partial(kmeans_round, n_clusters=n_clusters),
            **self._steps(),
        )

    def _combine(
        self, ensemble: Ensemble, X: Any, rng: np.random.RandomState
    ) -> NDArray[Any]:
        self.object_weights_ = self.generator_.weights_
        S = coassociation(ensemble)
        self.linkage_ = hac(np.subtract(1.0, S, out=S), self.linkage)
        return cut(self.linkage_, self._resolve_n_clusters(ensemble))
