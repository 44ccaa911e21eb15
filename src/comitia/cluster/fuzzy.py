"""Fuzzy c-means on data and fuzzy c-medoids on dissimilarities."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._arrays import array_namespace
from comitia._sklearn import Interval, StrOptions
from comitia.cluster.clusterer import (
    MembershipClusterer,
    best_run,
    initial_centers,
    object_weights,
    refuse_excess_clusters,
)
from comitia.cluster.fuzzy_geometry import Centers, Distance, geometry_of
from comitia.exceptions import ComitiaError, ComitiaWarning

__all__ = [
    "FuzzyCMeans",
    "FuzzyClusterer",
    "FuzzyRun",
    "fuzziness_for",
    "fuzzy_cmeans",
    "fuzzy_memberships",
    "warn_coincident",
    "with_distinct_clusters",
]

Array = NDArray[np.float64]

# What people use where they have no reason for another.
_USUAL_FUZZINESS = 2.0

# Clusters coincide if no object belongs to one of them by this share more than to the
# other. Loops that stop at a tolerance have not brought them together altogether.
_COINCIDENT = 0.2

# From 2 to 1.008, where memberships are crisp.
_HALVINGS = 7


class HasMembership(Protocol):
    """A run of any fuzzy algorithm."""

    @property
    def membership(self) -> Array:
        """Memberships; rows sum to one."""


AnyFuzzyRun = TypeVar("AnyFuzzyRun", bound=HasMembership)


class FuzzyRun(NamedTuple):
    """Result of fuzzy c-means.

    Attributes
    ----------
    membership : ndarray of shape (n_objects, n_clusters)
        Memberships; rows sum to one.

    centers : ndarray of shape (n_clusters, n_features)
        The centres.

    objective : ndarray of shape (n_iter + 1,)
        The objective at the start and after each iteration.

    converged : bool
        Whether the memberships stopped changing.

    fuzziness : float
        The exponent of the memberships.
    """

    membership: Array
    centers: Array
    objective: Array
    converged: bool
    fuzziness: float


def fuzziness_for(X: ArrayLike) -> float:
    r"""Fuzziness that the number of objects and features asks for.

    Distances to all centres are much the same in many dimensions, and with too much
    fuzziness all centres fall together on the mean. Of n objects in p dimensions,

    .. math::
        \alpha = 1 + \Bigl( \frac{1418}{n} + 22.05 \Bigr) p^{-2}
        + \Bigl( \frac{12.33}{n} + 0.243 \Bigr) p^{-0.0406 \ln n - 0.1134}

    is the least fuzziness that finds no clusters where the values are shuffled [1]_. In
    few dimensions that is more than anybody uses, and 2 is taken.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The data. A feature that does not vary is no dimension.

    Returns
    -------
    fuzziness : float
        The exponent :math:`\alpha`, above 1 and at most 2.

    References
    ----------
    .. [1] V. Schwämmle and O. N. Jensen, "A simple and fast method to determine the
       parameters for fuzzy c-means cluster analysis", Bioinformatics 26(22), 2010.
       :doi:`10.1093/bioinformatics/btq534`

    Examples
    --------
    >>> import numpy as np
    >>> from comitia.cluster.fuzzy import fuzziness_for
    >>> X = np.random.RandomState(0).rand(1000, 50)
    >>> [round(fuzziness_for(X[:, :p]), 2) for p in (2, 10, 50)]
    [2.0, 1.34, 1.06]
    """
    data = np.asarray(X)
    n = len(data)
    p = max(int((data != data[:1]).any(axis=0).sum()), 1)
    least = (
        1.0
        + (1418.0 / n + 22.05) / p**2
        + (12.33 / n + 0.243) * p ** (-0.0406 * np.log(n) - 0.1134)
    )
    return float(min(least, _USUAL_FUZZINESS))


def warn_coincident(X: Array, membership: Array, fuzziness: float, what: str) -> None:
    """Say that clusters are the same, which too much fuzziness makes them.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        The data. Nothing is said if there are fewer different objects than clusters.

    membership : ndarray of shape (n_objects, n_clusters)
        The memberships.

    fuzziness : float
        The exponent they were made with.

    what : str
        The algorithm, for the warning.
    """
    if _needlessly_coincide(X, membership):
        warnings.warn(
            f"Centers of {what} coincide, so that their clusters are the same: "
            f"fuzziness={fuzziness:.3g} is much for these data; lower it, or ask for "
            "fewer clusters.",
            ComitiaWarning,
            stacklevel=3,
        )


def with_distinct_clusters(
    cluster: Callable[[float], AnyFuzzyRun], X: Array
) -> AnyFuzzyRun:
    """Cluster with the fuzziness for the data, or less if clusters coincide.

    Parameters
    ----------
    cluster : callable
        Takes the fuzziness; gives a run with ``membership``.

    X : ndarray of shape (n_objects, n_features)
        The data.

    Returns
    -------
    run : object
        What ``cluster`` gave first without clusters that coincide, or last.
    """
    fuzziness = fuzziness_for(X)
    run = cluster(fuzziness)
    for _ in range(_HALVINGS):
        if not _needlessly_coincide(X, run.membership):
            break
        fuzziness = 1.0 + (fuzziness - 1.0) / 2.0
        run = cluster(fuzziness)
    return run


def _needlessly_coincide(X: Array, membership: Array) -> bool:
    """Whether clusters coincide although there are objects enough for all."""
    return _coincide(membership) and len(np.unique(X, axis=0)) >= membership.shape[1]


def _coincide(membership: Array) -> bool:
    """Whether two clusters have much the same members."""
    columns = np.ascontiguousarray(membership.T)
    largest = columns.max(axis=1, initial=0.0)
    for r in range(1, len(columns)):
        apart = np.abs(columns[:r] - columns[r]).max(axis=1)
        # Clusters that nobody belongs to are deserted, wherever they are.
        if (apart < _COINCIDENT * np.maximum(largest[:r], largest[r])).any():
            return True
    return False


def fuzzy_memberships(distance: Any, fuzziness: float = 2.0) -> Any:
    r"""Best memberships for given distances to the clusters.

    .. math::
        F_{ir} = \frac{d_{ir}^{-1/(\alpha - 1)}}{\sum_s d_{is}^{-1/(\alpha - 1)}},

    the minimiser of :math:`\sum_{ir} F_{ir}^\alpha d_{ir}` with rows that sum to one.
    An object at distance zero from a cluster belongs to it altogether, in equal parts
    if there are several such clusters.

    Parameters
    ----------
    distance : array-like of shape (n_objects, n_clusters)
        Distances :math:`d`, not negative; for fuzzy c-means the squared ones. Any
        array of the array API standard, such as a tensor of PyTorch, will do.

    fuzziness : float, default=2.0
        The exponent :math:`\alpha > 1`.

    Returns
    -------
    membership : array of shape (n_objects, n_clusters)
        Rows sum to one; of the library that the distances are of.

    Examples
    --------
    >>> fuzzy_memberships([[1.0, 3.0], [0.0, 2.0], [0.0, 0.0]])
    array([[0.75, 0.25],
           [1.  , 0.  ],
           [0.5 , 0.5 ]])
    """
    if not fuzziness > 1:
        raise ComitiaError(f"fuzziness={fuzziness} must be larger than 1.")
    d = distance if hasattr(distance, "dtype") else np.asarray(distance)
    xp = array_namespace(d)
    if not xp.isdtype(d.dtype, "real floating"):
        d = xp.astype(d, xp.float64)
    nearest = xp.min(d, axis=1, keepdims=True)
    at_center = d == 0
    # Relative to the nearest cluster no power overflows; one that underflows is zero.
    closeness = nearest / xp.where(at_center, xp.ones_like(d), d)
    closeness = xp.where(nearest == 0, xp.astype(at_center, d.dtype), closeness)
    if fuzziness != 2:
        closeness = closeness ** (1 / (fuzziness - 1))
    return closeness / xp.sum(closeness, axis=1, keepdims=True)


def fuzzy_cmeans(
    X: ArrayLike,
    n_clusters: int,
    rng: np.random.RandomState,
    *,
    fuzziness: float | str = "auto",
    metric: str | Distance = "sqeuclidean",
    update_centers: Centers | None = None,
    sample_weight: ArrayLike | None = None,
    init: str | ArrayLike = "k-means++",
    n_init: int = 10,
    max_iter: int = 300,
    tol: float = 1e-5,
) -> FuzzyRun:
    r"""Fuzzy c-means with object weights and any distance.

    Alternates the best memberships and the best centres of

    .. math::
        \sum_i w_i \sum_r F_{ir}^\alpha \, d(x_i, c_r).

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The data.

    n_clusters : int
        Number of clusters.

    rng : RandomState
        Source of randomness.

    fuzziness : float or "auto", default="auto"
        The exponent :math:`\alpha > 1` of the memberships. "auto" takes
        :func:`fuzziness_for` the data, and halves what it has above 1 while clusters
        coincide, seven times at most.

    metric : {"sqeuclidean", "manhattan", "cosine", "kl"} or callable
        The distance :math:`d`. A callable takes data and centres and gives the
        distances of shape (n_objects, n_clusters).

    update_centers : callable, default=None
        Takes the data and the weights :math:`w_i F_{ir}^\alpha` of shape (n_objects,
        n_clusters) and gives the centres. By default what minimises the objective for
        a named metric, and means for a callable; means are exact for every Bregman
        divergence.

    sample_weight : array-like of shape (n_objects,), default=None
        Weights :math:`w_i`.

    init : {"k-means++", "random"} or array-like of shape (n_clusters, n_features)
        First centres.

    n_init : int, default=10
        Number of starts; the best objective wins.

    max_iter : int, default=300
        Most iterations of a start.

    tol : float, default=1e-5
        Stop when no membership changes by more.

    Returns
    -------
    run : FuzzyRun
        The best run: membership, centers, objective, converged, fuzziness.
    """
    data = np.asarray(X, dtype=np.float64)
    refuse_excess_clusters(n_clusters, len(data))
    w = object_weights(sample_weight, len(data), n_clusters)
    distance, centers_of = geometry_of(metric, update_centers, data)
    if not isinstance(init, str):
        n_init = 1

    def run(alpha: float) -> FuzzyRun:
        weights = None if sample_weight is None else w
        centers = initial_centers(data, n_clusters, init, rng, weights)
        d = distance(data, centers)
        if isinstance(init, str):
            # An object at a centre belongs to it altogether, and with much fuzziness
            # outweighs all others: centres start from the cells of these objects.
            cells = w[:, None] * np.eye(n_clusters)[d.argmin(axis=1)]
            centers = _without_deserted(centers_of(data, cells), cells, centers)
        if metric == "sqeuclidean" and update_centers is None:
            return _alternate_compiled(data, w, centers, alpha, max_iter, tol)
        return _alternate(data, w, centers, alpha, max_iter, tol, distance, centers_of)

    def best_with(alpha: float) -> FuzzyRun:
        return best_run(n_init, lambda: run(alpha))

    if isinstance(fuzziness, str):
        best = with_distinct_clusters(best_with, data)
    else:
        best = best_with(fuzziness)
    warn_coincident(data, best.membership, best.fuzziness, "fuzzy c-means")
    return best


class FuzzyClusterer(MembershipClusterer):
    """Base class of fuzzy c-means and its kin: what they keep of a run."""

    def _keep(self, run: Any, X: Array) -> None:
        self.membership_ = run.membership
        self.cluster_centers_ = run.centers
        self.objective_ = run.objective
        self.n_iter_ = len(run.objective) - 1
        self.converged_ = run.converged
        self.fuzziness_ = run.fuzziness


class FuzzyCMeans(FuzzyClusterer):
    r"""Fuzzy c-means.

    Each object belongs to every cluster a little, and the nearer the more [1]_:

    .. math::
        \min_{F, c} \sum_i w_i \sum_r F_{ir}^\alpha \, d(x_i, c_r), \qquad
        \sum_r F_{ir} = 1.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.

    fuzziness : float or "auto", default="auto"
        The exponent :math:`\alpha > 1`. Near 1 the memberships become crisp and the
        method k-means; large values blur them. "auto" takes 2 in few dimensions and
        less in many.

    metric : {"sqeuclidean", "manhattan", "cosine", "kl"} or callable
        The distance :math:`d`. A callable takes data and centres and gives the
        distances of shape (n_objects, n_clusters); its centres are means, which is
        exact for Bregman divergences. The default is "sqeuclidean".

    init : {"k-means++", "random"} or array-like of shape (n_clusters, n_features)
        First centres.

    n_init : int, default=10
        Number of starts; the best objective wins.

    max_iter : int, default=300
        Most iterations of a start.

    tol : float, default=1e-5
        Stop when no membership changes by more.

    random_state : int, RandomState instance or None, default=None
        Seed of the starts.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        The cluster in which each object has most membership.

    membership_ : ndarray of shape (n_objects, n_clusters)
        Memberships :math:`F`; rows sum to one.

    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centres.

    objective_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start and after each iteration.

    n_iter_ : int
        Number of iterations.

    converged_ : bool
        Whether the memberships stopped changing.

    fuzziness_ : float
        The exponent that was used.

    Notes
    -----
    In many dimensions the distances to all centres are much the same, and a fuzziness
    of 2 puts all centres on the mean: in the 64 dimensions of the handwritten digits
    each object has the membership 0.1 in each of ten clusters. "auto" is

    .. math::
        \alpha = \min \Bigl\{ 2, \; 1 + \Bigl( \frac{1418}{n} + 22.05 \Bigr) p^{-2}
        + \Bigl( \frac{12.33}{n} + 0.243 \Bigr) p^{-0.0406 \ln n - 0.1134} \Bigr\}

    for n objects and p features that vary, the least fuzziness that finds no clusters
    in shuffled values [2]_, or 2 where that is more, as in five dimensions or fewer. If
    clusters coincide all the same, :math:`\alpha - 1` is halved until they do not. With
    a fuzziness that is given, a warning tells of clusters that coincide.

    References
    ----------
    .. [1] J. C. Bezdek, "Pattern Recognition with Fuzzy Objective Function
       Algorithms", Plenum Press, 1981.

    .. [2] V. Schwämmle and O. N. Jensen, "A simple and fast method to determine the
       parameters for fuzzy c-means cluster analysis", Bioinformatics 26(22), 2010.
       :doi:`10.1093/bioinformatics/btq534`

    Examples
    --------
    >>> from comitia.cluster import FuzzyCMeans
    >>> fitted = FuzzyCMeans(2, init=[[0.0], [9.0]]).fit([[0], [1], [4], [9], [10]])
    >>> fitted.labels_
    array([0, 0, 0, 1, 1])
    >>> fitted.membership_[2].round(2)
    array([0.81, 0.19])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "fuzziness": [
            Interval(Real, 1, None, closed="neither"),
            StrOptions({"auto"}),
        ],
        "metric": [StrOptions({"sqeuclidean", "manhattan", "cosine", "kl"}), callable],
        "init": [StrOptions({"k-means++", "random"}), "array-like"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        fuzziness: float | Literal["auto"] = "auto",
        metric: str | Distance = "sqeuclidean",
        init: str | ArrayLike = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-5,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.fuzziness = fuzziness
        self.metric = metric
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _run(self, X: Array, sample_weight: Any, rng: np.random.RandomState) -> Any:
        return fuzzy_cmeans(
            X,
            self.n_clusters,
            rng,
            fuzziness=self.fuzziness,
            metric=self.metric,
            sample_weight=sample_weight,
            init=self.init,
            n_init=self.n_init,
            max_iter=self.max_iter,
            tol=self.tol,
        )

    def _memberships(self, X: Array) -> Array:
        distance, _ = geometry_of(self.metric, None, X)
        return fuzzy_memberships(distance(X, self.cluster_centers_), self.fuzziness_)


def _alternate(
    X: Array,
    w: Array,
    centers: Array,
    fuzziness: float,
    max_iter: int,
    tol: float,
    distance: Distance,
    centers_of: Centers,
) -> FuzzyRun:
    """Memberships and centres in turn, from given centres."""
    d = distance(X, centers)
    F = fuzzy_memberships(d, fuzziness)
    powered = w[:, None] * F**fuzziness
    objective = [float((powered * d).sum())]
    converged = False
    for _ in range(max_iter):
        centers = _without_deserted(centers_of(X, powered), powered, centers)
        d = distance(X, centers)
        before, F = F, fuzzy_memberships(d, fuzziness)
        powered = w[:, None] * F**fuzziness
        objective.append(float((powered * d).sum()))
        if np.abs(F - before).max() <= tol:
            converged = True
            break
    return FuzzyRun(F, centers, np.array(objective), converged, fuzziness)


def _alternate_compiled(
    X: Array, w: Array, centers: Array, fuzziness: float, max_iter: int, tol: float
) -> FuzzyRun:
    """The same for squared Euclidean distances and means, one pass for each round."""
    from comitia._kernels.fuzzy import fuzzy_pass

    X, centers = np.ascontiguousarray(X), np.array(centers, dtype=np.float64, order="C")
    F, mass = np.zeros((len(X), len(centers))), np.empty(len(centers))
    sums = np.empty_like(centers)
    first, _ = fuzzy_pass(X, centers, w, fuzziness, F, sums, mass)
    objective = [first]
    converged = False
    for _ in range(max_iter):
        # A cluster that nobody belongs to any more stays where it was.
        np.divide(sums, mass[:, None], out=centers, where=mass[:, None] > 0)
        value, change = fuzzy_pass(X, centers, w, fuzziness, F, sums, mass)
        objective.append(value)
        if change <= tol:
            converged = True
            break
    return FuzzyRun(F, centers, np.array(objective), converged, fuzziness)


def _without_deserted(centers: Array, weights: Array, before: Array) -> Array:
    """A cluster that nobody belongs to any more stays where it was."""
    deserted = weights.sum(axis=0) == 0
    return np.where(deserted[:, None], before, centers)
