r"""Sparse factors of views that a consensus guides.

View m is :math:`X^m \approx U^m V^m{}'` with few features, the rows of :math:`V^m` that
are not zero; :math:`U^m`, whose columns have length one, is smooth along the neighbours
of the view and near to a consensus :math:`U^*` with orthogonal columns:

.. math::
    \sum_m \|X^m - U^m V^m{}'\|^2 + \lambda_m \|V^m\|_{2,1}
    + \gamma_m \|U^m - U^*\|^2 + \beta_m \mathrm{tr}(U^m{}' L^m U^m) .

Arrays are of NumPy or of a device.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from comitia.optimize.multiview import unit_columns, update_on_spheres
from comitia.optimize.nmf import (
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
    r"""Update the features of a view and then its objects.

    Parameters
    ----------
    X : array of shape (n_objects, n_features)
        The view, not negative.

    U, V : array of shape (n_objects, k), array of shape (n_features, k)
        Its factors so far.

    consensus : array of shape (n_objects, k)
        The consensus :math:`U^*`.

    graph : array of shape (n_objects, n_objects), array of shape (n_objects,)
        Similarities of neighbours in the view, and the degrees.

    sparsity_penalty, view_penalty, graph_penalty : float
        The :math:`\lambda_m`, :math:`\gamma_m` and :math:`\beta_m`.

    Returns
    -------
    U, V : array of shape (n_objects, k), array of shape (n_features, k)
        The new factors.
    """
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
    r"""Draw the consensus to the factors of the views, its columns orthogonal.

    Parameters
    ----------
    consensus : array of shape (n_objects, k)
        The consensus so far.

    factors : list of array of shape (n_objects, k)
        The :math:`U^m`.

    view_penalties : list of float
        The :math:`\gamma_m`.

    Returns
    -------
    consensus : array of shape (n_objects, k)
        The new one, with columns of length one.
    """
    pull = sum(g * U for g, U in zip(view_penalties, factors, strict=True))
    return unit_columns(update_orthogonal(consensus, pull))[0]
