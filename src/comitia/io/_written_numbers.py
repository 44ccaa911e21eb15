"""Columns of text that are numbers with units, signs and marks of their own."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from numpy.typing import NDArray

from comitia.io._negative_numbers import note_signs, with_leading_signs
from comitia.io._number_text import looks_like_numbers, read_number_forms
from comitia.io._number_units import note_units, split_unit
from comitia.io._text_form import TextForm
from comitia.prepare.missing_words import is_missing_word

__all__ = ["read_written_numbers"]

_MARKS = re.compile(r"\d[.,']\d")


def read_written_numbers(
    names: Sequence[str],
    values: Sequence[NDArray[Any]],
    cells: Callable[[], Sequence[NDArray[Any]]],
    form: TextForm,
    separator: str,
    notes: list[str],
) -> list[NDArray[Any]] | None:
    """Read the columns of text that hold numbers in the form of the whole table.

    Parameters
    ----------
    names : sequence of str
        What messages call the columns.

    values : sequence of ndarray
        The columns: numbers, NaN where missing, or text with None.

    cells : callable
        Returns all of them as text.

    form : TextForm
        What was said of numbers.

    separator : str
        What separates the cells of a line.

    notes : list of str
        What was done is added here.

    Returns
    -------
    values : list of ndarray or None
        The columns; None if no number is written in another way than Python's.
    """
    written = {j: each for j, each in enumerate(values) if each.dtype == object}
    read = list(values)
    with_unit: dict[int, str] = {}
    with_sign: dict[int, str] = {}
    for j, column in written.items():
        read[j] = _tidy(column)
        changed = zip(column, read[j], strict=True)
        moved = (old for old, new in changed if new is not None and old != new)
        if example := next(moved, None):
            with_sign[j] = example
        unit, read[j] = split_unit(read[j])
        if unit:
            with_unit[j] = unit
    is_plain = form.decimal in (None, ".") and form.thousands is None
    odd = with_unit or any(looks_like_numbers(read[j]) for j in written)
    if is_plain and not odd:
        return None
    texts = [
        read[j] if j in with_unit else _tidy(column) for j, column in enumerate(cells())
    ]
    numbers = read_number_forms(names, texts, form, separator, notes)
    for j, column in enumerate(texts):
        found = numbers[j]
        if found is not None:
            read[j] = found
        elif j in with_unit or j in with_sign:
            read[j] = written[j]
            with_unit.pop(j, None)
            with_sign.pop(j, None)
        elif not is_plain and any(map(_MARKS.search, filter(None, column))):
            read[j] = column
    note_units([names[j] for j in with_unit], [*with_unit.values()], notes)
    note_signs([names[j] for j in with_sign], [*with_sign.values()], notes)
    return read


def _tidy(column: NDArray[Any]) -> NDArray[Any]:
    """A column of 1,5 and 12 % without hyphens for missing, and with signs in front.

    Others come back as they are.
    """
    rest = with_leading_signs(column)
    gaps = [cell is not None and is_missing_word(cell) for cell in column]
    if rest is column and not any(gaps):
        return column
    rest = rest.copy()
    rest[gaps] = None
    return rest if looks_like_numbers(rest) or split_unit(rest)[0] else column
