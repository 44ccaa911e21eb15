"""Fuzzy c-means on data and fuzzy c-medoids on dissimilarities."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from comitia._arrays import array_namespace
from comitia._sklearn import Interval, StrOptions
from comitia.cluster._base import (
    COMMON_CONSTRAINTS,
    Clusterer,
    best_run,
    check_n_clusters,
    initial_centers,
    object_weights,
    warn_unconverged,
)
from comitia.cluster._dissimilarity import dissimilarities
from comitia.exceptions import ComitiaError

__all__ = [
    "FuzzyCMeans",
    "FuzzyCMedoids",
    "FuzzyMedoidsRun",
    "FuzzyRun",
    "fuzzy_cmeans",
    "fuzzy_cmedoids",
    "fuzzy_memberships",
]

Array = NDArray[np.float64]
Distance = Callable[[Array, Array], Array]
Centers = Callable[[Array, Array], Array]


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
    """

    membership: Array
    centers: Array
    objective: Array
    converged: bool


class FuzzyMedoidsRun(NamedTuple):
    """Result of fuzzy c-medoids.

    Attributes
    ----------
    membership : ndarray of shape (n_objects, n_clusters)
        Memberships; rows sum to one.

    medoids : ndarray of shape (n_clusters,)
        The object at the centre of each cluster.

    objective : ndarray of shape (n_iter + 1,)
        The objective at the start and after each iteration.

    converged : bool
        Whether the medoids stopped changing.
    """

    membership: Array
    medoids: NDArray[np.intp]
    objective: Array
    converged: bool


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
    fuzziness: float = 2.0,
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

    fuzziness : float, default=2.0
        The exponent :math:`\alpha > 1` of the memberships.

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
        The best run: membership, centers, objective, converged.
    """
    data = np.asarray(X, dtype=np.float64)
    check_n_clusters(n_clusters, len(data))
    w = object_weights(sample_weight, len(data), n_clusters)
    distance, centers_of = _geometry(metric, update_centers, data)
    if not isinstance(init, str):
        n_init = 1

    def run() -> FuzzyRun:
        weights = None if sample_weight is None else w
        centers = initial_centers(data, n_clusters, init, rng, weights)
        d = distance(data, centers)
        if isinstance(init, str):
            # An object at a centre belongs to it altogether, and with much fuzziness
            # outweighs all others: centres start from the cells of these objects.
            cells = w[:, None] * np.eye(n_clusters)[d.argmin(axis=1)]
            centers = _without_deserted(centers_of(data, cells), cells, centers)
            d = distance(data, centers)
        F = fuzzy_memberships(d, fuzziness)
        powered = w[:, None] * F**fuzziness
        objective = [float((powered * d).sum())]
        converged = False
        for _ in range(max_iter):
            centers = _without_deserted(centers_of(data, powered), powered, centers)
            d = distance(data, centers)
            before, F = F, fuzzy_memberships(d, fuzziness)
            powered = w[:, None] * F**fuzziness
            objective.append(float((powered * d).sum()))
            if np.abs(F - before).max() <= tol:
                converged = True
                break
        return FuzzyRun(F, centers, np.array(objective), converged)

    return best_run(n_init, run)


def fuzzy_cmedoids(
    D: ArrayLike,
    n_clusters: int,
    rng: np.random.RandomState,
    *,
    fuzziness: float = 2.0,
    sample_weight: ArrayLike | None = None,
    init: str | ArrayLike = "random",
    n_init: int = 10,
    max_iter: int = 300,
) -> FuzzyMedoidsRun:
    r"""Fuzzy c-medoids on a dissimilarity matrix.

    Alternates the best memberships and the best medoids :math:`g_r` of

    .. math::
        \sum_i w_i \sum_r F_{ir}^\alpha \, D_{i g_r}.

    Parameters
    ----------
    D : array-like of shape (n_objects, n_objects)
        Dissimilarities, not negative.

    n_clusters : int
        Number of clusters.

    rng : RandomState
        Source of randomness.

    fuzziness : float, default=2.0
        The exponent :math:`\alpha > 1` of the memberships.

    sample_weight : array-like of shape (n_objects,), default=None
        Weights :math:`w_i`.

    init : "random" or array-like of int, shape (n_clusters,)
        First medoids, all different.

    n_init : int, default=10
        Number of starts; the best objective wins.

    max_iter : int, default=300
        Most iterations of a start.

    Returns
    -------
    run : FuzzyMedoidsRun
        The best run: membership, medoids, objective, converged.

    Notes
    -----
    Two clusters never share a medoid: the medoids are renewed one after the other,
    each among the objects that are no medoid of another cluster. Its old medoid is
    one of them, so the objective cannot rise.
    """
    D = np.asarray(D, dtype=np.float64)
    n = len(D)
    check_n_clusters(n_clusters, n)
    w = object_weights(sample_weight, n)
    if not isinstance(init, str):
        n_init = 1

    def run() -> FuzzyMedoidsRun:
        medoids = _initial_medoids(init, n, n_clusters, rng)
        F = fuzzy_memberships(D[:, medoids], fuzziness)
        objective = [float((w[:, None] * F**fuzziness * D[:, medoids]).sum())]
        converged = False
        for _ in range(max_iter):
            costs = (w[:, None] * F**fuzziness).T @ D
            before, medoids = medoids, medoids.copy()
            for r in range(n_clusters):
                free = costs[r].copy()
                free[np.delete(medoids, r)] = np.inf
                best = int(free.argmin())
                # A tie is no reason to move: the loop stops when medoids stay.
                if free[best] < free[medoids[r]]:
                    medoids[r] = best
            F = fuzzy_memberships(D[:, medoids], fuzziness)
            objective.append(float((w[:, None] * F**fuzziness * D[:, medoids]).sum()))
            if (medoids == before).all():
                converged = True
                break
        return FuzzyMedoidsRun(F, medoids, np.array(objective), converged)

    return best_run(n_init, run)


class FuzzyCMeans(Clusterer):
    r"""Fuzzy c-means.

    Each object belongs to every cluster a little, and the nearer the more [1]_:

    .. math::
        \min_{F, c} \sum_i w_i \sum_r F_{ir}^\alpha \, d(x_i, c_r), \qquad
        \sum_r F_{ir} = 1.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.

    fuzziness : float, default=2.0
        The exponent :math:`\alpha > 1`. Near 1 the memberships become crisp and the
        method k-means; large values blur them.

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

    References
    ----------
    .. [1] J. C. Bezdek, "Pattern Recognition with Fuzzy Objective Function
       Algorithms", Plenum Press, 1981.

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
        **COMMON_CONSTRAINTS,
        "fuzziness": [Interval(Real, 1, None, closed="neither")],
        "metric": [StrOptions({"sqeuclidean", "manhattan", "cosine", "kl"}), callable],
        "init": [StrOptions({"k-means++", "random"}), "array-like"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        fuzziness: float = 2.0,
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

    def fit(
        self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None
    ) -> FuzzyCMeans:
        """Cluster the data.

        Parameters
        ----------
        X : array-like of shape (n_objects, n_features)
            The data.

        y : None
            Not used; there for scikit-learn's pipelines.

        sample_weight : array-like of shape (n_objects,), default=None
            Weight of each object.

        Returns
        -------
        self : object
            The fitted clusterer.
        """
        X = self._read(X)
        run = fuzzy_cmeans(
            X,
            self.n_clusters,
            check_random_state(self.random_state),
            fuzziness=self.fuzziness,
            metric=self.metric,
            sample_weight=sample_weight,
            init=self.init,
            n_init=self.n_init,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        warn_unconverged(run.converged, self, self.max_iter)
        self.membership_ = run.membership
        self.labels_ = run.membership.argmax(axis=1)
        self.cluster_centers_ = run.centers
        self.objective_ = run.objective
        self.n_iter_ = len(run.objective) - 1
        self.converged_ = run.converged
        return self

    def predict_membership(self, X: Any) -> Array:
        """Memberships of new objects.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features)
            New objects.

        Returns
        -------
        membership : ndarray of shape (n_new, n_clusters)
            Rows sum to one.
        """
        X = self._read_new(X)
        distance, _ = _geometry(self.metric, None, X)
        return fuzzy_memberships(distance(X, self.cluster_centers_), self.fuzziness)

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Label new objects.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features)
            New objects.

        Returns
        -------
        labels : ndarray of shape (n_new,)
            The cluster of most membership.
        """
        return self.predict_membership(X).argmax(axis=1)


class FuzzyCMedoids(Clusterer):
    r"""Fuzzy c-medoids.

    Fuzzy c-means for objects of which only dissimilarities are known: the centre of a
    cluster is one of the objects [1]_,

    .. math::
        \min_{F, g} \sum_i w_i \sum_r F_{ir}^\alpha \, D_{i g_r}, \qquad
        \sum_r F_{ir} = 1.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.

    fuzziness : float, default=2.0
        The exponent :math:`\alpha > 1` of the memberships.

    metric : str or callable, default="euclidean"
        A metric of scikit-learn's ``pairwise_distances``, or "precomputed" when X holds
        the dissimilarities.

    n_init : int, default=10
        Number of starts; the best objective wins.

    max_iter : int, default=300
        Most iterations of a start.

    random_state : int, RandomState instance or None, default=None
        Seed of the starts.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        The cluster in which each object has most membership.

    membership_ : ndarray of shape (n_objects, n_clusters)
        Memberships :math:`F`; rows sum to one.

    medoid_indices_ : ndarray of shape (n_clusters,)
        The object at the centre of each cluster.

    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The medoids themselves; not there for precomputed dissimilarities.

    objective_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start and after each iteration.

    n_iter_ : int
        Number of iterations.

    converged_ : bool
        Whether the medoids stopped changing.

    References
    ----------
    .. [1] R. Krishnapuram, A. Joshi, O. Nasraoui and L. Yi, "Low-complexity fuzzy
       relational clustering algorithms for web mining", IEEE Trans. Fuzzy Systems
       9(4), 2001. :doi:`10.1109/91.940971`

    Examples
    --------
    >>> from comitia.cluster import FuzzyCMedoids
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> sorted(FuzzyCMedoids(2, random_state=0).fit(X).medoid_indices_.tolist())
    [1, 4]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{k: v for k, v in COMMON_CONSTRAINTS.items() if k != "tol"},
        "fuzziness": [Interval(Real, 1, None, closed="neither")],
        "metric": [str, callable],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        fuzziness: float = 2.0,
        metric: str | Callable[..., Any] = "euclidean",
        n_init: int = 10,
        max_iter: int = 300,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.fuzziness = fuzziness
        self.metric = metric
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags

    def fit(
        self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None
    ) -> FuzzyCMedoids:
        """Cluster the objects.

        Parameters
        ----------
        X : array-like of shape (n_objects, n_features) or (n_objects, n_objects)
            The data, or dissimilarities when ``metric`` is "precomputed".

        y : None
            Not used; there for scikit-learn's pipelines.

        sample_weight : array-like of shape (n_objects,), default=None
            Weight of each object.

        Returns
        -------
        self : object
            The fitted clusterer.
        """
        X = self._read(X)
        run = fuzzy_cmedoids(
            dissimilarities(X, self.metric),
            self.n_clusters,
            check_random_state(self.random_state),
            fuzziness=self.fuzziness,
            sample_weight=sample_weight,
            n_init=self.n_init,
            max_iter=self.max_iter,
        )
        warn_unconverged(run.converged, self, self.max_iter)
        self.membership_ = run.membership
        self.labels_ = run.membership.argmax(axis=1)
        self.medoid_indices_ = run.medoids
        if self.metric != "precomputed":
            self.cluster_centers_ = X[run.medoids]
        self.objective_ = run.objective
        self.n_iter_ = len(run.objective) - 1
        self.converged_ = run.converged
        return self

    def predict_membership(self, X: Any) -> Array:
        """Memberships of new objects.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features) or (n_new, n_objects)
            New objects, or their dissimilarities to the objects given to :meth:`fit`.

        Returns
        -------
        membership : ndarray of shape (n_new, n_clusters)
            Rows sum to one.
        """
        X = self._read_new(X)
        if self.metric == "precomputed":
            D = X[:, self.medoid_indices_]
        else:
            D = dissimilarities(X, self.metric, self.cluster_centers_)
        return fuzzy_memberships(D, self.fuzziness)

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Label new objects.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features) or (n_new, n_objects)
            New objects, or their dissimilarities to the objects given to :meth:`fit`.

        Returns
        -------
        labels : ndarray of shape (n_new,)
            The cluster of most membership.
        """
        return self.predict_membership(X).argmax(axis=1)


def _geometry(
    metric: str | Distance, update_centers: Centers | None, X: Array
) -> tuple[Distance, Centers]:
    """The distance, and the centres that minimise it."""
    if callable(metric):
        return _checked(metric), update_centers or _means
    if metric not in _GEOMETRIES:
        words = ", ".join(f'"{word}"' for word in _GEOMETRIES)
        raise ComitiaError(f"metric={metric!r} is none of {words} nor a callable.")
    if metric == "kl" and (X < 0).any():
        raise ComitiaError('X has negative entries; metric="kl" needs X >= 0.')
    if metric == "cosine" and not (X != 0).any(axis=1).all():
        raise ComitiaError(
            'X has a row of zeros, which has no direction; metric="cosine" needs one.'
        )
    distance, centers = _GEOMETRIES[metric]
    return distance, update_centers or centers


def _checked(metric: Distance) -> Distance:
    def distance(X: Array, centers: Array) -> Array:
        d = np.asarray(metric(X, centers), dtype=np.float64)
        if d.shape != (len(X), len(centers)):
            raise ComitiaError(
                "metric must give distances of shape (n_objects, n_clusters), "
                f"({len(X)}, {len(centers)}); got shape {d.shape}."
            )
        if not (d >= 0).all():
            raise ComitiaError("metric gave a distance that is negative or NaN.")
        return d

    return distance


def _sqeuclidean(X: Array, centers: Array) -> Array:
    from scipy.spatial.distance import cdist

    # Sums of squared differences: exactly zero for an object at the centre, which
    # |x|^2 - 2xc + |c|^2 is not.
    return cdist(X, centers, "sqeuclidean")


def _manhattan(X: Array, centers: Array) -> Array:
    from scipy.spatial.distance import cdist

    return cdist(X, centers, "cityblock")


def _cosine(X: Array, centers: Array) -> Array:
    # Half the squared distance on the sphere is 1 - cos, and never negative.
    return _sqeuclidean(_on_sphere(X), _on_sphere(centers)) / 2


def _kl(X: Array, centers: Array) -> Array:
    from scipy.special import kl_div

    return np.stack([kl_div(X, c).sum(axis=1) for c in centers], axis=1)


def _means(X: Array, weights: Array) -> Array:
    with np.errstate(invalid="ignore"):
        return (weights.T @ X) / weights.sum(axis=0)[:, None]


def _mean_directions(X: Array, weights: Array) -> Array:
    return _on_sphere(_means(_on_sphere(X), weights))


def _medians(X: Array, weights: Array) -> Array:
    """Lower weighted median of each feature, for each cluster."""
    order = np.argsort(X, axis=0, kind="stable")
    ordered = np.take_along_axis(X, order, axis=0)
    centers = np.empty((weights.shape[1], X.shape[1]))
    for r, w in enumerate(weights.T):
        cumulated = np.cumsum(w[order], axis=0)
        half = (cumulated < cumulated[-1] / 2).sum(axis=0)
        centers[r] = ordered[half, np.arange(X.shape[1])]
    return centers


def _on_sphere(X: Array) -> Array:
    length = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(length > 0, length, 1.0)


_GEOMETRIES: dict[str, tuple[Distance, Centers]] = {
    "sqeuclidean": (_sqeuclidean, _means),
    "manhattan": (_manhattan, _medians),
    "cosine": (_cosine, _mean_directions),
    "kl": (_kl, _means),
}


def _without_deserted(centers: Array, weights: Array, before: Array) -> Array:
    """A cluster that nobody belongs to any more stays where it was."""
    deserted = weights.sum(axis=0) == 0
    return np.where(deserted[:, None], before, centers)


def _initial_medoids(
    init: str | ArrayLike, n: int, n_clusters: int, rng: np.random.RandomState
) -> NDArray[np.intp]:
    if isinstance(init, str):
        if init != "random":
            raise ComitiaError(f'init={init!r} is neither "random" nor an array.')
        return rng.choice(n, n_clusters, replace=False)
    medoids = np.array(init)
    valid = (
        medoids.shape == (n_clusters,)
        and medoids.dtype.kind in "iu"
        and len(np.unique(medoids)) == n_clusters
        and (medoids >= 0).all()
        and (medoids < n).all()
    )
    if not valid:
        raise ComitiaError(
            f"init must name {n_clusters} different objects of 0..{n - 1}; got "
            f"{init!r}."
        )
    return medoids.astype(np.intp)
