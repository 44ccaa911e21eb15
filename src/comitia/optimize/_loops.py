"""What the iterations of this package share."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from comitia.exceptions import ComitiaError

# Sweeps without progress after which an iteration stops. One sweep says little:
# multiplicative updates pause and even rise before they fall on.
PATIENCE = 10


def stalled(objective: Sequence[float], tol: float, scale: float) -> bool:
    """True when the last sweeps together lowered the best value by next to nothing."""
    if len(objective) <= PATIENCE:
        return False
    before, after = min(objective[:-PATIENCE]), min(objective[-PATIENCE:])
    return before - after <= tol * scale


def squared_norm(S: Any) -> float:
    """Sum of the squared entries of a matrix that is dense, sparse or knows it."""
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
