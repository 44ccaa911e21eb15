"""Checks of arguments, and tables as plain lists."""

from __future__ import annotations

import operator
from numbers import Real
from typing import Any

import numpy as np

from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError

__all__ = ["at_least", "check_share", "n_objects_of", "pandas", "plain"]


def at_least(value: Any, least: int, name: str) -> int:
    """Check a whole number.

    Parameters
    ----------
    value : int
        The number.

    least : int
        The smallest that will do.

    name : str
        What the argument is called.

    Returns
    -------
    number : int
        The number.
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if number < least:
        raise ComitiaError(f"{name}={value!r} must be a whole number, {least} or more.")
    return number


def check_share(object_fraction: float) -> float:
    """Check the share of the objects that a resample has.

    Parameters
    ----------
    object_fraction : float
        The share.

    Returns
    -------
    share : float
        The share.
    """
    if not isinstance(object_fraction, Real) or not 0 < object_fraction <= 1:
        raise ComitiaError(
            f"object_fraction={object_fraction!r} must be above 0 and at most 1."
        )
    return float(object_fraction)


def n_objects_of(objects: Any) -> int:
    """Count objects.

    Parameters
    ----------
    objects : Ensemble or ndarray
        Clusterings or data.

    Returns
    -------
    n : int
        How many objects there are.
    """
    return objects.n_objects if isinstance(objects, Ensemble) else len(objects)


def plain(value: Any) -> Any:
    """Turn arrays into lists, and NaN into None.

    Parameters
    ----------
    value : object
        Dicts, lists, arrays, numbers and texts.

    Returns
    -------
    plain : object
        The same in what JSON can hold.
    """
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and np.isnan(value) else value


def pandas() -> Any:
    """Import pandas, or say how to get it.

    Returns
    -------
    pandas : module
        The package.
    """
    try:
        import pandas as pd
    except ImportError:
        raise ImportError(
            "frame() needs pandas; install it with pip install 'comitia[io]'."
        ) from None
    return pd
