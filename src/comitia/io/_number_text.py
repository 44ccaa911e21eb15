"""Numbers as people write them: 1.5, 1,5, 35.573,56 and 1 234,5."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.exceptions import ComitiaError
from comitia.io._cell_text import quoted
from comitia.io._text_form import TextForm

__all__ = [
    "looks_like_number",
    "looks_like_numbers",
    "note_grouped_fractions",
    "read_number_forms",
]

# What a blank in a number can be: a space, a hard space, narrow ones.
_SPACES = " \u00a0\u202f\u2009"

# Cells that are looked at before all of a column are.
_GLANCE = 1000

_DIGITS = re.compile(rf"[+-]?[\d.,'{_SPACES}]*\d[\d.,'{_SPACES}]*(?:[eE][+-]?\d+)?")


@dataclass(frozen=True)
class NumberForm:
    """What stands before the fraction, and between groups of three digits."""

    decimal: str = "."
    thousands: str = ""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What numbers look like."""
        fraction, exponent = rf"(?:{re.escape(self.decimal)}\d*)?", r"(?:[eE][+-]?\d+)?"
        between = f"[{_SPACES}]" if self.thousands == " " else re.escape(self.thousands)
        # Who writes powers of ten groups no digits.
        groups = rf"[1-9]\d{{0,2}}(?:{between}\d{{3}})+{fraction}|"
        plain = rf"(?:\d+{fraction}|{re.escape(self.decimal)}\d+){exponent}"
        return re.compile(rf"[+-]?(?:{groups if self.thousands else ''}{plain})")

    @cached_property
    def grouped(self) -> re.Pattern[str]:
        """What the beginning of grouped digits looks like."""
        between = f"[{_SPACES}]" if self.thousands == " " else re.escape(self.thousands)
        return re.compile(rf"[+-]?\d{{1,3}}{between}\d{{3}}")

    def is_allowed(self, given: TextForm) -> bool:
        """Whether it is one that was said, as far as anything was."""
        return given.decimal in (None, self.decimal) and (
            given.thousands in (None, self.thousands)
        )

    def plain(self, cell: str) -> str:
        """The cell as Python writes numbers."""
        between = _SPACES if self.thousands == " " else self.thousands
        for each in between:
            cell = cell.replace(each, "")
        return cell if self.decimal == "." else cell.replace(self.decimal, ".")

    def __str__(self) -> str:
        marks = {".": "points", ",": "commas", " ": "blanks", "'": "apostrophes"}
        words = f"decimal {marks[self.decimal]}"
        if self.thousands:
            words += f" and {marks[self.thousands]} between thousands"
        return words


_PLAIN = NumberForm()

_FORMS = tuple(
    NumberForm(decimal, thousands)
    for decimal in ".,"
    for thousands in ("", " ", "'", "," if decimal == "." else ".")
)


def looks_like_number(cell: str) -> bool:
    """Whether a cell is a number in any of the forms."""
    return any(form.pattern.fullmatch(cell.strip()) for form in _FORMS)


def looks_like_numbers(column: NDArray[Any]) -> bool:
    """Whether a column of text holds numbers that Python does not read."""
    cells = [cell for cell in column[:_GLANCE] if cell is not None]
    if not cells or not all(map(_DIGITS.fullmatch, cells)):
        return False
    return any(_fits(column, form) for form in _FORMS if form != _PLAIN)


def read_number_forms(
    names: Sequence[str],
    columns: list[NDArray[Any]],
    given: TextForm,
    separator: str,
    notes: list[str],
) -> list[NDArray[np.float64] | None]:
    """Numbers of the columns whose cells are numbers in the form of the whole table.

    Columns are text with None for missing; None comes back for those that are
    something else. A form must fit all columns of numbers: whether 35.573 is a
    fraction is seen from a 12,5 beside it.
    """
    allowed = [form for form in _FORMS if form.is_allowed(given)]
    fits = [[form for form in allowed if _fits(column, form)] for column in columns]
    if given.decimal is None and given.thousands is None:
        form = _common_form(names, columns, fits, separator, notes)
        fits = [[form] if form in each else [] for each in fits]
    read = [
        _parsed(column, each[0]) if each else None
        for column, each in zip(columns, fits, strict=True)
    ]
    used = [each[0] for each in fits if each and each[0] != _PLAIN]
    if used and given.decimal is None:
        notes.append(f"numbers have {used[0]}; say decimal and thousands if not.")
    return read


