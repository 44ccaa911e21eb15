r"""Sparse factors of views that a consensus guides.

View m is :math:`X^m \approx U^m V^m{}'` with few features, the rows of :math:`V^m` that
are not zero; :math:`U^m`, whose columns have length one, is smooth along the neighbours
of the view and near to a consensus :math:`U^*` with orthogonal columns:

.. math::
    \sum_m \|X^m - U^m V^m{}'\|^2 + \lambda_m \|V^m\|_{2,1}
    + \gamma_m \|U^m - U^*\|^2 + 2 \beta_m \mathrm{tr}(U^m{}' L^m U^m) .

Arrays are of NumPy or of a device.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from comitia._arrays import array_namespace
from comitia.methods.multiview._coupled_factors import unit_columns
from comitia.optimize.nmf import (
    Term,
    coupling_term,
    frobenius_term,
    graph_term,
    l21_term,
    multiply,
)
from comitia.optimize.onmf import update_orthogonal

__all__ = ["guided_consensus", "guided_step"]

Array = Any


def guided_step(
    X: Array,
    U: Array,
    V: Array,
    consensus: Array,
    graph: tuple[Array, Array],
    *,
    sparsity_penalty: float,
    view_penalty: float,
    graph_penalty: float,
) -> tuple[Array, Array]:
    """Update the features of a view and then its objects."""
    V = multiply(
        V,
        frobenius_term(X.T, V, U),
        l21_term(V, sparsity_penalty),
        floor=0.0,
    )
    S, degrees = graph
    U = update_on_spheres(
        U,
        frobenius_term(X, U, V),
        coupling_term(consensus, U, view_penalty),
        graph_term(S, U, 2.0 * graph_penalty, degrees=degrees),
    )
    return U, V


def guided_consensus(
    consensus: Array, factors: Sequence[Array], view_penalties: Sequence[float]
) -> Array:
    """Draw the consensus to the factors of the views, its columns orthogonal."""
    pull = sum(g * U for g, U in zip(view_penalties, factors, strict=True))
    return unit_columns(update_orthogonal(consensus, pull))[0]


def update_on_spheres(U: Array, *terms: Term) -> Array:
    r"""Update a factor whose columns have length one.

    The constraint adds to each column a multiple of itself; what would lengthen a
    column pushes, what would shorten it pulls:

    .. math::
        U \leftarrow U \circ \sqrt{
        \frac{\text{pull} + U \, \mathrm{diag}(U' \text{push})}
        {\text{push} + U \, \mathrm{diag}(U' \text{pull})} } .
    """
    xp = array_namespace(U)
    pull = sum(term.pull for term in terms)
    push = sum(term.push for term in terms)
    along = Term(U * xp.sum(U * push, axis=0), U * xp.sum(U * pull, axis=0))
    return unit_columns(multiply(U, Term(pull, push), along, power=0.5))[0]
