"""A table of features: its numbers, and the names of its columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._inputs import refuse_masks_and_dates
from comitia._names import in_order, matching_rows
from comitia.exceptions import ComitiaError

__all__ = ["check_features", "is_constant", "name_features"]

Floats = NDArray[np.float64]


def check_features(X: Any, n: int, objects: Any = None) -> Floats:
    """Check data: finite numbers, n rows, put in the order of the named objects."""
    rows = matching_rows(objects, X, ("the result", "X"))
    refuse_masks_and_dates(X, "X")
    try:
        data = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        raise ComitiaError(
            "X must be a table of numbers, one row per object and one column per "
            f"feature; got a {type(X).__name__} that is none."
        ) from None
    if data.ndim != 2 or len(data) != n or data.shape[1] == 0:
        raise ComitiaError(
            f"X must have one row per object, {n}, and at least one column; got shape "
            f"{data.shape}."
        )
    if not np.isfinite(data).all():
        raise ComitiaError("X must be finite; got NaN or infinity.")
    return in_order(data, rows)


def name_features(
    given: Sequence[Any] | None, X: Any, n_features: int
) -> NDArray[np.str_]:
    """Names of the features: those given, those of the columns of X, or numbers."""
    if given is None:
        given = getattr(X, "columns", None)
    if given is None:
        given = [f"feature {j}" for j in range(n_features)]
    if len(given) != n_features:
        raise ComitiaError(
            f"feature_names must have one entry per feature; got {len(given)} for "
            f"{n_features}."
        )
    return np.array([str(name) for name in given])


def is_constant(data: Floats) -> NDArray[np.bool_]:
    """Which features have one value, so that their spread would be rounding."""
    return np.asarray(np.ptp(data, axis=0) == 0)
