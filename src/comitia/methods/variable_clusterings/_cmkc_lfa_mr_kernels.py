"""Soft partitions by the leading eigenvectors of kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._arrays import (
    array_namespace,
    floats_on,
    put_beside,
    require_device_memory,
    to_numpy,
)
from comitia._scales import off_center
from comitia.exceptions import ComitiaError
from comitia.optimize.eigenpairs import largest_eigenpairs

__all__ = [
    "given_kernels",
    "kernel_matrix",
    "kernel_partitions",
    "kernels_of_widths",
]

Floats = NDArray[np.float64]

# Widths of the kernels, as multiples of the median distance.
_NARROWEST, _WIDEST = 0.25, 4.0


def kernel_partitions(
    X: Floats,
    n_clusters: int,
    kernels: Iterable[Callable[[], Any]],
    n_kernels: int,
    device: str | None = None,
) -> tuple[list[Floats], Floats]:
    """Leading eigenvectors of each kernel, and of the mean of all.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        The data.

    n_clusters : int
        Number of eigenvectors.

    kernels : iterable of callable
        Each makes one matrix, when its turn has come: a kernel of shape (n_objects,
        n_objects), or a partition of the objects with other than n_objects columns.

    n_kernels : int
        How many there are.

    device : str, default=None
        Where the kernels are.

    Returns
    -------
    each : list of ndarray of shape (n_objects, n_clusters)
        The eigenvectors of each kernel, or an orthonormal basis of the columns of a
        partition, of which there may be fewer or more.

    reference : ndarray of shape (n_objects, n_clusters)
        Those of the mean. Kernels are scaled to the mean diagonal one, and the kernel
        of a partition is the projection on its columns.
    """
    n = len(X)
    require_device_memory(
        4 * n * n,
        f"the kernels of {n} objects",
        device,
        instead="use wcc, wgnmf or dias on clusterings, which are linear in n",
    )
    each, mean = [], 0.0
    for make in kernels:
        K = make()
        if K.shape[1] != n:
            each.append(_orthonormal(K))
            K = floats_on(each[-1] @ each[-1].T, device)
        else:
            each.append(_leading_eigenvectors(K, n_clusters))
        trace = float(array_namespace(K).linalg.trace(K))
        mean = mean + K / (n_kernels * (trace / n if trace > 0 else 1.0))
    return each, _leading_eigenvectors(mean, n_clusters)


def kernels_of_widths(
    X: Floats,
    kernel: str,
    n_kernels: int,
    rng: np.random.RandomState,
    device: str | None = None,
) -> list[Callable[[], Any]]:
    """One kernel with widths from a quarter to four times the median distance."""
    from comitia.generate.kernels import gamma_of

    middle = _middle(X, kernel, rng)
    widths = middle * np.geomspace(_NARROWEST, _WIDEST, n_kernels)
    return [
        partial(kernel_matrix, X, kernel, gamma_of(kernel, width), device)
        for width in widths
    ]


def given_kernels(
    X: Floats,
    kernels: Sequence[Any],
    rng: np.random.RandomState,
    device: str | None = None,
) -> list[Callable[[], Any]]:
    """Kernels that were asked for one by one: by name, as functions or as matrices."""
    return [partial(_given, X, kernel, rng, device) for kernel in kernels]


def kernel_matrix(
    X: Floats, kernel: str, gamma: float, device: str | None = None
) -> Any:
    """The kernel of each two objects."""
    X = off_center(X)
    if device is None:
        from sklearn.metrics.pairwise import pairwise_kernels

        return pairwise_kernels(X, metric=kernel, gamma=gamma)
    Z = floats_on(X, device)
    xp = array_namespace(Z)
    if kernel == "laplacian":
        # One feature after the other: no array of n x n x features.
        distance = sum(xp.abs(Z[:, None, j] - Z[None, :, j]) for j in range(Z.shape[1]))
    else:
        squares = xp.sum(Z * Z, axis=1)
        distance = squares[:, None] + squares[None, :] - 2.0 * (Z @ Z.T)
        distance = xp.clip(distance, 0.0, None)
    return xp.exp(-float(gamma) * distance)


def _middle(X: Floats, kernel: str, rng: np.random.RandomState) -> float:
    """The median distance, as the kernel measures it."""
    from comitia.generate.estimators import median_distance

    metric = "cityblock" if kernel == "laplacian" else "euclidean"
    return median_distance(X, rng, metric)


def _given(
    X: Floats, kernel: Any, rng: np.random.RandomState, device: str | None
) -> Any:
    n = len(X)
    if isinstance(kernel, str):
        if kernel in ("rbf", "laplacian"):
            from comitia.generate.kernels import gamma_of

            gamma = gamma_of(kernel, _middle(X, kernel, rng))
            return kernel_matrix(X, kernel, gamma, device)
        from sklearn.metrics.pairwise import pairwise_kernels

        return floats_on(pairwise_kernels(X, metric=kernel), device)
    made = kernel(X) if callable(kernel) else kernel
    K = np.asarray(made, dtype=np.float64)
    if K.ndim != 2 or len(K) != n or not np.isfinite(K).all():
        raise ComitiaError(
            f"a kernel has the shape {K.shape}; give finite numbers, a kernel of shape "
            f"({n}, {n}) or a partition with {n} rows."
        )
    if K.shape[1] != n:
        return K
    if not np.allclose(K, K.T, rtol=1e-8, atol=1e-8 * np.abs(K).max(initial=0.0)):
        raise ComitiaError(
            "a kernel is not symmetric: K[i, j] must be K[j, i] for all objects."
        )
    return floats_on((K + K.T) / 2, device)


def _orthonormal(partition: Floats) -> Floats:
    """An orthonormal basis of the columns."""
    left, sizes, _ = np.linalg.svd(partition, full_matrices=False)
    return np.asarray(left[:, sizes > 1e-10 * sizes.max(initial=0.0)])


def _leading_eigenvectors(K: Any, n_vectors: int) -> Floats:
    if not isinstance(K, np.ndarray):
        K = _products_of(K)
    return largest_eigenpairs(K, n_vectors)[1]


def _products_of(K: Any) -> Any:
    """A matrix on a device as what SciPy's iterations ask for: its products."""
    from scipy.sparse.linalg import LinearOperator

    dtype = to_numpy(K[:1, :1]).dtype

    class Products(LinearOperator):
        def _matvec(self, x: NDArray[Any]) -> NDArray[Any]:
            return to_numpy(K @ put_beside(np.ravel(x), K))

        def toarray(self) -> NDArray[Any]:
            return to_numpy(K)

    make: Any = Products  # SciPy's stubs describe the functions that make operators
    return make(dtype, tuple(K.shape))
