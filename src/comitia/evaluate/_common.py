"""Checks of arguments, and tables as plain lists."""

from __future__ import annotations

import operator
from numbers import Real
from typing import Any

import numpy as np

from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError

__all__ = [
    "as_json_types",
    "at_least",
    "check_share",
    "fit_on",
]


def at_least(value: Any, least: int, name: str) -> int:
    """Check a whole number."""
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if number < least:
        raise ComitiaError(f"{name}={value!r} must be a whole number, {least} or more.")
    return number


def check_share(object_fraction: float) -> float:
    """Check the share of the objects that a resample has."""
    if not isinstance(object_fraction, Real) or not 0 < object_fraction <= 1:
        raise ComitiaError(
            f"object_fraction={object_fraction!r} must be above 0 and at most 1."
        )
    return float(object_fraction)


def fit_on(estimator: Any, X: Any, ensemble: Ensemble | None) -> Any:
    """Fit a method on what its card says that it needs."""
    if "labels" not in estimator.card.needs:
        return estimator.fit(X)
    if "data" in estimator.card.needs:
        return estimator.fit(X, ensemble=ensemble)
    return estimator.fit(ensemble)


def as_json_types(value: Any) -> Any:
    """Turn arrays into lists and NaN into None, as JSON can hold them."""
    if isinstance(value, dict):
        return {key: as_json_types(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [as_json_types(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and np.isnan(value) else value
