"""What the methods share that keep some clusterings, or some clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from comitia._steps import check_random_state
from comitia.base import EnsembleMethod
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.methods.baselines.cspa import CSPA
from comitia.partition import cut, ensemble_linkage, ncut
from comitia.represent import coassociation
from comitia.select import cover

__all__ = ["GrownSelectionMethod", "SelectionMethod", "by_cspa", "by_ncut", "mask_of"]


def mask_of(chosen: NDArray[Any], n: int) -> NDArray[np.bool_]:
    """Which of n are among the chosen."""
    mask = np.zeros(n, dtype=bool)
    mask[chosen] = True
    return mask


def by_cspa(
    method: EnsembleMethod, kept: Ensemble, X: Any, rng: np.random.RandomState
) -> NDArray[Any]:
    """An ``_agree`` of selection methods: CSPA of the clusterings kept."""
    return CSPA(method.n_clusters, random_state=rng).fit_predict(kept)


def by_ncut(
    method: EnsembleMethod, kept: Ensemble, X: Any, rng: np.random.RandomState
) -> NDArray[Any]:
    """An ``_agree`` of selection methods: normalised cut of the co-association."""
    S = coassociation(kept, dtype=np.float64)
    return ncut(S, method._resolve_n_clusters(kept), rng)


class SelectionMethod(EnsembleMethod):
    """Base class of the methods that combine the clusterings they keep.

    A method says in ``_select`` which clusterings it keeps, and in ``_agree`` how these
    become one; average linkage of their co-association by default. The selection is a
    part of its own: ``ConsensusClustering(selection=method)`` combines what the method
    keeps in another way.

    Attributes
    ----------
    selected_ : shared
    """

    # Linkage of the clusterings kept; not used where ``_agree`` is written.
    linkage: Any = "average"
    n_select: int | None

    def _select(
        self, ensemble: Ensemble, X: Any, rng: np.random.RandomState
    ) -> NDArray[np.int64]:
        """Indices of the clusterings to keep; sets ``clustering_weights_``."""
        raise TypeError(f"{type(self).__name__} does not say what it keeps.")

    def _agree(
        self, kept: Ensemble, X: Any, rng: np.random.RandomState
    ) -> NDArray[Any]:
        """The consensus of the clusterings kept."""
        self.linkage_ = ensemble_linkage(kept, linkage=self.linkage)
        return cut(self.linkage_, self._resolve_n_clusters(kept))

    def select(self, ensemble: Ensemble, X: Any = None) -> NDArray[np.int64]:
        """Pick the clusterings to keep, without combining them.

        Parameters
        ----------
        ensemble : Ensemble
            The clusterings.

        X : array-like of shape (n_objects, n_features), default=None
            The data, for methods that look at the data to judge the clusterings.

        Returns
        -------
        indices : ndarray of int
            The clusterings kept, in ascending order.
        """
        self._validate_params()
        if X is None and "data" in self.card.needs:
            raise ComitiaError(
                f"{type(self).__name__} judges clusterings on their data; give X."
            )
        # Scores are results of a fit; a copy takes those of this selection.
        judge = clone(self)
        return cover(
            ensemble,
            judge._select(ensemble, X, check_random_state(self.random_state)),
        )

    def _combine(
        self, ensemble: Ensemble, X: Any, rng: np.random.RandomState
    ) -> NDArray[Any]:
        chosen = cover(ensemble, self._select(ensemble, X, rng))
        self.selected_ = mask_of(chosen, ensemble.n_clusterings)
        return self._agree(ensemble.take(clusterings=chosen), X, rng)

    def vote_weights(self) -> dict[str, Any]:
        """What clusterings or clusters weigh when objects vote."""
        # The scores say what to keep; what is kept votes with equal weight.
        return {"clustering_weights": self.selected_.astype(np.float64)}

    def _n_select(self, ensemble: Ensemble, share: float = 0.5) -> int:
        """``n_select``, or a share of the clusterings when it is None."""
        M = ensemble.n_clusterings
        if self.n_select is None:
            return max(1, round(share * M))
        if self.n_select > M:
            raise ComitiaError(
                f"n_select={self.n_select} is larger than the number of clusterings; "
                f"give at most {M}."
            )
        return int(self.n_select)


class GrownSelectionMethod(SelectionMethod):
    """Base class of the methods that add clusterings while the consensus gets better.

    A method writes ``_grow``, which has the consensus of what it keeps at hand.
    """

    def _grow(
        self, ensemble: Ensemble, X: Any, rng: np.random.RandomState
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """The clusterings kept, and their consensus."""
        raise TypeError(f"{type(self).__name__} does not say how it grows.")

    def _select(
        self, ensemble: Ensemble, X: Any, rng: np.random.RandomState
    ) -> NDArray[np.int64]:
        return self._grow(ensemble, X, rng)[0]

    def _combine(
        self, ensemble: Ensemble, X: Any, rng: np.random.RandomState
    ) -> NDArray[Any]:
        chosen, labels = self._grow(ensemble, X, rng)
        self.selected_ = mask_of(chosen, ensemble.n_clusterings)
        return labels
