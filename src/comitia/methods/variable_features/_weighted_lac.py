"""Locally adaptive clustering with weights of the clusters."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlogy

from comitia._sklearn import Interval, StrOptions
from comitia._steps import check_choice
from comitia.cluster.clusterer import (
    FeatureWeightClusterer,
    Repeats,
    cluster_means,
    fill_empty,
    initial_centers,
    refuse_excess_clusters,
)
from comitia.cluster.lac import (
    feature_dispersions,
    lac_cost,
    lac_weights,
    weighted_distances,
)
from comitia.exceptions import ComitiaError
from comitia.methods._types import Seed
from comitia.optimize.ties import is_lower, lowest_run

__all__ = [
    "ClusterWeightClusterer",
    "WeightedLAC",
    "WeightedLACRun",
    "cluster_importance",
    "weighted_lac",
]

Array = NDArray[np.float64]


class WeightedLACRun(NamedTuple):
    """Result of locally adaptive clustering with cluster weights."""

    labels: NDArray[np.intp]  # (n_objects,), the clusters
    centers: Array  # (n_clusters, n_features), their means
    # (n_clusters, n_features), weight of each feature in each cluster; rows sum to one
    weights: Array
    importance: Array  # (n_clusters,), weight of each cluster; they sum to one
    objective: Array  # (n_iter,), the objective after each iteration
    converged: bool  # whether the labels came back and the objective fell no further


def cluster_importance(
    costs: ArrayLike, cluster_penalty: float, *, smoothing: float = 0.0
) -> Array:
    r"""Weights of clusters that fall with what the clusters cost.

    .. math::
        \omega = \arg\min \sum_v \omega_v E_v + \lambda_2 \sum_v \omega_v \ln \omega_v
        \quad \text{s. t.} \quad \sum_v \omega_v = 1, \; \omega_v \ge \frac{s}{k} ,

    which is :math:`\omega_v \propto e^{-E_v / \lambda_2}` as long as none of these is
    below the least weight.
    """
    if not 0 <= smoothing <= 1:
        raise ComitiaError(f"smoothing={smoothing} must be from 0 to 1.")
    if not cluster_penalty > 0:
        raise ComitiaError(f"cluster_penalty={cluster_penalty} must be positive.")
    raw = lac_weights(costs, cluster_penalty)
    least = smoothing / len(raw)
    held = np.zeros(len(raw), dtype=bool)
    importance = raw
    # Those at the bound stay there; the others share what is left in proportion.
    while not held.all() and (importance[~held] < least).any():
        held |= importance < least
        left = 1 - least * held.sum()
        importance = np.where(held, least, 0.0)
        if not held.all():
            importance[~held] = raw[~held] * (left / raw[~held].sum())
    return importance


def weighted_lac(
    X: ArrayLike,
    n_clusters: int,
    rng: np.random.RandomState,
    *,
    concentration_penalty: float = 0.2,
    cluster_penalty: float = 1.0,
    smoothing: float = 0.1,
    variant: str = "weighted",
    init: str | ArrayLike = "k-means++",
    n_init: int = 10,
    max_iter: int = 300,
    tol: float = 1e-9,
) -> WeightedLACRun:
    """Locally adaptive clustering with cluster weights."""
    data = np.asarray(X, dtype=np.float64)
    n, p = data.shape
    k = n_clusters
    refuse_excess_clusters(k, n)
    check_choice("variant", variant, ("weighted", "plain"))

    def run() -> tuple[float, WeightedLACRun]:
        centers = initial_centers(data, k, init, rng)
        weights, importance = np.full((k, p), 1 / p), np.full(k, 1 / k)
        objective: list[float] = []
        labels = np.full(n, -1, dtype=np.intp)
        best, lowest = (np.inf, labels, centers, weights, importance), np.inf
        seen_before, converged = Repeats(), False
        for _ in range(max_iter):
            distance = weighted_distances(data, centers, weights)
            if variant == "weighted":
                distance *= importance
            labels = distance.argmin(axis=1)
            labels = fill_empty(labels, distance[np.arange(n), labels], k)
            centers = cluster_means(data, labels, k)
            D = feature_dispersions(data, labels, centers)
            weights = lac_weights(importance[:, None] * D, concentration_penalty)
            costs = (weights * D).sum(axis=1)
            importance = cluster_importance(costs, cluster_penalty, smoothing=smoothing)
            objective.append(
                float(importance @ costs)
                + concentration_penalty * float(xlogy(weights, weights).sum())
                + cluster_penalty * float(xlogy(importance, k * importance).sum())
            )
            # That of LAC, to which this comes down where all clusters weigh the same.
            sizes = np.bincount(labels, minlength=k)
            cost = lac_cost(D, weights, k * concentration_penalty, sizes)
            if is_lower(cost, best[0]):
                best = (cost, labels, centers, weights, importance)
            # Weights go on improving after the labels have come to rest.
            stuck = objective[-1] >= lowest - tol * abs(lowest)
            lowest = min(lowest, objective[-1])
            if seen_before(labels) and stuck:
                converged = True
                break
        return best[0], WeightedLACRun(*best[1:], np.array(objective), converged)

    n_starts = n_init if isinstance(init, str) else 1
    return lowest_run((run() for _ in range(n_starts)), lambda made: made[0])[1]


class ClusterWeightClusterer(FeatureWeightClusterer):
    """Base class of the clusterers that weigh features and clusters."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "concentration_penalty": [Interval(Real, 0, None, closed="neither")],
        "cluster_penalty": [Interval(Real, 0, None, closed="neither")],
        "smoothing": [Interval(Real, 0, 1, closed="both")],
        "init": [StrOptions({"k-means++", "random"}), "array-like"],
    }

    def _keep(self, run: Any) -> None:
        super()._keep(run)
        self.cluster_weights_ = run.importance

    def _distances(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        distance = weighted_distances(X, self.cluster_centers_, self.feature_weights_)
        return self.cluster_weights_ * distance


class WeightedLAC(ClusterWeightClusterer):
    r"""Locally adaptive clustering with cluster weights.

    K-means in which each cluster weighs the features by how tightly its objects agree
    in them, and tight clusters weigh more than loose ones [1]_. With :math:`X_{vr}` the
    mean squared distance of the objects of cluster :math:`v` to its centre in feature
    :math:`r`,

    .. math::
        \min \sum_v \omega_v \sum_r w_{vr} X_{vr}
        + \lambda_1 \sum_v \sum_r w_{vr} \ln w_{vr}
        + \lambda_2 \sum_v \omega_v \ln (k \, \omega_v) .

    Notes
    -----
    The steps for centres and weights are exact; assigning objects is not, as in
    :class:`LAC`, so that the objective can rise. The best iterate and the best start
    are found as there, by the objective of :class:`LAC` with the penalty
    :math:`k \lambda_1`, as a mean over objects: a small :math:`\omega_v` forgives a
    loose cluster everything, and could not tell which partition is better.

    References
    ----------
    .. [1] H. Parvin and B. Minaei-Bidgoli, "A clustering ensemble framework based on
       elite selection of weighted clusters", Advances in Data Analysis and
       Classification 7, 2013. :doi:`10.1007/s11634-013-0130-x`
    """

    _algorithm = staticmethod(weighted_lac)

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "variant": [StrOptions({"weighted", "plain"})],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        concentration_penalty: float = 0.2,
        cluster_penalty: float = 1.0,
        smoothing: float = 0.1,
        variant: str = "weighted",
        init: str | ArrayLike = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.concentration_penalty = concentration_penalty
        self.cluster_penalty = cluster_penalty
        self.smoothing = smoothing
        self.variant = variant
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def _distances(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.variant == "weighted":
            return super()._distances(X)
        return weighted_distances(X, self.cluster_centers_, self.feature_weights_)
