"""Fuzzy locally adaptive clustering with weights of the clusters."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlogy

from comitia._parameter_rules import SHARED
from comitia._sklearn import StrOptions
from comitia.cluster.clusterer import (
    best_run,
    cluster_means,
    initial_centers,
    refuse_excess_clusters,
)
from comitia.cluster.fuzzy import fuzziness_for, fuzzy_memberships
from comitia.cluster.lac import lac_weights, weighted_distances
from comitia.methods._types import Seed
from comitia.methods.variable_features._weighted_lac import (
    ClusterWeightClusterer,
    cluster_importance,
)

__all__ = ["FuzzyWeightedLAC", "FuzzyWeightedLACRun", "fuzzy_weighted_lac"]

Array = NDArray[np.float64]

# Squares of differences that are held at a time, of one cluster at least.
_BLOCK = 2**15


class FuzzyWeightedLACRun(NamedTuple):
    """Result of fuzzy locally adaptive clustering with cluster weights."""

    # (n_objects, n_clusters), share of each object in each cluster; rows sum to one
    membership: Array
    centers: Array  # (n_clusters, n_features), weighted means
    # (n_clusters, n_features), weight of each feature in each cluster; rows sum to one
    weights: Array
    importance: Array  # (n_clusters,), weight of each cluster; they sum to one
    # (n_iter + 1,), the objective at the start and after each iteration; it does not
    # rise
    objective: Array
    converged: bool  # whether the memberships stopped changing

    @property
    def labels(self) -> NDArray[np.intp]:
        """The cluster in which each object has its largest share."""
        return self.membership.argmax(axis=1)


def fuzzy_weighted_lac(
    X: ArrayLike,
    n_clusters: int,
    rng: np.random.RandomState,
    *,
    fuzziness: float | str = "auto",
    concentration_penalty: float = 0.2,
    cluster_penalty: float = 1.0,
    smoothing: float = 0.1,
    init: str | ArrayLike = "k-means++",
    n_init: int = 10,
    max_iter: int = 500,
    tol: float = 1e-4,
) -> FuzzyWeightedLACRun:
    """Fuzzy locally adaptive clustering with cluster weights."""
    data = np.asarray(X, dtype=np.float64)
    n, p = data.shape
    k = n_clusters
    refuse_excess_clusters(k, n)
    alpha = fuzziness_for(data) if isinstance(fuzziness, str) else fuzziness

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
        F = fuzzy_memberships(importance * distance, alpha)

        def value() -> float:
            spread = (F**alpha * distance).sum(axis=0) / n
            entropy = xlogy(weights, p * weights).sum(axis=1)
            return float(
                importance @ (spread + concentration_penalty * entropy)
                + cluster_penalty * xlogy(importance, k * importance).sum()
            )

        objective, converged = [value()], False
        for _ in range(max_iter):
            powered = F**alpha
            mass = powered.sum(axis=0)
            means = powered.T @ data / np.where(mass > 0, mass, 1.0)[:, None]
            centers = np.where(mass[:, None] > 0, means, centers)
            D, weights, distance = _adapt(data, powered, centers, concentration_penalty)
            costs = (weights * D).sum(axis=1) + concentration_penalty * xlogy(
                weights, p * weights
            ).sum(axis=1)
            importance = cluster_importance(costs, cluster_penalty, smoothing=smoothing)
            before, F = F, fuzzy_memberships(importance * distance, alpha)
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

    References
    ----------
    .. [1] H. Parvin and B. Minaei-Bidgoli, "A clustering ensemble framework based on
       selection of fuzzy weighted clusters in a locally adaptive clustering algorithm",
       Pattern Analysis and Applications 18, 2015. :doi:`10.1007/s10044-013-0364-4`
    """

    _algorithm = staticmethod(fuzzy_weighted_lac)

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "fuzziness": [*SHARED["fuzziness"], StrOptions({"auto"})],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        fuzziness: float | Literal["auto"] = "auto",
        concentration_penalty: float = 0.2,
        cluster_penalty: float = 1.0,
        smoothing: float = 0.1,
        init: str | ArrayLike = "k-means++",
        n_init: int = 10,
        max_iter: int = 500,
        tol: float = 1e-4,
        random_state: Seed = None,
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
