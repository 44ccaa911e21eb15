"""When an iteration has come to rest, and the squared norm it is measured by."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from comitia.exceptions import ComitiaError

__all__ = ["squared_norm", "stalled"]

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
