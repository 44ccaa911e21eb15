"""Negative numbers as people write them: (1,234.50), 1.234,50- and \u22121.5."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["note_signs", "with_leading_signs"]

# What word processors and some locales write for a minus: the minus of mathematics, a
# figure dash, an en dash, the full-width hyphen.
_MINUSES = "\u2212\u2012\u2013\uff0d"

_MINUS = re.compile(rf"(?P<head>[^\d{_MINUSES}]*)[{_MINUSES}]\s?(?P<rest>[^\d]*\d.*)")
_IN_PARENTHESES = re.compile(
    r"(?P<before>[^\d()]*)\((?P<inside>[^()+-]*\d[^()+-]*)\)(?P<behind>[^\d()]*)"
)
_BEHIND = re.compile(r"(?P<number>[^+-]*\d)\s?-(?P<behind>[^\d+-]*)")

# A mark that only numbers have, before a digit: 2- can be a grade, 2.50- cannot.
_MARKED = re.compile(r"\d[.,]\d")


def with_leading_signs(column: NDArray[Any]) -> NDArray[Any]:
    """The cells of a column, where a sign that stands elsewhere stands in front.

    Parentheses, and a minus behind the number, are signs only where other numbers go
    without; a minus behind only where a fraction or a group of digits stands before
    one of them. Whether the cells are numbers is left open.

    Parameters
    ----------
    column : ndarray of object, of shape (n_objects,)
        Text, None where missing.

    Returns
    -------
    column : ndarray of object, of shape (n_objects,)
        The column itself where there is nothing to change.
    """
    found = [None if cell is None else _signed(cell) for cell in column]
    changed = [
        (cell, new)
        for cell, new in zip(column, found, strict=True)
        if new is not None and new != cell
    ]
    if not changed:
        return column
    behind = [cell for cell, _ in changed if _BEHIND.fullmatch(cell)]
    moved = len(behind) + sum("(" in cell for cell, _ in changed)
    if moved == sum(cell is not None for cell in column):
        return column
    if behind and not any(map(_MARKED.search, behind)):
        return column
    result = np.empty(len(column), dtype=object)
    result[:] = found
    return result


def _signed(cell: str) -> str:
    """The cell with its sign in front, if it has one elsewhere."""
    if found := _MINUS.fullmatch(cell):
        return f"{found['head']}-{found['rest']}"
    if found := _IN_PARENTHESES.fullmatch(cell):
        return f"-{found['before']}{found['inside'].strip()}{found['behind']}"
    if found := _BEHIND.fullmatch(cell):
        return f"-{found['number']}{found['behind']}"
    return cell


def note_signs(names: Sequence[str], examples: Sequence[str], notes: list[str]) -> None:
    """Note which columns hold negative numbers with a sign of another form."""
    if names:
        pairs = zip(names, examples, strict=True)
        listed = ", ".join(f"{name!r} ({example})" for name, example in pairs)
        notes.append(f"read as negative numbers: {listed}.")
