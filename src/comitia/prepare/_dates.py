"""Dates in text, and what a date is as numbers."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "CYCLES",
    "cyclic_features",
    "days_of",
    "days_of_numbers",
    "is_date",
    "is_epoch",
    "is_month_first",
    "is_written_date",
]

_EPOCH = dt.datetime(1970, 1, 1)
_ISO = re.compile(r"\d{4}-\d{1,2}-\d{1,2}([ T]\d{1,2}:\d{2}.*)?")
_BY_DOTS = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?:[ T](\d{1,2}):(\d{2}).*)?")

# Dates of this century and the last as numbers such as 20260331, and as seconds since
# 1970, of which those from 2000 to 2037 are taken for dates.
_WRITTEN = (19000101.0, 21001231.0)
_SECONDS = (946_684_800.0, 2_145_916_800.0)
_A_DAY = 86_400.0

_FORMS = _ISO.fullmatch, _BY_DOTS.fullmatch

# Length in days of the cycles, and the day on which one begins (1970 began on a
# Thursday).
CYCLES = {"year": (365.2425, 0.0), "week": (7.0, 4.0)}


def days_of(
    texts: Iterable[str | None], month_first: bool | None = None
) -> NDArray[np.float64] | None:
    """Days since 1970 of dates in text; None if some of them are no dates.

    Dates are written as 2026-03-31, 31.3.2026, 31/3/2026 or 3/31/2026, with or without
    the time of the day. With slashes the day comes first unless that cannot be. Where
    it is known which comes first, what is no date is NaN.
    """
    texts = [*texts]
    known = {text for text in texts if text is not None}
    if month_first is None:
        if not known or not any(all(map(f, known)) for f in _FORMS):
            return None
        parsed = _parsed(known, is_month_first(known))
        if any(day is None for day in parsed.values()):
            return None
    else:
        parsed = _parsed(known, month_first)
    numbers = [None if text is None else parsed[text] for text in texts]
    return np.array([np.nan if day is None else day for day in numbers])


def is_month_first(texts: Iterable[str | None]) -> bool:
    """Whether dates with slashes begin with the month, as they must if a day is 13."""
    found = [_BY_DOTS.fullmatch(text) for text in texts if text is not None]
    parts = [match.groups() for match in found if match]
    return (
        bool(parts)
        and all(part[1] == "/" for part in parts)
        and max(int(part[0]) for part in parts) <= 12
        and max(int(part[2]) for part in parts) > 12
    )


def is_date(text: str) -> bool:
    """Whether a text is a date in one of the forms, or has the look of one."""
    return any(form(text) for form in _FORMS) and days_of([text]) is not None


def is_written_date(distinct: NDArray[np.float64]) -> bool:
    """Whether whole numbers are dates such as 20260331, more than two of them."""
    if len(distinct) < 3 or distinct[0] < _WRITTEN[0] or distinct[-1] > _WRITTEN[1]:
        return False
    return not np.isnan(_of_written(distinct)).any()


def is_epoch(distinct: NDArray[np.float64]) -> bool:
    """Whether whole numbers can be seconds, or milliseconds, since 1970."""
    if len(distinct) < 3:
        return False
    low, high = float(distinct.min()), float(distinct.max())
    return any(
        unit * _SECONDS[0] <= low and high <= unit * _SECONDS[1] for unit in (1, 1000)
    )


def days_of_numbers(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Days since 1970 of numbers that are days, 20260331, seconds or milliseconds."""
    days = np.array(values, dtype=np.float64)
    written = (values >= _WRITTEN[0]) & (values <= _WRITTEN[1])
    days[written] = _of_written(values[written])
    for unit in (1, 1000):
        mine = (values >= unit * _SECONDS[0]) & (values <= unit * _SECONDS[1])
        days[mine] = values[mine] / (unit * _A_DAY)
    return days


def _of_written(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Days since 1970 of numbers such as 20260331; NaN for what is no date."""
    whole = values.astype(np.int64)
    texts = [f"{v // 10000}-{v // 100 % 100}-{v % 100}" for v in whole.tolist()]
    found = [_from_iso(text) for text in texts]
    return np.array([np.nan if day is None else day for day in found])


def _parsed(texts: Iterable[str], month_first: bool) -> dict[str, float | None]:
    parsed: dict[str, float | None] = {}
    for text in texts:
        match = _BY_DOTS.fullmatch(text)
        if match:
            parsed[text] = _from_parts(match.groups(), month_first)
        else:
            parsed[text] = _from_iso(text) if _ISO.fullmatch(text) else None
    return parsed


def _from_iso(text: str) -> float | None:
    year, month, day = re.split("[ T]", text)[0].split("-")
    rest = text[len(year) + len(month) + len(day) + 2 :]
    try:
        moment = dt.datetime.fromisoformat(
            f"{year}-{month:0>2}-{day:0>2}{rest.replace('Z', '+00:00')}"
        )
    except ValueError:
        return None
    if moment.tzinfo is not None:
        moment = moment.astimezone(dt.UTC).replace(tzinfo=None)
    return (moment - _EPOCH) / dt.timedelta(days=1)


def _from_parts(parts: tuple[str, ...], month_first: bool) -> float | None:
    one, _, other, year, hour, minute = parts
    day, month = (other, one) if month_first else (one, other)
    try:
        moment = dt.datetime(
            int(year), int(month), int(day), int(hour or 0), int(minute or 0)
        )
    except ValueError:
        return None
    return (moment - _EPOCH) / dt.timedelta(days=1)


def cyclic_features(days: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sine and cosine of the place in the year and in the week."""
    columns = []
    for length, start in CYCLES.values():
        angle = 2 * np.pi * ((days - start) % length) / length
        columns += [np.sin(angle), np.cos(angle)]
    return np.stack(columns, axis=1)
