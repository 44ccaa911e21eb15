"""Boosting by feature weights."""

from functools import partial
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._sklearn import Interval, StrOptions
from comitia.catalogue import MethodCard
from comitia.exceptions import ComitiaError
from comitia.generate.boosting import BoostingGenerator
from comitia.generate.boosting_rounds import draw_features, kmeans_round
from comitia.generate.boosting_votes import (
    align_to_vote,
    no_better_than_chance,
    pseudoloss,
)
from comitia.methods._boosted import BoostedMethod
from comitia.methods._types import Array, Data, Ensemble, Rng, Seed

__all__ = ["FeatureBoosting"]


def by_importance(weights: Array, rounds: list[Any], *, importance: Array) -> Array:
    r"""Move the weights towards the importance, the more the worse the last round was.

    Proportional to :math:`w_r + a_r \varepsilon`; they sum to one.
    """
    moved = weights + importance * rounds[-1].measures["error"]
    return moved / moved.sum()


class FeatureBoosting(BoostedMethod):
    r"""Boosting by feature weights.

    Boost-clustering that draws features instead of objects: the worse a clustering, the
    more likely the next one is to use the features that are known to matter [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of plain k-means clusterings.

    n_rounds : int, default=20
        Most clusterings.

    feature_fraction : float or "sqrt", default="sqrt"
        The share of the features that a round draws, or the square root of their
        number.

    importance : "variance" or array-like of shape (n_features,), default="variance"
        How much each feature matters, 0 or more. By default its share in the total
        variance.

    variant : {"minmax", "entropy"}, default="minmax"
        How undecided an object is: one less the range of its memberships, or their
        entropy.

    random_state : int, RandomState instance or None, default=None
        Seed of the clusterings.

    Attributes
    ----------
    feature_weights_ : ndarray of shape (n_features,)
        Probability of each feature in a draw after the last round; they sum to 1.

    clustering_weights_ : ndarray of shape (n_clusterings,)
        Weight of the vote of each clustering; they sum to 1.

    Notes
    -----
    With the importance :math:`a_r` and the pseudoloss :math:`\varepsilon_m` of round m,

    .. math::
        w_r \leftarrow \frac{w_r + a_r \varepsilon_m}
        {\sum_v (w_v + a_v \varepsilon_m)}.

    All objects count alike in the loss, :math:`\varepsilon_m = \frac{1}{2n} \sum_i
    Q_i`; memberships, votes and alignment are those of
    :class:`~comitia.methods.fixed_objects.boost_clustering.BoostClustering`. The update
    has no error of a single feature, so the weights drift to :math:`a / \sum_v a_v`
    whatever the clusterings look like.

    The paper is not identified (document 5302706 of IEEE Xplore, 2009), and the review
    leaves the importance open: "predetermined".

    References
    ----------
    .. [1] IEEE document 5302706, 2009, as described in M. Zhang, "Weighted clustering
       ensemble: a review", Pattern Recognition 124, 2022.
       :doi:`10.1016/j.patcog.2021.108428`

    Examples
    --------
    >>> from comitia import method
    >>> X = [[0.0, 9], [0.1, 8], [0.2, 9], [5.0, 1], [5.1, 2], [5.2, 1]]
    >>> method("feature_boost_2009")(n_clusters=2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="feature_boost_2009",
        weighs="features",
        approach="fixed",
        needs="data",
        scales="linear",
        quick={"feature_fraction": 1.0},
    )

    _parameter_constraints = {
        **BoostedMethod._parameter_constraints,
        "feature_fraction": [
            Interval(Real, 0, 1, closed="right"),
            StrOptions({"sqrt"}),
        ],
        "importance": [StrOptions({"variance"}), "array-like"],
        "variant": [StrOptions({"minmax", "entropy"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_rounds: int = 20,
        feature_fraction: float | str = "sqrt",
        importance: Any = "variance",
        variant: str = "minmax",
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_rounds = n_rounds
        self.feature_fraction = feature_fraction
        self.importance = importance
        self.variant = variant
        self.random_state = random_state

    def _boosting(self, X: Data, n_clusters: int) -> BoostingGenerator:
        return BoostingGenerator(
            self.n_rounds,
            weights="features",
            draw=partial(draw_features, feature_fraction=self.feature_fraction),
            cluster=partial(kmeans_round, n_clusters=n_clusters, soft=True),
            align=align_to_vote,
            measure=partial(pseudoloss, variant=self.variant, weighted=False),
            stop=no_better_than_chance,
            reweight=partial(by_importance, importance=self._importance(X)),
        )

    def _importance(self, X: Data) -> Array:
        if isinstance(self.importance, str):
            return variance_shares(X)
        a = np.asarray(self.importance, dtype=np.float64)
        if a.shape != (X.shape[1],) or not np.isfinite(a).all() or (a < 0).any():
            raise ComitiaError(
                f"importance must be {X.shape[1]} finite numbers, one per feature, "
                f"none negative; got shape {a.shape}."
            )
        return a

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        self.feature_weights_ = self.generator_.weights_
        return self._elect()


def variance_shares(X: ArrayLike) -> NDArray[np.float64]:
    r"""Share of each feature in the total variance."""
    variances = np.var(np.asarray(X, dtype=np.float64), axis=0)
    if not variances.any():
        return np.full(len(variances), 1.0 / len(variances))
    return variances / variances.sum()
