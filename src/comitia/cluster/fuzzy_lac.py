"""Fuzzy locally adaptive clustering with weights of the clusters."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlogy

from comitia._sklearn import Interval
from comitia.cluster.clusterer import (
    COMMON_CONSTRAINTS,
    best_run,
    check_n_clusters,
    cluster_means,
    initial_centers,
)
from comitia.cluster.fuzzy import fuzzy_memberships
from comitia.cluster.lac import lac_weights, weighted_distances
from comitia.cluster.weighted_lac import ClusterWeightClusterer, cluster_importance

__all__ = ["FuzzyWeightedLAC", "FuzzyWeightedLACRun", "fuzzy_weighted_lac"]

Array = NDArray[np.float64]

# Squares of differences that are held at a time, of one cluster at least.
_BLOCK = 2**15


class FuzzyWeightedLACRun(NamedTuple):
    """Result of fuzzy locally adaptive clustering with cluster weights.

    Attributes
    ----------
    membership : ndarray of shape (n_objects, n_clusters)
        Share of each object in each cluster; rows sum to one.

    centers : ndarray of shape (n_clusters, n_features)
        Weighted means.

    weights : ndarray of shape (n_clusters, n_features)
        Weight of each feature in each cluster; rows sum to one.

    importance : ndarray of shape (n_clusters,)
        Weight of each cluster; they sum to one.

    objective : ndarray of shape (n_iter + 1,)
        The objective at the start and after each iteration; it does not rise.

    converged : bool
        Whether the memberships stopped changing.
    """

    membership: Array
    centers: Array
    weights: Array
    importance: Array
    objective: Array
    converged: bool

    @property
    def labels(self) -> NDArray[np.intp]:
        """The cluster in which each object has its largest share."""
        return self.membership.argmax(axis=1)


def fuzzy_weighted_lac(
    X: ArrayLike,
    n_clusters: int,
    rng: np.random.RandomState,
    *,
    fuzziness: float = 2.0,
    concentration_penalty: float = 0.2,
    cluster_penalty: float = 1.0,
    smoothing: float = 0.1,
    init: str | ArrayLike = "k-means++",
    n_init: int = 10,
    max_iter: int = 500,
    tol: float = 1e-4,
) -> FuzzyWeightedLACRun:
    r"""Fuzzy locally adaptive clustering with cluster weights.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The data, standardised.

    n_clusters : int
        Number of clusters.

    rng : RandomState
        Source of randomness.

    fuzziness : float, default=2.0
        The exponent :math:`\alpha > 1` of the memberships.

    concentration_penalty : float, default=0.2
        The :math:`\lambda_1 > 0` of the weights of features, for each object.

    cluster_penalty : float, default=1.0
        The :math:`\lambda_2 > 0` of the weights of clusters, for each object.

    smoothing : float, default=0.1
        The least weight of a cluster, as a share of the equal weight.

    init : {"k-means++", "random"} or array-like of shape (n_clusters, n_features)
        First centres.

    n_init : int, default=10
        Number of starts; the best objective wins.

    max_iter : int, default=500
        Most iterations of a start.

    tol : float, default=1e-4
        A start ends when no membership changes by more.

    Returns
    -------
    run : FuzzyWeightedLACRun
        The best run.
    """
    data = np.asarray(X, dtype=np.float64)
    n, p = data.shape
    k = n_clusters
    check_n_clusters(k, n)

    def run() -> FuzzyWeightedLACRun:
        centers = initial_centers(data, k, init, rng)
        weights, importance = np.full((k, p), 1 / p), np.full(k, 1 / k)
        distance = weighted_distances(data, centers, weights)
        if isinstance(init, str):
            # An object at a centre belongs to it altogether; from the mean of the
            # objects that are nearest, all have a say.
            means = cluster_means(data, distance.argmin(axis=1), k)
            centers = np.where(np.isnan(means), centers, means)
            distance = weighted_distances(data, centers, weights)
        F = fuzzy_memberships(importance * distance, fuzziness)

        def value() -> float:
            spread = (F**fuzziness * distance).sum(axis=0) / n
            entropy = xlogy(weights, p * weights).sum(axis=1)
            return float(
                importance @ (spread + concentration_penalty * entropy)
                + cluster_penalty * xlogy(importance, k * importance).sum()
            )

        objective, converged = [value()], False
        for _ in range(max_iter):
            powered = F**fuzziness
            mass = powered.sum(axis=0)
            means = powered.T @ data / np.where(mass > 0, mass, 1.0)[:, None]
            centers = np.where(mass[:, None] > 0, means, centers)
            D, weights, distance = _adapt(data, powered, centers, concentration_penalty)
            costs = (weights * D).sum(axis=1) + concentration_penalty * xlogy(
                weights, p * weights
            ).sum(axis=1)
            importance = cluster_importance(costs, cluster_penalty, smoothing=smoothing)
            before, F = F, fuzzy_memberships(importance * distance, fuzziness)
            objective.append(value())
            if np.abs(F - before).max() <= tol:
                converged = True
                break
        return FuzzyWeightedLACRun(
            F, centers, weights, importance, np.array(objective), converged
        )

    return best_run(n_init if isinstance(init, str) else 1, run)


def _adapt(
    X: Array, powered: Array, centers: Array, concentration_penalty: float
) -> tuple[Array, Array, Array]:
    """Dispersions, the weights that suit them, and the distances with these weights.

    Some clusters at a time, so that their squares are taken once and fit into memory
    that is near.
    """
    (n, p), k = X.shape, len(centers)
    D, weights, distance = np.empty((k, p)), np.empty((k, p)), np.empty((n, k))
    step = min(k, max(1, _BLOCK // X.size))
    room = np.empty((step, n, p))
    for first in range(0, k, step):
        block = slice(first, first + step)
        squares = room[: len(centers[block])]
        np.subtract(X, centers[block, None], out=squares)
        np.square(squares, out=squares)
        # Over the number of objects, so that penalties mean the same for all data.
        D[block] = np.matmul(powered.T[block, None], squares)[:, 0] / n
        weights[block] = lac_weights(D[block], concentration_penalty)
        distance[:, block] = np.matmul(squares, weights[block, :, None])[:, :, 0].T
    return D, weights, distance


class FuzzyWeightedLAC(ClusterWeightClusterer):
    r"""Fuzzy locally adaptive clustering with cluster weights.

    Fuzzy c-means in which each cluster weighs the features by how tightly its objects
    agree in them, and tight clusters weigh more than loose ones [1]_:

    .. math::
        \min \sum_v \omega_v \sum_r \left( w_{vr} X_{vr}
        + \lambda_1 w_{vr} \ln (p \, w_{vr}) \right)
        + \lambda_2 \sum_v \omega_v \ln (k \, \omega_v) ,
        \qquad X_{vr} = \frac{1}{n} \sum_i F_{iv}^\alpha (c_{vr} - x_{ir})^2 .

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.

    fuzziness : float, default=2.0
        The exponent :math:`\alpha > 1` of the memberships.

    concentration_penalty : float, default=0.2
        The :math:`\lambda_1 > 0` that keeps weight from gathering on few features.

    cluster_penalty : float, default=1.0
        The :math:`\lambda_2 > 0` that keeps weight from gathering on few clusters.

    smoothing : float, default=0.1
        The least weight of a cluster, as a share of the equal weight :math:`1/k`.

    init : {"k-means++", "random"} or array-like of shape (n_clusters, n_features)
        First centres.

    n_init : int, default=10
        Number of starts; the best objective wins.

    max_iter : int, default=500
        Most iterations of a start.

    tol : float, default=1e-4
        A start ends when no membership changes by more.

    random_state : int, RandomState instance or None, default=None
        Seed of the starts.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        The cluster in which each object has the largest share.

    membership_ : ndarray of shape (n_objects, n_clusters)
        Share of each object in each cluster; rows sum to one.

    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Weighted means.

    feature_weights_ : ndarray of shape (n_clusters, n_features)
        Weight of each feature in each cluster; rows sum to one.

    cluster_weights_ : ndarray of shape (n_clusters,)
        Weight of each cluster; they sum to one.

    objective_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start and after each iteration; it does not rise.

    n_iter_ : int
        Number of iterations.

    converged_ : bool
        Whether the memberships stopped changing.

    References
    ----------
    .. [1] H. Parvin and B. Minaei-Bidgoli, "A clustering ensemble framework based on
       selection of fuzzy weighted clusters in a locally adaptive clustering algorithm",
       Pattern Analysis and Applications 18, 2015. :doi:`10.1007/s10044-013-0364-4`

    Examples
    --------
    >>> from comitia.cluster import FuzzyWeightedLAC
    >>> X = [[0.0, -1.0], [0.1, 1.0], [8.0, 8.0], [10.0, 8.1]]
    >>> FuzzyWeightedLAC(2, init=[[0.0, 0.0], [9.0, 8.0]]).fit(X).labels_
    array([0, 0, 1, 1])
    """

    _algorithm = staticmethod(fuzzy_weighted_lac)

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ClusterWeightClusterer._parameter_constraints,
        "fuzziness": [Interval(Real, 1, None, closed="neither")],
        "tol": COMMON_CONSTRAINTS["tol"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        fuzziness: float = 2.0,
        concentration_penalty: float = 0.2,
        cluster_penalty: float = 1.0,
        smoothing: float = 0.1,
        init: str | ArrayLike = "k-means++",
        n_init: int = 10,
        max_iter: int = 500,
        tol: float = 1e-4,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.fuzziness = fuzziness
        self.concentration_penalty = concentration_penalty
        self.cluster_penalty = cluster_penalty
        self.smoothing = smoothing
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _keep(self, run: Any) -> None:
        super()._keep(run)
        self.membership_ = run.membership
        self.n_iter_ = len(run.objective) - 1
