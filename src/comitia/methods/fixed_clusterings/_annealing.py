"""Median partitions under a kernel, found by simulated annealing."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from comitia._sklearn import StrOptions
from comitia.base import EnsembleMethod
from comitia.engine.content_keys import label_order
from comitia.ensemble import Ensemble
from comitia.methods._loops import keep_run
from comitia.partition import MedianSearch
from comitia.validity import INDICES

__all__ = ["AnnealedMethod"]


class AnnealedMethod(EnsembleMethod):
    """Base class of the methods whose indices weigh clusterings for an annealing."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "indices": ["array-like", StrOptions(set(INDICES))],
    }

    max_iter: int
    temperature: float
    cooling: float
    clustering_weights_: NDArray[np.float64]

    def _anneal(
        self, ensemble: Ensemble, kernel: Any, rng: np.random.RandomState
    ) -> NDArray[Any]:
        """The partition of largest weighted kernel with the clusterings."""
        # Objects to move are drawn by place: in an order that labels alone determine.
        each = np.ones(ensemble.n_objects, dtype=np.int64)
        order, place = label_order(ensemble.codes, ensemble.n_clusters_each, each)
        search = MedianSearch(
            ensemble.take(objects=order),
            kernel,
            rng,
            clustering_weights=self.clustering_weights_,
            n_clusters=self.n_clusters,
        )
        run = search.annealing(
            temperature=self.temperature, cooling=self.cooling, max_iter=self.max_iter
        )
        keep_run(self, run)
        return run.labels[place]
