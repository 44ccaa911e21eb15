"""Cells of a table as text, and columns found by name or position."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.exceptions import ComitiaError

__all__ = [
    "LAST_EXACT",
    "MISSING",
    "all_missing",
    "counted",
    "find_column",
    "known_labels",
    "object_names_of",
    "quoted",
    "refuse_duplicates",
    "text_or_none",
    "verbatim",
]

# Cells that mean a missing value.
MISSING = frozenset(
    {
        *("", "NA", "N/A", "#N/A", "n/a", "<NA>", "?"),
        *("NaN", "nan", "-nan", "NULL", "null", "None"),
    }
)

# From here on a float no longer tells whole numbers apart.
LAST_EXACT = 2.0**53


def all_missing(column: NDArray[Any]) -> bool:
    if column.dtype == object:
        return all(value is None for value in column)
    return bool(column.dtype.kind == "f" and np.isnan(column).all())


def object_names_of(column: NDArray[Any], blank: str) -> list[str]:
    """Names of objects, without blanks around them unless that makes two equal."""
    names = [blank if value is None else value for value in verbatim(column)]
    tidy = [name.strip() for name in names]
    return tidy if len({*tidy}) == len({*names}) else names


def verbatim(column: NDArray[Any]) -> list[str | None]:
    """Values as they are written; None where they are missing."""
    return [
        value if isinstance(value, str) else _word(value) for value in column.tolist()
    ]


def text_or_none(column: NDArray[Any]) -> NDArray[Any]:
    """Values as text, None where they are missing; whole numbers without a point."""
    return np.array([_word(value) for value in column.tolist()], dtype=object)


def known_labels(column: NDArray[Any]) -> NDArray[Any]:
    """Labels as text; None where they are missing or -1."""
    return np.array(
        [None if word == "-1" else word for word in text_or_none(column)], dtype=object
    )


def _word(value: Any) -> str | None:
    if value is None or value != value or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, float) and value.is_integer() and abs(value) <= LAST_EXACT:
        return str(int(value))
    text = str(value).strip()
    return None if text in MISSING else text


def counted(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"


def quoted(name: str) -> str:
    return name if re.fullmatch(r"[\w.-]+", name) else repr(name)


def refuse_duplicates(names: Sequence[str], source: str) -> None:
    seen: dict[str, int] = {}
    for j, name in enumerate(names):
        if name in seen:
            raise ComitiaError(
                f"{source} has two columns called {name!r}, the {_nth(seen[name])} and "
                f"the {_nth(j)}; rename one."
            )
        seen[name] = j


def _nth(j: int) -> str:
    place = j + 1
    endings = {1: "st", 2: "nd", 3: "rd"}
    teen = place % 100 in (11, 12, 13)
    return f"{place}{'th' if teen else endings.get(place % 10, 'th')}"


def find_column(names: Sequence[str], wanted: str) -> int | None:
    """Index of a column, given by its name or else by its position from 1."""
    if wanted in names:
        return list(names).index(wanted)
    if wanted.isdecimal() and 1 <= int(wanted) <= len(names):
        return int(wanted) - 1
    return None
