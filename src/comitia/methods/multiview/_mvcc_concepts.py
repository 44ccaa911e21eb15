r"""Concept factorisation of several views, :math:`X^m \approx U^m V^{m}{}' X^m`.

A concept is a combination of objects, :math:`V_c' X`, and every object a combination of
concepts. What has to be known of a view are the inner products :math:`K = XX'`, which
are never formed. Everything is written against the array API standard.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comitia.methods.multiview._coupled_factors import (
    distance_to,
    roughness,
    unit_columns,
)
from comitia.optimize.loops import Kept, stalled
from comitia.optimize.nmf import (
    Term,
    coupling_term,
    frobenius_loss,
    frobenius_term,
    graph_term,
    multiply,
)
from comitia.optimize.simplex import project_simplex

__all__ = [
    "ConceptRun",
    "ConceptView",
    "agreement_weights",
    "concept_consensus",
    "concept_objective",
    "concept_sweep",
    "convex_penalty",
    "factorize_concepts",
    "update_concepts",
    "update_objects",
]

Array = Any  # an array of any library that follows the standard

# Squared distances of factors below this share of their squared length are rounding.
_ROUNDING = 1e-9


class ConceptView(NamedTuple):
    """One of several views with its graph and its factors."""

    X: Array  # (n_objects, n_features), the view, non-negative
    # (n_objects, n_objects), weights of the edges of a graph, symmetric; only S @ U is
    # needed
    S: Any
    degrees: Array  # (n_objects,), its row sums
    # (n_objects, k), how much of each concept an object has; columns have length one
    U: Array
    V: Array  # (n_objects, k), how much each object gives to a concept


class ConceptRun(NamedTuple):
    """Result of a concept factorisation."""

    consensus: Array  # (n_objects, k), the consensus U^*
    factors: list[Array]  # (n_objects, k), the factor U^m of each view
    weights: NDArray[np.float64]  # (n_views,), weights of the views; they sum to one
    # (n_iter + 1,), the objective at the start and after each sweep
    objective: NDArray[np.float64]
    # Which of these the result has: the last, unless another is clearly lower
    best: int
    converged: bool  # whether the objective stopped falling


def update_concepts(X: Array, U: Array, V: Array) -> Array:
    r"""Update what the objects give to the concepts.

    .. math::
        V \leftarrow V \circ \frac{KU}{KVU'U}, \qquad K = XX' .
    """
    return multiply(V, Term(X @ (X.T @ U), X @ ((X.T @ V) @ (U.T @ U))))


def update_objects(
    view: ConceptView, consensus: Array, view_penalty: float, graph_penalty: float
) -> Array:
    r"""Update what the objects have of the concepts.

    .. math::
        U \leftarrow U \circ \frac{KV + \lambda_1 w U^* + \lambda_2 S U}
        {UV'KV + \lambda_1 w U + \lambda_2 D U}, \qquad K = XX' .
    """
    X, U = view.X, view.U
    return multiply(
        U,
        # With the concepts themselves, X'V, this is a common factorisation.
        frobenius_term(X, U, X.T @ view.V),
        coupling_term(consensus, U, view_penalty),
        graph_term(view.S, U, graph_penalty, degrees=view.degrees),
    )


def concept_sweep(
    views: Sequence[ConceptView],
    consensus: Array,
    weights: NDArray[np.float64],
    view_penalty: float,
    graph_penalty: float,
) -> list[ConceptView]:
    """Update the factors of each view, and give the columns of U length one."""
    moved = []
    for view, weight in zip(views, weights, strict=True):
        view = view._replace(V=update_concepts(view.X, view.U, view.V))
        U = update_objects(view, consensus, view_penalty * float(weight), graph_penalty)
        U, sizes = unit_columns(U)
        moved.append(view._replace(U=U, V=view.V * sizes))
    return moved


def concept_consensus(
    views: Sequence[ConceptView], weights: NDArray[np.float64]
) -> Array:
    r"""The consensus nearest to the factors of all views, :math:`\sum_m w_m U^m`."""
    return sum(float(w) * view.U for w, view in zip(weights, views, strict=True))


def agreement_weights(
    distances: NDArray[np.float64], weight_penalty: float
) -> NDArray[np.float64]:
    r"""Weights of views, the larger the nearer they are to the consensus.

    .. math::
        w = \arg\min_{w \in \Delta} \sum_m w_m D_m + \tfrac{\gamma}{2} \|w\|^2
        = P_\Delta(-D / \gamma) .
    """
    D = np.asarray(distances, dtype=np.float64)
    D = D - D.min()
    if not weight_penalty > 1e-12 * D.max():
        nearest = (1e-12 * D.max() >= D).astype(np.float64)
        return np.asarray(nearest / nearest.sum())
    return project_simplex(-D / weight_penalty)


def convex_penalty(factors: Sequence[Array]) -> float:
    r"""A penalty with which weights and consensus have one optimum.

    With the consensus that suits the weights best,

    .. math::
        \min_{U^*} \sum_m w_m \|U^m - U^*\|_F^2
        = \sum_m w_m \|U^m\|_F^2 - \Bigl\| \sum_m w_m U^m \Bigr\|_F^2

    is concave in w: the more a view weighs, the nearer the consensus is to it. With
    :math:`\tfrac{\gamma}{2} \|w\|^2` it is convex on the simplex if :math:`\gamma` is
    at least twice the largest eigenvalue of the inner products of the :math:`U^m` less
    their mean. This one is 3M/2 times the eigenvalue: a view that stands apart from
    M - 1 views that agree has the weight 1 / (3M - 4). Factors that differ by rounding
    alone are equal.
    """
    M = len(factors)
    squares = np.array([[distance_to(A, B) for B in factors] for A in factors])
    centered = np.eye(M) - 1.0 / M
    spread = np.linalg.eigvalsh(-centered @ squares @ centered / 2)[-1]
    return max(1.5 * M * float(spread), _ROUNDING * factors[0].shape[1])


def concept_objective(
    views: Sequence[ConceptView],
    consensus: Array,
    weights: NDArray[np.float64],
    view_penalty: float,
    graph_penalty: float,
    weight_penalty: float,
) -> float:
    r"""How badly the concepts explain the views, and the views agree.

    .. math::
        \sum_m \|X^m - U^m V^m{}' X^m\|_F^2
        + \lambda_1 \Bigl( \sum_m w_m \|U^m - U^*\|_F^2
        + \tfrac{\gamma}{2} \|w\|^2 \Bigr)
        + \lambda_2 \sum_m \mathrm{tr}(U^m{}' L^m U^m) .
    """
    fit = sum(frobenius_loss(view.X, view.U, view.X.T @ view.V) for view in views)
    # Each pair of objects counts twice in the sum over the graph.
    rough = sum(roughness(view.S, view.degrees, view.U) / 2 for view in views)
    apart = np.array([distance_to(consensus, view.U) for view in views])
    agreement = float(weights @ apart + weight_penalty / 2 * weights @ weights)
    return fit + view_penalty * agreement + graph_penalty * rough


def factorize_concepts(
    views: Sequence[ConceptView],
    *,
    view_penalty: float = 100.0,
    graph_penalty: float = 100.0,
    weight_penalty: float | None = None,
    max_iter: int = 200,
    tol: float = 1e-3,
) -> ConceptRun:
    """Concepts of all views, a consensus and weights, in turn.

    A penalty on the weights that follows the factors is no part of the objective.
    """
    weights = np.full(len(views), 1.0 / len(views))
    strengths = (view_penalty, graph_penalty)
    penalty = 0.0 if weight_penalty is None else weight_penalty
    # The penalty of equal weights is there at any rate, and may dwarf what can change.
    constant = view_penalty * penalty / (2 * len(views))
    views, consensus = list(views), concept_consensus(views, weights)
    objective = [concept_objective(views, consensus, weights, *strengths, penalty)]
    start = (consensus, [view.U for view in views], weights)
    kept, converged = Kept(objective[0], (start, 0)), False
    for sweep in range(1, max_iter + 1):
        views = concept_sweep(views, consensus, weights, *strengths)
        consensus = concept_consensus(views, weights)
        distances = np.array([distance_to(consensus, view.U) for view in views])
        if weight_penalty is None:
            weights = agreement_weights(distances, convex_penalty([v.U for v in views]))
        else:
            weights = agreement_weights(distances, weight_penalty)
        consensus = concept_consensus(views, weights)
        objective.append(
            concept_objective(views, consensus, weights, *strengths, penalty)
        )
        found = (consensus, [view.U for view in views], weights)
        kept.add(objective[-1], (found, sweep))
        if stalled(objective, tol, min(objective) - constant):
            converged = True
            break
    result, at = kept.result()
    return ConceptRun(*result, np.array(objective), at, converged)
