"""One clusterer with many values of its parameters, on standardised data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from comitia._scales import column_scales
from comitia._sklearn import HasMethods
from comitia.exceptions import ComitiaError
from comitia.generate.estimators import _sized_plans, n_clusters_range
from comitia.generate.generator import Generator, Plan
from comitia.generate.member import Made

__all__ = ["ParameterSweep", "log_grid"]


def log_grid(ends: float | Sequence[float], n_values: int) -> NDArray[np.float64]:
    """Numbers whose logarithms are evenly spaced.

    Parameters
    ----------
    ends : float or (float, float)
        The first and the last number, positive; or one number for all.

    n_values : int
        How many.

    Returns
    -------
    values : ndarray of shape (n_values,)
        The numbers; a single one is the geometric mean of the ends.

    Examples
    --------
    >>> log_grid((0.1, 10), 3)
    array([ 0.1,  1. , 10. ])
    """
    pair = (ends, ends) if isinstance(ends, Real) else ends
    try:
        first, last = (float(end) for end in pair)  # type: ignore[union-attr]
    except (TypeError, ValueError):
        first = last = -1.0
    if not (0 < first < np.inf and 0 < last < np.inf):
        raise ComitiaError(
            f"{ends!r} is no range; give one positive number or a pair (first, last)."
        )
    if n_values == 1:
        return np.array([np.sqrt(first * last)])
    return np.geomspace(first, last, n_values)


@dataclass(eq=False, repr=False)
class ParameterSweep(Generator):
    r"""Clusterings by one clusterer, each with other values of its parameters.

    The features are standardised first, so that a value means the same for all data.

    Parameters
    ----------
    estimator : clusterer
        Any clusterer with a parameter ``n_clusters``.

    parameters : list of dict
        The values of each clustering, by name.

    n_clusters : shared

    objects : sampler, default=None
        Which objects a clustering sees, such as :class:`Subsample`; all by default. The
        clusterer labels the others, too, and needs ``predict`` then.

    n_jobs, checkpoint, verbose, random_state : shared

    Attributes
    ----------
    ensemble_ : Ensemble
        The clusterings.

    members_ : list
        The fitted clusterers, which label new objects.

    mean_, scale_ : ndarray of shape (n_features,)
        Mean and standard deviation of each feature; 1 where it does not vary.

    Examples
    --------
    >>> from comitia.cluster import LAC
    >>> from comitia.generate.sweep import ParameterSweep
    >>> X = [[0.0, 1.0], [0.1, 0.0], [5.0, 1.1], [5.1, 0.1]]
    >>> values = [{"concentration_penalty": 0.5}, {"concentration_penalty": 5.0}]
    >>> ParameterSweep(LAC(), values, n_clusters=2, random_state=0).generate(X)
    Ensemble(kind='hard', n_objects=4, n_clusterings=2, n_clusters_total=4)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit"])],
        "parameters": [list, tuple],
        "objects": [HasMethods(["draw"]), None],
    }

    estimator: Any
    parameters: Any
    _: KW_ONLY
    n_clusters: Any = None
    objects: Any = None
    n_jobs: int | None = None
    checkpoint: Any = None
    verbose: Any = False
    random_state: Any = None

    @property
    def n_members(self) -> int:
        """How many clusterings are made."""
        return len(self.parameters)

    def standardize(self, X: Any) -> NDArray[np.float64]:
        """Shift and scale objects as those that were fitted.

        Parameters
        ----------
        X : array-like of shape (n_objects, n_features)
            The objects.

        Returns
        -------
        Z : ndarray of shape (n_objects, n_features)
            What the clusterers see of them.
        """
        check_is_fitted(self)
        return self.check_data(X, reset=False)

    def check_data(self, X: Any, *, reset: bool = True) -> NDArray[np.float64]:
        X = super().check_data(X, reset=reset)
        if reset:
            self.mean_, self.scale_, _ = column_scales(X)
        return (X - self.mean_) / self.scale_

    def plan(self, X: NDArray[Any], rng: np.random.RandomState) -> list[Plan]:
        if not self.parameters:
            raise ComitiaError(
                "parameters is empty; give one dict for each clustering."
            )
        ends = n_clusters_range(self.n_clusters, len(X))
        plans = _sized_plans(self.n_members, *ends, rng, ("seed", "object_seed"))
        return [{"which": m, **plan} for m, plan in enumerate(plans)]

    def fit_member(self, X: NDArray[Any], plan: Plan) -> Made:
        seen = X
        if self.objects is not None:
            rng = np.random.RandomState(plan["object_seed"])
            seen = X[self.objects.draw(len(X), rng).rows]
        model = clone(self.estimator).set_params(
            n_clusters=min(plan["n_clusters"], len(seen)),
            random_state=plan["seed"],
            **self.parameters[plan["which"]],
        )
        model.fit(seen)
        labels = model.labels_ if self.objects is None else model.predict(X)
        return Made(labels, model=model)
