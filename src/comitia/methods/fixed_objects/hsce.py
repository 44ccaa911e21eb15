"""HSCE."""

from functools import partial
from typing import Any, Literal

import numpy as np

from comitia._parameter_rules import SHARED
from comitia._sklearn import StrOptions
from comitia.catalogue import MethodCard
from comitia.generate.boosting import BoostingGenerator
from comitia.generate.boosting_rounds import draw_hybrid, fuzzy_round, kmeans_round
from comitia.generate.boosting_votes import indecision
from comitia.methods._boosted import BoostedMethod
from comitia.methods._types import Array, Data, Ensemble, Rng, Seed
from comitia.partition import kmeans_rows
from comitia.weigh import normalize_weights

__all__ = ["HSCE"]


def mean_indecision(X: Array, made: Any, rounds: list[Any]) -> dict[str, Any]:
    r"""Judge a round by how undecided its objects are on average.

    The indecision ``"Q"`` of each object, and the raw weight of the round, ``"vote"``,
    :math:`\exp(-\frac{2}{n} \sum_i Q_i)`.
    """
    Q = indecision(made.membership)
    return {"Q": Q, "vote": np.exp(-2.0 * Q.mean())}


def by_weighted_indecision(weights: Array, rounds: list[Any]) -> Array:
    r"""Raise the weights of undecided objects, the more the better the round was.

    Proportional to :math:`w_i \exp(v_m Q_i)`; they sum to one.
    """
    v = normalize_weights([made.measures["vote"] for made in rounds])
    raised = weights * np.exp(v[-1] * rounds[-1].measures["Q"])
    return raised / raised.sum()


class HSCE(BoostedMethod):
    r"""Hybrid sampling clustering ensemble with global and local constitutions.

    Clusterings are made on samples that are half bagging, half boosting, and k-means on
    their memberships side by side, each weighted by how decided it is, is the
    result [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of plain k-means clusterings.

    n_rounds : int, default=20
        Number of clusterings.

    object_fraction : float, default=0.5
        Number of draws of a round among the candidates, as a share of the number of
        objects.

    fuzziness : float or "auto", default=None
        Cluster by fuzzy c-means with this exponent; by k-means when None. "auto" takes
        2 in few dimensions and less in many.

    n_init : int, default=10
        Number of starts of the last k-means.

    random_state : int, RandomState instance or None, default=None
        Seed of the clusterings and of the consensus.

    Attributes
    ----------
    object_weights_ : ndarray of shape (n_objects,)
        Weight of each object after the last round; they sum to 1.

    clustering_weights_ : shared

    objective_ : ndarray of shape (n_iter_,)
        The objective of the last k-means after each iteration.

    n_iter_ : int
        Number of its iterations.

    Notes
    -----
    The candidates of a round are a uniform bootstrap of the n objects; the sample is
    drawn among them in proportion to :math:`w_i`. With the memberships :math:`F^m` of
    all objects, by inverse distances to the centres, or those of fuzzy c-means,

    .. math::
        Q^m_i = 1 - \max_r F^m_{ir} + \min_r F^m_{ir}, \qquad
        v_m = \frac{\exp(-\frac2n \sum_i Q^m_i)}
        {\sum_{l \le m} \exp(-\frac2n \sum_i Q^l_i)}, \qquad
        w_i \propto w_i \exp(v_m Q^m_i).

    While the loop runs, :math:`v_m` is normalised over the rounds so far; for the
    result over all of them. The rows of :math:`[\sqrt{v_1} F^1, \dots, \sqrt{v_M} F^M]`
    have the squared distances :math:`\sum_m v_m \lVert F^m_i - F^m_j \rVert^2`, so that
    clusters need no alignment; the rows are never formed.

    References
    ----------
    .. [1] Y. Yang and J. Jiang, "Hybrid sampling-based clustering ensemble with global
       and local constitutions", IEEE TNNLS 27(5), 2016.
       :doi:`10.1109/TNNLS.2015.2430821`

    Examples
    --------
    >>> from comitia import method
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> method("hsce")(n_clusters=2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="hsce",
        weighs="objects",
        approach="fixed",
        needs="data",
        scales="linear",
    )

    _parameter_constraints = {
        "fuzziness": [*SHARED["fuzziness"], StrOptions({"auto"}), None],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_rounds: int = 20,
        object_fraction: float = 0.5,
        fuzziness: float | Literal["auto"] | None = None,
        n_init: int = 10,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_rounds = n_rounds
        self.object_fraction = object_fraction
        self.fuzziness = fuzziness
        self.n_init = n_init
        self.random_state = random_state

    def _boosting(self, X: Data, n_clusters: int) -> BoostingGenerator:
        cluster = partial(kmeans_round, soft=True)
        if self.fuzziness is not None:
            cluster = partial(fuzzy_round, fuzziness=self.fuzziness)
        return BoostingGenerator(
            self.n_rounds,
            draw=partial(draw_hybrid, object_fraction=self.object_fraction),
            cluster=partial(cluster, n_clusters=n_clusters),
            measure=mean_indecision,
            reweight=by_weighted_indecision,
        )

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        self.object_weights_ = self.generator_.weights_
        votes = [made.measures["vote"] for made in self.generator_.rounds_]
        self.clustering_weights_ = normalize_weights(votes)
        weights: dict[str, Any] = {"clustering_weights": self.clustering_weights_}
        k = int(ensemble.n_clusters_each.max())
        labels, self.objective_ = kmeans_rows(
            ensemble, k, rng, n_init=self.n_init, **weights
        )
        self.n_iter_ = len(self.objective_)
        return labels
