"""When an iteration has come to rest, which iterate it keeps, and a squared norm."""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from comitia.exceptions import ComitiaError

__all__ = ["Kept", "at_rest", "squared_norm", "stalled"]

Iterate = TypeVar("Iterate")

# An iterate is better than another when its objective is lower by more than this share.
# Smaller differences come from where an iteration happens to stop.
APART = 1e-6

# Sweeps without progress after which an iteration stops. One sweep says little:
# multiplicative updates pause and even rise before they fall on.
PATIENCE = 10


def stalled(objective: Sequence[float], tol: float, scale: float) -> bool:
    """True when the last ten sweeps together hardly lowered the best value.

    Parameters
    ----------
    objective : sequence of float
        One value per sweep.

    tol : float
        What counts as progress, as a share of ``scale``.

    scale : float
        The size of the objective.

    Returns
    -------
    stalled : bool
        Whether to stop.
    """
    if len(objective) <= PATIENCE:
        return False
    before, after = min(objective[:-PATIENCE]), min(objective[-PATIENCE:])
    return before - after <= tol * scale


def at_rest(objective: Sequence[float], tol: float, scale: float) -> bool:
    """True when ten sweeps hardly changed the objective, up or down.

    Parameters
    ----------
    objective : sequence of float
        One value per sweep.

    tol : float
        What counts as a change, as a share of ``scale``.

    scale : float
        The size of the objective.

    Returns
    -------
    at_rest : bool
        Whether to stop.
    """
    if len(objective) <= PATIENCE:
        return False
    last = objective[-PATIENCE - 1 :]
    return max(last) - min(last) <= tol * scale


class Kept(Generic[Iterate]):
    """The iterate that an iteration returns: the last one, unless another was better.

    Better means an objective that is lower by more than one part in a million, of two
    iterates that may both be compared. Otherwise an early iterate wins by rounding, or
    because it breaks a constraint.

    Parameters
    ----------
    cost : float
        The objective at the start.

    start : object
        The start.

    feasible : bool, default=True
        Whether the start meets the constraints.
    """

    def __init__(self, cost: float, start: Iterate, feasible: bool = True) -> None:
        self._best = self._last = (cost, start, feasible)

    def add(self, cost: float, iterate: Iterate, feasible: bool = True) -> None:
        """Take notice of the next iterate.

        Parameters
        ----------
        cost : float
            Its objective.

        iterate : object
            What to return if it is the one.

        feasible : bool, default=True
            Whether it meets the constraints.
        """
        self._last = (cost, iterate, feasible)
        lowest, _, comparable = self._best
        if feasible and (not comparable or _apart(cost, lowest)):
            self._best = self._last

    def _chosen(self) -> tuple[float, Iterate, bool]:
        both = self._best[2] and self._last[2]
        return (
            self._best if both and _apart(self._best[0], self._last[0]) else self._last
        )

    def result(self) -> Iterate:
        """The iterate to return.

        Returns
        -------
        iterate : object
            The best one if it is better than the last, and otherwise the last.
        """
        return self._chosen()[1]

    def cost(self) -> float:
        """The objective of :meth:`result`.

        Returns
        -------
        cost : float
            Its objective.
        """
        return self._chosen()[0]


def _apart(one: float, other: float) -> bool:
    """Whether a cost is lower than another by more than ``APART``."""
    return one < other - APART * abs(other)


def squared_norm(S: Any) -> float:
    """Sum of the squared entries of a matrix.

    Parameters
    ----------
    S : matrix of shape (n, n)
        Dense, sparse, or an operator with a method ``squared_norm``.

    Returns
    -------
    norm : float
        The sum.
    """
    if isinstance(S, np.ndarray):
        return float(np.vdot(S, S))
    if hasattr(S, "squared_norm"):
        return float(S.squared_norm())
    if hasattr(S, "tocsr"):
        data = S.tocsr().data
        return float(np.vdot(data, data))
    raise ComitiaError(
        f"the squared norm of S is not known: S is a {type(S).__name__}, which offers "
        "products only; give squared_norm=."
    )
