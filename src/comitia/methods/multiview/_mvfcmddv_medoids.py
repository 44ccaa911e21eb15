"""Fuzzy c-medoids on several dissimilarity matrices, with weights for each cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._arrays import array_namespace, put_beside, to_numpy
from comitia.cluster.fuzzy import fuzzy_memberships
from comitia.optimize.ties import first_lowest, is_lower

__all__ = ["MedoidVectorsRun", "cmedoid_vectors", "update_medoids", "view_weights"]

Array = NDArray[np.float64]
Medoids = NDArray[np.intp]

# A view in which all of a cluster is at its medoid has no dispersion; it counts as
# this, in units of the mean dissimilarity.
_SMALLEST = 1e-12


class MedoidVectorsRun(NamedTuple):
    """Result of fuzzy c-medoid vectors."""

    membership: Any  # (n_objects, n_clusters), memberships; rows sum to one
    # (n_views, n_clusters), the object that stands for each cluster in each view
    medoids: Medoids
    # (n_views, n_clusters), weight of each view for each cluster; those of a cluster
    # have the product one
    weights: Array
    # (n_iter + 1,), the objective at the start and after each iteration
    objective: Array
    converged: bool  # whether medoids and memberships stopped changing


def view_weights(dispersions: ArrayLike, floors: ArrayLike = _SMALLEST) -> Array:
    r"""Weights of the views for each cluster, with the product one.

    .. math::
        w_{mr} = \frac{\bigl( \prod_l E_{lr} \bigr)^{1/M}}{E_{mr}},
        \qquad \text{the minimiser of } \sum_m w_{mr} E_{mr}
        \text{ with } \prod_m w_{mr} = 1 .
    """
    floors = np.asarray(floors, dtype=np.float64).reshape(-1, 1)
    logs = np.log(np.maximum(np.asarray(dispersions, dtype=np.float64), floors))
    return np.asarray(np.exp(logs.mean(axis=0) - logs))


def update_medoids(costs: Array, weights: Array, medoids: Medoids) -> Medoids:
    """The best medoids, of which no two clusters have the same in all views."""
    medoids = medoids.copy()
    every = np.arange(len(medoids))
    for r in range(medoids.shape[1]):
        cost, old = costs[:, r], medoids[:, r].copy()
        best = first_lowest(cost)
        best = np.where(is_lower(cost[every, best], cost[every, old]), best, old)
        taken = {tuple(other) for other in np.delete(medoids, r, axis=1).T}
        if tuple(best) in taken:
            second = _differing_in_one(best, cost, weights[:, r], taken)
            prices = [weights[:, r] @ cost[every, g] for g in (old, second)]
            best = second if is_lower(prices[1], prices[0]) else old
        medoids[:, r] = best
    return medoids


def cmedoid_vectors(
    dissimilarities: Sequence[Any],
    medoids: ArrayLike,
    *,
    fuzziness: float = 2.0,
    max_iter: int = 300,
    tol: float = 1e-5,
) -> MedoidVectorsRun:
    r"""Fuzzy clusters with a medoid in each view, and a weight for each view.

    Alternates the best medoids :math:`g_{mr}`, weights and memberships of

    .. math::
        \sum_r \sum_i F_{ir}^\alpha \sum_m w_{mr} [R_m]_{i g_{mr}}, \qquad
        \sum_r F_{ir} = 1, \quad \prod_m w_{mr} = 1 .
    """
    R = list(dissimilarities)
    xp = array_namespace(*R)
    g = np.array(medoids, dtype=np.intp)
    weights = np.ones(g.shape)
    floors = [_SMALLEST * (float(xp.mean(r)) or 1.0) for r in R]
    distances = [_columns(r, at) for r, at in zip(R, g, strict=True)]
    F = fuzzy_memberships(_weighted(distances, weights), fuzziness)
    objective = [float(xp.sum(F**fuzziness * _weighted(distances, weights)))]
    converged = False
    for _ in range(max_iter):
        powered = F**fuzziness
        costs = np.stack([to_numpy(powered.T @ r) for r in R])
        before, g = g, update_medoids(costs, weights, g)
        dispersions = np.take_along_axis(costs, g[:, :, None], axis=2)[:, :, 0]
        weights = view_weights(dispersions, floors)
        distances = [_columns(r, at) for r, at in zip(R, g, strict=True)]
        last, F = F, fuzzy_memberships(_weighted(distances, weights), fuzziness)
        objective.append(float(xp.sum(F**fuzziness * _weighted(distances, weights))))
        if (g == before).all() and float(xp.max(xp.abs(F - last))) <= tol:
            converged = True
            break
    return MedoidVectorsRun(F, g, weights, np.array(objective), converged)


def _columns(R: Any, which: Medoids) -> Any:
    xp = array_namespace(R)
    if xp is np:
        return R[:, which]
    return xp.stack([R[:, int(j)] for j in which], axis=1)


def _weighted(distances: list[Any], weights: Array) -> Any:
    return sum(d * put_beside(w, d) for d, w in zip(distances, weights, strict=True))


def _differing_in_one(
    best: Medoids, cost: Array, weights: Array, taken: set[tuple[int, ...]]
) -> Medoids:
    """The cheapest medoids that no cluster has and that differ in one view."""
    every = np.arange(len(best))
    found, least = best, np.inf
    for m in every:
        free = cost[m].copy()
        others = every != m
        free[[t[m] for t in taken if (best == t)[others].all()]] = np.inf
        other = best.copy()
        other[m] = first_lowest(free)
        price = float(weights @ cost[every, other])
        if np.isfinite(free[other[m]]) and is_lower(price, least):
            found, least = other, price
    return found