def note_grouped_fractions(
    names: Sequence[str], columns: Sequence[NDArray[Any]], notes: list[str]
) -> None:
    """Note fractions of three digits between semicolons: they may be thousands."""
    for name, column in zip(names, columns, strict=True):
        if column.dtype == object:
            continue
        glance = column[:_GLANCE]
        odd = glance[np.isfinite(glance) & (glance != np.rint(glance))]
        some = [repr(value) for value in odd.tolist()]
        three = [text for text in some if re.fullmatch(r"-?[1-9]\d{0,2}\.\d{3}", text)]
        # A last digit of zero is not written.
        short = [text for text in some if re.fullmatch(r"-?[1-9]\d{0,2}\.\d\d?", text)]
        if len(three) + len(short) == len(some) and len(three) > 4 * len(short):
            notes.append(
                f"column {name!r} holds {three[0]}, which was read as a fraction; say "
                "--thousands . if it is none."
            )


def _common_form(
    names: Sequence[str],
    columns: Sequence[NDArray[Any]],
    fits: list[list[NumberForm]],
    separator: str,
    notes: list[str],
) -> NumberForm:
    """The one form of all numbers, as far as it can be told."""
    numeric = [j for j, each in enumerate(fits) if each]
    common = [form for form in _FORMS if all(form in fits[j] for j in numeric)]
    odd = next((j for j in numeric if _PLAIN not in fits[j]), None)
    if odd is None:
        return _PLAIN
    if not common:
        other = next(j for j in numeric if not {*fits[j]} & {*fits[odd]})
        notes.append(
            f"column {names[odd]!r} holds {_marked(columns[odd])!r} and column "
            f"{names[other]!r} holds {_marked(columns[other])!r}, which is not one way "
            "to write numbers: the first stays text; say decimal if that is wrong."
        )
        return _PLAIN
    meanings: dict[tuple[str, ...], NumberForm] = {}
    for form in common:
        told = tuple(
            form.plain(cell)
            for j in numeric
            for cell in dict.fromkeys(columns[j].tolist())
            if cell is not None
        )
        meanings.setdefault(told, form)
    if len(meanings) == 1:
        return common[0]
    # Numbers such as 1,234 and nothing that decides. Between commas they are quoted
    # because they are grouped; elsewhere they can be either.
    if separator == "," and NumberForm(".", ",") in common:
        return NumberForm(".", ",")
    cell = _marked(columns[odd])
    raise ComitiaError(
        f"column {names[odd]!r} holds {cell!r}, which can be "
        f"{NumberForm(',').plain(cell)} or {NumberForm('.', ',').plain(cell)}; say "
        f"--decimal , or --thousands , (column {quoted(names[odd])} decides)."
    )


def _marked(column: NDArray[Any]) -> str:
    """The first cell with a mark in it."""
    cells = [cell for cell in column if cell is not None]
    return str(next((cell for cell in cells if not cell.isdigit()), cells[0]))


def _fits(column: NDArray[Any], form: NumberForm) -> bool:
    cells = [cell for cell in column if cell is not None]
    if not cells or not all(map(form.pattern.fullmatch, cells[:_GLANCE])):
        return False
    if not all(map(form.pattern.fullmatch, cells)):
        return False
    if not form.thousands:
        return True
    # Who groups digits does so in all numbers of a column.
    grouped = any(map(form.grouped.match, cells))
    return not (grouped and any(re.match(r"[+-]?\d{4}", cell) for cell in cells))


def _parsed(column: NDArray[Any], form: NumberForm) -> NDArray[np.float64]:
    cells = ["nan" if cell is None else form.plain(cell) for cell in column]
    return np.array(cells, dtype=np.float64)
