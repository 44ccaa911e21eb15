"""Kernel k-means as an estimator."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._scales import off_center_of
from comitia._sklearn import Interval, StrOptions
from comitia._steps import check_random_state
from comitia.cluster.clusterer import (
    WeightedClusterer,
    object_weights,
    warn_unconverged,
)
from comitia.config import require_memory
from comitia.exceptions import ComitiaError

__all__ = ["KernelKMeans"]

Array = NDArray[np.float64]


class KernelKMeans(WeightedClusterer):
    r"""Kernel k-means.

    K-means in the feature space of a kernel, of which only inner products
    :math:`K_{ij}` are needed:

    .. math::
        \min \sum_r \sum_{i \in r} w_i \, \lVert \varphi(x_i) - c_r \rVert^2 .

    Objects of weight zero shape no cluster and are labelled like new ones.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.

    kernel : str or callable, default="rbf"
        A kernel of scikit-learn's ``pairwise_kernels``, or "precomputed" when X holds
        the kernel matrix.

    gamma : float, default=None
        Parameter of the kernels "rbf", "poly", "sigmoid", "laplacian" and "chi2"; one
        by the number of features when None.

    degree : float, default=3
        Degree of the kernel "poly".

    coef0 : float, default=1
        Constant of the kernels "poly" and "sigmoid".

    init : {"k-means++", "spectral"}, default="k-means++"
        Starts from objects drawn by their distance, or from the leading eigenvectors.

    n_init : int, default=10
        Number of starts; the best objective wins.

    max_iter : int, default=300
        Most iterations of a start.

    tol : float, default=1e-7
        Stop when the objective falls by less than this share of itself.

    random_state : int, RandomState instance or None, default=None
        Seed of the starts.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        The clusters.

    inertia_ : float
        Sum of squared distances to the centres, in feature space.

    objective_ : ndarray of shape (n_iter_,)
        The same after each iteration.

    n_iter_ : int
        Number of iterations.

    converged_ : bool
        Whether the objective stopped falling.

    Notes
    -----
    A matrix that is not positive semi-definite gets its diagonal shifted by
    :math:`-\lambda_{\min}`, which adds the same constant to the cost of every
    partition [1]_. Memory grows with the square of the number of objects.

    References
    ----------
    .. [1] I. S. Dhillon, Y. Guan and B. Kulis, "Weighted graph cuts without
       eigenvectors: a multilevel approach", IEEE TPAMI 29(11), 2007.
       :doi:`10.1109/TPAMI.2007.1115`

    Examples
    --------
    >>> from comitia.cluster import KernelKMeans
    >>> X = [[0.0], [1.0], [10.0], [11.0]]
    >>> KernelKMeans(2, kernel="linear", random_state=0).fit(X).inertia_
    1.0...
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [str, callable],
        "gamma": [Interval(Real, 0, None, closed="neither"), None],
        "degree": [Interval(Real, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "init": [StrOptions({"k-means++", "spectral"})],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        kernel: str | Callable[..., Any] = "rbf",
        gamma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        init: Literal["k-means++", "spectral"] = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-7,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def _fit(self, X: Array, sample_weight: ArrayLike | None = None) -> None:
        from comitia.partition import kernel_kmeans

        weights = object_weights(sample_weight, len(X), self.n_clusters)
        heavy = np.flatnonzero(weights)
        K = self._kernel_matrix(X)
        labels, objective = kernel_kmeans(
            K[np.ix_(heavy, heavy)] if len(heavy) < len(X) else K,
            self.n_clusters,
            check_random_state(self.random_state),
            weights=weights[heavy],
            init=self.init,
            n_init=self.n_init,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        converged = len(objective) < self.max_iter
        warn_unconverged(converged, self, self.max_iter)
        # Inner products with the centres are K @ mixture: new objects need no more.
        mixture = np.zeros((len(X), self.n_clusters))
        mixture[heavy, labels] = weights[heavy]
        mass = mixture.sum(axis=0)
        mixture /= np.where(mass > 0, mass, 1.0)
        norms = np.where(mass > 0, (mixture * (K @ mixture)).sum(axis=0), np.inf)
        self._mixture, self._center_norms = mixture, norms
        if self.kernel != "precomputed":
            self._fit_X = X
        self.labels_ = self._to_centers(K).argmin(axis=1)
        self.labels_[heavy] = labels
        self.inertia_ = float(objective[-1])
        self.objective_ = objective
        self.n_iter_ = len(objective)
        self.converged_ = converged

    def _distances(self, X: Array) -> Array:
        if self.kernel == "precomputed":
            return self._to_centers(X)
        return self._to_centers(self._kernel_values(X, self._fit_X))

    def _to_centers(self, K: Array) -> Array:
        """Squared distances to the centres, but for what is the same for all."""
        return self._center_norms - 2 * K @ self._mixture

    def _kernel_matrix(self, X: Array) -> Array:
        n = len(X)
        if self.kernel != "precomputed":
            require_memory(
                8 * n**2,
                f"the kernel matrix of {n} objects",
                "use sklearn.kernel_approximation with KMeans, which are linear in n",
            )
            return self._kernel_values(X)
        if X.shape != (n, n) or not np.allclose(X, X.T):
            raise ComitiaError(
                'kernel="precomputed" needs a square, symmetric matrix; got shape '
                f"{X.shape}."
            )
        return X

    def _kernel_values(self, X: Array, Y: Array | None = None) -> Array:
        from sklearn.metrics.pairwise import pairwise_kernels

        if self.kernel == "rbf":
            X, Y = off_center_of(X, Y)
        return pairwise_kernels(
            X,
            Y,
            metric=self.kernel,
            # Each kernel takes those of these that it knows.
            filter_params=True,
            gamma=self.gamma,
            degree=self.degree,
            coef0=self.coef0,
        )
