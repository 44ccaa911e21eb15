"""A factor that all views share, with orthonormal columns and L2,1 losses."""

from typing import Any

from comitia._arrays import array_namespace
from comitia.methods.multiview._coupled_factors import unit_columns
from comitia.optimize import Term, frobenius_term, graph_term, multiply
from comitia.optimize.nmf import l21_weights, residual_norms

__all__ = ["shared_factor_step"]

Array = Any  # an array of any library that follows the standard

# How strongly columns are held orthonormal: less leaves them askew, and with more the
# other terms hardly move.
_UPRIGHT = 4.0


def shared_factor_step(
    views: list[Array],
    graphs: list[tuple[Any, Array]],
    strengths: list[float],
    U: Array,
    V: list[Array],
) -> tuple[Array, list[Array]]:
    r"""One sweep over a factor that all views share, and the factors of their features.

    For :math:`\sum_m \|X^m - UV^m{}'\|_{2,1} + \sum_m \lambda_m t_m` with
    :math:`U'U = I`. The lengths of the residuals are those before the sweep,
    :math:`d_i = 1 / (2 \|X_i - U_i V'\|)`, and with them

    .. math::
        V \leftarrow V \circ \frac{X'DU}{V U'DU}, \qquad
        \text{pull} = \sum_m D^m X^m V^m + 2 \lambda_m S^m U, \qquad
        \text{push} = \sum_m D^m U V^m{}' V^m + 2 \lambda_m \mathrm{diag}(S^m 1) U,

    and the columns of U have length one after

    .. math::
        U \leftarrow U \circ \sqrt{ \frac{\text{pull} + \eta U}
        {\text{push} + \eta U U'U} }, \qquad
        \eta = \frac{4 \langle \text{pull}, U \rangle}{k} .

    The second terms are those of a penalty on :math:`\|U'U - I\|_F^2` that is four
    times as strong as the rest. ``onmf.update_orthogonal`` is no help here: with rows
    that weigh differently the loss does not drop out of its denominator, and it comes
    to rest wherever the gradient is zero, at orthonormal columns or elsewhere.
    """
    moved, terms = [], []
    for X, (S, degrees), strength, F in zip(views, graphs, strengths, V, strict=True):
        d = l21_weights(residual_norms(X, U, F))
        F = multiply(F, frobenius_term(X.T, F, U, column_weights=d), floor=0.0)
        moved.append(F)
        d = l21_weights(residual_norms(X, U, F))
        terms.append(frobenius_term(X, U, F, row_weights=d))
        terms.append(graph_term(S, U, 2.0 * strength, degrees=degrees))
    pull, push = (sum(parts) for parts in zip(*terms, strict=True))
    strength = _UPRIGHT * float(array_namespace(U).sum(pull * U)) / U.shape[1]
    upright = Term(strength * U, strength * (U @ (U.T @ U)))
    U, sizes = unit_columns(multiply(U, Term(pull, push), upright, power=0.5))
    return U, [F * sizes for F in moved]
