r"""Orthogonal tri-factorisation :math:`S \approx Q D Q'` of a matrix of similarities.

S is seen through the products ``S @ Q`` alone: a co-association of a million objects is
factorised without being formed.

Objects that occur several times can be stored once with a count. With
:math:`C = \mathrm{diag}(\text{weights})` every inner product over objects is
:math:`Q'CQ`, and ``S @ Q`` has to be the product over all copies, :math:`S C Q`. The
result is that of the full problem.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.exceptions import ComitiaError
from comitia.optimize.loops import PATIENCE, at_rest
from comitia.optimize.loops import squared_norm as _squared_norm
from comitia.optimize.nmf import Term, floats, multiply
from comitia.optimize.ties import is_lower

__all__ = [
    "TriFactors",
    "indicator_start",
    "onmf_objective",
    "orthogonal_nmf",
    "update_core",
    "update_orthogonal",
]

Array = NDArray[np.float64]

# Sweeps without a better partition after which they stop. Some would go on for
# hundreds, and hardly ever find one.
_IN_VAIN = 30

_FLOOR = 1e-12  # the least entry of Q


class TriFactors(NamedTuple):
    """The factors of the best partition.

    Attributes
    ----------
    Q : ndarray of shape (n, k)
        Non-negative, orthonormal.

    D : ndarray of shape (k, k)
        Non-negative, symmetric.

    objective : ndarray of shape (n_iter + 1,)
        The objective of the partition at the start and after each sweep.

    n_iter : int
        Number of sweeps.

    converged : bool
        Whether the sweeps ended by themselves.
    """

    Q: Array
    D: Array
    objective: Array
    n_iter: int
    converged: bool


def orthogonal_nmf(
    S: Any,
    Q: ArrayLike,
    *,
    diagonal: bool = True,
    weights: ArrayLike | None = None,
    squared_norm: float | None = None,
    max_iter: int = 500,
    tol: float = 1e-6,
) -> TriFactors:
    r"""Factorise a symmetric non-negative matrix with orthonormal factors.

    .. math::
        \min_{Q, D \ge 0} \|S - Q D Q'\|_F^2 \quad \text{s. t.} \quad Q'Q = I,

    by sweeps of :func:`update_orthogonal` and :func:`update_core`. The sweeps are not
    monotone: they also drive Q towards orthonormal columns, which can cost fit. They
    are compared, and the best of them is returned, where they meet the constraint: at
    the partition U that the largest entries of Q make, with
    :math:`Q = U (U'U)^{-1/2}` and :math:`D = Q'SQ`. They end when ten of them leave
    the partition as it is, or the objective of the factors themselves but for
    ``tol`` times :math:`\|S\|_F^2`, and when thirty find no better partition. A
    partition with fewer clusters than that of the start does not count.

    Parameters
    ----------
    S : matrix of shape (n, n)
        The similarities; only ``S @ Q`` is needed.

    Q : array-like of shape (n, k)
        The start, such as that of :func:`indicator_start`. Entries that are zero stay
        close to zero.

    diagonal : bool, default=True
        Whether D is diagonal. A full core also fits the similarity between clusters.

    weights : array-like of shape (n,), default=None
        How many objects each row stands for.

    squared_norm : float, default=None
        :math:`\|S\|_F^2` over all copies, for matrices that cannot tell.

    max_iter : int, default=500
        The most sweeps.

    tol : float, default=1e-6
        When to stop.

    Returns
    -------
    factors : TriFactors
        The factors, and how the sweeps went.

    Examples
    --------
    >>> S = np.kron(np.eye(2), np.ones((3, 3)))
    >>> factors = orthogonal_nmf(S, indicator_start([0, 0, 0, 1, 1, 0], 2))
    >>> factors.Q.argmax(axis=1)
    array([0, 0, 0, 1, 1, 1])
    """
    Q = np.maximum(np.asarray(Q, dtype=np.float64), _FLOOR)
    # Products with ones are a seventh of the time of a sweep.
    if weights is not None and (np.asarray(weights) == 1).all():
        weights = None
    C = None if weights is None else np.asarray(weights, dtype=np.float64)[:, None]
    size = _squared_norm(S) if squared_norm is None else float(squared_norm)
    SQ, QQ, QSQ = _products(S, Q, C)
    D = np.diag(np.diag(QSQ)) if diagonal else (QSQ + QSQ.T) / 2
    objective = [onmf_objective(size, D, QSQ, QQ)]
    partitions = _Partitions(S, C, size, D)
    partitions.add(Q)
    converged = False
    for _ in range(max_iter):
        Q = update_orthogonal(Q, SQ @ D, weights=weights, moment=QSQ @ D)
        SQ, QQ, QSQ = _products(S, Q, C)
        D = update_core(D, QSQ, QQ)
        objective.append(onmf_objective(size, D, QSQ, QQ))
        partitions.add(Q)
        converged = (
            partitions.n_same >= PATIENCE
            or partitions.n_in_vain >= _IN_VAIN
            or at_rest(objective, tol, size)
        )
        if converged:
            break
    _, Q, D = partitions.best
    found = np.asarray(partitions.objective)
    return TriFactors(Q, D, found, len(found) - 1, converged)


class _Partitions:
    """Objectives of the partitions of the sweeps; the factors of the best of them."""

    def __init__(self, S: Any, C: Array | None, size: float, D: Array) -> None:
        self._S, self._C, self._size = S, C, size
        self._diagonal = not (D - np.diag(np.diag(D))).any()
        self._labels: NDArray[np.intp] | None = None
        self._n_clusters = 0
        self.n_same = self.n_in_vain = 0
        self.objective: list[float] = []
        self.best: tuple[float, Array, Array]

    def add(self, Q: Array) -> None:
        self.n_in_vain += 1
        labels = Q.argmax(axis=1)
        if self._labels is not None and (labels == self._labels).all():
            self.objective.append(self.objective[-1])
            self.n_same += 1
            return
        self._labels, self.n_same = labels, 0
        U = np.eye(Q.shape[1])[labels]
        sizes = (U if self._C is None else U * self._C).sum(axis=0)
        U /= np.sqrt(np.where(sizes > 0, sizes, 1.0))
        _, _, D = _products(self._S, U, self._C)
        D = np.diag(np.diag(D)) if self._diagonal else D
        # Q'Q is the identity, and D what fits best.
        self.objective.append(float(self._size - np.vdot(D, D)))
        n_clusters = int((sizes > 0).sum())
        if len(self.objective) == 1:
            self._n_clusters = n_clusters
        elif n_clusters < self._n_clusters or not is_lower(
            self.objective[-1], self.best[0]
        ):
            return
        self.best, self.n_in_vain = (self.objective[-1], U, D), 0


def update_orthogonal(
    Q: ArrayLike,
    pull: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    moment: ArrayLike | None = None,
) -> Array:
    r"""One update of a factor that is to have orthonormal columns.

    .. math::
        Q \leftarrow Q \circ \sqrt{ \frac{\text{pull}}{Q Q' \text{pull}} }.

    For :math:`\|S - QDQ'\|^2` pull is :math:`SQD`, and the update is that of Ding et
    al.; further terms of an objective add to it.

    Parameters
    ----------
    Q : array-like of shape (n, k)
        The factor.

    pull : array-like of shape (n, k)
        What raises it.

    weights : array-like of shape (n,), default=None
        How many objects each row stands for.

    moment : array-like of shape (k, k), default=None
        :math:`Q'\text{pull}`, when it is known already.

    Returns
    -------
    Q : ndarray of shape (n, k)
        The factor after the update.
    """
    Q, pull = floats(Q), floats(pull)
    if moment is None:
        moment = (Q if weights is None else Q * floats(weights)[:, None]).T @ pull
    return multiply(Q, Term(pull, Q @ floats(moment)), power=0.5, floor=_FLOOR)


def update_core(D: ArrayLike, QSQ: ArrayLike, QQ: ArrayLike) -> Array:
    r"""One update of the core.

    .. math::
        D \leftarrow D \circ \sqrt{ \frac{Q'SQ}{Q'Q \, D \, Q'Q} }.

    Parameters
    ----------
    D : array-like of shape (k, k)
        The core. Entries that are zero stay zero: a diagonal core stays diagonal.

    QSQ : array-like of shape (k, k)
        :math:`Q'SQ`.

    QQ : array-like of shape (k, k)
        :math:`Q'Q`.

    Returns
    -------
    D : ndarray of shape (k, k)
        The core after the update.
    """
    D, QQ = np.asarray(D, dtype=np.float64), np.asarray(QQ, dtype=np.float64)
    term = Term(np.asarray(QSQ, dtype=np.float64), QQ @ D @ QQ)
    return multiply(D, term, power=0.5, floor=0.0)


def onmf_objective(
    squared_norm: float, D: ArrayLike, QSQ: ArrayLike, QQ: ArrayLike
) -> float:
    r"""The objective, from small matrices alone.

    .. math::
        \|S - QDQ'\|_F^2 = \|S\|_F^2 - 2 \, \mathrm{tr}(D \, Q'SQ)
        + \mathrm{tr}(D \, Q'Q \, D \, Q'Q).

    Parameters
    ----------
    squared_norm : float
        :math:`\|S\|_F^2`.

    D, QSQ, QQ : array-like of shape (k, k)
        As for :func:`update_core`.

    Returns
    -------
    objective : float
        Exact up to rounding of the size of ``squared_norm``.
    """
    D, QQ = np.asarray(D, dtype=np.float64), np.asarray(QQ, dtype=np.float64)
    fitted = QQ @ D @ QQ
    return float(squared_norm - 2 * np.vdot(D, np.asarray(QSQ)) + np.vdot(D, fitted))


def indicator_start(
    labels: ArrayLike,
    n_clusters: int,
    *,
    offset: float = 0.2,
    weights: ArrayLike | None = None,
) -> Array:
    r"""A start of Q from a partition.

    The indicator matrix of the partition plus an offset, so that no entry is stuck at
    zero, with columns of length one.

    Parameters
    ----------
    labels : array-like of shape (n,)
        The partition, 0..n_clusters - 1.

    n_clusters : int
        Number of columns, k.

    offset : float, default=0.2
        What is added.

    weights : array-like of shape (n,), default=None
        How many objects each row stands for.

    Returns
    -------
    Q : ndarray of shape (n, k)
        The start.

    Examples
    --------
    >>> indicator_start([0, 0, 1], 2, offset=0.0).round(4)
    array([[0.7071, 0.    ],
           [0.7071, 0.    ],
           [0.    , 1.    ]])
    """
    labels = np.asarray(labels)
    if labels.min(initial=0) < 0 or labels.max(initial=0) >= n_clusters:
        raise ComitiaError(f"labels must be 0..{n_clusters - 1}, below n_clusters.")
    Q = np.full((len(labels), n_clusters), float(offset))
    Q[np.arange(len(labels)), labels] += 1.0
    copies = np.ones(len(labels)) if weights is None else np.asarray(weights)
    lengths = np.sqrt(copies @ (Q * Q))
    return np.asarray(Q / np.where(lengths > 0, lengths, 1.0))


def _products(S: Any, Q: Array, C: Array | None) -> tuple[Array, Array, Array]:
    """SQ, Q'Q and Q'SQ, the last two over all copies."""
    SQ = np.asarray(S @ Q, dtype=np.float64)
    left = Q if C is None else Q * C
    return SQ, left.T @ Q, left.T @ SQ
