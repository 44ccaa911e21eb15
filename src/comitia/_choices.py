"""Arguments that take one of several words."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from comitia.exceptions import ComitiaError

__all__ = ["check_choice"]


def check_choice(argument: str, value: Any, allowed: Collection[Any]) -> None:
    """Refuse a value that is none of those allowed, and name these.

    Parameters
    ----------
    argument : str
        What the argument is called.

    value : object
        What was given.

    allowed : collection
        Words that may be given, and None where nothing may be.
    """
    if value not in allowed:
        known = ", ".join(f'"{word}"' for word in allowed if word is not None)
        raise ComitiaError(f"{argument}={value!r} is none of {known}.")
