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
    fill_empty,
    initial_centers,
)
from comitia.exceptions import ComitiaError
from comitia.optimize import power_weights

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
    if not p >= 1:
        raise ComitiaError(f"p={p} must be at least 1.")
    columns = np.ascontiguousarray(np.transpose(X), dtype=np.float64)
    members, starts = _members(np.asarray(labels, dtype=np.intp), n_clusters)
    return _centers(columns, members, starts, float(p))


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
    from comitia._kernels.cluster_minkowski import distances_of_power

    columns = np.ascontiguousarray(np.transpose(X), dtype=np.float64)
    centers = np.ascontiguousarray(centers, dtype=np.float64)
    factors = np.ascontiguousarray(weights, dtype=np.float64) ** weight_power
    distance = np.empty((len(centers), columns.shape[1]))
    every = np.arange(len(centers))
    distances_of_power(columns, centers, factors, float(p), every, distance)
    return distance.T


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
    return power_weights(D, weight_power)


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
    check_n_clusters(n_clusters, len(data))
    beta = p if weight_power is None else weight_power

    def run() -> MinkowskiRun:
        centers = initial_centers(data, n_clusters, init, rng)
        return _Descent(data, centers, p, beta, variant).run(max_iter)

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


class _Descent:
    """One start: clusters that keep their objects keep what was computed for them."""

    def __init__(
        self, X: Array, centers: Array, p: float, beta: float, variant: str
    ) -> None:
        (n, n_features), k = X.shape, len(centers)
        self.X, self.columns = X, np.ascontiguousarray(X.T)
        self.p, self.beta, self.variant = float(p), beta, variant
        self.labels = np.full(n, -1, dtype=np.intp)
        self.centers = centers
        self.weights = np.full((k, n_features), 1 / n_features)
        self.dispersions = np.empty((k, n_features))
        self.distances = np.empty((k, n))
        self.stale = np.ones(k, dtype=bool)  # clusters that are other than before

    def run(self, max_iter: int) -> MinkowskiRun:
        objective: list[float] = []
        seen_before, converged = Repeats(), False
        for _ in range(max_iter):
            new = self.nearest()
            # The authors stop at a repetition, too, if it is one of the last two.
            if seen_before(new):
                converged = True
                break
            objective.append(self.update(new))
        return MinkowskiRun(
            self.labels, self.centers, self.weights, np.array(objective), converged
        )

    def nearest(self) -> NDArray[np.intp]:
        """The cluster that is nearest to each object; none stays empty."""
        from comitia._kernels.cluster_minkowski import distances_of_power

        distances_of_power(
            self.columns,
            self.centers,
            self.weights**self.beta,
            self.p,
            np.flatnonzero(self.stale),
            self.distances,
        )
        labels = self.distances.argmin(axis=0)
        return fill_empty(labels, self.distances.min(axis=0), len(self.centers))

    def update(self, labels: NDArray[np.intp]) -> float:
        """Centres and weights that suit the labels, and the objective with them."""
        from comitia._kernels.cluster_minkowski import sums_of_power

        changed = self._changed(labels)
        members, starts = _members(labels, len(changed), changed)
        centers = _centers(self.columns, members, starts, self.p)
        self.centers[changed] = centers
        self.dispersions[changed] = sums_of_power(
            self.columns, members, starts, centers, self.p
        )
        weights = minkowski_weights(self.dispersions, self.beta, self.variant)
        # A dispersion of zero anywhere has a part in the weights of all clusters.
        self.stale = changed | (weights != self.weights).any(axis=1)
        self.labels, self.weights = labels, weights
        return float((weights**self.beta * self.dispersions).sum())

    def _changed(self, labels: NDArray[np.intp]) -> NDArray[np.bool_]:
        """The clusters that an object left or joined."""
        moved = labels != self.labels
        changed = np.zeros(len(self.centers), dtype=bool)
        changed[self.labels[moved]] = True
        changed[labels[moved]] = True
        return changed


def _members(
    labels: NDArray[np.intp],
    n_clusters: int,
    which: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The objects, cluster after cluster, and where each cluster begins.

    Of all clusters, or of those that ``which`` marks.
    """
    sizes = np.bincount(labels, minlength=n_clusters)
    members = np.argsort(labels, kind="stable")
    if which is not None and not which.all():
        members, sizes = members[np.repeat(which, sizes)], sizes[which]
    return members, np.concatenate([[0], np.cumsum(sizes)])


def _centers(
    columns: Array, members: NDArray[np.intp], starts: NDArray[np.intp], p: float
) -> Array:
    """Minkowski centres of the clusters, from data with a row for each feature."""
    if p == 2:
        sums = np.add.reduceat(columns[:, members], starts[:-1], axis=1)
        return np.ascontiguousarray((sums / np.diff(starts)).T)
    if p == 1:
        clusters = np.split(members, starts[1:-1])
        return np.stack([np.median(columns[:, own], axis=1) for own in clusters])
    from comitia._kernels.cluster_minkowski import centers_of_power

    return centers_of_power(columns, members, starts, p)
