r"""Multiplicative updates of non-negative factorisations :math:`X \approx U V'`.

Every update has one form. The half gradient of the objective is split into what raises
a factor and what lowers it, its *pull* and its *push*, and the factor is multiplied by
their ratio:

.. math::
    U \leftarrow U \circ \frac{\sum_t \text{pull}_t}{\sum_t \text{push}_t}.

The terms of an objective are functions that return their :class:`Term`; a method adds
up the ones that its paper has and hands them to :func:`multiply`. The other factor is
updated by the same functions on the transpose, ``frobenius_term(X.T, V, U)``.

``X`` and ``S`` may be arrays, SciPy sparse matrices, or anything that can be multiplied
with ``@`` where the docstring does not say otherwise. What is array-like becomes an
array of NumPy in double precision. Arrays of another library that follows the array API
standard stay what they are, on their device and in their precision.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._arrays import array_namespace
from comitia.exceptions import ComitiaError

__all__ = [
    "Term",
    "coupling_term",
    "floats",
    "frobenius_loss",
    "frobenius_term",
    "graph_term",
    "kl_loss",
    "kl_term",
    "l21_norm",
    "l21_term",
    "l21_weights",
    "multiply",
    "normalize_columns",
    "residual_norms",
    "row_lengths",
]

Array = NDArray[np.float64]

# Below this the rows of an L2,1 norm count as zero; their weight stays finite.
_SMALLEST_NORM = 1e-10


class Term(NamedTuple):
    """The two parts of the half gradient of one term of an objective.

    Attributes
    ----------
    pull : ndarray of shape (n, k), or float
        What raises the factor: minus the negative part.

    push : ndarray of shape (n, k) or (k,), or float
        What lowers it: the positive part.
    """

    pull: Array | float
    push: Array | float


def multiply(
    U: ArrayLike, *terms: Term, power: float = 1.0, floor: float = 1e-12
) -> Array:
    r"""One multiplicative update of a factor.

    .. math::
        U \leftarrow \max\left( U \circ
        \left( \frac{\sum_t \text{pull}_t}{\sum_t \text{push}_t} \right)^{p},
        \varepsilon \right).

    Parameters
    ----------
    U : array-like of shape (n, k)
        The factor, non-negative.

    *terms : Term
        The terms of the objective.

    power : float, default=1.0
        The power :math:`p`; one half where the term that is lowered is of the fourth
        degree in U.

    floor : float, default=1e-12
        The least entry :math:`\varepsilon`: an entry that is zero would stay zero.

    Returns
    -------
    U : ndarray of shape (n, k)
        The factor after the update.

    Examples
    --------
    >>> multiply([[1.0, 2.0]], Term(np.array([[4.0, 1.0]]), np.array([[2.0, 2.0]])))
    array([[2., 1.]])
    """
    if not terms:
        raise ComitiaError("terms is empty; give the terms of the objective.")
    U = floats(U)
    pull, push = sum(term.pull for term in terms), sum(term.push for term in terms)
    if isinstance(U, np.ndarray):
        return _multiply_in_place(U, pull, push, power, floor)
    xp = array_namespace(U)
    none, one = xp.zeros_like(U), xp.ones_like(U)
    pull, push = none + pull, none + push
    # Nothing pushes an entry whose basis vector is zero; it stays where it is.
    ratio = xp.where(push > 0, pull, one) / xp.where(push > 0, push, one)
    return xp.clip(U * (ratio if power == 1.0 else ratio**power), floor, None)


def _multiply_in_place(
    U: Array, pull: Any, push: Any, power: float, floor: float
) -> Array:
    """The same with NumPy, which takes half as long without arrays in between."""
    pull, push = np.broadcast_to(pull, U.shape), np.broadcast_to(push, U.shape)
    ratio = np.divide(pull, push, out=np.ones(U.shape), where=push > 0)
    if power == 0.5:
        np.sqrt(ratio, out=ratio)
    elif power != 1.0:
        ratio **= power
    ratio *= U
    return np.asarray(np.maximum(ratio, floor, out=ratio))


def frobenius_term(
    X: Any,
    U: ArrayLike,
    V: ArrayLike,
    *,
    row_weights: ArrayLike | None = None,
    column_weights: ArrayLike | None = None,
) -> Term:
    r"""The squared loss :math:`\sum_{ij} t_i s_j (X - UV')_{ij}^2`.

    .. math::
        \text{pull} = T X S V, \qquad \text{push} = T U V' S V.

    Parameters
    ----------
    X : matrix of shape (n, p)
        What is factorised; only ``X @ V`` is needed.

    U : array-like of shape (n, k)
        The factor that is updated.

    V : array-like of shape (p, k)
        The other factor.

    row_weights : array-like of shape (n,), default=None
        Weights of the rows, :math:`T = \mathrm{diag}(t)`; one by default.

    column_weights : array-like of shape (p,), default=None
        Weights of the columns, :math:`S = \mathrm{diag}(s)`; one by default.

    Returns
    -------
    term : Term
        The term for U.

    Examples
    --------
    >>> import numpy as np
    >>> from comitia.optimize import frobenius_term
    >>> frobenius_term(np.array([[6.0]]), [[1.0]], [[2.0]])
    Term(pull=array([[12.]]), push=array([[4.]]))
    """
    U, V = floats(U), floats(V)
    weighted = _scale_rows(V, column_weights, "column_weights")
    pull = floats(X @ weighted)
    push = U @ (V.T @ weighted)
    return _by_rows(pull, push, row_weights)


def kl_term(
    X: Any,
    U: ArrayLike,
    V: ArrayLike,
    *,
    row_weights: ArrayLike | None = None,
    column_weights: ArrayLike | None = None,
) -> Term:
    r"""The generalised Kullback-Leibler loss, weighted as the squared one is.

    .. math::
        \sum_{ij} t_i s_j \left( X_{ij} \ln \frac{X_{ij}}{(UV')_{ij}} - X_{ij}
        + (UV')_{ij} \right), \qquad
        \text{pull} = \tfrac12 T \frac{X}{UV'} S V, \qquad
        \text{push} = \tfrac12 T 1 1' S V.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, p)
        What is factorised. Of a sparse matrix only the stored entries are visited.

    U : array-like of shape (n, k)
        The factor that is updated.

    V : array-like of shape (p, k)
        The other factor.

    row_weights : array-like of shape (n,), default=None
        Weights of the rows, :math:`T = \mathrm{diag}(t)`; one by default.

    column_weights : array-like of shape (p,), default=None
        Weights of the columns, :math:`S = \mathrm{diag}(s)`; one by default.

    Returns
    -------
    term : Term
        The term for U.
    """
    U, V = floats(U), floats(V)
    xp = array_namespace(U)
    weighted = _scale_rows(V, column_weights, "column_weights")
    pull = 0.5 * floats(_ratio_to_fit(X, U, V) @ weighted)
    push = xp.broadcast_to(0.5 * xp.sum(weighted, axis=0), U.shape)
    return _by_rows(pull, push, row_weights)


def _by_rows(pull: Array, push: Array, weights: ArrayLike | None) -> Term:
    """A term whose rows have weights."""
    return Term(
        _scale_rows(pull, weights, "row_weights"),
        _scale_rows(push, weights, "row_weights"),
    )


def graph_term(
    S: Any,
    U: ArrayLike,
    strength: float = 1.0,
    *,
    degrees: ArrayLike | None = None,
) -> Term:
    r"""Rows that a graph joins should be alike.

    .. math::
        \lambda \, \mathrm{tr}(U'LU) = \tfrac{\lambda}{2} \sum_{ij} S_{ij}
        \|U_i - U_j\|^2, \qquad
        \text{pull} = \lambda S U, \qquad \text{push} = \lambda D U.

    Parameters
    ----------
    S : matrix of shape (n, n)
        Weights of the edges, symmetric and non-negative; only ``S @ U`` is needed.

    U : array-like of shape (n, k)
        The factor.

    strength : float, default=1.0
        How much the term counts, :math:`\lambda`.

    degrees : array-like of shape (n,), default=None
        The row sums of S, :math:`D`; computed by default.

    Returns
    -------
    term : Term
        The term for U.

    Examples
    --------
    >>> import numpy as np
    >>> from comitia.optimize import graph_term
    >>> graph_term(np.array([[0.0, 2.0], [2.0, 0.0]]), [[1.0], [3.0]]).push.tolist()
    [[2.0], [6.0]]
    """
    U = floats(U)
    if degrees is None:
        degrees = floats(S @ array_namespace(U).ones_like(U[:, :1]))[:, 0]
    return Term(strength * floats(S @ U), strength * _scale_rows(U, degrees, "degrees"))


def coupling_term(
    target: ArrayLike,
    U: ArrayLike,
    strength: float = 1.0,
    *,
    row_weights: ArrayLike | None = None,
) -> Term:
    r"""The factor should be near another one.

    .. math::
        \lambda \sum_i t_i \|U_i - U^*_i\|^2, \qquad
        \text{pull} = \lambda T U^*, \qquad \text{push} = \lambda T U.

    Parameters
    ----------
    target : array-like of shape (n, k)
        The other factor, :math:`U^*`.

    U : array-like of shape (n, k)
        The factor.

    strength : float, default=1.0
        How much the term counts, :math:`\lambda`.

    row_weights : array-like of shape (n,), default=None
        Weights of the rows, :math:`T = \mathrm{diag}(t)`; one by default.

    Returns
    -------
    term : Term
        The term for U.

    Examples
    --------
    >>> from comitia.optimize import coupling_term
    >>> coupling_term([[1.0, 1.0]], [[3.0, 0.0]], strength=2.0)
    Term(pull=array([[2., 2.]]), push=array([[6., 0.]]))
    """
    pull, push = strength * floats(target), strength * floats(U)
    return _by_rows(pull, push, row_weights)


def l21_term(U: ArrayLike, strength: float = 1.0) -> Term:
    r"""Few rows should be large: :math:`\lambda \|U\|_{2,1} = \lambda \sum_i \|U_i\|`.

    .. math::
        \text{pull} = 0, \qquad
        \text{push} = \tfrac{\lambda}{2} \, \mathrm{diag}(1 / \|U_i\|) \, U.

    Parameters
    ----------
    U : array-like of shape (n, k)
        The factor.

    strength : float, default=1.0
        How much the term counts, :math:`\lambda`.

    Returns
    -------
    term : Term
        The term for U.
    """
    U = floats(U)
    return Term(0.0, strength * l21_weights(row_lengths(U))[:, None] * U)


def l21_norm(U: ArrayLike) -> float:
    r"""Sum of the lengths of the rows, :math:`\|U\|_{2,1} = \sum_i \|U_i\|`.

    Parameters
    ----------
    U : array-like of shape (n, k)
        A matrix.

    Returns
    -------
    norm : float
        Its L2,1 norm.

    Examples
    --------
    >>> l21_norm([[3.0, 4.0], [0.0, 0.0], [0.0, 2.0]])
    7.0
    """
    lengths = row_lengths(U)
    return float(array_namespace(lengths).sum(lengths))


def row_lengths(U: ArrayLike) -> Array:
    r"""Length of each row, :math:`\|U_i\|`.

    Parameters
    ----------
    U : array-like of shape (n, k)
        A matrix.

    Returns
    -------
    norms : ndarray of shape (n,)
        The lengths.

    Examples
    --------
    >>> row_lengths([[3.0, 4.0], [0.0, 2.0]])
    array([5., 2.])
    """
    U = floats(U)
    xp = array_namespace(U)
    norms: Array = xp.sqrt(xp.sum(U * U, axis=1))
    return norms


def l21_weights(norms: ArrayLike) -> Array:
    r"""Weights that turn a squared loss into an L2,1 loss.

    Minimising :math:`\sum_i d_i \|r_i\|^2` with :math:`d_i = 1 / (2 \|r_i\|)` taken
    from the residuals before lowers :math:`\sum_i \|r_i\|`.

    Parameters
    ----------
    norms : array-like of shape (n,)
        Lengths of the rows, :math:`\|r_i\|`; at least 1e-10 of each counts.

    Returns
    -------
    weights : ndarray of shape (n,)
        The weights :math:`d`, for ``row_weights``.

    Examples
    --------
    >>> l21_weights([0.5, 2.0])
    array([1.  , 0.25])
    """
    lengths = floats(norms)
    xp = array_namespace(lengths)
    weights: Array = 0.5 / xp.clip(lengths, _SMALLEST_NORM, None)
    return weights


def residual_norms(X: Any, U: ArrayLike, V: ArrayLike) -> Array:
    r"""Length of each row of :math:`X - UV'`.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, p)
        What is factorised; a sparse matrix stays sparse.

    U, V : array-like of shape (n, k) and (p, k)
        The factors.

    Returns
    -------
    norms : ndarray of shape (n,)
        The lengths.
    """
    U, V = floats(U), floats(V)
    if not _is_sparse(X):
        return row_lengths(floats(X) - U @ V.T)
    lengths = np.asarray(X.multiply(X).sum(axis=1)).ravel()
    crossed = ((X @ V) * U).sum(axis=1)
    fitted = ((U @ (V.T @ V)) * U).sum(axis=1)
    # Rounding can leave a little less than nothing where the fit is exact.
    return np.asarray(np.sqrt(np.maximum(lengths - 2 * crossed + fitted, 0.0)))


def frobenius_loss(
    X: Any, U: ArrayLike, V: ArrayLike, *, row_weights: ArrayLike | None = None
) -> float:
    r"""The loss of :func:`frobenius_term`, :math:`\sum_i t_i \|X_i - U_i V'\|^2`.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, p)
        What is factorised.

    U, V : array-like of shape (n, k) and (p, k)
        The factors.

    row_weights : array-like of shape (n,), default=None
        Weights of the rows; one by default.

    Returns
    -------
    loss : float
        The loss.

    Examples
    --------
    >>> import numpy as np
    >>> from comitia.optimize import frobenius_loss
    >>> frobenius_loss(np.array([[6.0]]), [[1.0]], [[2.0]])
    16.0
    """
    squares = residual_norms(X, U, V)[:, None] ** 2
    weighted = _scale_rows(squares, row_weights, "row_weights")
    return float(array_namespace(weighted).sum(weighted))


def kl_loss(
    X: Any, U: ArrayLike, V: ArrayLike, *, row_weights: ArrayLike | None = None
) -> float:
    r"""The loss of :func:`kl_term`, with :math:`0 \ln 0 = 0`.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, p)
        What is factorised.

    U, V : array-like of shape (n, k) and (p, k)
        The factors.

    row_weights : array-like of shape (n,), default=None
        Weights of the rows; one by default.

    Returns
    -------
    loss : float
        The loss; infinite where the fit is zero and X is not.
    """
    U, V = floats(U), floats(V)
    xp = array_namespace(U)
    # log 0 is minus infinity: the loss of a fit that is zero where X is not.
    with np.errstate(divide="ignore"):
        if _is_sparse(X):
            rows, columns, values = _entries(X)
            fit = (U[rows] * V[columns]).sum(axis=1)
            parts = values * np.log(values / fit) - values
            misfits = np.bincount(rows, parts, minlength=len(U))
        else:
            X = floats(X)
            unit = xp.ones_like(X)
            ratio = xp.where(X > 0, X, unit) / xp.where(X > 0, U @ V.T, unit)
            misfits = xp.sum(X * xp.log(ratio) - X, axis=1)
    losses = (U @ xp.sum(V, axis=0) + misfits)[:, None]
    return float(xp.sum(_scale_rows(losses, row_weights, "row_weights")))


def normalize_columns(
    U: ArrayLike, V: ArrayLike, *, norm: int = 2
) -> tuple[Array, Array]:
    r"""Give the columns of V unit norm and U what they lose; :math:`UV'` stays.

    Without it a penalty on U falls for free: :math:`U/c`, :math:`cV` fit as well.

    Parameters
    ----------
    U : array-like of shape (n, k)
        The factor that takes the scale.

    V : array-like of shape (p, k)
        The factor that is normalised. A column of zeros stays as it is.

    norm : {1, 2}, default=2
        Columns sum to one, or have length one.

    Returns
    -------
    U, V : ndarray of shape (n, k) and (p, k)
        The factors.

    Examples
    --------
    >>> normalize_columns([[1.0]], [[3.0], [4.0]])
    (array([[5.]]), array([[0.6],
           [0.8]]))
    """
    U, V = floats(U), floats(V)
    xp = array_namespace(V)
    sizes = xp.sum(xp.abs(V), axis=0) if norm == 1 else row_lengths(V.T)
    sizes = xp.where(sizes > 0, sizes, xp.ones_like(sizes))
    return U * sizes, V / sizes


def floats(A: Any) -> Array:
    """Numbers in an array.

    Parameters
    ----------
    A : array-like
        Numbers.

    Returns
    -------
    A : ndarray
        Of NumPy in double precision; an array of another library as it is.
    """
    # PyTorch's tensors follow the standard through a package of its own.
    other = hasattr(A, "__array_namespace__") or type(A).__module__ == "torch"
    if not other or isinstance(A, np.ndarray | np.generic):
        A = np.asarray(A, dtype=np.float64)
    array: Array = A
    return array


def _scale_rows(A: Array, weights: ArrayLike | None, name: str) -> Array:
    if weights is None:
        return A
    w = floats(weights)
    if tuple(w.shape) != tuple(A.shape[:1]):
        raise ComitiaError(
            f"{name} must have {A.shape[0]} numbers, one for each row; got shape "
            f"{tuple(w.shape)}."
        )
    return A * w[:, None]


def _is_sparse(X: Any) -> bool:
    return hasattr(X, "tocoo")


def _entries(X: Any) -> tuple[NDArray[np.intp], NDArray[np.intp], Array]:
    """Rows, columns and values of the entries of a sparse matrix that are not zero."""
    X = X.tocoo()
    kept = X.data != 0
    return X.row[kept], X.col[kept], X.data[kept].astype(np.float64)


def _ratio_to_fit(X: Any, U: Array, V: Array) -> Any:
    """X / UV', sparse where X is; 0 where X or the fit is."""
    if not _is_sparse(X):
        X, fit = floats(X), U @ V.T
        xp = array_namespace(X, fit)
        some = (X != 0) & (fit > 0)
        zero, unit = xp.zeros_like(X), xp.ones_like(X)
        return xp.where(some, X, zero) / xp.where(some, fit, unit)
    X = X.tocsr()
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    fit = (U[rows] * V[X.indices]).sum(axis=1)
    ratio = X.astype(np.float64, copy=True)
    ratio.data = np.divide(ratio.data, fit, out=np.zeros(len(fit)), where=fit > 0)
    return ratio
