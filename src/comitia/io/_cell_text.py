"""Cells as text, and the words for them in messages."""

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
    "as_text",
    "check_choice",
    "count",
    "known_labels",
    "position",
    "quoted",
    "refuse_duplicates",
    "text_or_none",
    "verbatim",
]

# Cells that say that there is no value, whoever wrote the file.
MISSING = frozenset(
    {
        *("", "NA", "N/A", "#N/A", "n/a", "<NA>", "?"),
        *("NaN", "nan", "-nan", "NULL", "null", "None"),
    }
)

# Beyond this, neighbouring whole numbers are the same float.
LAST_EXACT = 2.0**53


def check_choice(name: str, value: Any, allowed: Sequence[Any]) -> None:
    if value not in allowed:
        known = ", ".join(repr(each) for each in allowed if each is not None)
        raise ComitiaError(f"{name}={value!r} is not known; choose from {known}.")


def all_missing(column: NDArray[Any]) -> bool:
    if column.dtype == object:
        return all(value is None for value in column)
    return bool(column.dtype.kind == "f" and np.isnan(column).all())


def as_text(column: NDArray[Any], blank: str) -> list[str]:
    """Names of objects; the blanks around them go, unless that makes two alike."""
    names = [blank if value is None else value for value in verbatim(column)]
    tidy = [name.strip() for name in names]
    return tidy if len({*tidy}) == len({*names}) else names


def verbatim(column: NDArray[Any]) -> list[str | None]:
    """Values as they are written, None where there is none."""
    return [
        value if isinstance(value, str) else _word(value) for value in column.tolist()
    ]


def text_or_none(column: NDArray[Any]) -> NDArray[Any]:
    """Values as text, None where they are missing; whole numbers without a point."""
    return np.array([_word(value) for value in column.tolist()], dtype=object)


def known_labels(column: NDArray[Any]) -> NDArray[Any]:
    """Labels as text; None where they are missing, as which -1 counts."""
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


def count(n: int, noun: str) -> str:
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


def position(names: Sequence[str], wanted: str) -> int | None:
    """Where a column is: by its name, else by its position from 1."""
    if wanted in names:
        return list(names).index(wanted)
    if wanted.isdecimal() and 1 <= int(wanted) <= len(names):
        return int(wanted) - 1
    return None
