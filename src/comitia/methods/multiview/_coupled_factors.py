r"""Factorisations of several views of the same objects.

View m is :math:`X^m \approx U^m V^m{}'`. The factors of the objects are to agree: they
are drawn to a consensus :math:`U^*`, or are one and the same. Everything is written
against the array API standard, so that the iterations run where the arrays are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from comitia._arrays import array_namespace
from comitia.optimize.nmf import (
    Term,
    coupling_term,
    frobenius_loss,
    frobenius_term,
    l21_norm,
    l21_term,
    l21_weights,
    multiply,
    row_lengths,
)

__all__ = [
    "CoupledView",
    "Statistics",
    "consensus_factor",
    "coupled_objective",
    "coupled_sweep",
    "distance_to",
    "roughness",
    "statistics",
    "unit_columns",
    "update_features",
]

Array = Any  # an array of any library that follows the standard
Penalty = float | Sequence[float]  # one for all views, or one for each


class Statistics(NamedTuple):
    r"""What the factor of the features needs to know of the objects.

    The sums do not grow with the number of objects; those of several sets of objects
    add up.

    Attributes
    ----------
    cross : array of shape (n_features, k)
        :math:`X'TU`.

    gram : array of shape (k, k)
        :math:`U'TU`.

    near : array of shape (k,)
        :math:`\sum_i t_i U_{ic} U^*_{ic}`.

    sparse : array of shape (k,)
        :math:`\sum_i U_{ic}^2 / \|U_i\|`.
    """

    cross: Array
    gram: Array
    near: Array
    sparse: Array

    def plus(self, other: Statistics | None) -> Statistics:
        """Those of both sets of objects."""
        if other is None:
            return self
        return Statistics(*(a + b for a, b in zip(self, other, strict=True)))

    def scaled(self, sizes: Array) -> Statistics:
        """Those of U after its columns were multiplied."""
        return Statistics(
            self.cross * sizes,
            self.gram * sizes * sizes[:, None],
            self.near * sizes,
            self.sparse * sizes,
        )


class CoupledView(NamedTuple):
    """One of several views whose factors are drawn to a consensus."""

    X: Array  # (n_objects, n_features), the view, non-negative
    # (n_objects,), weights of the objects in it, t_i, the squares of those in the norm
    weights: Array
    U: Array  # (n_objects, k), the factor of the objects
    V: Array  # (n_features, k), the factor of the features; its columns sum to total
    total: float  # the sum
    past: Statistics | None = None  # those of objects that came before


def statistics(view: CoupledView, consensus: Array) -> Statistics:
    """What the factor of the features needs to know of the objects at hand."""
    U = view.U
    xp = array_namespace(U)
    weighted = U * view.weights[:, None]
    lengths = 2.0 * l21_weights(row_lengths(U))
    return Statistics(
        view.X.T @ weighted,
        U.T @ weighted,
        xp.sum(weighted * consensus, axis=0),
        xp.sum(U * U * lengths[:, None], axis=0),
    )


def update_features(
    V: Array,
    known: Statistics,
    total: float,
    view_penalty: float,
    sparsity_penalty: float,
) -> tuple[Array, Array]:
    r"""Update the factor of the features, and give its columns their sum.

    .. math::
        V \leftarrow V \circ \frac{X'TU + \frac{\alpha}{r} 1 a'}
        {V U'TU + \frac{\alpha}{r} 1 b' + \frac{\beta}{2r} 1 g'}, \qquad
        a_c = \sum_i t_i U_{ic} U^*_{ic}, \quad b_c = \sum_i t_i U_{ic}^2, \quad
        g_c = \sum_i \frac{U_{ic}^2}{\|U_i\|}.

    Afterwards the columns of V are divided by :math:`s_c` so that they sum to
    :math:`r`, and those of U have to be multiplied by it. The terms behind the first
    ones are what this costs in agreement and in sparsity: with them the objective at
    normalised factors does not rise.
    """
    xp = array_namespace(V)
    own = xp.linalg.diagonal(known.gram)
    alpha, beta = view_penalty / total, sparsity_penalty / total
    V = multiply(
        V,
        Term(known.cross, V @ known.gram),
        Term(alpha * known.near, alpha * own + 0.5 * beta * known.sparse),
    )
    sizes = xp.sum(V, axis=0) / total
    return V / sizes, sizes


def coupled_sweep(
    views: list[CoupledView],
    consensus: Array,
    view_penalty: Penalty,
    sparsity_penalty: Penalty,
    *,
    learn: bool = True,
) -> tuple[list[CoupledView], Array]:
    """Update the factors of each view in turn, and then the consensus.

    The objective of :func:`coupled_objective` does not rise.
    """
    moved = []
    for view, alpha, beta in _with_penalties(views, view_penalty, sparsity_penalty):
        if learn:
            view = _learn_features(view, consensus, alpha, beta)
        U = multiply(
            view.U,
            frobenius_term(view.X, view.U, view.V, row_weights=view.weights),
            coupling_term(consensus, view.U, alpha, row_weights=view.weights),
            l21_term(view.U, beta),
        )
        moved.append(view._replace(U=U))
    return moved, consensus_factor(moved, view_penalty)


def consensus_factor(views: list[CoupledView], view_penalty: Penalty = 1.0) -> Array:
    r"""The consensus that is nearest to the factors of all views.

    .. math::
        U^*_i = \frac{\sum_m \alpha_m t^m_i U^m_i}{\sum_m \alpha_m t^m_i} .

    Without any penalty all views count alike.
    """
    if not np.any(view_penalty):
        view_penalty = 1.0
    weights = [
        alpha * view.weights for view, alpha, _ in _with_penalties(views, view_penalty)
    ]
    pulled = sum(t[:, None] * view.U for t, view in zip(weights, views, strict=True))
    return pulled / sum(weights)[:, None]


def coupled_objective(
    views: list[CoupledView],
    consensus: Array,
    view_penalty: Penalty,
    sparsity_penalty: Penalty,
) -> float:
    r"""How badly the factors fit and disagree.

    .. math::
        \sum_m \sum_i t^m_i \|X^m_i - U^m_i V^m{}'\|^2
        + \sum_m \alpha_m \sum_i t^m_i \|U^m_i - U^*_i\|^2
        + \sum_m \beta_m \|U^m\|_{2,1} .
    """
    return sum(
        frobenius_loss(view.X, view.U, view.V, row_weights=view.weights)
        + alpha * distance_to(consensus, view.U, view.weights)
        + beta * l21_norm(view.U)
        for view, alpha, beta in _with_penalties(views, view_penalty, sparsity_penalty)
    )


def distance_to(target: Array, U: Array, weights: Array | None = None) -> float:
    r"""Weighted squared distance, :math:`\sum_i t_i \|U_i - U^*_i\|^2`."""
    xp = array_namespace(U)
    squares = xp.sum((U - target) ** 2, axis=1)
    return float(xp.sum(squares if weights is None else squares * weights))


def roughness(S: Any, degrees: Array, U: Array) -> float:
    r"""How much a factor varies along a graph.

    .. math::
        t = \sum_{i \ne j} S_{ij} \|U_i - U_j\|^2 = 2 \, \mathrm{tr}(U'(D - S)U) .
    """
    xp = array_namespace(U)
    squares = degrees[:, None] * U * U
    return max(2.0 * float(xp.sum(squares - U * (S @ U))), 0.0)


def unit_columns(U: Array) -> tuple[Array, Array]:
    """Give the columns of a factor length one."""
    xp = array_namespace(U)
    sizes = row_lengths(U.T)
    sizes = xp.where(sizes > 0, sizes, xp.ones_like(sizes))
    return U / sizes, sizes


def _with_penalties(
    views: list[CoupledView], view_penalty: Penalty, sparsity_penalty: Penalty = 0.0
) -> Iterator[tuple[CoupledView, float, float]]:
    """Each view with its own penalties."""
    alphas, betas = (
        np.broadcast_to(np.asarray(penalty, dtype=np.float64), (len(views),)).tolist()
        for penalty in (view_penalty, sparsity_penalty)
    )
    return zip(views, alphas, betas, strict=True)


def _learn_features(
    view: CoupledView, consensus: Array, view_penalty: float, sparsity_penalty: float
) -> CoupledView:
    known = statistics(view, consensus).plus(view.past)
    V, sizes = update_features(
        view.V, known, view.total, view_penalty, sparsity_penalty
    )
    past = None if view.past is None else view.past.scaled(sizes)
    return view._replace(U=view.U * sizes, V=V, past=past)
