r"""Relaxed partitions of several views, each from a graph that explains the view.

A view is explained by itself: each object is a combination of the others, and how
much they give is the weight of an edge. Partitions are orthonormal
:math:`F` of shape (n, k); only :math:`FF'` matters, which does not change when the
columns are rotated.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comitia._arrays import array_namespace
from comitia.optimize.concept import reduce_features

__all__ = [
    "SubspaceRun",
    "partition_consensus",
    "partition_distance",
    "partition_weights",
    "ridge_inverse",
    "self_representation",
    "subspace_partitions",
    "view_partition",
]

Array = NDArray[np.float64]

# Partitions nearer than this count as this far apart: their weight stays finite.
_SMALLEST = 1e-8


class SubspaceRun(NamedTuple):
    """Result of partition-level subspace clustering.

    Attributes
    ----------
    consensus : array of shape (n_objects, n_clusters)
        The consensus, with orthonormal columns.

    partitions : list of array of shape (n_objects, n_clusters)
        The partition of each view, with orthonormal columns.

    weights : ndarray of shape (n_views,)
        Weights of the views.

    objective : ndarray of shape (n_iter,)
        The objective after each sweep.

    best : int
        Which of these the result has: the lowest.

    converged : bool
        Whether the consensus stopped changing.
    """

    consensus: Any
    partitions: list[Any]
    weights: Array
    objective: Array
    best: int
    converged: bool


def partition_distance(F: Any, G: Any) -> float:
    r"""How far two relaxed partitions are apart.

    .. math::
        \|FF' - GG'\|_F = \sqrt{2k - 2 \|F'G\|_F^2} = \sqrt2 \, \|G - F(F'G)\|_F .

    Parameters
    ----------
    F, G : array of shape (n_objects, k)
        The partitions, with orthonormal columns.

    Returns
    -------
    distance : float
        From 0 for the same subspace to :math:`\sqrt{2k}` for orthogonal ones.

    Examples
    --------
    >>> import numpy as np
    >>> partition_distance(np.eye(4)[:, :2], np.eye(4)[:, 2:])
    2.0
    """
    xp = array_namespace(F, G)
    # The form without a difference of large numbers.
    apart = G - F @ (F.T @ G)
    return float(xp.sqrt(2.0 * xp.sum(apart * apart)))


def partition_weights(consensus: Any, partitions: Sequence[Any]) -> Array:
    r"""Weights of partitions, the larger the nearer they are to the consensus.

    .. math::
        w_m = \frac{1}{2 \|F^* F^{*\prime} - F^m F^{m\prime}\|_F}

    Parameters
    ----------
    consensus : array of shape (n_objects, k)
        The consensus :math:`F^*`.

    partitions : list of array of shape (n_objects, k)
        The partitions :math:`F^m`.

    Returns
    -------
    weights : ndarray of shape (n_views,)
        The weights; a distance below 1e-8 counts as that much.

    Examples
    --------
    >>> import numpy as np
    >>> partition_weights(np.eye(4)[:, :2], [np.eye(4)[:, 2:]])
    array([0.25])
    """
    distances = [partition_distance(consensus, F) for F in partitions]
    return 0.5 / np.maximum(distances, _SMALLEST)


def ridge_inverse(X: Any, penalty: float) -> Any:
    r"""Inverse of the regularised inner products, :math:`(XX' + \lambda I)^{-1}`.

    Parameters
    ----------
    X : array of shape (n_objects, n_features)
        A view.

    penalty : float
        What is added to the diagonal, :math:`\lambda > 0`.

    Returns
    -------
    P : array of shape (n_objects, n_objects)
        The inverse.
    """
    xp = array_namespace(X)
    n, p = X.shape
    eye = _identity(n, X)
    if p >= n:
        return xp.linalg.inv(X @ X.T + penalty * eye)
    # The same, with an inverse as large as there are features (Woodbury).
    inner = xp.linalg.inv(X.T @ X + penalty * _identity(p, X))
    return (eye - X @ inner @ X.T) / penalty


def self_representation(P: Any, F: Any, penalty: float, graph_penalty: float) -> Any:
    r"""How much the objects give to each other, with regard to a partition.

    .. math::
        Z_j = (XX' + \lambda_1 I)^{-1} \Bigl( X x_j
        - \tfrac{\lambda_2}{4} \bigl[ \|F_i - F_j\|^2 \bigr]_i \Bigr),

    the minimiser of :math:`\|X' - X'Z\|_F^2 + \lambda_1 \|Z\|_F^2
    + \tfrac{\lambda_2}{2} \sum_{ij} Z_{ij} \|F_i - F_j\|^2`; then negative numbers are
    set to zero and Z is replaced by :math:`(Z + Z') / 2`.

    Parameters
    ----------
    P : array of shape (n_objects, n_objects)
        The inverse, of :func:`ridge_inverse`.

    F : array of shape (n_objects, k)
        A partition.

    penalty : float
        The one of the inverse, :math:`\lambda_1`.

    graph_penalty : float
        How much the partition counts, :math:`\lambda_2`.

    Returns
    -------
    Z : array of shape (n_objects, n_objects)
        Weights of edges, symmetric and non-negative.
    """
    xp = array_namespace(P, F)
    # P XX' = I - penalty P, and the squared distances have k + 2 factors.
    lengths = xp.sum(F * F, axis=1)[:, None]
    ones = xp.ones_like(lengths)
    apart = P @ xp.concat([lengths, ones, -2.0 * F], axis=1)
    apart = apart @ xp.concat([ones, lengths, F], axis=1).T
    Z = _identity(P.shape[0], P) - penalty * P - 0.25 * graph_penalty * apart
    Z = xp.where(Z > 0, Z, xp.zeros_like(Z))
    return (Z + Z.T) / 2.0


def view_partition(
    Z: Any,
    consensus: Any,
    weight: float,
    graph_penalty: float,
    view_penalty: float,
) -> Any:
    r"""The best partition of a view between its graph and the consensus.

    The eigenvectors of :math:`\lambda_2 L - 2 \lambda_3 w F^* F^{*\prime}` with the k
    smallest eigenvalues, which minimise :math:`\lambda_2 \mathrm{tr}(F'LF)
    + \lambda_3 w \|F^* F^{*\prime} - FF'\|_F^2` with :math:`F'F = I`.

    Parameters
    ----------
    Z : array of shape (n_objects, n_objects)
        Weights of the edges, symmetric.

    consensus : array of shape (n_objects, k)
        The consensus :math:`F^*`.

    weight : float
        Weight of the view, :math:`w`.

    graph_penalty : float
        How much the graph counts, :math:`\lambda_2`.

    view_penalty : float
        How much the consensus counts, :math:`\lambda_3`.

    Returns
    -------
    F : array of shape (n_objects, k)
        The partition, with orthonormal columns.
    """
    xp = array_namespace(Z, consensus)
    degrees = xp.sum(Z, axis=1)
    L = degrees[:, None] * _identity(Z.shape[0], Z) - Z
    pulled = (2.0 * view_penalty * weight) * (consensus @ consensus.T)
    return _smallest_eigenvectors(graph_penalty * L - pulled, consensus.shape[1])


def partition_consensus(partitions: Sequence[Any], weights: Array) -> Any:
    r"""The partition nearest to all, by their weights.

    The eigenvectors of :math:`\sum_m w_m F^m F^{m\prime}` with the k largest
    eigenvalues, which minimise :math:`\sum_m w_m \|FF' - F^m F^{m\prime}\|_F^2`.

    Parameters
    ----------
    partitions : list of array of shape (n_objects, k)
        The partitions :math:`F^m`.

    weights : ndarray of shape (n_views,)
        Their weights.

    Returns
    -------
    F : array of shape (n_objects, k)
        The consensus, with orthonormal columns.
    """
    xp = array_namespace(*partitions)
    # Relative to the largest: the weight of a partition that is met can be huge.
    roots = np.sqrt(weights / weights.max())
    stacked = xp.concat(
        [float(root) * F for root, F in zip(roots, partitions, strict=True)], axis=1
    )
    return xp.linalg.svd(stacked, full_matrices=False)[0][:, : partitions[0].shape[1]]


def subspace_partitions(
    views: Sequence[Any],
    consensus: Any,
    partitions: Sequence[Any],
    *,
    coefficient_penalty: float = 10.0,
    graph_penalty: float = 1e-3,
    view_penalty: float = 1e-5,
    max_iter: int = 200,
    tol: float = 1e-3,
) -> SubspaceRun:
    r"""Explain the views by themselves, and agree on a partition.

    .. math::
        \min \sum_m \|X^{m\prime} - X^{m\prime} Z^m\|_F^2 + \lambda_1 \|Z^m\|_F^2
        + \lambda_2 \, \mathrm{tr}(F^{m\prime} L(Z^m) F^m)
        + \lambda_3 \|F^* F^{*\prime} - F^m F^{m\prime}\|_F .

    Parameters
    ----------
    views : list of array of shape (n_objects, n_features of the view)
        The views; arrays of NumPy, PyTorch, CuPy or another library that follows the
        array API standard.

    consensus : array of shape (n_objects, k)
        The first consensus, with orthonormal columns.

    partitions : list of array of shape (n_objects, k)
        The first partition of each view, with orthonormal columns.

    coefficient_penalty, graph_penalty, view_penalty : float
        The strengths :math:`\lambda_1`, :math:`\lambda_2` and :math:`\lambda_3`.

    max_iter : int, default=200
        Most sweeps.

    tol : float, default=1e-3
        Stop when the consensus moves by less than this share of its length.

    Returns
    -------
    run : SubspaceRun
        Consensus, partitions and weights of the lowest objective that was met. The
        step of Z is not exact, and the objective may rise.
    """
    X = [reduce_features(view) for view in views]
    inverses = [ridge_inverse(x, coefficient_penalty) for x in X]
    Y, F = consensus, list(partitions)
    objective: list[float] = []
    best: tuple[Any, list[Any], Array] = (consensus, [], np.empty(0))
    at, converged = 0, False
    for sweep in range(max_iter):
        weights = partition_weights(Y, F)
        costs = 0.0
        for m, P in enumerate(inverses):
            Z = self_representation(P, F[m], coefficient_penalty, graph_penalty)
            F[m] = view_partition(Z, Y, float(weights[m]), graph_penalty, view_penalty)
            costs += _cost(X[m], Z, F[m], coefficient_penalty, graph_penalty)
        before, Y = Y, partition_consensus(F, weights)
        apart = sum(partition_distance(Y, part) for part in F)
        objective.append(costs + view_penalty * apart)
        if sweep == 0 or objective[-1] < objective[at]:
            best, at = (Y, list(F), weights), sweep
        if partition_distance(Y, before) <= tol * np.sqrt(Y.shape[1]):
            converged = True
            break
    return SubspaceRun(*best, np.array(objective), at, converged)


def _cost(
    X: Any, Z: Any, F: Any, coefficient_penalty: float, graph_penalty: float
) -> float:
    """What one view adds to the objective, less its distance to the consensus."""
    xp = array_namespace(X)
    unexplained = X.T - X.T @ Z
    lengths = xp.sum(F * F, axis=1)
    rough = xp.sum(xp.sum(Z, axis=1) * lengths) - xp.sum(F * (Z @ F))
    return (
        float(xp.sum(unexplained * unexplained))
        + coefficient_penalty * float(xp.sum(Z * Z))
        + graph_penalty * float(rough)
    )


def _identity(n: int, like: Any) -> Any:
    xp = array_namespace(like)
    if xp is np:
        return np.eye(n, dtype=like.dtype)
    return xp.eye(n, dtype=like.dtype, device=like.device)


def _smallest_eigenvectors(A: Any, n_vectors: int) -> Any:
    xp = array_namespace(A)
    if xp is np:
        from scipy.linalg import eigh

        # NumPy knows no way to ask for a few.
        return eigh(A, subset_by_index=(0, n_vectors - 1))[1]
    return xp.linalg.eigh((A + A.T) / 2.0)[1][:, :n_vectors]
