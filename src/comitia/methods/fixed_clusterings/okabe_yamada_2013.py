"""Constrained k-means, boosted by the constraints it violates."""

from functools import partial
from typing import Any

import numpy as np

from comitia._sklearn import StrOptions
from comitia.catalogue import MethodCard
from comitia.cluster import constrained_kmeans
from comitia.generate.boosting import BoostingGenerator
from comitia.generate.member import Made
from comitia.generate.nearest_models import NearestCenter
from comitia.methods._boosted import BoostedMethod
from comitia.methods._types import Array, Data, Ensemble, Rng, Seed
from comitia.partition import kmeans_rows
from comitia.weigh import normalize_weights

__all__ = ["BoostedCOPKMeans"]

# A clustering that violates nothing gets a large vote, but not an infinite one.
_LEAST_ERROR = 1e-6


class BoostedCOPKMeans(BoostedMethod):
    r"""Boosted constrained k-means ensemble.

    Constrained k-means runs again and again, each time trying harder to meet the
    constraints that the last runs violated, and runs that violate few weigh more
    [1]_ [2]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of plain k-means clusterings.

    n_rounds : int, default=20
        Most clusterings, :math:`M`.

    variant : {"adaboost", "error_rate"}, default="adaboost"
        The weight of a clustering: AdaBoost's vote, or, as the review prints it, the
        share of the constraints that it violates.

    random_state : int, RandomState instance or None, default=None
        Seed of the clusterings.

    Attributes
    ----------
    clustering_weights_ : shared

    constraint_weights_ : ndarray of shape (n_constraints,)
        Priority of each must-link and then of each cannot-link after the last round;
        they sum to one.

    constraints_ : ConstraintSet
        The constraints.

    Notes
    -----
    Constraint l, on objects i and j, has :math:`y_l = 1` for a must-link and -1 for a
    cannot-link, and :math:`K^m_{ij}` is 1 if clustering m has i and j together and -1
    otherwise. Priorities :math:`\alpha_l` start equal; round m takes the constraints in
    their order, skips those that cannot be met, and

    .. math::
        \varepsilon_m = \sum_{l \,:\, y_l K^m_{ij} < 0} \alpha_l, \qquad
        w_m = \tfrac12 \ln \frac{1 - \varepsilon_m}{\varepsilon_m}, \qquad
        \alpha_l \leftarrow \frac{\alpha_l \, e^{-w_m y_l K^m_{ij}}}{\sum \dots} .

    Before the first round with an error of one half or more, as of a clustering that
    comes back unchanged, the rounds end; errors are at least 1e-6. The consensus is
    kernel k-means on :math:`K = \sum_m w_m K^m`.

    The review says that :math:`w_m` is the share of unsatisfied constraints. As a vote
    that rewards bad clusterings, and gives none to a perfect one; the abstracts of
    [2]_ and [3]_ name the boosting framework, so its vote is used here, and the printed
    form is ``variant="error_rate"``, with the plain share as :math:`\varepsilon_m`.

    :math:`K^m = 2 B_m B_m' - 1 1'` is indefinite for more than two clusters. But a
    constant added to every entry of a kernel changes no distance between objects, so K
    has the same k-means as :math:`2 B W B'`, which is positive semi-definite: no shift
    of the diagonal is needed, and k-means on the rows of B with weights w solves the
    same problem in time linear in n.

    References
    ----------
    .. [1] M. Okabe and S. Yamada, "Uncertainty sampling for constrained cluster
       ensemble", 2013; the title is read from the review's key, "okabe2013uncertainty".
    .. [2] M. Okabe and S. Yamada, "Clustering by learning constraints priorities", IEEE
       ICDM, 2012. :doi:`10.1109/ICDM.2012.150`
    .. [3] M. Okabe and S. Yamada, "Clustering using boosted constrained k-means
       algorithm", Frontiers in Robotics and AI 5, 2018.
       :doi:`10.3389/frobt.2018.00018`

    Examples
    --------
    >>> from comitia import method
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> boosted = method("okabe_yamada_2013")(n_clusters=2, random_state=0)
    >>> boosted.fit_predict(X, must_link=[(0, 2)], cannot_link=[(2, 3)])
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="okabe_yamada_2013",
        weighs="clusterings",
        approach="fixed",
        needs=("data", "constraints"),
        scales="linear",
        exempt={
            "weights_differ": "clusterings that meet all constraints weigh the same, "
            "and constrained k-means often does",
        },
    )

    _parameter_constraints = {
        "variant": [StrOptions({"adaboost", "error_rate"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_rounds: int = 20,
        variant: str = "adaboost",
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_rounds = n_rounds
        self.variant = variant
        self.random_state = random_state

    def _boosting(self, X: Data, n_clusters: int) -> BoostingGenerator:
        pairs: dict[str, Any] = {"constraints": self.constraints_}
        steps: dict[str, Any] = {
            "cluster": partial(cop_round, n_clusters=n_clusters, **pairs)
        }
        if len(self.constraints_):
            steps |= {
                "measure": partial(constraint_error, variant=self.variant, **pairs),
                "stop": half_is_violated,
                "reweight": by_violation,
                "weights": self.constraints_.weights / len(self.constraints_),
            }
        return BoostingGenerator(self.n_rounds, **steps)

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        votes = [made.measures.get("vote", 1.0) for made in self.generator_.rounds_]
        self.clustering_weights_ = normalize_weights(votes)
        if len(self.constraints_):
            self.constraint_weights_ = self.generator_.weights_
        weights: dict[str, Any] = {"clustering_weights": self.clustering_weights_}
        n_clusters = self._resolve_n_clusters(ensemble, **weights)
        return kmeans_rows(ensemble, n_clusters, rng, **weights).labels


def cop_round(
    X: Data, drawn: Any, weights: Array, rng: Rng, *, n_clusters: int, constraints: Any
) -> Any:
    """Constrained k-means that skips the constraints of low priority."""
    if len(constraints):
        constraints = constraints.with_weights(weights)
    run = constrained_kmeans(
        X, n_clusters, rng, constraints, on_failure="skip_constraint", n_init=1
    )
    return Made(run.labels, model=NearestCenter(run.centers))


def constraint_error(
    X: Data, made: Any, rounds: Any, *, constraints: Any, variant: Any
) -> Any:
    """Which constraints a round violates, their share, and the vote of the round."""
    violated = constraints.violated(made.labels)
    printed = variant == "error_rate"
    error = float(violated.mean() if printed else made.weights[violated].sum())
    error = min(max(error, _LEAST_ERROR), 1.0 - _LEAST_ERROR)
    vote = error if printed else 0.5 * np.log((1.0 - error) / error)
    return {"violated": violated, "error": error, "vote": vote}


def half_is_violated(made: Any, rounds: Any) -> Any:
    """Whether half of the constraints, by priority, are violated."""
    # The first round is never asked about itself. A clustering that comes back has
    # an error of one half by the new priorities, up to rounding.
    worst = max(made.measures["error"], rounds[0].measures["error"])
    return worst >= 0.5 - 1e-9


def by_violation(priorities: Any, rounds: Any) -> Any:
    """Raise the priorities of the constraints that the last round violated."""
    last = rounds[-1].measures
    raised = priorities * np.exp(np.where(last["violated"], 1, -1) * last["vote"])
    return raised / raised.sum()
