r"""Factorisations of views whose clusters weigh the views, :math:`U^m \approx U^* W^m`.

The columns of :math:`U^m` and :math:`V^m` are clusters. A cluster has a weight in each
view, and its weights sum to one; where it stands well apart from the other clusters it
weighs more. Everything is written against the array API standard.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comitia._arrays import array_namespace, put_beside, to_numpy
from comitia.methods.multiview._coupled_factors import distance_to, unit_columns
from comitia.optimize.loops import stalled
from comitia.optimize.nmf import (
    Term,
    coupling_term,
    frobenius_loss,
    frobenius_term,
    multiply,
)
from comitia.optimize.simplex import project_simplex

__all__ = [
    "ClusterwiseRun",
    "ClusterwiseView",
    "Strengths",
    "cluster_separations",
    "clusterwise_consensus",
    "clusterwise_objective",
    "clusterwise_weights",
    "factorize_clusterwise",
    "update_basis",
    "update_members",
]

Array = Any  # an array of any library that follows the standard
Floats = NDArray[np.float64]

# Distances between columns of length one are smoothed where they are smaller.
_SMOOTH = 1e-6

# How often a step that would raise the objective is shortened before it is left out.
_SHORTENINGS = 8


class Strengths(NamedTuple):
    """How much the terms of the objective count."""

    view_penalty: float = 1.0  # agreement of a view with the consensus, lambda_1
    separation_penalty: float = 0.01  # separation of the clusters of a view, lambda_2
    weight_penalty: float = 0.01  # evenness of the weights, lambda_3


_DEFAULT = Strengths()


class ClusterwiseView(NamedTuple):
    """One of several views with its factors."""

    X: Array  # (n_objects, n_features), the view, non-negative
    U: Array  # (n_objects, k), how much each object belongs to each cluster
    V: Array  # (n_features, k), what the clusters look like; columns have length one


class ClusterwiseRun(NamedTuple):
    """Result of a factorisation with clusterwise weights."""

    consensus: Array  # (n_objects, k), the consensus U^*
    views: list[ClusterwiseView]  # the factors of each view
    # (n_views, k), weights of the clusters in each view; those of a cluster sum to one
    weights: Floats
    # (n_iter + 1,), the objective at the start and after each sweep; it does not rise
    objective: Floats
    converged: bool  # whether it stopped falling


def cluster_separations(V: Array) -> Array:
    r"""Sum of the distances of each column from the others.

    .. math::
        \delta_c = \sum_{d \ne c} \sqrt{\|V_c - V_d\|^2 + \varepsilon^2},
        \qquad \varepsilon = 10^{-6} .
    """
    xp = array_namespace(V)
    return xp.sum(_distances(V) * _off_diagonal(V), axis=1)


def clusterwise_weights(
    views: Sequence[ClusterwiseView], consensus: Array, strengths: Strengths
) -> Floats:
    r"""The best weights of the clusters in each view.

    .. math::
        w_{\cdot c} = P_\Delta \left( \frac{\lambda_1 \langle U^m_c, U^*_c \rangle
        + \lambda_2 \delta_{mc} / 2}{\lambda_1 \|U^*_c\|^2 + \lambda_3} \right)_m
    """
    xp = array_namespace(consensus)
    l1, l2, l3 = strengths
    raw = [
        l1 * xp.sum(view.U * consensus, axis=0) + l2 / 2 * cluster_separations(view.V)
        for view in views
    ]
    curvature = l1 * xp.sum(consensus * consensus, axis=0) + l3
    table = np.stack([to_numpy(row / curvature) for row in raw], axis=1)
    return project_simplex(table).T


def clusterwise_consensus(views: Sequence[ClusterwiseView], weights: Floats) -> Array:
    r"""The consensus nearest to all views.

    .. math::
        U^*_c = \frac{\sum_m w_{mc} U^m_c}{\sum_m w_{mc}^2},

    the minimiser of :math:`\sum_m \|U^m - U^* W^m\|_F^2`; it is not negative, and the
    multiplicative update of :math:`U^*` ends there.
    """
    scaled = weights / np.square(weights).sum(axis=0)
    return sum(
        view.U * put_beside(w, view.U) for view, w in zip(views, scaled, strict=True)
    )


def update_members(
    view: ClusterwiseView, consensus: Array, weights: Floats, view_penalty: float
) -> Array:
    r"""Update how much the objects belong to the clusters of a view.

    .. math::
        U \leftarrow U \circ \frac{XV + \lambda_1 U^* W}{UV'V + \lambda_1 U}
    """
    X, U, V = view
    target = consensus * put_beside(weights, U)
    return multiply(U, frobenius_term(X, U, V), coupling_term(target, U, view_penalty))


def update_basis(
    view: ClusterwiseView, consensus: Array, weights: Floats, strengths: Strengths
) -> ClusterwiseView:
    r"""Update what the clusters of a view look like, in columns of length one.

    With :math:`A_{cd} = (2 - w_c - w_d) / (2 \|V_c - V_d\|)` the separations are
    bounded by a sum of squares along a graph of clusters, and with its degrees D

    .. math::
        V \leftarrow V \circ \left( \frac{X'U + \lambda_2 V A
        + V \mathrm{diag}(\lambda_1 U'U^*W + \lambda_2 V'VD)}{V U'U + \lambda_2 V D
        + V \mathrm{diag}(\lambda_1 U'U + \lambda_2 V'VA)} \right)^p .

    Afterwards the columns of V get length one, and those of U are multiplied by what
    they lose; the last terms are what this costs or saves. The power is halved from one
    until the objective does not rise.
    """
    X, U, V = view
    xp = array_namespace(V)
    l1, l2, _ = strengths
    w = put_beside(weights, V)
    apart = 1.0 - w
    A = (apart[:, None] + apart) / (2.0 * _distances(V)) * _off_diagonal(V)
    degrees = xp.sum(A, axis=1)
    near = l1 * w * xp.sum(U * consensus, axis=0) + l2 * xp.sum(V * V, axis=0) * degrees
    far = l1 * xp.sum(U * U, axis=0) + l2 * xp.sum(V * (V @ A), axis=0)
    terms = (
        Term(X.T @ U, V @ (U.T @ U)),
        Term(l2 * (V @ A), l2 * V * degrees),
        Term(V * near, V * far),
    )
    before = _view_cost(view, consensus, weights, strengths)
    for power in 0.5 ** np.arange(_SHORTENINGS):
        moved, sizes = unit_columns(multiply(V, *terms, power=float(power)))
        tried = ClusterwiseView(X, U * sizes, moved)
        if _view_cost(tried, consensus, weights, strengths) <= before:
            return tried
    return view


def clusterwise_objective(
    views: Sequence[ClusterwiseView],
    consensus: Array,
    weights: Floats,
    strengths: Strengths,
) -> float:
    r"""How badly the factors explain the views, and the views agree.

    .. math::
        \sum_m \|X^m - U^m V^m{}'\|_F^2 + \lambda_1 \|U^m - U^* W^m\|_F^2
        + \lambda_2 \sum_c (1 - w_{mc}) \delta_{mc} + \lambda_3 \sum_c w_{mc}^2
    """
    return sum(
        _view_cost(view, consensus, w, strengths)
        + strengths.weight_penalty * float(w @ w)
        for view, w in zip(views, weights, strict=True)
    )


def factorize_clusterwise(
    views: Sequence[ClusterwiseView],
    *,
    strengths: Strengths = _DEFAULT,
    max_iter: int = 500,
    tol: float = 1e-3,
) -> ClusterwiseRun:
    """Factors of all views, a consensus and weights of clusters, in turn."""
    views = list(views)
    k = views[0].U.shape[1]
    weights = np.full((len(views), k), 1.0 / len(views))
    consensus = clusterwise_consensus(views, weights)
    objective = [clusterwise_objective(views, consensus, weights, strengths)]
    converged = False
    for _ in range(max_iter):
        weights = clusterwise_weights(views, consensus, strengths)
        for m, view in enumerate(views):
            view = update_basis(view, consensus, weights[m], strengths)
            U = update_members(view, consensus, weights[m], strengths.view_penalty)
            views[m] = view._replace(U=U)
        consensus = clusterwise_consensus(views, weights)
        objective.append(clusterwise_objective(views, consensus, weights, strengths))
        # An exact fit has no share of its own to stop at.
        if stalled(objective, tol, objective[0]):
            converged = True
            break
    return ClusterwiseRun(consensus, views, weights, np.array(objective), converged)


def _view_cost(
    view: ClusterwiseView, consensus: Array, weights: Floats, strengths: Strengths
) -> float:
    """What one view adds to the objective, less the penalty on its weights."""
    xp = array_namespace(view.V)
    w = put_beside(weights, view.V)
    return (
        frobenius_loss(view.X, view.U, view.V)
        + strengths.view_penalty * distance_to(consensus * w, view.U)
        + strengths.separation_penalty
        * float(xp.sum((1.0 - w) * cluster_separations(view.V)))
    )


def _distances(V: Array) -> Array:
    """Smoothed distances between the columns, (k, k)."""
    xp = array_namespace(V)
    gaps = V.T[:, None, :] - V.T[None, :, :]
    return xp.sqrt(xp.sum(gaps * gaps, axis=2) + _SMOOTH**2)


def _off_diagonal(V: Array) -> Array:
    return put_beside(1.0 - np.eye(V.shape[1]), V)
