"""What composites share that leave the consensus to a method of the user's choice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from comitia import catalogue
from comitia.base import EnsembleMethod
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError

__all__ = ["CombinedByMethod"]

# Results of the method that combines the clusterings, which become ours.
_RESULTS_OF_METHOD = (
    "clustering_weights_",
    "cluster_weights_",
    "object_weights_",
    "selected_",
    "linkage_",
    "membership_",
    "objective_",
    "n_iter_",
    "converged_",
)


class CombinedByMethod(EnsembleMethod):
    """Base class: ``method`` combines the clusterings.

    Attributes
    ----------
    method_ : EnsembleMethod
        The method, fitted. Its weights, its tree and its objective are ours, too.
    """

    if TYPE_CHECKING:
        method: Any
        n_jobs: int | None

    def _unfitted_method(self) -> EnsembleMethod:
        method = self.method
        if isinstance(method, str):
            method = catalogue.method(method)()
        if not isinstance(method, EnsembleMethod) or method.card.needs != ("labels",):
            name = getattr(getattr(method, "card", None), "id", type(method).__name__)
            raise ComitiaError(
                f"method={name!r} does not combine clusterings alone; see "
                'comitia.methods(needs="labels") for those that do.'
            )
        return clone(method)

    def _combine_by_method(
        self, ensemble: Ensemble, rng: np.random.RandomState
    ) -> NDArray[Any]:
        """The labels that the method finds."""
        method = self._unfitted_method()
        seed = rng.randint(np.iinfo(np.int32).max)
        # The number of clusters is ours to say; the rest, where the method does not.
        if (known := self._known_n_clusters()) is not None:
            method.set_params(n_clusters=known)
        for name, value in (("random_state", seed), ("n_jobs", self.n_jobs)):
            if getattr(method, name, seed) is None:
                method.set_params(**{name: value})
        self.method_ = method.combine(ensemble, on_progress=self._report)
        for name in _RESULTS_OF_METHOD:
            if name in vars(method):
                setattr(self, name, getattr(method, name))
        return method.labels_
