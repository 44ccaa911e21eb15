"""Minkowski weighted k-means."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._sklearn import Interval, StrOptions
from comitia.cluster._base import (
    COMMON_CONSTRAINTS,
    FeatureWeightClusterer,
    Repeats,
    best_run,
    check_n_clusters,
    cluster_means,
    fill_empty,
    initial_centers,
)
from comitia.exceptions import ComitiaError
from comitia.optimise import power_weights

__all__ = [
    "MinkowskiKMeans",
    "MinkowskiRun",
    "minkowski_centers",
    "minkowski_distances",
    "minkowski_kmeans",
    "minkowski_weights",
]

Array = NDArray[np.float64]


class MinkowskiRun(NamedTuple):
    """Result of Minkowski weighted k-means.

    Attributes
    ----------
    labels : ndarray of shape (n_objects,)
        The clusters.

    centers : ndarray of shape (n_clusters, n_features)
        Their Minkowski centres.

    weights : ndarray of shape (n_clusters, n_features)
        Weight of each feature in each cluster; rows sum to one.

    objective : ndarray of shape (n_iter,)
        Sum of the weighted distances after each iteration.

    converged : bool
        Whether the labels stopped changing, or came back to earlier ones.
    """

    labels: NDArray[np.intp]
    centers: Array
    weights: Array
    objective: Array
    converged: bool


def minkowski_centers(
    X: ArrayLike, labels: ArrayLike, n_clusters: int, p: float
) -> Array:
    r"""Minkowski centre of each cluster.

    .. math::
        c_{vr} = \arg\min_c \sum_{i \in C^v} |x_{ir} - c|^p,

    the median for :math:`p = 1`, the mean for :math:`p = 2`.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The data.

    labels : array-like of shape (n_objects,)
        The cluster of each object; no cluster is empty.

    n_clusters : int
        Number of clusters.

    p : float
        The exponent, at least 1.

    Returns
    -------
    centers : ndarray of shape (n_clusters, n_features)
        The centres.

    Examples
    --------
    >>> X = [[0.0], [0.0], [3.0]]
    >>> [minkowski_centers(X, [0, 0, 0], 1, p)[0, 0].round(6).item() for p in (1, 2, 3)]
    [0.0, 1.0, 1.242641]
    """
    X = np.ascontiguousarray(X, dtype=np.float64)
    labels = np.asarray(labels, dtype=np.intp)
    if not p >= 1:
        raise ComitiaError(f"p={p} must be at least 1.")
    if p == 2:
        return cluster_means(X, labels, n_clusters)
    if p == 1:
        return np.stack([np.median(X[labels == v], axis=0) for v in range(n_clusters)])
    from comitia._kernels.cluster_minkowski import centers_of_power

    members = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[members], np.arange(n_clusters + 1))
    return centers_of_power(X, members, starts, float(p))


def minkowski_distances(
    X: ArrayLike, centers: ArrayLike, weights: ArrayLike, p: float, weight_power: float
) -> Array:
    r"""Weighted Minkowski distances to the centres, to the power p.

    .. math::
        d_{iv} = \sum_r w_{vr}^\beta \, |x_{ir} - c_{vr}|^p.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The data.

    centers, weights : array-like of shape (n_clusters, n_features)
        Centres and feature weights of the clusters.

    p : float
        The exponent of the distances.

    weight_power : float
        The exponent :math:`\beta` of the weights.

    Returns
    -------
    distance : ndarray of shape (n_objects, n_clusters)
        The distances.

    Examples
    --------
    >>> minkowski_distances([[1.0, 2.0]], [[0.0, 0.0]], [[0.5, 0.5]], 3.0, 3.0)
    array([[1.125]])
    """
    X = np.asarray(X, dtype=np.float64)
    centers = np.asarray(centers, dtype=np.float64)
    factors = np.asarray(weights, dtype=np.float64) ** weight_power
    distance = np.empty((len(X), len(centers)))
    for v, (center, factor) in enumerate(zip(centers, factors, strict=True)):
        distance[:, v] = _power(np.abs(X - center), p) @ factor
    return distance


def minkowski_weights(
    dispersions: ArrayLike, weight_power: float, variant: str = "guarded"
) -> Array:
    r"""Feature weights that suit the dispersions of the clusters.

    .. math::
        w_{vr} = \frac{1}{\sum_s (D_{vr} / D_{vs})^{1/(\beta - 1)}},

    the minimiser of :math:`\sum_r w_{vr}^\beta D_{vr}` on the simplex; for
    :math:`\beta = 1` all weight is on the feature of least dispersion.

    Parameters
    ----------
    dispersions : array-like of shape (n_clusters, n_features)
        Dispersions :math:`D_{vr}`.

    weight_power : float
        The exponent :math:`\beta`, at least 1.

    variant : {"guarded", "offset"}, default="guarded"
        Add the mean dispersion to all of them when one is zero, or always, as the
        authors' program does.

    Returns
    -------
    weights : ndarray of shape (n_clusters, n_features)
        Rows sum to one.

    Examples
    --------
    >>> minkowski_weights([[1.0, 4.0]], 2.0)
    array([[0.8, 0.2]])
    """
    D = np.asarray(dispersions, dtype=np.float64)
    if variant not in ("guarded", "offset"):
        raise ComitiaError(f'variant={variant!r} is neither "guarded" nor "offset".')
    if variant == "offset" or (D == 0).any():
        D = D + D.mean()
    return np.stack([power_weights(row, weight_power) for row in D])


def minkowski_kmeans(
    X: ArrayLike,
    n_clusters: int,
    rng: np.random.RandomState,
    *,
    p: float = 2.0,
    weight_power: float | None = None,
    variant: str = "guarded",
    init: str | ArrayLike = "random",
    n_init: int = 10,
    max_iter: int = 500,
) -> MinkowskiRun:
    """Minkowski weighted k-means.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The data, standardised.

    n_clusters : int
        Number of clusters.

    rng : RandomState
        Source of randomness.

    p : float, default=2.0
        The exponent of the distances, at least 1.

    weight_power : float, default=None
        The exponent of the weights, at least 1; that of the distances by default.

    variant : {"guarded", "offset"}, default="guarded"
        Add the mean dispersion to all of them when one is zero, or always.

    init : {"random", "k-means++"} or array-like of shape (n_clusters, n_features)
        First centres.

    n_init : int, default=10
        Number of starts; the best objective wins.

    max_iter : int, default=500
        Most iterations of a start.

    Returns
    -------
    run : MinkowskiRun
        The best run: labels, centers, weights, objective, converged.
    """
    data = np.ascontiguousarray(X, dtype=np.float64)
    n, n_features = data.shape
    check_n_clusters(n_clusters, n)
    beta = p if weight_power is None else weight_power

    def run() -> MinkowskiRun:
        centers = initial_centers(data, n_clusters, init, rng)
        weights = np.full((n_clusters, n_features), 1 / n_features)
        labels = np.full(n, -1, dtype=np.intp)
        objective: list[float] = []
        seen_before, converged = Repeats(), False
        for _ in range(max_iter):
            distance = minkowski_distances(data, centers, weights, p, beta)
            new = distance.argmin(axis=1)
            new = fill_empty(new, distance[np.arange(n), new], n_clusters)
            # The authors stop at a repetition, too, if it is one of the last two.
            if seen_before(new):
                converged = True
                break
            labels = new
            centers = minkowski_centers(data, labels, n_clusters, p)
            deviations = _power(np.abs(data - centers[labels]), p)
            D = _cluster_sums(deviations, labels, n_clusters)
            weights = minkowski_weights(D, beta, variant)
            objective.append(float((weights**beta * D).sum()))
        return MinkowskiRun(labels, centers, weights, np.array(objective), converged)

    return best_run(n_init if isinstance(init, str) else 1, run)


class MinkowskiKMeans(FeatureWeightClusterer):
    r"""Minkowski weighted k-means.

    K-means with the Minkowski distance of exponent :math:`p` and feature weights in
    each cluster [1]_:

    .. math::
        \min \sum_v \sum_{i \in C^v} \sum_r w_{vr}^\beta \, |x_{ir} - c_{vr}|^p,
        \qquad w_{vr} = \frac{1}{\sum_s (D_{vr} / D_{vs})^{1/(\beta - 1)}},

    with the dispersions :math:`D_{vr} = \sum_{i \in C^v} |x_{ir} - c_{vr}|^p`.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.

    p : float, default=2.0
        The exponent of the distances, at least 1.

    weight_power : float, default=None
        The exponent :math:`\beta` of the weights, at least 1; equal to :math:`p` by
        default, so that weights rescale the features. At 1 each cluster puts all
        weight on one feature.

    variant : {"guarded", "offset"}, default="guarded"
        Add the mean dispersion to all of them when one is zero, or always, as the
        authors' program does.

    init : {"random", "k-means++"} or array-like of shape (n_clusters, n_features)
        First centres.

    n_init : int, default=10
        Number of starts; the best objective wins.

    max_iter : int, default=500
        Most iterations of a start.

    random_state : int, RandomState instance or None, default=None
        Seed of the starts.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        The clusters.

    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Their Minkowski centres.

    feature_weights_ : ndarray of shape (n_clusters, n_features)
        Weight of each feature in each cluster; rows sum to one.

    inertia_ : float
        Sum of the weighted distances.

    objective_ : ndarray of shape (n_iter_,)
        The same after each iteration.

    n_iter_ : int
        Number of iterations.

    converged_ : bool
        Whether the labels stopped changing, or came back to earlier ones.

    Notes
    -----
    Standardise the features first. Without the offset of the dispersions all steps
    are exact and the objective never rises; with it the weights are not quite the
    best, and the objective can rise by a little. An empty cluster gets the object
    that is farthest from its centre.

    References
    ----------
    .. [1] R. Cordeiro de Amorim and B. Mirkin, "Minkowski metric, feature weighting and
       anomalous cluster initializing in K-Means clustering", Pattern Recognition
       45(3), 2012. :doi:`10.1016/j.patcog.2011.08.012`

    Examples
    --------
    The second feature is noise.

    >>> from comitia.cluster import MinkowskiKMeans
    >>> X = [[0.0, 4.0], [0.1, 0.0], [5.0, 4.1], [5.1, 0.1]]
    >>> fitted = MinkowskiKMeans(2, p=3.0, init=[[0.0, 2.0], [5.0, 2.0]]).fit(X)
    >>> fitted.feature_weights_.round(2)
    array([[1., 0.],
           [1., 0.]])
    """

    _algorithm = staticmethod(minkowski_kmeans)

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{k: v for k, v in COMMON_CONSTRAINTS.items() if k != "tol"},
        "p": [Interval(Real, 1, None, closed="left")],
        "weight_power": [Interval(Real, 1, None, closed="left"), None],
        "variant": [StrOptions({"guarded", "offset"})],
        "init": [StrOptions({"random", "k-means++"}), "array-like"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        p: float = 2.0,
        weight_power: float | None = None,
        variant: str = "guarded",
        init: str | ArrayLike = "random",
        n_init: int = 10,
        max_iter: int = 500,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.p = p
        self.weight_power = weight_power
        self.variant = variant
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def _keep(self, run: Any) -> None:
        super()._keep(run)
        self.inertia_ = float(run.objective[-1])

    def _distances(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        beta = self.p if self.weight_power is None else self.weight_power
        return minkowski_distances(
            X, self.cluster_centers_, self.feature_weights_, self.p, beta
        )


def _power(distance: Array, p: float) -> Array:
    """Powers, without the cost of a power where it is a product or nothing at all."""
    if p == 1:
        return distance
    return distance * distance if p == 2 else distance**p


def _cluster_sums(values: Array, labels: NDArray[np.intp], n_clusters: int) -> Array:
    sizes = np.bincount(labels, minlength=n_clusters)
    return cluster_means(values, labels, n_clusters) * sizes[:, None]
