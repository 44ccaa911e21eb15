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

from comitia._arrays import array_namespace, fewest_features

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
    """Result of partition-level subspace clustering."""

    consensus: Any  # (n_objects, n_clusters), the consensus, with orthonormal columns
    # (n_objects, n_clusters), the partition of each view, with orthonormal columns
    partitions: list[Any]
    # (n_views,), weights of the views: of these partitions and this consensus
    weights: Array
    objective: Array  # (n_iter,), the objective after each sweep
    partition_cost: float  # the part of the last objective that sees the partitions
    converged: bool  # whether the consensus stopped changing


def partition_distance(F: Any, G: Any) -> float:
    r"""How far two relaxed partitions are apart.

    .. math::
        \|FF' - GG'\|_F = \sqrt{2k - 2 \|F'G\|_F^2} = \sqrt2 \, \|G - F(F'G)\|_F .
    """
    xp = array_namespace(F, G)
    # The form without a difference of large numbers.
    apart = G - F @ (F.T @ G)
    return float(xp.sqrt(2.0 * xp.sum(apart * apart)))


def partition_weights(consensus: Any, partitions: Sequence[Any]) -> Array:
    r"""Weights of partitions, the larger the nearer they are to the consensus.

    .. math::
        w_m = \frac{1}{2 \|F^* F^{*\prime} - F^m F^{m\prime}\|_F}
    """
    distances = [partition_distance(consensus, F) for F in partitions]
    return 0.5 / np.maximum(distances, _SMALLEST)


def ridge_inverse(X: Any, penalty: float) -> Any:
    r"""Inverse of the regularised inner products, :math:`(XX' + \lambda I)^{-1}`."""
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
    """
    X = [fewest_features(view) for view in views]
    inverses = [ridge_inverse(x, coefficient_penalty) for x in X]
    Y, F = consensus, list(partitions)
    objective: list[float] = []
    cost, converged = np.inf, False
    for _ in range(max_iter):
        weights = partition_weights(Y, F)
        represented, rough = 0.0, 0.0
        for m, P in enumerate(inverses):
            Z = self_representation(P, F[m], coefficient_penalty, graph_penalty)
            F[m] = view_partition(Z, Y, float(weights[m]), graph_penalty, view_penalty)
            represented += _representation_cost(X[m], Z, coefficient_penalty)
            rough += _roughness(Z, F[m])
        before, Y = Y, partition_consensus(F, weights)
        apart = sum(partition_distance(Y, part) for part in F)
        cost = graph_penalty * rough + view_penalty * apart
        objective.append(represented + cost)
        if partition_distance(Y, before) <= tol * np.sqrt(Y.shape[1]):
            converged = True
            break
    weights = partition_weights(Y, F)
    return SubspaceRun(Y, F, weights, np.array(objective), cost, converged)


def _representation_cost(X: Any, Z: Any, coefficient_penalty: float) -> float:
    """How badly a view is explained by itself, with the penalty."""
    xp = array_namespace(X)
    unexplained = X.T - X.T @ Z
    lost = float(xp.sum(unexplained * unexplained))
    return lost + coefficient_penalty * float(xp.sum(Z * Z))


def _roughness(Z: Any, F: Any) -> float:
    """How much a partition varies along its graph, tr(F'L(Z)F)."""
    xp = array_namespace(Z, F)
    lengths = xp.sum(F * F, axis=1)
    return float(xp.sum(xp.sum(Z, axis=1) * lengths) - xp.sum(F * (Z @ F)))


def _identity(n: int, like: Any) -> Any:
    xp = array_namespace(like)
    if xp is np:
        return np.eye(n, dtype=like.dtype)
    return xp.eye(n, dtype=like.dtype, device=like.device)


def _smallest_eigenvectors(A: Any, n_vectors: int) -> Any:
    xp = array_namespace(A)
    if xp is np:
        from scipy.linalg import eigh

        # NumPy has no function for a few of the eigenvectors.
        return eigh(A, subset_by_index=(0, n_vectors - 1))[1]
    return xp.linalg.eigh((A + A.T) / 2.0)[1][:, :n_vectors]
