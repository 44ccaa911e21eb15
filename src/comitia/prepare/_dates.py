"""Dates in text, and what a date is as numbers."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

__all__ = ["CYCLES", "cyclic_features", "days_of"]

_EPOCH = dt.datetime(1970, 1, 1)
_ISO = re.compile(r"\d{4}-\d{1,2}-\d{1,2}([ T]\d{1,2}:\d{2}.*)?")
_BY_DOTS = re.compile(r"(\d{1,2})([./])(\d{1,2})\2(\d{4})(?:[ T](\d{1,2}):(\d{2}).*)?")

# Length in days of the cycles, and the day on which one begins (1970 began on a
# Thursday).
CYCLES = {"year": (365.2425, 0.0), "week": (7.0, 4.0)}


def days_of(texts: Iterable[str | None]) -> NDArray[np.float64] | None:
    """Days since 1970 of dates in text; None if some of them are no dates.

    Dates are written as 2026-03-31, 31.3.2026, 31/3/2026 or 3/31/2026, with or without
    the time of the day. With slashes the day comes first unless that cannot be.
    """
    texts = [*texts]
    known = {text for text in texts if text is not None}
    if not known:
        return None
    if all(_ISO.fullmatch(text) for text in known):
        parsed = {text: _from_iso(text) for text in known}
    else:
        found = {text: _BY_DOTS.fullmatch(text) for text in known}
        if not all(found.values()):
            return None
        parts = {text: match.groups() for text, match in found.items() if match}
        first = max(int(part[0]) for part in parts.values())
        second = max(int(part[2]) for part in parts.values())
        month_first = first <= 12 < second and all(
            part[1] == "/" for part in parts.values()
        )
        parsed = {text: _from_parts(part, month_first) for text, part in parts.items()}
    if any(day is None for day in parsed.values()):
        return None
    numbers = [None if text is None else parsed[text] for text in texts]
    return np.array([np.nan if day is None else day for day in numbers])


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
