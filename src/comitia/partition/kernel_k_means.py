"""K-means in the feature space of a kernel."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.exceptions import ComitiaError
from comitia.optimize.ties import is_lower

__all__ = ["KernelKMeansResult", "kernel_kmeans"]

Floats = NDArray[np.float64]


class KernelKMeansResult(NamedTuple):
    """What kernel k-means found.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        The cluster of each object.

    objective : ndarray
        The objective after each iteration.
    """

    labels: NDArray[np.int32]
    objective: Floats


def kernel_kmeans(
    K: ArrayLike,
    n_clusters: int,
    rng: np.random.RandomState,
    *,
    weights: ArrayLike | None = None,
    shift: float | Literal["auto"] = "auto",
    init: Literal["k-means++", "spectral"] = "k-means++",
    n_init: int = 10,
    max_iter: int = 100,
    tol: float = 1e-7,
) -> KernelKMeansResult:
    r"""Weighted kernel k-means.

    .. math::
        \min \sum_r \sum_{i \in r} a_i \, \lVert \varphi(x_i) - c_r \rVert^2, \qquad
        \lVert \varphi(x_i) - c_r \rVert^2 = K_{ii}
        - \frac{2 \sum_{j \in r} a_j K_{ij}}{\sum_{j \in r} a_j}
        + \frac{\sum_{j, l \in r} a_j a_l K_{jl}}{(\sum_{j \in r} a_j)^2} .

    With :math:`a = d` the degrees of a graph and :math:`K = D^{-1} S D^{-1}` the
    objective is :math:`\operatorname{tr} D^{-1} S` less the normalised association of
    the parts: weighted kernel k-means is the normalised cut [1]_.

    Parameters
    ----------
    K : array-like of shape (n, n)
        A symmetric kernel matrix.

    n_clusters : int
        Number of clusters.

    rng : RandomState
        Draws the starts.

    weights : array-like of shape (n,), default=None
        Weight :math:`a_i` of each object, positive; 1 by default.

    shift : float or "auto", default="auto"
        An indefinite K has negative squared distances, and the objective may rise.
        :math:`\sigma / a_i` is added to the diagonal, which changes the objective of
        every partition by the same :math:`\sigma (n - k)`; "auto" takes the smallest
        :math:`\sigma` that makes the kernel positive semi-definite.

    init : {"k-means++", "spectral"}, default="k-means++"
        Starts from objects drawn by their distance, or from k-means on the leading
        eigenvectors, the relaxed solution.

    n_init : int, default=10
        Number of starts; the best one is returned.

    max_iter : int, default=100
        Most iterations of each start.

    tol : float, default=1e-7
        Stop when the objective falls by less than this share of itself.

    Returns
    -------
    labels : ndarray of shape (n,)
        The cluster of each object.

    objective : ndarray of shape (n_iter,)
        The objective after each iteration, of the kernel as given (not shifted).

    References
    ----------
    .. [1] I. S. Dhillon, Y. Guan and B. Kulis, "Weighted graph cuts without
       eigenvectors: a multilevel approach", IEEE TPAMI 29(11), 2007.
       :doi:`10.1109/TPAMI.2007.1115`

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([0.0, 1.0, 10.0, 11.0])
    >>> labels, objective = kernel_kmeans(np.outer(x, x), 2, np.random.RandomState(0))
    >>> round(objective[-1].item(), 9)
    1.0
    """
    kernel, a = _check(K, weights, n_clusters)
    n = len(kernel)
    if shift == "auto":
        shift = _needed_shift(kernel, a)
    elif not np.isfinite(shift):
        raise ComitiaError(f'shift={shift!r} must be a finite number or "auto".')
    shifted = kernel + np.diag(float(shift) / a) if shift else kernel
    relaxed = _relaxed(shifted, a, n_clusters) if init == "spectral" else None
    best: KernelKMeansResult | None = None
    for _ in range(n_init):
        if relaxed is None:
            start = _drawn(shifted, a, n_clusters, rng)
        else:
            from comitia.partition.k_means import kmeans

            start = kmeans(relaxed, n_clusters, rng, sample_weight=a, n_init=1).labels
        found = _iterate(shifted, a, start, n_clusters, max_iter, tol)
        if best is None or is_lower(found.objective[-1], best.objective[-1]):
            best = found
    assert best is not None
    n_parts = len(np.unique(best.labels))
    return best._replace(objective=best.objective - float(shift) * (n - n_parts))


def _check(
    K: ArrayLike, weights: ArrayLike | None, n_clusters: int
) -> tuple[Floats, Floats]:
    kernel = np.asarray(K, dtype=np.float64)
    if kernel.ndim != 2 or kernel.shape[0] != kernel.shape[1] or len(kernel) == 0:
        raise ComitiaError(f"K must be a square matrix; got shape {kernel.shape}.")
    if not np.isfinite(kernel).all():
        raise ComitiaError("K must be finite; it contains NaN or infinity.")
    if np.abs(kernel - kernel.T).max() > 1e-8 * max(1.0, np.abs(kernel).max()):
        raise ComitiaError("K must be symmetric; give (K + K.T) / 2.")
    n = len(kernel)
    if not 1 <= n_clusters <= n:
        raise ComitiaError(
            f"n_clusters={n_clusters} must be between 1 and the number of objects, {n}."
        )
    a = np.ones(n) if weights is None else np.asarray(weights, dtype=np.float64)
    if a.shape != (n,) or not np.isfinite(a).all() or (a <= 0).any():
        raise ComitiaError(f"weights must be {n} finite positive numbers.")
    return kernel, a


def _needed_shift(kernel: Floats, a: Floats) -> float:
    root = np.sqrt(a)
    lowest = float(np.linalg.eigvalsh(kernel * root * root[:, None])[0])
    # A negative eigenvalue of the size of rounding errors needs no shift.
    rounding = len(kernel) * np.finfo(np.float64).eps * np.abs(kernel).max() * a.max()
    return -lowest if lowest < -rounding else 0.0


def _relaxed(kernel: Floats, a: Floats, n_clusters: int) -> Floats:
    from comitia.optimize.eigenpairs import largest_eigenpairs

    root = np.sqrt(a)
    _, vectors = largest_eigenpairs(
        kernel * root * root[:, None], n_clusters, ties=True
    )
    return vectors / root[:, None]


def _drawn(
    kernel: Floats, a: Floats, n_clusters: int, rng: np.random.RandomState
) -> NDArray[np.int32]:
    """Nearest of the objects that k-means++ draws."""
    diagonal = np.diag(kernel)
    i = rng.choice(len(a), p=a / a.sum())
    distances = [np.maximum(diagonal + diagonal[i] - 2 * kernel[i], 0.0)]
    for _ in range(1, n_clusters):
        potential = a * np.min(distances, axis=0)
        if not potential.any():
            break
        i = rng.choice(len(a), p=potential / potential.sum())
        distances.append(np.maximum(diagonal + diagonal[i] - 2 * kernel[i], 0.0))
    return np.argmin(distances, axis=0).astype(np.int32)


def _iterate(
    kernel: Floats,
    a: Floats,
    labels: NDArray[np.int32],
    n_clusters: int,
    max_iter: int,
    tol: float,
) -> KernelKMeansResult:
    n = len(kernel)
    total = float(a @ np.diag(kernel))
    objective: list[float] = []
    for iteration in range(max_iter):
        indicator = np.zeros((n, n_clusters))
        indicator[np.arange(n), labels] = a
        mass = indicator.sum(axis=0)
        full = mass > 0
        # Mean similarity of each object to each cluster, and of each cluster to itself.
        means = np.zeros((n, n_clusters))
        means[:, full] = kernel @ indicator[:, full] / mass[full]
        inner = np.zeros(n_clusters)
        inner[full] = (indicator * means).sum(axis=0)[full] / mass[full]
        objective.append(total - float(mass @ inner))
        if len(objective) > 1 and (
            objective[-2] - objective[-1] <= tol * abs(objective[-2])
        ):
            break
        if iteration == max_iter - 1:
            break  # the labels stay those of the last objective
        distances = np.diag(kernel)[:, None] - 2 * means + inner
        distances[:, ~full] = np.inf
        new = distances.argmin(axis=1).astype(np.int32)
        _fill_empty(new, distances.min(axis=1) * a, n_clusters)
        if np.array_equal(new, labels):
            break
        labels = new
    return KernelKMeansResult(labels, np.array(objective))


def _fill_empty(labels: NDArray[np.int32], costs: Floats, n_clusters: int) -> None:
    """Give each empty cluster the object that costs most where it is, in place."""
    sizes = np.bincount(labels, minlength=n_clusters)
    for r in np.flatnonzero(sizes == 0):
        costs = np.where(sizes[labels] > 1, costs, 0.0)
        i = int(costs.argmax())
        if costs[i] <= 1e-12 * max(1.0, float(np.abs(costs).max())):
            return
        sizes[labels[i]] -= 1
        labels[i] = r
        costs[i] = 0.0
