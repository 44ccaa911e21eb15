"""What the methods share that keep some clusters of some clusterings."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from comitia._sklearn import Interval
from comitia.base import EnsembleMethod
from comitia.exceptions import ComitiaError
from comitia.methods._types import Ensemble, Maker, Seed
from comitia.methods.selection._cluster_stability import kept_coassociation
from comitia.partition import cut, hac, micro_linkage

__all__ = ["ClusterSelectionMethod"]


class ClusterSelectionMethod(EnsembleMethod):
    """Base class of the methods that combine the clusters they keep.

    A method says in ``_score`` how stable each cluster is. Those above the threshold
    are kept, by default the largest that leaves every object half of its clusters, and
    the objects are linked by the clusters kept that they share. The selection is a part
    of its own: ``ConsensusClustering(selection=method)`` combines the clusters kept in
    another way.

    Attributes
    ----------
    selected_ : ndarray of bool of shape (n_clusters of the ensemble,)
        Which clusters were kept.

    cluster_weights_ : ndarray of shape (n_clusters of the ensemble,)
        The stability of each cluster.

    linkage_ : shared
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "threshold": [Interval(Real, 0, 1, closed="both"), None],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        threshold: float | None = None,
        linkage: Any = "average",
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.threshold = threshold
        self.linkage = linkage
        self.generator = generator
        self.random_state = random_state

    def _score(self, ensemble: Ensemble) -> NDArray[np.float64]:
        """Stability of each cluster."""
        raise TypeError(f"{type(self).__name__} does not say what is stable.")

    def select_clusters(self, ensemble: Ensemble, X: Any = None) -> NDArray[np.int64]:
        """Pick the clusters to keep, without combining them.

        Parameters
        ----------
        ensemble : Ensemble
            The clusterings.

        X : None
            Not used; there for the same call as other selections.

        Returns
        -------
        indices : ndarray of int
            The clusters kept, as they are counted in the columns of
            ``ensemble.membership``.
        """
        self._validate_params()
        return np.flatnonzero(self._kept(ensemble, self._score(ensemble)))

    def _kept(
        self, ensemble: Ensemble, scores: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        if self.threshold is None:
            # Rounding must not put one of two equals below the other.
            return scores >= _half_of_each_object(ensemble, scores) - 1e-12
        kept = scores > self.threshold + 1e-12
        if not kept.any():
            raise ComitiaError(
                f"threshold={self.threshold} keeps no cluster; the largest stability "
                f"is {scores.max():.6g}."
            )
        return kept

    def _combine(
        self, ensemble: Ensemble, X: Any, rng: np.random.RandomState
    ) -> NDArray[Any]:
        self.cluster_weights_ = self._score(ensemble)
        self.selected_ = self._kept(ensemble, self.cluster_weights_)
        if ensemble.kind == "fuzzy":
            # Equal fuzzy objects may be nearer to others than to each other.
            S = kept_coassociation(ensemble, self.selected_)
            self.linkage_ = hac(np.subtract(1.0, S, out=S), self.linkage)
        else:
            micro, counts, inverse = ensemble.distinct().in_content_order()
            S = kept_coassociation(micro, self.selected_)
            self.linkage_ = micro_linkage(
                np.subtract(1.0, S, out=S), counts, inverse, linkage=self.linkage
            )
        return cut(self.linkage_, self._resolve_n_clusters(ensemble))

    def vote_weights(self) -> dict[str, Any]:
        """What clusterings or clusters weigh when objects vote."""
        # The clusters kept vote; the others only where there are no votes otherwise.
        return {"cluster_weights": np.where(self.selected_, 1.0, 1e-9)}


def _half_of_each_object(ensemble: Ensemble, scores: NDArray[np.float64]) -> float:
    """The largest threshold that leaves every object half of its clusters."""
    own = ensemble.distinct()[0].labels
    found = np.where(own >= 0, scores[own + ensemble.offsets[:-1]], np.nan)
    return float(np.nanmedian(found, axis=1).min())
