"""Fuzzy c-means on several views, of which the one that fits worst counts most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._arrays import array_namespace, put_beside
from comitia.cluster.fuzzy import fuzzy_memberships
from comitia.cluster.fuzzy_geometry import distances_to_centers
from comitia.exceptions import ComitiaError
from comitia.optimize.loops import Kept

__all__ = [
    "MinimaxRun",
    "minimax_cmeans",
    "minimax_weights",
]

Array = NDArray[np.float64]


class MinimaxRun(NamedTuple):
    """Result of minimax fuzzy c-means."""

    membership: Any  # (n_objects, n_clusters), memberships; rows sum to one
    centers: list[Any]  # (n_clusters, n_features of the view), the centres in each view
    weights: Array  # (n_views,), weights of the views; they sum to one
    # (n_iter + 1,), the objective at the start and after each iteration
    objective: Array
    # Which of these the result has: the last, unless another is clearly lower
    best: int
    converged: bool  # whether the memberships stopped changing
    fuzziness: float  # the exponent of the memberships


def minimax_weights(costs: ArrayLike, weight_power: float) -> Array:
    r"""Weights under which costs are highest.

    .. math::
        w = \arg\max_{w \in \Delta} \sum_m w_m^a E_m, \qquad
        w_m = \frac{E_m^{1/(1-a)}}{\sum_l E_l^{1/(1-a)}}.
    """
    E = np.asarray(costs, dtype=np.float64)
    if E.ndim != 1 or E.size == 0:
        raise ComitiaError(
            f"costs must be a vector with at least one number; got shape {E.shape}."
        )
    if not np.isfinite(E).all() or (E < 0).any():
        raise ComitiaError("costs must be finite and non-negative.")
    if not 0 < weight_power < 1:
        raise ComitiaError(f"weight_power={weight_power} must lie between 0 and 1.")
    highest = E.max()
    if highest == 0:
        return np.full(len(E), 1 / len(E))
    # Relative to the highest no power overflows; one that underflows is zero.
    w = (E / highest) ** (1 / (1 - weight_power))
    return np.asarray(w / w.sum())


def minimax_cmeans(
    views: Sequence[Any],
    labels: ArrayLike,
    n_clusters: int,
    *,
    weight_power: float = 0.5,
    fuzziness: float = 1.5,
    max_iter: int = 300,
    tol: float = 1e-5,
) -> MinimaxRun:
    r"""Memberships that do least badly in the view that is worst for them.

    .. math::
        \min_{F, c} \, \max_{w \in \Delta} \; \sum_m w_m^{a} E_m
        = \min_{F, c} \Bigl( \sum_m E_m^{1/(1-a)} \Bigr)^{1-a}, \qquad
        E_m = \sum_{ir} F_{ir}^{\alpha} \|x^m_i - c_{mr}\|^2.
    """
    xp = array_namespace(*views)
    cells = put_beside(np.eye(n_clusters)[np.asarray(labels)], views[0])
    centers = [_means(X, cells, None) for X in views]
    distances = [
        distances_to_centers(X, c) for X, c in zip(views, centers, strict=True)
    ]
    weights = np.full(len(views), 1 / len(views))
    F = _memberships(distances, weights, weight_power, fuzziness)
    costs = _costs(F**fuzziness, distances)
    objective = [_highest(costs, weight_power)]
    kept, converged = Kept(objective[0], ((F, centers, weights), 0)), False
    for step in range(1, max_iter + 1):
        powered = F**fuzziness
        centers = [_means(X, powered, c) for X, c in zip(views, centers, strict=True)]
        distances = [
            distances_to_centers(X, c) for X, c in zip(views, centers, strict=True)
        ]
        weights = minimax_weights(_costs(powered, distances), weight_power)
        before, F = F, _memberships(distances, weights, weight_power, fuzziness)
        objective.append(_highest(_costs(F**fuzziness, distances), weight_power))
        kept.add(objective[-1], ((F, centers, weights), step))
        if float(xp.max(xp.abs(F - before))) <= tol:
            converged = True
            break
    result, at = kept.result()
    return MinimaxRun(*result, np.array(objective), at, converged, fuzziness)


def _means(X: Any, powered: Any, before: Any) -> Any:
    xp = array_namespace(X, powered)
    mass = xp.sum(powered, axis=0)[:, None]
    means = (powered.T @ X) / xp.where(mass > 0, mass, xp.ones_like(mass))
    # The centre of a cluster without members stays where it was.
    return means if before is None else xp.where(mass > 0, means, before)


def _memberships(
    distances: list[Any], weights: Array, weight_power: float, fuzziness: float
) -> Any:
    powers = weights**weight_power
    total = sum(float(w) * d for w, d in zip(powers, distances, strict=True))
    return fuzzy_memberships(total, fuzziness)


def _costs(powered: Any, distances: list[Any]) -> Array:
    xp = array_namespace(powered)
    return np.array([float(xp.sum(powered * d)) for d in distances])


def _highest(costs: Array, weight_power: float) -> float:
    """The objective under the weights that make it highest."""
    return float(np.linalg.norm(costs, ord=1 / (1 - weight_power)))
