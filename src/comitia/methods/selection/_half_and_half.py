"""Clusterings half of which are by k-means and half spectral."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from comitia._steps import OnProgress, check_random_state
from comitia.ensemble import Ensemble
from comitia.generate import KMeansGenerator, SpectralGenerator
from comitia.methods._types import Seed

__all__ = ["HalfAndHalf"]


class HalfAndHalf(BaseEstimator):
    """K-means clusterings, then as many spectral ones with random kernel widths.

    Parameters
    ----------
    n_clusterings : int, default=50
        Size of the ensemble; of an odd number k-means makes one more.

    n_clusters : int or (int, int), default=None
        Number of clusters of each clustering, as for :class:`KMeansGenerator`.

    random_state : int, RandomState instance or None, default=None
        Seed.
    """

    def __init__(
        self,
        n_clusterings: int = 50,
        *,
        n_clusters: Any = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusterings = n_clusterings
        self.n_clusters = n_clusters
        self.random_state = random_state

    def generate(self, X: Any, *, on_progress: OnProgress | None = None) -> Ensemble:
        """Make the clusterings; ``groups`` says which are which."""
        rng = check_random_state(self.random_state)
        seeds = rng.randint(np.iinfo(np.int32).max, size=2)
        n_spectral = self.n_clusterings // 2
        halves: list[Any] = [
            KMeansGenerator(
                self.n_clusterings - n_spectral,
                n_clusters=self.n_clusters,
                random_state=seeds[0],
            )
        ]
        if n_spectral:
            halves.append(
                SpectralGenerator(
                    n_spectral,
                    n_clusters=self.n_clusters,
                    extend=True,
                    random_state=seeds[1],
                )
            )
        made: list[Ensemble] = []
        for half in halves:
            earlier = sum(one.n_clusterings for one in made)

            def tell(stage: str, done: int, total: int, earlier: int = earlier) -> None:
                if on_progress is not None:
                    on_progress(stage, earlier + done, self.n_clusterings)

            made.append(half.generate(X, on_progress=tell))
        self.halves_ = halves
        sizes = [ensemble.n_clusterings for ensemble in made]
        return Ensemble.from_codes(
            np.vstack([ensemble.codes for ensemble in made]),
            np.concatenate([ensemble.n_clusters_each for ensemble in made]),
            groups=np.repeat(["kmeans", "spectral"][: len(made)], sizes),
        )

    def transform(self, X: Any) -> NDArray[np.int32]:
        """Label objects with each clustering."""
        return np.hstack([half.transform(X) for half in self.halves_])
