"""What the methods share whose clusterings weigh features, each with other values."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._sklearn import Interval
from comitia.base import EnsembleMethod
from comitia.catalogue import method
from comitia.cluster import LAC
from comitia.cluster.lac import weighted_distances
from comitia.exceptions import ComitiaError
from comitia.generate.sweep import ParameterSweep, log_grid
from comitia.methods._types import Array, Data, Ensemble, Rng

__all__ = ["ClusterWeightedMethod", "LACEnsembleMethod", "SweepMethod", "spread_pairs"]


class SweepMethod(EnsembleMethod):
    """Base class of the methods that run one clusterer with many parameters.

    A method writes ``_clusterer`` and ``_grid``, the parameters of each clustering.

    Attributes
    ----------
    feature_weights_ : ndarray of shape (n_clusters of the ensemble, n_features)
        Weight of each feature in each cluster; rows sum to one.

    objective_ : list of ndarray
        For each clustering its objective after each iteration.

    n_iter_ : int
        Most iterations of a clustering.

    converged_ : bool
        Whether all clusterings converged.
    """

    _parameter_constraints = {
        "weight_penalty": [Interval(Real, 0, None, closed="neither"), tuple, list],
    }

    def _clusterer(self) -> Any:
        """The clusterer that makes the clusterings."""
        raise TypeError(f"{type(self).__name__} does not say how it clusters.")

    def _grid(self) -> Any:
        """Parameters of the clusterer, a dict for each clustering."""
        raise TypeError(f"{type(self).__name__} does not say what it varies.")

    def _default_generator(self) -> Any:
        return ParameterSweep(
            self._clusterer(),
            self._grid(),
            n_clusters=self.n_clusters,
            n_jobs=self.n_jobs,
        )

    def _generate(self, X: Data, rng: Rng) -> Ensemble:
        ensemble = super()._generate(X, rng)
        models = [member.model for member in self.generator_.members_]
        self.feature_weights_ = self._of_clusters("feature_weights_")
        self.objective_ = [model.objective_ for model in models]
        self.n_iter_ = max(model.n_iter_ for model in models)
        self.converged_ = all(model.converged_ for model in models)
        return ensemble

    def _agree(self, ensemble: Ensemble, rng: Rng) -> Array:
        """The consensus by the method that ``consensus`` names."""
        consensus = method(self.consensus)
        if consensus.card.needs != ("labels",):
            raise ComitiaError(
                f"consensus={self.consensus!r} needs more than labels; see "
                'comitia.methods(needs="labels").'
            )
        seed = rng.randint(np.iinfo(np.int32).max)
        return consensus(self.n_clusters, random_state=seed).fit_predict(ensemble)

    def _of_clusters(self, name: str) -> Array:
        """A fitted attribute of the clusterers, for the clusters of the ensemble."""
        return np.concatenate(
            [getattr(m.model, name)[m.names] for m in self.generator_.members_]
        )


class LACEnsembleMethod(SweepMethod):
    """Base class of the methods on locally adaptive clusterings."""

    def _clusterer(self) -> Any:
        return LAC(n_init=self.n_init)

    def _grid(self) -> list[Any]:
        penalties = log_grid(self.weight_penalty, self.n_clusterings)
        return [{"concentration_penalty": penalty} for penalty in penalties]

    def _probabilities(self, X: Data) -> Array:
        """How probable each cluster of each clustering is for each object."""
        Z = self.generator_.standardize(X)
        return np.hstack(
            [
                distance_shares(
                    np.sqrt(
                        weighted_distances(
                            Z,
                            member.model.cluster_centers_[member.names],
                            member.model.feature_weights_[member.names],
                        )
                    )
                )
                for member in self.generator_.members_
            ]
        )


class ClusterWeightedMethod(SweepMethod):
    """Base class of the methods whose clusterings weigh features and clusters.

    Attributes
    ----------
    cluster_weights_ : ndarray of shape (n_clusters of the ensemble,)
        Weight of each cluster; those of one clustering sum to one.
    """

    _parameter_constraints = {
        "cluster_penalty": [Interval(Real, 0, None, closed="neither"), tuple, list],
        "smoothing": [Interval(Real, 0, 1, closed="both")],
        "consensus": [str],
    }

    def _grid(self) -> list[Any]:
        pairs = spread_pairs(
            self.weight_penalty, self.cluster_penalty, self.n_clusterings
        )
        return [
            {"concentration_penalty": of_features, "cluster_penalty": of_clusters}
            for of_features, of_clusters in pairs
        ]

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        self.cluster_weights_ = self._of_clusters("cluster_weights_")
        return self._agree(ensemble, rng)


def spread_pairs(
    first: tuple[Any, ...], second: tuple[Any, ...], n_pairs: int
) -> list[Any]:
    """Pairs from two logarithmic grids, spread over the square that they span.

    Each value of either grid occurs once.
    """
    # Multiples of the golden ratio, less their whole parts, never come close.
    order = np.argsort(np.argsort(np.arange(n_pairs) * (5**0.5 - 1) / 2 % 1))
    of_second = log_grid(second, n_pairs)[order]
    return list(zip(log_grid(first, n_pairs).tolist(), of_second.tolist(), strict=True))


def distance_shares(distances: ArrayLike) -> NDArray[np.float64]:
    r"""Probability of each cluster of one clustering, falling with the distance.

    .. math::
        P_{iv} = \frac{D_i - d_{iv} + 1}{k D_i + k - \sum_s d_{is}},
        \qquad D_i = \max_v d_{iv} .
    """
    d = np.asarray(distances, dtype=np.float64)
    if d.ndim != 2 or not np.isfinite(d).all() or (d < 0).any():
        raise ComitiaError(
            "distances must be finite, not negative, one row per object."
        )
    nearness = d.max(axis=1, keepdims=True) - d + 1.0
    return np.asarray(nearness / nearness.sum(axis=1, keepdims=True))
