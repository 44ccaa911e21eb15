"""Minkowski weighted k-means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._sklearn import Interval, StrOptions
from comitia._steps import check_choice
from comitia.cluster.clusterer import (
    FeatureWeightClusterer,
    FeatureWeightRun,
    fill_empty,
    initial_centers,
    refuse_excess_clusters,
)
from comitia.optimize import power_weights
from comitia.optimize.ties import lowest_run

__all__ = [
    "MinkowskiKMeans",
    "minkowski_distances",
    "minkowski_kmeans",
    "minkowski_runs",
    "minkowski_weights",
]

Array = NDArray[np.float64]

# Distances that are computed together, and stay near.
_TOGETHER = 2**16

# Distances of the runs that wait for their turn.
_KEPT = 2**22


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
        Dispersions :math:`D_{vr}`; of several clusterings with a third axis in front.

    weight_power : float
        The exponent :math:`\beta`, at least 1.

    variant : {"guarded", "offset"}, default="guarded"
        Add the mean dispersion to all of them when one is zero, or always, as the
        authors' program does.

    Returns
    -------
    weights : ndarray of the shape of dispersions
        Rows sum to one.

    Examples
    --------
    >>> minkowski_weights([[1.0, 4.0]], 2.0)
    array([[0.8, 0.2]])
    """
    D = np.asarray(dispersions, dtype=np.float64)
    check_choice("variant", variant, ("guarded", "offset"))
    clusters = (-2, -1)
    raised = (D == 0).any(axis=clusters, keepdims=True) | (variant == "offset")
    if raised.any():
        D = D + np.where(raised, D.mean(axis=clusters, keepdims=True), 0.0)
    return power_weights(_rows(D), weight_power).reshape(D.shape)


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
) -> FeatureWeightRun:
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
    run : FeatureWeightRun
        The best run: labels, centers, weights, objective, converged.
    """
    data = np.ascontiguousarray(X, dtype=np.float64)
    refuse_excess_clusters(n_clusters, len(data))
    starts = [
        initial_centers(data, n_clusters, init, rng)
        for _ in range(n_init if isinstance(init, str) else 1)
    ]
    runs = minkowski_runs(
        data, starts, p=p, weight_power=weight_power, variant=variant, max_iter=max_iter
    )
    return lowest_run(runs, lambda made: made.objective[-1])


def minkowski_runs(
    X: Array,
    starts: Sequence[Array],
    *,
    p: float = 2.0,
    weight_power: float | None = None,
    variant: str = "guarded",
    max_iter: int = 500,
) -> Iterator[FeatureWeightRun]:
    """Minkowski weighted k-means from given centres, start by start.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        The data, standardised.

    starts : sequence of ndarray of shape (n_clusters, n_features)
        First centres of each start; the numbers of clusters may differ.

    p, weight_power, variant, max_iter : float, float, str and int
        As for :func:`minkowski_kmeans`.

    Yields
    ------
    run : FeatureWeightRun
        The runs, in the order of the starts. They do not depend on each other; starts
        with as many clusters are computed together, as far as memory goes.
    """
    columns = np.ascontiguousarray(np.transpose(X), dtype=np.float64)
    beta = p if weight_power is None else weight_power
    most = max(len(centers) for centers in starts) * columns.shape[1]
    step, together = max(1, _KEPT // most), max(1, _TOGETHER // most)
    for first in range(0, len(starts), step):
        some = starts[first : first + step]
        sizes = np.array([len(centers) for centers in some])
        runs: dict[int, FeatureWeightRun] = {}
        for k in np.unique(sizes):
            alike = np.flatnonzero(sizes == k)
            paths = _Paths(len(alike))
            for begin in range(0, len(alike), together):
                which = alike[begin : begin + together]
                centers = np.array([some[s] for s in which], dtype=np.float64)
                descents = _Descents(columns, centers, p, beta, variant)
                descents.run(max_iter, paths, begin)
            runs.update(zip(alike.tolist(), paths.runs(), strict=True))
        for s in range(len(some)):
            yield runs.pop(s)


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


class _Paths:
    """Partitions that starts come by, each until it comes to one that is known.

    What follows a partition depends on it alone. A start that comes to one of its own
    again has come to rest, or goes round in circles; the authors stop there, too. One
    that comes to a partition of another start ends as that one does.
    """

    def __init__(self, n_starts: int) -> None:
        self.objectives: list[list[float]] = [[] for _ in range(n_starts)]
        self.ends: list[Any] = [None] * n_starts
        # Which start came by each partition first, after how many steps.
        self._first: dict[bytes, tuple[int, int]] = {}
        # The place where a start met another, or its own end.
        self._met: list[tuple[int, int] | None] = [None] * n_starts

    def come_by(self, start: int, partition: bytes) -> bool:
        """Whether a start is at a partition that is known, where it ends."""
        place = (start, len(self.objectives[start]))
        state = blake2b(partition, digest_size=16).digest()
        met = self._first.setdefault(state, place)
        if met == place:
            return False
        comes_back = self._followed(met)[0] == start
        self._met[start] = place if comes_back else met
        return True

    def _followed(self, place: tuple[int, int]) -> tuple[int, list[float]]:
        """The start that ends what begins at a place, and the objectives from there."""
        objective: list[float] = []
        while True:
            start, step = place
            objective += self.objectives[start][step:]
            met = self._met[start]
            if met is None or met[0] == start:
                return start, objective
            place = met

    def runs(self) -> Iterator[FeatureWeightRun]:
        """What each start has come to."""
        for start in range(len(self.ends)):
            last, objective = self._followed((start, 0))
            labels, centers, weights = self.ends[last]
            converged = self._met[last] is not None
            yield FeatureWeightRun(
                labels, centers, weights, np.array(objective), converged
            )


class _Descents:
    """Starts with as many clusters each, side by side.

    Clusters that keep their objects keep what was computed for them.
    """

    def __init__(
        self, columns: Array, centers: Array, p: float, beta: float, variant: str
    ) -> None:
        n_starts, self.k, n_features = centers.shape
        self.columns, self.n = columns, columns.shape[1]
        self.p, self.beta, self.variant = float(p), beta, variant
        self.labels = np.full((n_starts, self.n), -1, dtype=np.intp)
        self.centers = centers
        self.weights = np.full(centers.shape, 1 / n_features)
        self.dispersions = np.empty(centers.shape)
        self.distances = np.empty((n_starts, self.k, self.n))
        # Clusters that are other than before, of starts that go on.
        self.stale = np.ones((n_starts, self.k), dtype=bool)

    def run(self, max_iter: int, paths: _Paths, first: int) -> None:
        """Go down from the starts, of which the first has this number in the paths."""
        going = np.arange(len(self.labels))
        for _ in range(max_iter):
            new = self.nearest(going)
            known = np.array(
                [
                    paths.come_by(first + int(s), row.tobytes())
                    for s, row in zip(going, _in_order(new, self.k), strict=True)
                ]
            )
            self.stale[going[known]] = False
            going, new = going[~known], new[~known]
            if not len(going):
                break
            for s, value in zip(going, self.update(going, new), strict=True):
                paths.objectives[first + s].append(float(value))
        ends = zip(self.labels, self.centers, self.weights, strict=True)
        paths.ends[first : first + len(self.labels)] = ends

    def nearest(self, going: NDArray[np.intp]) -> NDArray[np.intp]:
        """The cluster nearest to each object, in some starts; none stays empty."""
        from comitia._kernels.cluster_minkowski import distances_of_power

        distances_of_power(
            self.columns,
            _rows(self.centers),
            _rows(self.weights) ** self.beta,
            self.p,
            np.flatnonzero(self.stale),
            _rows(self.distances),
        )
        distances = self.distances[going]
        labels = distances.argmin(axis=1)
        sizes = np.bincount(self._places(labels), minlength=len(going) * self.k)
        for s in np.flatnonzero((sizes.reshape(-1, self.k) == 0).any(axis=1)):
            labels[s] = fill_empty(labels[s], distances[s].min(axis=0), self.k)
        return labels

    def update(self, going: NDArray[np.intp], labels: NDArray[np.intp]) -> Array:
        """Centres and weights that suit the labels, and the objectives with them."""
        from comitia._kernels.cluster_minkowski import sums_of_power

        changed = self._changed(self.labels[going], labels)
        members, starts = _members(
            self._places(labels), changed.size, changed.reshape(-1)
        )
        members %= self.n
        centers = _centers(self.columns, members, starts, self.p)
        clusters = (going[:, None] * self.k + np.arange(self.k))[changed]
        _rows(self.centers)[clusters] = centers
        _rows(self.dispersions)[clusters] = sums_of_power(
            self.columns, members, starts, centers, self.p
        )
        dispersions = self.dispersions[going]
        weights = minkowski_weights(dispersions, self.beta, self.variant)
        # A dispersion of zero anywhere has a part in the weights of all clusters.
        self.stale[going] = changed | (weights != self.weights[going]).any(axis=2)
        self.labels[going], self.weights[going] = labels, weights
        return np.asarray((weights**self.beta * dispersions).sum(axis=(1, 2)))

    def _places(self, labels: NDArray[np.intp]) -> NDArray[np.intp]:
        """The labels of several starts as those of one, with clusters of their own."""
        return (labels + self.k * np.arange(len(labels))[:, None]).ravel()

    def _changed(
        self, before: NDArray[np.intp], labels: NDArray[np.intp]
    ) -> NDArray[np.bool_]:
        """The clusters that an object left or joined."""
        start, i = (labels != before).nonzero()
        changed = np.zeros((len(labels), self.k), dtype=bool)
        changed[start, before[start, i]] = True
        changed[start, labels[start, i]] = True
        return changed


def _rows(array: Array) -> Array:
    """What there is for each cluster, in one row after the other."""
    return array.reshape(-1, array.shape[-1])


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


def _in_order(labels: NDArray[np.intp], n_clusters: int) -> NDArray[np.int32]:
    """Labels of several starts, with clusters in the order of their first objects."""
    start = np.arange(len(labels))[:, None]
    first = np.empty((len(labels), n_clusters), dtype=np.intp)
    # Of several objects of a cluster the one written last stays, which is the first.
    first[start, labels[:, ::-1]] = np.arange(labels.shape[1])[::-1]
    names = first.argsort(axis=1).argsort(axis=1).astype(np.int32)
    return np.ascontiguousarray(names[start, labels])


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
