"""Numbers with a unit: $1,200.50, 12 %, 70.5 kg."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["note_units", "split_unit"]

_CURRENCY = "$€£¥₹₩"

# A sign may stand before or behind the currency. Units are a mark or a few letters.
# Digits do not begin with 0 before another: 0012 is a code, not a number.
_WITH_UNIT = re.compile(
    rf"(?P<sign>[+-]?)(?P<before>[{_CURRENCY}]|[A-Z]{{3}}(?=\s))?\s?"
    r"(?P<number>[+-]?(?!0\d)(?:\d(?:[\d.,']|[ \u00a0\u202f\u2009](?=\d))*|[.,]\d+))"
    rf"\s?(?P<behind>[%‰°{_CURRENCY}]|[A-Za-zµμ°Ω][A-Za-zµμ°Ω²³/]{{0,7}})?"
)


def split_unit(column: NDArray[Any]) -> tuple[str, NDArray[Any]]:
    """The unit that all cells of a column have, and the cells without it.

    Cells are text with None for missing. Without a unit that all share, the unit is
    empty and the cells are as they were. ``1 day`` and ``2 days`` share one.
    """
    unit = ""
    numbers = np.empty(len(column), dtype=object)
    for i, cell in enumerate(column):
        if cell is None:
            continue
        found = _WITH_UNIT.fullmatch(cell)
        if found is None or (found["sign"] and found["number"][0] in "+-"):
            return "", column
        mine = found["before"] or found["behind"] or ""
        both = found["before"] and found["behind"]
        if not mine or both or _singular(mine) != _singular(unit or mine):
            return "", column
        unit = unit or mine
        numbers[i] = found["sign"] + found["number"]
    return unit, numbers


def note_units(names: Sequence[str], units: Sequence[str], notes: list[str]) -> None:
    """Note which columns were read without their unit."""
    if names:
        pairs = zip(names, units, strict=True)
        listed = ", ".join(f"{name!r} ({unit})" for name, unit in pairs)
        notes.append(f"read as numbers, without the unit: {listed}.")


def _singular(unit: str) -> str:
    return unit[:-1] if len(unit) > 2 and unit.endswith("s") else unit
