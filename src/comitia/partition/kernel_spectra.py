"""Soft partitions by the leading eigenvectors of kernels of several widths."""

from __future__ import annotations

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
from comitia.optimize import SoftPartitions
from comitia.partition._eigen import largest_eigenpairs

__all__ = ["kernel_matrix", "kernel_partitions"]

Floats = NDArray[np.float64]

# Widths of the kernels, as multiples of the median distance.
_NARROWEST, _WIDEST = 0.25, 4.0


def kernel_partitions(
    X: Floats,
    n_clusters: int,
    n_kernels: int,
    kernel: str,
    rng: np.random.RandomState,
    device: str | None = None,
) -> SoftPartitions:
    """Leading eigenvectors of kernels of several widths, and of their mean.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        The data.

    n_clusters : int
        How many eigenvectors.

    n_kernels : int
        How many kernels; their widths go from a quarter to four times the median
        distance.

    kernel : {"rbf", "laplacian"}
        What they are.

    rng : RandomState
        Draws the objects whose distances are looked at.

    device : str or None, default=None
        Where kernels are made and multiplied. Only their products come back, and SciPy
        finds the eigenvectors from them.

    Returns
    -------
    partitions : SoftPartitions
        One for each kernel, as arrays of NumPy; the mean kernel's is the reference.
    """
    from comitia.generate.estimators import median_distance
    from comitia.generate.kernels import gamma_of

    n = len(X)
    require_device_memory(
        4 * n * n,
        f"the kernels of {n} objects",
        device,
        instead="use wcc, wgnmf or dias on clusterings, which are linear in n",
    )
    metric = "cityblock" if kernel == "laplacian" else "euclidean"
    middle = median_distance(X, rng, metric)
    each, mean = [], 0.0
    for width in middle * np.geomspace(_NARROWEST, _WIDEST, n_kernels):
        K = kernel_matrix(X, kernel, gamma_of(kernel, width), device)
        each.append(_leading_eigenvectors(K, n_clusters))
        mean = mean + K / n_kernels
    return SoftPartitions(each, _leading_eigenvectors(mean, n_clusters))


def kernel_matrix(
    X: Floats, kernel: str, gamma: float, device: str | None = None
) -> Any:
    """The kernel of each two objects.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        The data.

    kernel : {"rbf", "laplacian"}
        The kernel.

    gamma : float
        What squared or city-block distances are multiplied by.

    device : str or None, default=None
        Where to compute it.

    Returns
    -------
    K : array of shape (n_objects, n_objects)
        On the device.
    """
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
