"""Fuzzy c-means, memberships kept."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from comitia._sklearn import Interval
from comitia.generate.base import Made, NearestCenter
from comitia.generate.checkpoint import check_state
from comitia.generate.estimators import EstimatorGenerator

__all__ = ["FuzzyGenerator"]


class FuzzyGenerator(EstimatorGenerator):
    r"""Fuzzy c-means with random starts: the ensemble holds the memberships.

    ``transform`` and ``ensemble_.labels`` give each object the cluster it has the
    largest share in.

    Parameters
    ----------
    n_clusterings : int, default=50
        Size of the ensemble, :math:`M`.

    n_clusters : int or (int, int), default=None
        Number of clusters of each clustering, or the range it is drawn from. ``None``
        draws from 2 to :math:`\sqrt{n}`, at most 50.

    fuzziness : float, default=2.0
        The exponent of the memberships, above 1; near 1 they are crisp.

    max_iter : int, default=300
        Most iterations of a member.

    tol : float, default=1e-3
        A member is done when no membership changes by more; one of many clusterings
        need not be exact.

    objects : sampler, default=None
        Which objects a member sees, as for :class:`EstimatorGenerator`.

    features : sampler, default=None
        Which features a member sees, as for :class:`EstimatorGenerator`.

    extend : bool, default=False
        Whether objects that a member did not draw get memberships too; they stay
        missing otherwise.

    n_jobs : int, default=None
        Number of parallel jobs.

    checkpoint : path-like, default=None
        A folder for finished members. A run that was killed goes on from there.

    verbose : bool, default=False
        Whether to draw a progress bar.

    random_state : int, RandomState instance or None, default=None
        Seed.

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
    Ensemble(kind='fuzzy', n_objects=4, n_clusterings=3, n_clusters=6)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **EstimatorGenerator._parameter_constraints,
        "fuzziness": [Interval(Real, 1, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_clusterings: int = 50,
        *,
        n_clusters: Any = None,
        fuzziness: float = 2.0,
        max_iter: int = 300,
        tol: float = 1e-3,
        objects: Any = None,
        features: Any = None,
        extend: bool = False,
        n_jobs: int | None = None,
        checkpoint: Any = None,
        verbose: Any = False,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            None,
            n_clusterings,
            n_clusters=n_clusters,
            objects=objects,
            features=features,
            extend=extend,
            n_jobs=n_jobs,
            checkpoint=checkpoint,
            verbose=verbose,
            random_state=random_state,
        )
        self.fuzziness = fuzziness
        self.max_iter = max_iter
        self.tol = tol

    def _estimators(self) -> list[Any]:
        from comitia.cluster import FuzzyCMeans

        return [FuzzyCMeans(fuzziness=self.fuzziness, n_init=1, max_iter=self.max_iter)]

    def _make(self, X: NDArray[Any], plan: dict[str, Any]) -> Made:
        rows, counts, features = self._draw(X, plan)
        seen = (X if features is None else features(X))[rows]
        model = self._model(plan, seen)
        model.fit(seen, sample_weight=counts)
        centers = NearestCenter(model.cluster_centers_, features, self.fuzziness)
        if counts is None:
            membership = model.membership_
        elif self.extend:
            membership = centers.predict_membership(X)
        else:
            # A row of zeros is an object that is not clustered.
            membership = np.zeros((len(X), model.membership_.shape[1]))
            membership[rows] = model.membership_
        return Made(
            membership=membership, model=centers, state={"centers": centers.centers}
        )

    def _restore(self, plan: dict[str, Any], state: dict[str, NDArray[Any]]) -> Any:
        features = self._draw_features(plan)
        check_state(state, {"centers": "k p"}, p=self._n_seen(features))
        return NearestCenter(state["centers"], features, self.fuzziness)
