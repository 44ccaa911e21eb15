"""Locally adaptive clustering: k-means with feature weights in each cluster."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._sklearn import Interval, StrOptions
from comitia.cluster.clusterer import (
    FeatureWeightClusterer,
    FeatureWeightRun,
    Repeats,
    cluster_means,
    fill_empty,
    initial_centers,
    refuse_excess_clusters,
)
from comitia.exceptions import ComitiaError
from comitia.optimize.ties import is_lower, lowest_run

__all__ = [
    "LAC",
    "feature_dispersions",
    "lac_cost",
    "lac_objective",
    "lac_weights",
    "locally_adaptive",
    "weighted_distances",
]

Array = NDArray[np.float64]


def feature_dispersions(X: ArrayLike, labels: ArrayLike, centers: ArrayLike) -> Array:
    r"""Mean squared distance to the centre, feature by feature.

    .. math::
        X_{vr} = \frac{1}{|C^v|} \sum_{i \in C^v} (c_{vr} - x_{ir})^2.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The data.

    labels : array-like of shape (n_objects,)
        The cluster of each object.

    centers : array-like of shape (n_clusters, n_features)
        The centres.

    Returns
    -------
    dispersions : ndarray of shape (n_clusters, n_features)
        Zero for an empty cluster.

    Examples
    --------
    >>> feature_dispersions([[0, 0], [2, 4]], [0, 0], [[1, 2]])
    array([[1., 4.]])
    """
    X = np.asarray(X, dtype=np.float64)
    labels = np.asarray(labels, dtype=np.intp)
    centers = np.asarray(centers, dtype=np.float64)
    squares = (X - centers[labels]) ** 2
    return np.nan_to_num(cluster_means(squares, labels, len(centers)))


def lac_weights(dispersions: ArrayLike, concentration_penalty: float) -> Array:
    r"""Feature weights that suit the dispersions of the clusters.

    .. math::
        w_{vr} = \frac{e^{-X_{vr} / \lambda}}{\sum_s e^{-X_{vs} / \lambda}},

    the minimiser of :math:`\sum_r w_{vr} X_{vr} + \lambda \sum_r w_{vr} \ln w_{vr}` on
    the simplex.

    Parameters
    ----------
    dispersions : array-like of shape (..., n_features)
        Dispersions :math:`X_{vr}`.

    concentration_penalty : float
        The :math:`\lambda > 0`.

    Returns
    -------
    weights : ndarray of shape (..., n_features)
        The last axis sums to one.

    Examples
    --------
    >>> lac_weights([1.0, 3.0], 2.0).round(6)
    array([0.731059, 0.268941])
    """
    if not concentration_penalty > 0:
        raise ComitiaError(
            f"concentration_penalty={concentration_penalty} must be positive."
        )
    excess = np.asarray(dispersions, dtype=np.float64)
    excess = excess - excess.min(axis=-1, keepdims=True)
    # A tiny penalty may overflow the quotient; the weight is then zero.
    with np.errstate(over="ignore"):
        raw = np.exp(-excess / concentration_penalty)
    return raw / raw.sum(axis=-1, keepdims=True)


def weighted_distances(X: ArrayLike, centers: ArrayLike, weights: ArrayLike) -> Array:
    r"""Squared distances to the centres, with the feature weights of each.

    .. math::
        d_{iv} = \sum_r w_{vr} (c_{vr} - x_{ir})^2.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The data.

    centers, weights : array-like of shape (n_clusters, n_features)
        Centres and feature weights of the clusters.

    Returns
    -------
    distance : ndarray of shape (n_objects, n_clusters)
        The squared distances.

    Examples
    --------
    >>> weighted_distances([[1.0, 2.0]], [[0.0, 0.0]], [[0.75, 0.25]])
    array([[1.75]])
    """
    X = np.asarray(X, dtype=np.float64)
    centers = np.asarray(centers, dtype=np.float64)
    weights = np.asarray(weights, dtype=np.float64)
    distance = np.empty((len(X), len(centers)))
    for v, (center, w) in enumerate(zip(centers, weights, strict=True)):
        distance[:, v] = (X - center) ** 2 @ w
    return distance


def lac_objective(
    dispersions: ArrayLike, weights: ArrayLike, concentration_penalty: float
) -> float:
    r"""Objective of locally adaptive clustering.

    .. math::
        \sum_v \sum_r \left( w_{vr} X_{vr} + \lambda w_{vr} \ln w_{vr} \right).

    Parameters
    ----------
    dispersions, weights : array-like of shape (n_clusters, n_features)
        Dispersions :math:`X_{vr}` and feature weights :math:`w_{vr}`.

    concentration_penalty : float
        The :math:`\lambda > 0`.

    Returns
    -------
    objective : float
        Its value.

    Examples
    --------
    >>> round(lac_objective([[1.0, 3.0]], [[0.5, 0.5]], 2.0), 6)
    0.613706
    """
    from scipy.special import xlogy

    w = np.asarray(weights, dtype=np.float64)
    spread = float((w * np.asarray(dispersions, dtype=np.float64)).sum())
    return spread + concentration_penalty * float(xlogy(w, w).sum())


def lac_cost(
    dispersions: ArrayLike,
    weights: ArrayLike,
    concentration_penalty: float,
    sizes: ArrayLike,
) -> float:
    r"""Objective of locally adaptive clustering as a mean over objects.

    .. math::
        \sum_v \frac{|C^v|}{n} \sum_r
        \left( w_{vr} X_{vr} + \lambda w_{vr} \ln (p \, w_{vr}) \right).

    The sum over clusters, :func:`lac_objective`, is low where some of them hold two or
    three objects, however far all others lie from their centres. The mean over objects
    is not, and can tell which of two partitions is better.

    Parameters
    ----------
    dispersions, weights : array-like of shape (n_clusters, n_features)
        Dispersions :math:`X_{vr}` and feature weights :math:`w_{vr}`.

    concentration_penalty : float
        The :math:`\lambda > 0`.

    sizes : array-like of shape (n_clusters,)
        Number of objects :math:`|C^v|` in each cluster.

    Returns
    -------
    cost : float
        Its value, 0 or more.

    Examples
    --------
    >>> lac_cost([[2.0, 6.0], [1.0, 1.0]], [[0.5, 0.5], [0.5, 0.5]], 1.0, [30, 10])
    3.25
    """
    from scipy.special import xlogy

    w = np.asarray(weights, dtype=np.float64)
    # Equal weights cost nothing, so that a large penalty leaves the spread its digits.
    costs = w * np.asarray(dispersions, dtype=np.float64)
    costs += concentration_penalty * xlogy(w, w.shape[-1] * w)
    return float(np.average(costs.sum(axis=-1), weights=np.asarray(sizes)))


def locally_adaptive(
    X: ArrayLike,
    n_clusters: int,
    rng: np.random.RandomState,
    *,
    concentration_penalty: float = 1.0,
    init: str | ArrayLike = "k-means++",
    n_init: int = 10,
    max_iter: int = 300,
) -> FeatureWeightRun:
    """Locally adaptive clustering.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The data, standardised.

    n_clusters : int
        Number of clusters.

    rng : RandomState
        Source of randomness.

    concentration_penalty : float, default=1.0
        The :math:`\\lambda > 0`; large values make the weights of the features alike.

    init : {"k-means++", "random"} or array-like of shape (n_clusters, n_features)
        First centres.

    n_init : int, default=10
        Number of starts; the lowest mean over objects wins.

    max_iter : int, default=300
        Most iterations of a start.

    Returns
    -------
    run : FeatureWeightRun
        The best run: labels, centers, weights, objective, converged.
    """
    data = np.asarray(X, dtype=np.float64)
    n, p = data.shape
    refuse_excess_clusters(n_clusters, n)

    def run() -> tuple[float, FeatureWeightRun]:
        centers = initial_centers(data, n_clusters, init, rng)
        weights = np.full((n_clusters, p), 1 / p)
        labels = np.full(n, -1, dtype=np.intp)
        objective: list[float] = []
        best = (np.inf, labels, centers, weights)
        seen_before, converged = Repeats(), False
        for _ in range(max_iter):
            distance = weighted_distances(data, centers, weights)
            labels = distance.argmin(axis=1)
            own = distance[np.arange(n), labels]
            labels = fill_empty(labels, own, n_clusters)
            if seen_before(labels):
                converged = True
                break
            centers = cluster_means(data, labels, n_clusters)
            dispersions = feature_dispersions(data, labels, centers)
            weights = lac_weights(dispersions, concentration_penalty)
            objective.append(lac_objective(dispersions, weights, concentration_penalty))
            sizes = np.bincount(labels, minlength=n_clusters)
            cost = lac_cost(dispersions, weights, concentration_penalty, sizes)
            if is_lower(cost, best[0]):
                best = (cost, labels, centers, weights)
        return best[0], FeatureWeightRun(*best[1:], np.array(objective), converged)

    n_starts = n_init if isinstance(init, str) else 1
    return lowest_run((run() for _ in range(n_starts)), lambda made: made[0])[1]


class LAC(FeatureWeightClusterer):
    r"""Locally adaptive clustering.

    K-means in which each cluster weighs the features by how tightly its objects agree
    in them [1]_. With :math:`X_{vr}` the mean squared distance of the objects of
    cluster :math:`v` to its centre in feature :math:`r`,

    .. math::
        \min \sum_v \sum_r \left( w_{vr} X_{vr} + \lambda w_{vr} \ln w_{vr} \right),
        \qquad w_{vr} \propto e^{-X_{vr} / \lambda}.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.

    concentration_penalty : float, default=1.0
        The :math:`\lambda > 0` that keeps weight from gathering on few features. Large
        values give equal weights, that is plain k-means; small ones put all weight of
        a cluster on its tightest feature.

    init : {"k-means++", "random"} or array-like of shape (n_clusters, n_features)
        First centres.

    n_init : int, default=10
        Number of starts; the lowest mean over objects wins.

    max_iter : int, default=300
        Most iterations of a start.

    random_state : int, RandomState instance or None, default=None
        Seed of the starts.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        The clusters.

    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Their means.

    feature_weights_ : ndarray of shape (n_clusters, n_features)
        Weight of each feature in each cluster; rows sum to one.

    objective_ : ndarray of shape (n_iter_,)
        The objective after each iteration.

    n_iter_ : int
        Number of iterations.

    converged_ : bool
        Whether the labels stopped changing, or came back to earlier ones.

    Notes
    -----
    The penalty depends on the scale of the data: standardise the features first. The
    factor :math:`1/|C^v|` in the dispersions means that assigning objects to their
    nearest centre is not a step of descent: the objective can rise, so the best
    iterate is kept. The steps for centres and weights are exact. An empty cluster
    gets the object that is farthest from its centre. The well-scattered first centres
    of [1]_ are those of k-means++ here.

    Which iterate, and which start, is best is told by the same sum with the factor
    :math:`|C^v| / n` for cluster :math:`v`, the mean over objects: without it each
    cluster counts alike, and partitions with clusters of two or three objects have the
    lowest objective. The factor changes neither the best centres nor the best weights,
    and for a large :math:`\lambda` it leaves the objective of k-means.

    References
    ----------
    .. [1] C. Domeniconi and M. Al-Razgan, "Weighted cluster ensembles: methods and
       analysis", ACM TKDD 2(4), 2009. :doi:`10.1145/1460797.1460800`

    Examples
    --------
    Each of two clusters is tight in one feature.

    >>> from comitia.cluster import LAC
    >>> X = [[0.0, -1.0], [0.1, 1.0], [8.0, 8.0], [10.0, 8.1]]
    >>> clusterer = LAC(2, concentration_penalty=0.5, init=[[0.0, 0.0], [9.0, 8.0]])
    >>> clusterer.fit(X).feature_weights_.round(2)
    array([[0.88, 0.12],
           [0.12, 0.88]])
    """

    _algorithm = staticmethod(locally_adaptive)

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "concentration_penalty": [Interval(Real, 0, None, closed="neither")],
        "init": [StrOptions({"k-means++", "random"}), "array-like"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        concentration_penalty: float = 1.0,
        init: str | ArrayLike = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.concentration_penalty = concentration_penalty
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def _distances(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        return weighted_distances(X, self.cluster_centers_, self.feature_weights_)
