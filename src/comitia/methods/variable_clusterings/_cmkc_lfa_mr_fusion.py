r"""Late fusion: soft partitions rotated onto a consensus, and weighed.

The partitions :math:`F^m`, the reference :math:`F^0` and the consensus :math:`F^*` have
orthonormal columns, the rotations :math:`R_m` are orthonormal, and

.. math::
    \max_{F^*, R, w \in \Delta} \; \mathrm{tr}(F^{*\prime} T)
    + \lambda_1 \mathrm{tr}(F^{*\prime} F^0) - \lambda_2 \|T\|^2, \qquad
    T = \sum_m w_m F^m R_m .

Each function here is one step, or the objective; none of the steps lowers it. Arrays
are of NumPy or of a device; weights are of NumPy always.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._arrays import array_namespace, floats_on, put_beside, to_numpy
from comitia.optimize.qp import qp_simplex

__all__ = [
    "SoftPartitions",
    "fusion_objective",
    "fusion_step",
    "fusion_weights",
    "procrustes",
]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SoftPartitions:
    """Orthonormal soft partitions, and a reference that the consensus is drawn to."""

    each: list[Any]
    reference: Any

    @property
    def n_clusterings(self) -> int:
        """How many partitions there are, without the reference."""
        return len(self.each)

    def take(self, objects: NDArray[np.intp]) -> SoftPartitions:
        """The same partitions with their objects in another order."""
        return SoftPartitions([F[objects] for F in self.each], self.reference[objects])

    def on(self, device: str | None) -> SoftPartitions:
        """The same partitions on a device."""
        each = [floats_on(F, device) for F in self.each]
        return SoftPartitions(each, floats_on(self.reference, device))

    def rotated(self, rotations: Sequence[Any]) -> Any:
        """The partitions, each rotated."""
        turned = [F @ R for F, R in zip(self.each, rotations, strict=True)]
        return array_namespace(*turned).stack(turned)


def procrustes(A: Any) -> Any:
    r"""The matrix with orthonormal columns that is best aligned with another.

    .. math::
        \arg\max_{R'R = I} \mathrm{tr}(R'A) = UV', \qquad A = U \Sigma V' .
    """
    left, _, right = array_namespace(A).linalg.svd(A, full_matrices=False)
    return left @ right


def fusion_weights(
    partitions: SoftPartitions, F: Any, rotations: Sequence[Any], weight_penalty: float
) -> Floats:
    r"""The best weights for a consensus and rotations.

    .. math::
        \max_{w \in \Delta} b'w - \lambda_2 w'Mw, \qquad
        b_m = \mathrm{tr}(F^{*\prime} F^m R_m), \quad
        M_{ml} = \mathrm{tr}(R_m' F^{m\prime} F^l R_l) .
    """
    Y = partitions.rotated(rotations)
    b = _flat(Y) @ array_namespace(F).reshape(F, (-1,))
    M = _semidefinite(to_numpy(_gram(Y)))
    return qp_simplex(2 * weight_penalty * M, -to_numpy(b))


def fusion_step(
    partitions: SoftPartitions,
    weights: Floats,
    F: Any,
    rotations: Sequence[Any],
    *,
    weight_penalty: float,
    reference_penalty: float,
) -> tuple[Any, list[Any]]:
    r"""Each rotation in turn, and then the consensus.

    Rotation m is the orthonormal part of :math:`F^{m\prime} (F^* - 2 \lambda_2 \sum_{l
    \ne m} w_l F^l R_l)`, the consensus that of :math:`T + \lambda_1 F^0`.
    """
    Y = partitions.rotated(rotations)
    total = _weighted_sum(weights, Y)
    turned = []
    for m, (base, w) in enumerate(zip(partitions.each, weights.tolist(), strict=True)):
        others = total - w * Y[m, ...]
        R = procrustes(base.T @ (F - 2 * weight_penalty * others))
        total = others + w * (base @ R)
        turned.append(R)
    return procrustes(total + reference_penalty * partitions.reference), turned


def fusion_objective(
    partitions: SoftPartitions,
    weights: Floats,
    F: Any,
    rotations: Sequence[Any],
    *,
    weight_penalty: float,
    reference_penalty: float,
) -> float:
    """Minus the objective."""
    xp, Y = array_namespace(F), partitions.rotated(rotations)
    repeated = float(weights @ to_numpy(_gram(Y)) @ weights)
    aligned = float(xp.sum(F * _weighted_sum(weights, Y)))
    drawn = float(xp.sum(F * partitions.reference))
    return weight_penalty * repeated - aligned - reference_penalty * drawn


def _flat(Y: Any) -> Any:
    """Each partition as one row, (M, n k)."""
    return array_namespace(Y).reshape(Y, (Y.shape[0], -1))


def _gram(Y: Any) -> Any:
    """Inner products of the rotated partitions, (M, M)."""
    return _flat(Y) @ _flat(Y).T


def _weighted_sum(weights: Floats, Y: Any) -> Any:
    """The weighted sum of the partitions, (n, k)."""
    total = put_beside(weights, Y) @ _flat(Y)
    return array_namespace(Y).reshape(total, Y.shape[1:])


def _semidefinite(M: NDArray[Any]) -> Floats:
    """M in double precision; without what single precision left below zero."""
    if M.dtype == np.float64:
        return M
    values, vectors = np.linalg.eigh((M + M.T).astype(np.float64) / 2)
    return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T)
