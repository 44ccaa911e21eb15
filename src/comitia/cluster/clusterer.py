"""What the clusterers share: checks, starts, empty clusters, restarts."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from comitia._names import matching_rows
from comitia._parameter_rules import Rules, rules_of
from comitia._scales import off_center, untied_weights
from comitia._sklearn import RANDOM_STATE, Interval, validate_data
from comitia._steps import check_random_state, nonnegative_weights
from comitia.exceptions import ComitiaError
from comitia.optimize.ties import lowest_run

__all__ = [
    "Clusterer",
    "FeatureWeightClusterer",
    "FeatureWeightRun",
    "MembershipClusterer",
    "Repeats",
    "TableClusterer",
    "WeightedClusterer",
    "best_run",
    "cluster_means",
    "fill_empty",
    "initial_centers",
    "refuse_excess_clusters",
    "warn_unconverged",
]

# What the parameters that clusterers share may be.
COMMON_CONSTRAINTS: Rules = {
    "n_clusters": [Interval(Integral, 1, None, closed="left")],
    "n_init": [Interval(Integral, 1, None, closed="left")],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "tol": [Interval(Real, 0, None, closed="left")],
    "random_state": RANDOM_STATE,
}


class Run(Protocol):
    """What a run of any algorithm here tells about itself."""

    @property
    def objective(self) -> NDArray[np.float64]:
        """One value per iteration; the last is that of the result."""

    @property
    def converged(self) -> bool:
        """Whether it stopped by itself."""


AnyRun = TypeVar("AnyRun", bound=Run)


class Repeats:
    """Notices labels that were there before.

    An iteration whose next labels depend on the last ones alone has come to rest, or
    goes round in circles, as soon as labels come back.
    """

    def __init__(self) -> None:
        self._seen: set[bytes] = set()

    def __call__(self, labels: NDArray[np.intp]) -> bool:
        """True if these labels were seen before."""
        state = labels.tobytes()
        if state in self._seen:
            return True
        self._seen.add(state)
        return False


class Clusterer(ClusterMixin, BaseEstimator):
    """Base class of the clusterers: how they read data."""

    _parameter_constraints: ClassVar[Rules] = COMMON_CONSTRAINTS

    n_clusters: int

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._parameter_constraints = rules_of(cls)

    def _read(self, X: Any) -> NDArray[np.float64]:
        """Check parameters and data, for fit."""
        self._validate_params()
        X = validate_data(self, X, dtype=np.float64)
        refuse_excess_clusters(self.n_clusters, len(X))
        return X

    def _read_new(self, X: Any) -> NDArray[np.float64]:
        """Check new objects, for predict."""
        check_is_fitted(self)
        return validate_data(self, X, dtype=np.float64, reset=False)


class TableClusterer(Clusterer):
    """Base class of the clusterers of tables: one fit and one predict.

    A clusterer writes ``_fit``, which keeps what was found, and ``_distances``, by
    which new objects find their cluster.
    """

    def _fit(self, X: NDArray[np.float64]) -> None:
        raise TypeError(f"{type(self).__name__} does not say how it clusters.")

    def _distances(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Distance of each object to each cluster, (n, k)."""
        raise TypeError(f"{type(self).__name__} does not say what is near.")

    def _nearest(self, X: NDArray[np.float64]) -> NDArray[np.intp]:
        return self._distances(X).argmin(axis=1)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the data.

        Parameters
        ----------
        X : array-like of shape (n_objects, n_features)
            The data.

        y : None
            Not used; there for scikit-learn's pipelines.

        Returns
        -------
        self : object
            The fitted clusterer.
        """
        self._fit(self._read(X))
        return self

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Label new objects.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features) or (n_new, n_objects)
            New objects; what is between these and the objects given to :meth:`fit`,
            where that is "precomputed".

        Returns
        -------
        labels : ndarray of shape (n_new,)
            The cluster that each is nearest to, or has most membership in.
        """
        return self._nearest(self._read_new(X))


