"""What the values of a column look like."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.prepare._dates import days_of, is_date, is_epoch, is_written_date
from comitia.prepare.missing_words import is_missing_word, limit_of
from comitia.prepare.table_columns import TableColumn

__all__ = [
    "CASE_ALONE",
    "GROUP_COUNTER",
    "as_level",
    "as_levels",
    "kind_of",
    "number_of",
    "number_or_limit",
    "numbers_of",
]

# A text with more values is no category.
_MOST_LEVELS = 50

# Of fewer objects, two numbers may be all that a column had room for.
_FEW_FOR_VALUES = 10

# A column of words is one of numbers if no more than this share is words.
_STRAY = 0.1

# More different numbers than this are no codes or places on a scale.
_MOST_CODES = 10

# From here on a float no longer tells whole numbers apart.
_LAST_EXACT = 2.0**53

# Such numbers count something if they differ by less than this share of their size.
_NARROW = 1e-3

_ID_NAME = re.compile(r"(.*[^A-Za-z])?(?i:ids?|index|idx|key|uuid|nr|no)|.*[a-z]I[dD]")
# Names of a body mass index or of a number of children are not among these. Words such
# as COVID and PAID end like PID and CASEID, so that those have to be listed.
_NUMBERED = (
    r"(case|patient|pat|u?subj|subject|study|sample|person|resp(ondent)?|user|"
    r"cust(omer)?|client|account|member|emp(loyee)?|student|household|hh|order|record|"
    r"object|item|product|invoice|policy|serial|phone|contract)"
)
_SURE_ID_NAME = re.compile(
    rf"(.*[^A-Za-z])?(?i:ids?|uuid|([pu]|gu|{_NUMBERED})id|"
    rf"{_NUMBERED}[^A-Za-z]?(number|num|nr|no)\.?|\w*nummer|"
    r"ean|gtin|isbn|sku|iban|ssn|barcode|phone|telephone|telefon|fax)|.*[a-z]I[dD]"
)
_COUNTER_NAME = re.compile(r"(.*[^A-Za-z])?(?i:ids?|index|idx|nr|no|num|number|seq)")
_EPOCH_NAME = re.compile(
    r"(?i:(.*[^a-z])?(date|time|timestamp|datetime|ts|created|updated|modified|epoch)"
    r"([^a-z].*)?|.*_(at|on))"
)
# Such as $1,200.50, 12 % or 3 €: what is left without the sign is a number.
_SIGNED = re.compile(r"[$€£¥]\s?[+-]?\d[\d.,' ]*|[+-]?\d[\d.,' ]*\s?[%$€£¥]")
_BEGINS_WITH_NUMBER = re.compile(r"\W*\d")
# Said of values such as Berlin and BERLIN.
CASE_ALONE = "differ in nothing but the case of their letters"
# Said of numbers that begin again in each of several groups, and so name no row.
GROUP_COUNTER = "it counts the rows of each of several groups, and its name"

_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")


def kind_of(column: TableColumn, present: Any, distinct: Any) -> tuple[str, str]:
    """The kind of a column, and what tells it.

    Parameters
    ----------
    column : TableColumn
        The column.

    present : list of str, or ndarray
        Its values that are not missing.

    distinct : set of str, or ndarray
        The different ones.

    Returns
    -------
    kind, reason : str, str
        A kind of column, ``"commas"`` for numbers with decimal commas, or ``"stray"``
        for numbers among which there are a few words; and the reason in words.
    """
    if column.declared:
        return column.declared, "the type of the column says so"
    if column.is_text:
        return _text_kind(column, present, distinct)
    return _number_kind(column, present, distinct)


def _text_kind(
    column: TableColumn, present: list[str], distinct: set[str]
) -> tuple[str, str]:
    n, n_distinct = len(column.values), len(distinct)
    if days_of(distinct) is not None:
        return "date", "dates in text"
    dates = [value for value in present if is_date(value)]
    if len(dates) >= (1 - _STRAY) * len(present) and days_of(dates) is not None:
        stray = next(value for value in present if not is_date(value))
        return "date", f"dates in text, and some that are none, such as {stray!r}"
    if all(map(_DECIMAL_COMMA.fullmatch, distinct)):
        return "commas", "numbers with decimal commas"
    words = [value for value in present if number_of(value) is None]
    if len(words) <= _STRAY * len(present):
        return "stray", _about_words(words)
    if _are_gaps(present, distinct, words):
        unread = [word for word in words if _is_number_otherwise(word)]
        if len(unread) <= _STRAY * len(present):
            return "stray", _about_words(words)
        return "text", (
            f"numbers, and {len(unread)} written otherwise, such as {unread[0]!r}; "
            "write all alike"
        )
    if n_distinct > 2 and all(map(_SIGNED.fullmatch, distinct)):
        example = min(distinct)
        return "text", f"numbers with a sign, such as {example!r}; write them without"
    if n_distinct == len(present) and n_distinct > max(1, n // 2):
        return "id", "text that is different in every row"
    if n_distinct == 2:
        return "boolean", f"two values{_about_case(distinct)}"
    if n_distinct > _MOST_LEVELS or (n_distinct > 2 and n_distinct > n / 2):
        return "text", f"text with {n_distinct} values, too many for a category"
    return "category", f"text with {n_distinct} values{_about_case(distinct)}"


def _about_case(distinct: set[str]) -> str:
    first: dict[str, str] = {}
    for value in sorted(distinct):
        other = first.setdefault(value.casefold(), value)
        if other != value:
            return f"; {other!r} and {value!r} {CASE_ALONE}"
    return ""


def _are_gaps(present: list[str], distinct: set[str], words: list[str]) -> bool:
    """Whether a column of many words is one of numbers that are lacking there."""
    numbers = {value for value in distinct if number_of(value) is not None}
    if len(numbers) > 2 and all(map(is_missing_word, {*words})):
        return True
    if 2 * len(words) > len(present) or len(numbers) <= _MOST_CODES:
        return False
    # Codes such as 12 and 12B are whole numbers. Measurements have fractions.
    return any(not float(value).is_integer() for value in numbers) or all(
        limit_of(word) is not None or is_missing_word(word) for word in {*words}
    )


def _is_number_otherwise(word: str) -> bool:
    """Whether a cell that is no number holds one, such as 12 kg or 1.5-."""
    return bool(_BEGINS_WITH_NUMBER.match(word)) and limit_of(word) is None


def _about_words(words: list[str]) -> str:
    if not words:
        return "numbers in text"
    n, limits = len(words), [each for each in words if limit_of(each) is not None]
    verb = "is" if n == 1 else "are"
    about = f"numbers, and {n} that {verb} none, such as {words[0]!r}"
    if limits:
        about += f"; {limits[0]!r} counts as its limit"
    return about


def _number_kind(
    column: TableColumn,
    present: NDArray[np.float64],
    distinct: NDArray[np.float64],
) -> tuple[str, str]:
    values = column.values
    if np.isinf(distinct).any():
        return "numeric", "numbers"
    whole = bool((distinct == np.rint(distinct)).all())
    if whole and is_written_date(distinct):
        return "date", "whole numbers that are dates, such as 20260331"
    if whole and _EPOCH_NAME.fullmatch(column.name.strip()) and is_epoch(distinct):
        return "date", "seconds since 1970, and its name"
    if whole and len(distinct) == len(values) > 2:
        if np.array_equal(values, values[0] + np.arange(len(values))):
            return "id", "it counts the rows"
        if _counts_in_any_order(distinct):
            return "id", "each whole number once, as numbers of rows are"
        name = column.name.strip()
        if _ID_NAME.fullmatch(name) or _SURE_ID_NAME.fullmatch(name):
            return "id", "whole numbers, different in every row, and its name"
        if np.abs(distinct).max() > _LAST_EXACT:
            return "id", "whole numbers beyond 2**53, different in every row"
    # Some that are missing or come twice do not make quantities of identifiers.
    many = len(distinct) > max(_MOST_CODES, len(present) / 2)
    if whole and many and _SURE_ID_NAME.fullmatch(column.name.strip()):
        return "id", "whole numbers, most of them different, and its name"
    counter = whole and _COUNTER_NAME.fullmatch(column.name.strip())
    if counter and _counts_within_groups(present, distinct):
        return "id", GROUP_COUNTER
    if whole and len(distinct) and _cannot_be_told_apart(distinct):
        return "id", "whole numbers beyond 2**53, which run into each other"
    if len(distinct) == 2 and len(values) >= _FEW_FOR_VALUES:
        return "boolean", "two values"
    return "numeric", "whole numbers" if whole else "numbers"


def _counts_in_any_order(distinct: NDArray[np.float64]) -> bool:
    """Whether whole numbers have no gap, however the rows were sorted."""
    n = len(distinct)
    return n >= _FEW_FOR_VALUES and distinct[-1] - distinct[0] == n - 1


def _counts_within_groups(
    present: NDArray[np.float64], distinct: NDArray[np.float64]
) -> bool:
    """Whether whole numbers begin again with 1 for each of several groups.

    Then as many rows have a number as there are groups that are so large.
    """
    if len(distinct) <= _MOST_CODES or distinct[0] not in (0.0, 1.0):
        return False
    gapless = distinct[-1] - distinct[0] == len(distinct) - 1
    counts = np.unique(present, return_counts=True)[1]
    return bool(gapless and counts[0] > 1 and (np.diff(counts) <= 0).all())


def _cannot_be_told_apart(distinct: NDArray[np.float64]) -> bool:
    """Whether neighbours among large whole numbers are one number in float64."""
    low, high = float(distinct.min()), float(distinct.max())
    return low > _LAST_EXACT and high < (1.0 + _NARROW) * low


def number_of(text: str) -> float | None:
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def number_or_limit(text: str) -> float | None:
    """The number, or the limit in a cell such as <0.01; None for words."""
    number = number_of(text)
    return limit_of(text) if number is None else number


def numbers_of(column: TableColumn) -> NDArray[np.float64]:
    """The numbers of a column of numbers or of text; NaN for words."""
    if not column.is_text:
        return column.values
    found = [
        None if value is None else number_or_limit(value) for value in column.values
    ]
    return np.array([np.nan if value is None else value for value in found])


def as_levels(values: Any) -> list[str]:
    return [
        value if isinstance(value, str) else as_level(float(value)) for value in values
    ]


def as_level(value: float) -> str:
    """A number as the name of a level: whole numbers without a point."""
    return str(int(value)) if value.is_integer() else repr(value)
