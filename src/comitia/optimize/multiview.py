r"""Factorisations of several views of the same objects.

View m is :math:`X^m \approx U^m V^m{}'`. The factors of the objects are to agree: they
are drawn to a consensus :math:`U^*`, or are one and the same. Everything is written
against the array API standard, so that the iterations run where the arrays are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from comitia._arrays import array_namespace
from comitia.optimize.nmf import (
    Term,
    coupling_term,
    frobenius_loss,
    frobenius_term,
    graph_term,
    l21_norm,
    l21_term,
    l21_weights,
    multiply,
    residual_norms,
    row_norms,
)

__all__ = [
    "CoupledView",
    "Statistics",
    "consensus_factor",
    "coupled_objective",
    "coupled_sweep",
    "distance_to",
    "roughness",
    "shared_factor_step",
    "statistics",
    "unit_columns",
    "update_features",
    "update_on_spheres",
]

# How strongly columns are held orthonormal: less leaves them askew, and with more the
# other terms hardly move.
_UPRIGHT = 4.0

Array = Any  # an array of any library that follows the standard


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
        """Those of both sets of objects.

        Parameters
        ----------
        other : Statistics or None
            Those of other objects.

        Returns
        -------
        statistics : Statistics
            The sums.
        """
        if other is None:
            return self
        return Statistics(*(a + b for a, b in zip(self, other, strict=True)))

    def scaled(self, sizes: Array) -> Statistics:
        """Those of U after its columns were multiplied.

        Parameters
        ----------
        sizes : array of shape (k,)
            What they were multiplied by.

        Returns
        -------
        statistics : Statistics
            Exact but for the last one, whose rows are not known any more.
        """
        return Statistics(
            self.cross * sizes,
            self.gram * sizes * sizes[:, None],
            self.near * sizes,
            self.sparse * sizes,
        )


class CoupledView(NamedTuple):
    """One of several views whose factors are drawn to a consensus.

    Attributes
    ----------
    X : array of shape (n_objects, n_features)
        The view, non-negative.

    weights : array of shape (n_objects,)
        Weights of the objects in it, :math:`t_i`, the squares of those in the norm.

    U : array of shape (n_objects, k)
        The factor of the objects.

    V : array of shape (n_features, k)
        The factor of the features; its columns sum to ``total``.

    total : float
        The sum.

    past : Statistics or None
        Those of objects that came before.
    """

    X: Array
    weights: Array
    U: Array
    V: Array
    total: float
    past: Statistics | None = None


def statistics(view: CoupledView, consensus: Array) -> Statistics:
    """What the factor of the features needs to know of the objects at hand.

    Parameters
    ----------
    view : CoupledView
        The view.

    consensus : array of shape (n_objects, k)
        The consensus :math:`U^*`.

    Returns
    -------
    statistics : Statistics
        The sums over these objects.
    """
    U = view.U
    xp = array_namespace(U)
    weighted = U * view.weights[:, None]
    lengths = 2.0 * l21_weights(row_norms(U))
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

    Parameters
    ----------
    V : array of shape (n_features, k)
        The factor, with columns of sum ``total``.

    known : Statistics
        Those of all objects.

    total : float
        The sum of a column, :math:`r`.

    view_penalty : float
        Strength of the agreement, :math:`\alpha`.

    sparsity_penalty : float
        Strength of the sparsity, :math:`\beta`.

    Returns
    -------
    V : array of shape (n_features, k)
        The factor after the update.

    sizes : array of shape (k,)
        What the columns of U have to be multiplied by, :math:`s`.
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
    view_penalty: float,
    sparsity_penalty: float,
    *,
    learn: bool = True,
) -> tuple[list[CoupledView], Array]:
    r"""Update the factors of each view in turn, and then the consensus.

    The objective of :func:`coupled_objective` does not rise.

    Parameters
    ----------
    views : list of CoupledView
        The views.

    consensus : array of shape (n_objects, k)
        The consensus :math:`U^*`.

    view_penalty : float
        Strength of the agreement, :math:`\alpha`.

    sparsity_penalty : float
        Strength of the sparsity, :math:`\beta`.

    learn : bool, default=True
        Whether the factors of the features are updated too, or only those of the
        objects.

    Returns
    -------
    views : list of CoupledView
        The views with their new factors.

    consensus : array of shape (n_objects, k)
        The new consensus.
    """
    moved = []
    for view in views:
        if learn:
            view = _learn_features(view, consensus, view_penalty, sparsity_penalty)
        U = multiply(
            view.U,
            frobenius_term(view.X, view.U, view.V, row_weights=view.weights),
            coupling_term(consensus, view.U, view_penalty, row_weights=view.weights),
            l21_term(view.U, sparsity_penalty),
        )
        moved.append(view._replace(U=U))
    return moved, consensus_factor(moved)


def consensus_factor(views: list[CoupledView]) -> Array:
    r"""The consensus that is nearest to the factors of all views.

    .. math::
        U^*_i = \frac{\sum_m t^m_i U^m_i}{\sum_m t^m_i} .

    Parameters
    ----------
    views : list of CoupledView
        The views.

    Returns
    -------
    consensus : array of shape (n_objects, k)
        The consensus.
    """
    pulled = sum(view.weights[:, None] * view.U for view in views)
    return pulled / sum(view.weights for view in views)[:, None]


def coupled_objective(
    views: list[CoupledView],
    consensus: Array,
    view_penalty: float,
    sparsity_penalty: float,
) -> float:
    r"""How badly the factors fit and disagree.

    .. math::
        \sum_m \sum_i t^m_i \|X^m_i - U^m_i V^m{}'\|^2
        + \alpha \sum_m \sum_i t^m_i \|U^m_i - U^*_i\|^2
        + \beta \sum_m \|U^m\|_{2,1} .

    Parameters
    ----------
    views : list of CoupledView
        The views.

    consensus : array of shape (n_objects, k)
        The consensus :math:`U^*`.

    view_penalty : float
        Strength of the agreement, :math:`\alpha`.

    sparsity_penalty : float
        Strength of the sparsity, :math:`\beta`.

    Returns
    -------
    objective : float
        The objective, over the objects at hand.
    """
    return sum(
        frobenius_loss(view.X, view.U, view.V, row_weights=view.weights)
        + view_penalty * distance_to(consensus, view.U, view.weights)
        + sparsity_penalty * l21_norm(view.U)
        for view in views
    )


def distance_to(target: Array, U: Array, weights: Array | None = None) -> float:
    r"""Weighted squared distance of two factors, :math:`\sum_i t_i \|U_i - U^*_i\|^2`.

    Parameters
    ----------
    target, U : array of shape (n_objects, k)
        The factors.

    weights : array of shape (n_objects,), default=None
        Weights of the objects, :math:`t`; one by default.

    Returns
    -------
    distance : float
        The distance.
    """
    xp = array_namespace(U)
    squares = xp.sum((U - target) ** 2, axis=1)
    return float(xp.sum(squares if weights is None else squares * weights))


def roughness(S: Any, degrees: Array, U: Array) -> float:
    r"""How much a factor varies along a graph.

    .. math::
        t = \sum_{i \ne j} S_{ij} \|U_i - U_j\|^2 = 2 \, \mathrm{tr}(U'(D - S)U) .

    Parameters
    ----------
    S : matrix of shape (n_objects, n_objects)
        The weights of the edges, symmetric; only ``S @ U`` is needed.

    degrees : array of shape (n_objects,)
        Its row sums.

    U : array of shape (n_objects, k)
        The factor.

    Returns
    -------
    roughness : float
        The sum; not negative.
    """
    xp = array_namespace(U)
    squares = degrees[:, None] * U * U
    return max(2.0 * float(xp.sum(squares - U * (S @ U))), 0.0)


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
    times as strong as the rest. :func:`comitia.optimize.update_orthogonal` is no help
    here: with rows that weigh differently the loss does not drop out of its
    denominator, and it comes to rest wherever the gradient is zero, at orthonormal
    columns or elsewhere.

    Parameters
    ----------
    views : list of array of shape (n_objects, n_features of the view)
        The views, non-negative.

    graphs : list of (matrix, array)
        A graph of the objects for each view, and its row sums.

    strengths : list of float
        How much each graph counts, :math:`\lambda_m`.

    U : array of shape (n_objects, k)
        The factor of the objects.

    V : list of array of shape (n_features of the view, k)
        The factors of the features.

    Returns
    -------
    U : array of shape (n_objects, k)
        The factor of the objects after the sweep.

    V : list of array
        The factors of the features.
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


def update_on_spheres(U: Array, *terms: Term) -> Array:
    r"""Update a factor whose columns have length one.

    The constraint adds to each column a multiple of itself; what would lengthen a
    column pushes, what would shorten it pulls:

    .. math::
        U \leftarrow U \circ \sqrt{
        \frac{\text{pull} + U \, \mathrm{diag}(U' \text{push})}
        {\text{push} + U \, \mathrm{diag}(U' \text{pull})} } .

    Parameters
    ----------
    U : array of shape (n_objects, k)
        The factor.

    *terms : Term
        The terms of the objective.

    Returns
    -------
    U : array of shape (n_objects, k)
        The factor after the update, with columns of length one.
    """
    xp = array_namespace(U)
    pull = sum(term.pull for term in terms)
    push = sum(term.push for term in terms)
    along = Term(U * xp.sum(U * push, axis=0), U * xp.sum(U * pull, axis=0))
    return unit_columns(multiply(U, Term(pull, push), along, power=0.5))[0]


def unit_columns(U: Array) -> tuple[Array, Array]:
    """Give the columns of a factor length one.

    Parameters
    ----------
    U : array of shape (n_objects, k)
        The factor.

    Returns
    -------
    U : array of shape (n_objects, k)
        The factor; columns of zeros stay as they are.

    sizes : array of shape (k,)
        How long the columns were, one where they were zero.
    """
    xp = array_namespace(U)
    sizes = row_norms(U.T)
    sizes = xp.where(sizes > 0, sizes, xp.ones_like(sizes))
    return U / sizes, sizes


def _learn_features(
    view: CoupledView, consensus: Array, view_penalty: float, sparsity_penalty: float
) -> CoupledView:
    known = statistics(view, consensus).plus(view.past)
    V, sizes = update_features(
        view.V, known, view.total, view_penalty, sparsity_penalty
    )
    past = None if view.past is None else view.past.scaled(sizes)
    return view._replace(U=view.U * sizes, V=V, past=past)
