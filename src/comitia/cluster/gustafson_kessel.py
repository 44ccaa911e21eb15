"""Fuzzy clusters of any ellipsoidal shape: the algorithm of Gustafson and Kessel."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comitia._sklearn import Interval, StrOptions
from comitia.cluster.clusterer import (
    best_run,
    object_weights,
)
from comitia.cluster.fuzzy import (
    FuzzyClusterer,
    fuzzy_cmeans,
    fuzzy_memberships,
    warn_coincident,
    with_distinct_clusters,
)
from comitia.exceptions import ComitiaWarning

__all__ = ["GustafsonKessel"]

Array = NDArray[np.float64]


class EllipsoidRun(NamedTuple):
    """Result of one start."""

    membership: Array
    centers: Array
    norms: Array
    objective: Array
    converged: bool
    fuzziness: float


class GustafsonKessel(FuzzyClusterer):
    r"""Fuzzy clustering with a fuzzy covariance matrix.

    Fuzzy c-means in which each cluster has a metric of its own, so that clusters can be
    longer in one direction than in another [1]_:

    .. math::
        \min_{F, c, A} \sum_i w_i \sum_r F_{ir}^\alpha \,
        (x_i - c_r)' A_r (x_i - c_r), \qquad
        \sum_r F_{ir} = 1, \quad \det A_r = 1.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.

    fuzziness : float or "auto", default="auto"
        The exponent :math:`\alpha > 1`. Near 1 the memberships become crisp; large
        values blur them. "auto" takes 2 in few dimensions and less in many, as
        :class:`FuzzyCMeans` does.

    shrinkage : float or "auto", default="auto"
        How much of a covariance, :math:`\gamma` in (0, 1], is that of a ball; with 1
        all clusters are balls, as in fuzzy c-means. "auto" takes more, the fewer
        objects a cluster has for each feature.

    n_init : int, default=3
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

    norms_ : ndarray of shape (n_clusters, n_features, n_features)
        The matrices :math:`A_r`.

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
    Centres are means with the weights :math:`w_i F_{ir}^\alpha`, and for p features

    .. math::
        A_r = \det(\Sigma_r)^{1/p} \, \Sigma_r^{-1}, \qquad
        \Sigma_r = (1 - \gamma)
        \frac{\sum_i w_i F_{ir}^\alpha (x_i - c_r)(x_i - c_r)'}
        {\sum_i w_i F_{ir}^\alpha} + \gamma \sigma^2 I,

    with :math:`\sigma^2` the mean variance of the features. Without the second term a
    covariance is singular as soon as a cluster lies in a plane [2]_ (where
    :math:`\sigma^2` is the root of the determinant, which is zero if a feature is a
    sum of others). "auto" is :math:`\gamma = p / (p + n / k)`. With it the objective
    may rise a little. A start is fuzzy c-means.

    References
    ----------
    .. [1] D. E. Gustafson and W. C. Kessel, "Fuzzy clustering with a fuzzy covariance
       matrix", IEEE Conference on Decision and Control, 1978.
       :doi:`10.1109/CDC.1978.268028`

    .. [2] R. Babuska, P. J. van der Veen and U. Kaymak, "Improved covariance estimation
       for Gustafson-Kessel clustering", IEEE FUZZ, 2002.
       :doi:`10.1109/FUZZ.2002.1006654`

    Examples
    --------
    >>> from comitia.cluster import GustafsonKessel
    >>> X = [[0, 0], [4, 0], [8, 0], [20, -4], [20, 0], [20, 4]]
    >>> labels = GustafsonKessel(2, random_state=0).fit(X).labels_
    >>> (labels == labels[0]).tolist()
    [True, True, True, False, False, False]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "fuzziness": [
            Interval(Real, 1, None, closed="neither"),
            StrOptions({"auto"}),
        ],
        "shrinkage": [Interval(Real, 0, 1, closed="right"), StrOptions({"auto"})],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        fuzziness: float | Literal["auto"] = "auto",
        shrinkage: float | Literal["auto"] = "auto",
        n_init: int = 3,
        max_iter: int = 300,
        tol: float = 1e-5,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.fuzziness = fuzziness
        self.shrinkage = shrinkage
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _run(self, X: Array, sample_weight: Any, rng: np.random.RandomState) -> Any:
        w = object_weights(sample_weight, len(X), self.n_clusters)

        def best_with(alpha: float) -> EllipsoidRun:
            return best_run(self.n_init, lambda: self._one_run(X, w, alpha, rng))

        if isinstance(self.fuzziness, str):
            run = with_distinct_clusters(best_with, X)
        else:
            run = best_with(self.fuzziness)
        warn_coincident(X, run.membership, run.fuzziness, "Gustafson and Kessel")
        return run

    def _keep(self, run: Any, X: Array) -> None:
        super()._keep(run, X)
        self.norms_ = run.norms

    def _memberships(self, X: Array) -> Array:
        d = ellipsoidal_distances(X, self.cluster_centers_, self.norms_)
        return fuzzy_memberships(d, self.fuzziness_)

    def _one_run(
        self, X: Array, w: Array, alpha: float, rng: np.random.RandomState
    ) -> EllipsoidRun:
        """One start."""
        n, p = X.shape
        shrinkage = self.shrinkage
        if isinstance(shrinkage, str):
            shrinkage = p / (p + n / self.n_clusters)
        spread = np.average((X - np.average(X, 0, w)) ** 2, 0, w).mean() or 1.0
        with warnings.catch_warnings():
            # Balls may coincide that ellipsoids tell apart.
            warnings.simplefilter("ignore", ComitiaWarning)
            start = fuzzy_cmeans(
                X, self.n_clusters, rng, fuzziness=alpha, sample_weight=w, n_init=1
            )
        F, centers = start.membership, start.centers
        norms = np.broadcast_to(np.eye(p), (self.n_clusters, p, p))
        objective = [float(start.objective[-1])]
        converged = False
        for _ in range(self.max_iter):
            powered = w[:, None] * F**alpha
            centers, norms = ellipsoids(X, powered, centers, shrinkage, spread)
            d = ellipsoidal_distances(X, centers, norms)
            before, F = F, fuzzy_memberships(d, alpha)
            objective.append(float((w[:, None] * F**alpha * d).sum()))
            if np.abs(F - before).max() <= self.tol:
                converged = True
                break
        return EllipsoidRun(F, centers, norms, np.array(objective), converged, alpha)


def ellipsoids(
    X: Array, weights: Array, before: Array, shrinkage: float, spread: float
) -> tuple[Array, Array]:
    """Centers and matrices of clusters, for given weights of the objects in them.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        The data.

    weights : ndarray of shape (n_objects, n_clusters)
        Weight of each object in each cluster.

    before : ndarray of shape (n_clusters, n_features)
        Where a cluster stays that nobody belongs to.

    shrinkage : float
        How much of a covariance is that of a ball.

    spread : float
        The variance of that ball.

    Returns
    -------
    centers : ndarray of shape (n_clusters, n_features)
        The centres.

    norms : ndarray of shape (n_clusters, n_features, n_features)
        The matrices, of determinant one.
    """
    p = X.shape[1]
    mass = weights.sum(axis=0)
    centers, norms = before.copy(), np.tile(np.eye(p), (len(mass), 1, 1))
    for r in np.flatnonzero(mass > 0):
        share = weights[:, r] / mass[r]
        centers[r] = share @ X
        apart = X - centers[r]
        covariance = (1.0 - shrinkage) * (apart.T * share) @ apart
        covariance[np.diag_indices(p)] += shrinkage * spread
        scale = np.exp(np.linalg.slogdet(covariance)[1] / p)
        norms[r] = scale * np.linalg.inv(covariance)
    return centers, norms


def ellipsoidal_distances(X: Array, centers: Array, norms: Array) -> Array:
    """Squared distance of each object to each center, by the matrix of the cluster.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        The objects.

    centers : ndarray of shape (n_clusters, n_features)
        The centres.

    norms : ndarray of shape (n_clusters, n_features, n_features)
        The matrices.

    Returns
    -------
    distances : ndarray of shape (n_objects, n_clusters)
        Not negative.
    """
    out = np.empty((len(X), len(centers)))
    for r, (center, norm) in enumerate(zip(centers, norms, strict=True)):
        apart = X - center
        out[:, r] = np.maximum(((apart @ norm) * apart).sum(axis=1), 0.0)
    return out
