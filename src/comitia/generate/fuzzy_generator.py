"""Fuzzy c-means, memberships kept."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from comitia._sklearn import Interval, StrOptions
from comitia.generate._checkpoint import check_state
from comitia.generate.estimators import EstimatorGenerator
from comitia.generate.generator import Plan
from comitia.generate.member import Made
from comitia.generate.nearest_models import NearestCenter

__all__ = ["FuzzyGenerator"]


@dataclass(eq=False, repr=False)
class FuzzyGenerator(EstimatorGenerator):
    r"""Fuzzy c-means with random starts: the ensemble holds the memberships.

    ``transform`` and ``ensemble_.labels`` give each object the cluster it has the
    largest share in.

    Parameters
    ----------
    n_clusterings, n_clusters : shared

    fuzziness : float or "auto", default="auto"
        The exponent of the memberships, above 1; near 1 they are crisp. "auto" takes,
        for each member, 2 in few dimensions and less in many, as
        :class:`~comitia.cluster.FuzzyCMeans` does.

    max_iter : int, default=300
        Most iterations of a member.

    tol : float, default=1e-3
        A member is done when no membership changes by more; one of many clusterings
        need not be exact.

    objects, features : shared

    extend : bool, default=False
        Whether objects that a member did not draw get memberships too; they stay
        missing otherwise.

    n_jobs, checkpoint, verbose, random_state : shared

    Attributes
    ----------
    ensemble_ : Ensemble
        The clusterings, with memberships.

    members_ : list
        What labels new objects.

    Examples
    --------
    >>> from comitia.generate import FuzzyGenerator
    >>> X = [[0.0], [0.1], [5.0], [5.1]]
    >>> FuzzyGenerator(3, n_clusters=2, random_state=0).generate(X)
    Ensemble(kind='fuzzy', n_objects=4, n_clusterings=3, n_clusters_total=6)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "fuzziness": [
            Interval(Real, 1, None, closed="neither"),
            StrOptions({"auto"}),
        ],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    n_clusterings: int | str = 50
    _: KW_ONLY
    n_clusters: Any = None
    fuzziness: float | Literal["auto"] = "auto"
    max_iter: int = 300
    tol: float = 1e-3
    objects: Any = None
    features: Any = None
    extend: bool = False
    n_jobs: int | None = None
    checkpoint: Any = None
    verbose: Any = False
    random_state: Any = None

    def estimators(self) -> list[Any]:
        from comitia.cluster import FuzzyCMeans

        return [
            FuzzyCMeans(
                fuzziness=self.fuzziness,
                n_init=1,
                max_iter=self.max_iter,
                tol=self.tol,
            )
        ]

    def fit_member(self, X: NDArray[Any], plan: Plan) -> Made:
        rows, counts, features = self.draw(len(X), plan)
        seen = (X if features is None else features(X))[rows]
        model = self._model(plan, seen)
        model.fit(seen, sample_weight=counts)
        centers = NearestCenter(model.cluster_centers_, features, model.fuzziness_)
        if counts is None:
            membership = model.membership_
        elif self.extend:
            membership = centers.predict_membership(X)
        else:
            # A row of zeros is an object that is not clustered.
            membership = np.zeros((len(X), model.membership_.shape[1]))
            membership[rows] = model.membership_
        state = {"centers": centers.centers, "fuzziness": np.array(centers.fuzziness)}
        return Made(membership=membership, model=centers, state=state)

    def restore(self, plan: Plan, state: dict[str, NDArray[Any]]) -> Any:
        model = super().restore(plan, state)
        if model is not None:
            check_state(state, {"fuzziness": ""})
            model.fuzziness = float(state["fuzziness"])
        return model
