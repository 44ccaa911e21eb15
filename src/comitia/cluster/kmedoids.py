"""K-medoids on data or on dissimilarities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._sklearn import StrOptions
from comitia._steps import check_choice, check_random_state
from comitia.cluster.clusterer import (
    WeightedClusterer,
    best_run,
    object_weights,
    refuse_excess_clusters,
    warn_unconverged,
)
from comitia.cluster.dissimilarity import dissimilarities
from comitia.exceptions import ComitiaError

__all__ = ["KMedoids", "KMedoidsRun", "around_medoids"]

Floats = NDArray[np.float64]


class KMedoidsRun(NamedTuple):
    """Result of k-medoids.

    Attributes
    ----------
    labels : ndarray of shape (n_objects,)
        The clusters.

    medoids : ndarray of shape (n_clusters,)
        The object at the centre of each cluster, in order.

    objective : ndarray of shape (n_iter + 1,)
        Sum of dissimilarities to the medoids at the start and after each pass.

    converged : bool
        Whether no swap was left that pays.
    """

    labels: NDArray[np.intp]
    medoids: NDArray[np.intp]
    objective: Floats
    converged: bool


def around_medoids(
    D: ArrayLike,
    n_clusters: int,
    rng: np.random.RandomState | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    init: str = "build",
    n_init: int = 1,
    max_iter: int = 100,
) -> KMedoidsRun:
    r"""K-medoids on a dissimilarity matrix.

    Finds objects :math:`g_1, \dots, g_k` of which none can be swapped for another
    object to lower

    .. math::
        \sum_i w_i \min_r D_{i g_r}.

    Parameters
    ----------
    D : array-like of shape (n_objects, n_objects)
        Dissimilarities, not negative; of an object in the rows to a medoid in the
        columns if they are not symmetric.

    n_clusters : int
        Number of clusters.

    rng : RandomState, default=None
        Source of randomness, for random starts.

    sample_weight : array-like of shape (n_objects,), default=None
        Weights :math:`w_i`.

    init : {"build", "random"}, default="build"
        Start from the medoids that a greedy search adds one by one, or from random
        objects.

    n_init : int, default=1
        Number of random starts; the best objective wins.

    max_iter : int, default=100
        Most passes over the objects.

    Returns
    -------
    run : KMedoidsRun
        The best run: labels, medoids, objective, converged.

    Examples
    --------
    >>> around_medoids([[0, 1, 4], [1, 0, 4], [4, 4, 0]], 2).medoids
    array([0, 2])
    """
    from comitia._kernels.cluster_medoids import build_medoids, swap_medoids

    D = np.asarray(D, dtype=np.float64)
    n = len(D)
    refuse_excess_clusters(n_clusters, n)
    w = object_weights(sample_weight, n)
    check_choice("init", init, ("build", "random"))
    if init == "random" and rng is None:
        raise ComitiaError('rng is missing; init="random" draws from it.')
    # The kernels read the dissimilarities of all objects to one candidate in a row.
    to = np.ascontiguousarray(D if np.array_equal(D, D.T) else D.T)

    def run() -> KMedoidsRun:
        if init == "build" or rng is None:
            medoids = build_medoids(to, w, n_clusters)
        else:
            medoids = rng.choice(n, n_clusters, replace=False).astype(np.int64)
        if n_clusters == 1:
            # The best medoid of all objects needs no swaps.
            medoids = build_medoids(to, w, 1)
            cost = float(to[medoids[0]] @ w)
            return _run(D, medoids, [cost, cost], True)
        return _run(D, *swap_medoids(to, w, medoids, max_iter))

    return best_run(n_init if init == "random" else 1, run)


def _run(
    D: Floats, medoids: NDArray[Any], costs: list[float], converged: bool
) -> KMedoidsRun:
    medoids = np.sort(medoids).astype(np.intp)
    labels = D[:, medoids].argmin(axis=1)
    # Of two medoids that are copies of each other, each heads its own cluster.
    labels[medoids] = np.arange(len(medoids))
    return KMedoidsRun(labels, medoids, np.array(costs), bool(converged))


class KMedoids(WeightedClusterer):
    r"""K-medoids.

    The centre of a cluster is one of its objects, so that dissimilarities are all it
    takes. Swaps of a medoid for another object are taken as soon as they lower

    .. math::
        \sum_i w_i \min_r D_{i g_r},

    until none does [1]_.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.

    metric : str or callable, default="euclidean"
        A metric of scikit-learn's ``pairwise_distances``, or "precomputed" when X holds
        the dissimilarities.

    init : {"build", "random"}, default="build"
        Start from the medoids that a greedy search adds one by one, or from random
        objects.

    n_init : int, default=10
        Number of random starts; the best objective wins. The greedy search has one.

    max_iter : int, default=100
        Most passes over the objects.

    random_state : int, RandomState instance or None, default=None
        Seed of the random starts.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        The clusters.

    medoid_indices_ : ndarray of shape (n_clusters,)
        The object at the centre of each cluster, in order.

    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The medoids themselves; not there for precomputed dissimilarities.

    inertia_ : float
        Sum of dissimilarities to the medoids.

    objective_ : ndarray of shape (n_iter_ + 1,)
        The same at the start and after each pass.

    n_iter_ : int
        Number of passes.

    converged_ : bool
        Whether no swap was left that pays.

    References
    ----------
    .. [1] E. Schubert and P. J. Rousseeuw, "Fast and eager k-medoids clustering: O(k)
       runtime improvement of the PAM, CLARA, and CLARANS algorithms", Information
       Systems 101, 2021. :doi:`10.1016/j.is.2021.101804`

    Examples
    --------
    >>> from comitia.cluster import KMedoids
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> KMedoids(2).fit(X).medoid_indices_
    array([1, 4])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "metric": [str, callable],
        "init": [StrOptions({"build", "random"})],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        metric: str | Callable[..., Any] = "euclidean",
        init: str = "build",
        n_init: int = 10,
        max_iter: int = 100,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags

    def _fit(self, X: Floats, sample_weight: ArrayLike | None = None) -> None:
        run = around_medoids(
            dissimilarities(X, self.metric),
            self.n_clusters,
            check_random_state(self.random_state),
            sample_weight=sample_weight,
            init=self.init,
            n_init=self.n_init,
            max_iter=self.max_iter,
        )
        warn_unconverged(run.converged, self, self.max_iter)
        self.labels_ = run.labels
        self.medoid_indices_ = run.medoids
        if self.metric != "precomputed":
            self.cluster_centers_ = X[run.medoids]
        self.inertia_ = float(run.objective[-1])
        self.objective_ = run.objective
        self.n_iter_ = len(run.objective) - 1
        self.converged_ = run.converged

    def _distances(self, X: Floats) -> Floats:
        if self.metric == "precomputed":
            return X[:, self.medoid_indices_]
        return dissimilarities(X, self.metric, self.cluster_centers_)
