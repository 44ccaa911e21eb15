"""Boosting by feature weights."""

from functools import partial
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from comitia._scales import column_scales
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

_BLOCK = 1024  # features whose correlations are held at a time
_ROUNDING = 1e-9  # sums of squared correlations below are rounding


def by_importance(weights: Array, rounds: list[Any], *, importance: Array) -> Array:
    r"""Move the weights towards the importance, the more the worse the last round was.

    Proportional to :math:`w_r + a_r \varepsilon`; they sum to one.
    """
    moved = weights + importance * rounds[-1].measures["error"]
    return moved / moved.sum()


def correlation_shares(X: ArrayLike) -> Array:
    r"""Share of each feature in the squared correlations with the others."""
    data = np.asarray(X, dtype=np.float64)
    n, p = data.shape
    mean, scale, varies = column_scales(data)
    Z = np.where(varies, (data - mean) / scale, 0.0)
    squares = np.empty(p)
    # Some features at a time: the correlations of all may not fit into memory.
    for first in range(0, p, _BLOCK):
        block = slice(first, first + _BLOCK)
        squares[block] = ((Z[:, block].T @ Z / n) ** 2).sum(axis=1)
    others = squares - varies  # less the correlation with itself
    return _shares(np.where(others > _ROUNDING, others, 0.0))


def variance_shares(X: ArrayLike) -> Array:
    r"""Share of each feature in the total variance."""
    return _shares(np.var(np.asarray(X, dtype=np.float64), axis=0))


def _shares(amounts: Array) -> Array:
    """What each has of the sum; equal parts of nothing."""
    if not amounts.any():
        return np.full(len(amounts), 1.0 / len(amounts))
    return amounts / amounts.sum()


_SHARES = {"correlation": correlation_shares, "variance": variance_shares}


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

    importance : {"correlation", "variance"} or array-like of shape (n_features,), \
            default="correlation"
        How much each feature matters, 0 or more: its share in the squared correlations
        of all features, or in their total variance.

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
    leaves the importance open: "predetermined". Here, with the correlation
    :math:`\rho_{rs}` of two features,

    .. math::
        a_r = \frac{\sum_{s \ne r} \rho_{rs}^2}{\sum_u \sum_{s \ne u} \rho_{us}^2} .

    Features in which the same clusters differ are correlated, and noise is not; units
    do not matter. The share in the variance is the same for all features once they are
    standardised. Where no two features are correlated, all matter alike; two features
    always do.

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
        "feature_fraction": [
            Interval(Real, 0, 1, closed="right"),
            StrOptions({"sqrt"}),
        ],
        "importance": [StrOptions(set(_SHARES)), "array-like"],
        "variant": [StrOptions({"minmax", "entropy"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_rounds: int = 20,
        feature_fraction: float | str = "sqrt",
        importance: Any = "correlation",
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
            return _SHARES[self.importance](X)
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