class WeightedClusterer(TableClusterer):
    """Base class of the clusterers whose objects may have weights."""

    def _fit(
        self, X: NDArray[np.float64], sample_weight: ArrayLike | None = None
    ) -> None:
        raise TypeError(f"{type(self).__name__} does not say how it clusters.")

    def fit(
        self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Cluster the data.

        Parameters
        ----------
        X : array-like of shape (n_objects, n_features) or (n_objects, n_objects)
            The data, or what is between objects, where that is "precomputed".

        y : None
            Not used; there for scikit-learn's pipelines.

        sample_weight : array-like of shape (n_objects,), default=None
            Weight of each object.

        Returns
        -------
        self : object
            The fitted clusterer.
        """
        sample_weight = weights_beside(X, sample_weight)
        self._fit(self._read(X), sample_weight)
        return self


class MembershipClusterer(WeightedClusterer):
    """Base class of the clusterers with memberships.

    A clusterer writes ``_run``, which clusters, ``_keep``, which keeps what was found,
    ``membership_`` among it, and ``_memberships`` of new objects.
    """

    max_iter: int
    random_state: Any
    membership_: NDArray[np.float64]

    def _run(
        self, X: NDArray[np.float64], sample_weight: Any, rng: np.random.RandomState
    ) -> Any:
        raise TypeError(f"{type(self).__name__} does not say how it clusters.")

    def _keep(self, run: Any, X: NDArray[np.float64]) -> None:
        raise TypeError(f"{type(self).__name__} does not say what it keeps.")

    def _memberships(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        raise TypeError(f"{type(self).__name__} does not say who belongs where.")

    def _nearest(self, X: NDArray[np.float64]) -> NDArray[np.intp]:
        return self._memberships(X).argmax(axis=1)

    def _fit(
        self, X: NDArray[np.float64], sample_weight: ArrayLike | None = None
    ) -> None:
        run = self._run(X, sample_weight, check_random_state(self.random_state))
        warn_unconverged(run.converged, self, self.max_iter)
        self._keep(run, X)
        self.labels_ = self.membership_.argmax(axis=1)

    def predict_membership(self, X: Any) -> NDArray[np.float64]:
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
        return self._memberships(self._read_new(X))


class FeatureWeightRun(NamedTuple):
    """Result of a k-means in which each cluster weighs the features.

    Attributes
    ----------
    labels : ndarray of shape (n_objects,)
        The clusters.

    centers : ndarray of shape (n_clusters, n_features)
        Their centres.

    weights : ndarray of shape (n_clusters, n_features)
        Weight of each feature in each cluster; rows sum to one.

    objective : ndarray of shape (n_iter,)
        The objective after each iteration.

    converged : bool
        Whether the labels stopped changing, or came back to earlier ones.
    """

    labels: NDArray[np.intp]
    centers: NDArray[np.float64]
    weights: NDArray[np.float64]
    objective: NDArray[np.float64]
    converged: bool


class FeatureWeightClusterer(TableClusterer):
    """Base class of the clusterers that weigh features.

    A clusterer names its ``_algorithm``, a function of the data, the number of
    clusters, the source of randomness and the other parameters, and writes
    ``_distances``, by which objects find their centre.
    """

    _algorithm: ClassVar[Callable[..., Any]]
    max_iter: int
    random_state: Any

    def _run(self, X: NDArray[np.float64], rng: np.random.RandomState) -> Any:
        """Cluster: labels or membership, centers, weights, objective, converged."""
        parameters = self.get_params(deep=False)
        del parameters["random_state"]
        n_clusters = parameters.pop("n_clusters")
        return type(self)._algorithm(X, n_clusters, rng, **parameters)

    def _fit(self, X: NDArray[np.float64]) -> None:
        run = self._run(X, check_random_state(self.random_state))
        warn_unconverged(run.converged, self, self.max_iter)
        self._keep(run)

    def _keep(self, run: Any) -> None:
        self.labels_ = run.labels
        self.cluster_centers_ = run.centers
        self.feature_weights_ = run.weights
        self.objective_ = run.objective
        self.n_iter_ = len(run.objective)
        self.converged_ = run.converged


def refuse_excess_clusters(n_clusters: int, n: int) -> None:
    """Refuse more clusters than objects.

    Parameters
    ----------
    n_clusters : int
        Clusters asked for.

    n : int
        Number of objects.
    """
    if n_clusters > n:
        raise ComitiaError(
            f"n_clusters={n_clusters} is larger than the number of objects; give at "
            f"most {n}, got n_samples={n}."
        )


def weights_beside(X: Any, sample_weight: Any) -> Any:
    """The weights in the order of X, by name where both have names."""
    rows = matching_rows(X, sample_weight, ("X", "sample_weight"))
    return sample_weight if rows is None else np.asarray(sample_weight)[rows]


def object_weights(
    sample_weight: ArrayLike | None, n: int, n_clusters: int = 1
) -> NDArray[np.float64]:
    """Check the weights of the objects; ones by default."""
    weights = nonnegative_weights(sample_weight, n, "sample_weight", "object")
    n_heavy = int(np.count_nonzero(weights))
    if n_heavy < n_clusters:
        raise ComitiaError(
            f"sample_weight is zero for all but {n_heavy} object(s); give at least "
            f"{n_clusters} of them a positive weight."
        )
    return weights


def check_init(
    init: Any, options: tuple[str, ...], n_clusters: int, n_features: int
) -> str | NDArray[np.float64]:
    """Check a start: one of the words, or an array of centres."""
    if isinstance(init, str):
        if init not in options:
            words = ", ".join(f'"{word}"' for word in options)
            raise ComitiaError(f"init={init!r} is none of {words} nor an array.")
        return init
    centers = np.array(init, dtype=np.float64)
    if centers.shape != (n_clusters, n_features) or not np.isfinite(centers).all():
        raise ComitiaError(
            f"init must hold finite centres of shape ({n_clusters}, {n_features}); "
            f"got shape {centers.shape}."
        )
    return centers


def initial_centers(
    X: NDArray[np.float64],
    n_clusters: int,
    init: str | ArrayLike,
    rng: np.random.RandomState,
    weights: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Centres to start from: k-means++, random objects, or those given.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        The objects.

    n_clusters : int
        Number of centres.

    init : {"k-means++", "random"} or array-like of shape (n_clusters, n_features)
        How they are chosen, or the centres themselves.

    rng : RandomState
        Source of randomness.

    weights : ndarray of shape (n_objects,), default=None
        Weights of the objects; objects without weight are not chosen.

    Returns
    -------
    centers : ndarray of shape (n_clusters, n_features)
        The centres.
    """
    start = check_init(init, ("k-means++", "random"), n_clusters, X.shape[1])
    if not isinstance(start, str):
        return start
    if start == "k-means++":
        from sklearn.cluster import kmeans_plusplus

        heavy = np.arange(len(X)) if weights is None else np.flatnonzero(weights)
        centered = off_center(X[heavy])
        _, chosen = kmeans_plusplus(
            centered,
            n_clusters,
            sample_weight=untied_weights(centered)
            * (1.0 if weights is None else weights[heavy]),
            random_state=rng,
        )
        return X[heavy[chosen]]
    p = None if weights is None else weights / weights.sum()
    return X[rng.choice(len(X), n_clusters, replace=False, p=p)]


def cluster_means(
    X: NDArray[np.float64],
    labels: NDArray[np.intp],
    n_clusters: int,
) -> NDArray[np.float64]:
    """Mean of each cluster.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        The objects.

    labels : ndarray of shape (n_objects,)
        Their clusters, from 0.

    n_clusters : int
        Number of clusters.

    Returns
    -------
    means : ndarray of shape (n_clusters, n_features)
        NaN for a cluster without objects.
    """
    from scipy.sparse import csr_array

    n = len(X)
    members = csr_array((np.ones(n), labels, np.arange(n + 1)), shape=(n, n_clusters))
    sizes = np.bincount(labels, minlength=n_clusters)
    totals = np.asarray(members.T @ X)
    with np.errstate(invalid="ignore"):
        return totals / sizes[:, None]


def fill_empty(
    labels: NDArray[np.intp],
    own_distance: NDArray[np.float64],
    n_clusters: int,
    movable: NDArray[np.bool_] | None = None,
) -> NDArray[np.intp]:
    """Give each empty cluster the object farthest from its own centre.

    An object that is alone in its cluster stays there; so k clusters of k objects
    come out of any labels. A cluster stays empty only if no object is movable.

    Parameters
    ----------
    labels : ndarray of shape (n_objects,)
        The clusters, from 0.

    own_distance : ndarray of shape (n_objects,)
        Distance of each object to its centre.

    n_clusters : int
        Number of clusters.

    movable : ndarray of bool of shape (n_objects,), default=None
        Which objects may move; all by default.

    Returns
    -------
    labels : ndarray of shape (n_objects,)
        The clusters after the moves.
    """
    sizes = np.bincount(labels, minlength=n_clusters)
    if sizes.all():
        return labels
    labels = labels.copy()
    farthest_first = np.argsort(-own_distance, kind="stable")
    if movable is not None:
        farthest_first = farthest_first[movable[farthest_first]]
    candidates = iter(farthest_first)
    for c in np.flatnonzero(sizes == 0):
        i = next((i for i in candidates if sizes[labels[i]] > 1), None)
        if i is None:
            break
        sizes[labels[i]] -= 1
        sizes[c] += 1
        labels[i] = c
    return labels


def best_run(n_init: int, run: Callable[[], AnyRun]) -> AnyRun:
    """The run with the lowest final objective; the first of equals.

    Parameters
    ----------
    n_init : int
        Number of runs.

    run : callable
        Makes a run.

    Returns
    -------
    best : object
        The run.
    """
    return lowest_run((run() for _ in range(n_init)), lambda made: made.objective[-1])


def warn_unconverged(converged: bool, who: object, max_iter: int) -> None:
    """Say that a loop was cut short.

    Parameters
    ----------
    converged : bool
        Whether it was not.

    who : object
        The estimator, whose name the warning gives.

    max_iter : int
        Most iterations.
    """
    if not converged:
        warnings.warn(
            f"{type(who).__name__} did not converge in max_iter={max_iter} "
            "iterations; raise max_iter or tol.",
            ConvergenceWarning,
            stacklevel=3,
        )
