"""Gaussian mixtures of objects that have weights."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._sklearn import Interval, StrOptions
from comitia.cluster.clusterer import (
    MembershipClusterer,
    best_run,
    object_weights,
)
from comitia.exceptions import ComitiaError

__all__ = ["GaussianMixtureRun", "WeightedGaussianMixture", "gaussian_log_density"]

Array = NDArray[np.float64]


class GaussianMixtureRun(NamedTuple):
    """Result of expectation maximisation.

    Attributes
    ----------
    proportions : ndarray of shape (n_clusters,)
        Share of each component.

    means : ndarray of shape (n_clusters, n_features)
        Mean of each component.

    covariances : ndarray of shape (n_clusters, n_features, n_features)
        Covariance of each component; (n_clusters, n_features) if diagonal.

    objective : ndarray of shape (n_iter,)
        Minus the weighted mean log-likelihood of the objects before each update.

    converged : bool
        Whether the objective stopped falling.
    """

    proportions: Array
    means: Array
    covariances: Array
    objective: Array
    converged: bool


def gaussian_log_density(
    X: ArrayLike, means: ArrayLike, covariances: ArrayLike
) -> Array:
    r"""Logarithm of the density of several Gaussians.

    .. math::
        \ln \mathcal N(x \mid \mu, \Sigma) = -\tfrac12 \left( p \ln 2\pi
        + \ln \det \Sigma + (x - \mu)' \Sigma^{-1} (x - \mu) \right).

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The points.

    means : array-like of shape (n_clusters, n_features)
        Means :math:`\mu`.

    covariances : array-like
        Covariances :math:`\Sigma` of shape (n_clusters, n_features, n_features), or
        their diagonals of shape (n_clusters, n_features).

    Returns
    -------
    log_density : ndarray of shape (n_objects, n_clusters)
        Natural logarithms.

    Examples
    --------
    >>> gaussian_log_density([[0.0]], [[0.0], [2.0]], [[1.0], [1.0]]).round(6)
    array([[-0.918939, -2.918939]])
    """
    from scipy.linalg import LinAlgError, cholesky, solve_triangular

    X = np.asarray(X, dtype=np.float64)
    means = np.asarray(means, dtype=np.float64)
    covariances = np.asarray(covariances, dtype=np.float64)
    log_density = np.empty((len(X), len(means)))
    for r, (mean, covariance) in enumerate(zip(means, covariances, strict=True)):
        if covariance.ndim == 1:
            if not (covariance > 0).all():
                raise _singular(r)
            log_det = np.log(covariance).sum()
            scaled = (X - mean) / np.sqrt(covariance)
        else:
            try:
                root = cholesky(covariance, lower=True)
            except LinAlgError:
                raise _singular(r) from None
            log_det = 2 * np.log(np.diag(root)).sum()
            scaled = solve_triangular(root, (X - mean).T, lower=True).T
        distance = (scaled**2).sum(axis=1)
        log_density[:, r] = -0.5 * (X.shape[1] * np.log(2 * np.pi) + log_det + distance)
    return log_density


class WeightedGaussianMixture(MembershipClusterer):
    r"""Gaussian mixture of objects that have weights.

    Expectation maximisation of the weighted log-likelihood

    .. math::
        \sum_i w_i \ln \sum_r \pi_r \, \mathcal N(x_i \mid \mu_r, \Sigma_r),

    in which an object of weight two counts like two objects. With equal weights it is
    scikit-learn's ``GaussianMixture``.

    Parameters
    ----------
    n_clusters : int, default=1
        Number of components.

    covariance_type : {"full", "diag"}, default="full"
        Whether features may be correlated inside a component.

    reg_covar : float, default=1e-6
        Added to the variances, so that no component collapses onto a point.

    init : "kmeans" or array-like, default="kmeans"
        Start from a k-means clustering, from means of shape (n_clusters, n_features),
        or from memberships of shape (n_objects, n_clusters) whose rows sum to one.

    n_init : int, default=1
        Number of starts; the best likelihood wins.

    max_iter : int, default=200
        Most iterations of a start.

    tol : float, default=1e-4
        Stop when the mean log-likelihood changes by less.

    random_state : int, RandomState instance or None, default=None
        Seed of k-means.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        The component that is most probable for each object.

    membership_ : ndarray of shape (n_objects, n_clusters)
        Probability of each component, given the object; rows sum to one.

    proportions_ : ndarray of shape (n_clusters,)
        Share :math:`\pi_r` of each component.

    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Means :math:`\mu_r`.

    covariances_ : ndarray of shape (n_clusters, n_features, n_features)
        Covariances :math:`\Sigma_r`; (n_clusters, n_features) if diagonal.

    objective_ : ndarray of shape (n_iter_,)
        Minus the weighted mean log-likelihood before each update.

    n_iter_ : int
        Number of iterations.

    converged_ : bool
        Whether the log-likelihood stopped changing.

    Examples
    --------
    >>> from comitia.cluster import WeightedGaussianMixture
    >>> mixture = WeightedGaussianMixture(1).fit([[0.0], [3.0]], sample_weight=[2, 1])
    >>> mixture.cluster_centers_
    array([[1.]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "covariance_type": [StrOptions({"full", "diag"})],
        "reg_covar": [Interval(Real, 0, None, closed="left")],
        "init": [StrOptions({"kmeans"}), "array-like"],
    }

    def __init__(
        self,
        n_clusters: int = 1,
        *,
        covariance_type: str = "full",
        reg_covar: float = 1e-6,
        init: str | ArrayLike = "kmeans",
        n_init: int = 1,
        max_iter: int = 200,
        tol: float = 1e-4,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.covariance_type = covariance_type
        self.reg_covar = reg_covar
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _run(self, X: Array, sample_weight: Any, rng: np.random.RandomState) -> Any:
        w = object_weights(sample_weight, len(X), self.n_clusters)
        w = w / w.sum()
        n_starts = self.n_init if isinstance(self.init, str) else 1
        return best_run(n_starts, lambda: self._maximize(X, w, rng))

    def _keep(self, run: Any, X: Array) -> None:
        self.proportions_ = run.proportions
        self.cluster_centers_ = run.means
        self.covariances_ = run.covariances
        self.objective_ = run.objective
        self.n_iter_ = len(run.objective)
        self.converged_ = run.converged
        self.membership_ = self._memberships(X)

    def _memberships(self, X: Array) -> Array:
        return _posterior(self._log_joint(X))[0]

    def component_log_density(self, X: Any) -> Array:
        """Logarithm of the density of each component.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features)
            Objects.

        Returns
        -------
        log_density : ndarray of shape (n_new, n_clusters)
            Without the proportions of the components.
        """
        X = self._read_new(X)
        return gaussian_log_density(X, self.cluster_centers_, self.covariances_)

    def score_samples(self, X: Any) -> Array:
        """Logarithm of the density of the mixture.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features)
            Objects.

        Returns
        -------
        log_density : ndarray of shape (n_new,)
            One for each object.
        """
        return _posterior(self._log_joint(self._read_new(X)))[1]

    def _log_joint(self, X: Array) -> Array:
        density = gaussian_log_density(X, self.cluster_centers_, self.covariances_)
        return density + np.log(self.proportions_)

    def _maximize(
        self, X: Array, w: Array, rng: np.random.RandomState
    ) -> GaussianMixtureRun:
        def moments(F: Array) -> tuple[Array, Array, Array]:
            return _moments(X, w[:, None] * F, self.covariance_type, self.reg_covar)

        proportions, means, covariances = moments(self._first_memberships(X, w, rng))
        objective: list[float] = []
        converged = False
        for _ in range(self.max_iter):
            log_joint = gaussian_log_density(X, means, covariances)
            F, log_density = _posterior(log_joint + np.log(proportions))
            objective.append(-float(w @ log_density))
            proportions, means, covariances = moments(F)
            if len(objective) > 1 and abs(objective[-2] - objective[-1]) < self.tol:
                converged = True
                break
        return GaussianMixtureRun(
            proportions, means, covariances, np.array(objective), converged
        )

    def _first_memberships(
        self, X: Array, w: Array, rng: np.random.RandomState
    ) -> Array:
        from scipy.spatial.distance import cdist

        n, k = len(X), self.n_clusters
        if isinstance(self.init, str):
            from sklearn.cluster import KMeans

            model = KMeans(k, n_init=1, random_state=rng)
            return np.eye(k)[model.fit(X, sample_weight=w * n).labels_]
        start = np.asarray(self.init, dtype=np.float64)
        if start.shape == (k, X.shape[1]):
            return np.eye(k)[cdist(X, start, "sqeuclidean").argmin(axis=1)]
        if (
            start.shape == (n, k)
            and (start >= 0).all()
            and np.allclose(start.sum(axis=1), 1.0)
        ):
            return start
        raise ComitiaError(
            f"init must hold means of shape ({k}, {X.shape[1]}) or memberships of "
            f"shape ({n}, {k}) with rows that sum to one; got shape {start.shape}."
        )


def _singular(r: int) -> ComitiaError:
    return ComitiaError(
        f"the covariance of cluster {r} is not positive definite; raise reg_covar or "
        'use covariance_type="diag".'
    )


def _moments(
    X: Array, weights: Array, covariance_type: str, reg_covar: float
) -> tuple[Array, Array, Array]:
    """Proportions, means and covariances of weighted objects in each component."""
    # A component that nobody belongs to any more keeps a trace of a share.
    mass = weights.sum(axis=0) + 10 * np.finfo(np.float64).eps
    means = (weights.T @ X) / mass[:, None]
    n_features = X.shape[1]
    if covariance_type == "diag":
        covariances = np.empty_like(means)
    else:
        covariances = np.empty((len(mass), n_features, n_features))
    for r, mean in enumerate(means):
        centered = X - mean
        if covariance_type == "diag":
            covariances[r] = weights[:, r] @ centered**2 / mass[r] + reg_covar
        else:
            covariances[r] = (weights[:, r] * centered.T) @ centered / mass[r]
            covariances[r].flat[:: n_features + 1] += reg_covar
    return mass / mass.sum(), means, covariances


def _posterior(log_joint: Array) -> tuple[Array, Array]:
    """Probabilities of the components, and the log-density of the mixture."""
    from scipy.special import logsumexp

    log_density = logsumexp(log_joint, axis=1)
    return np.exp(log_joint - log_density[:, None]), log_density
