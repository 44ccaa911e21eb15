"""Words and numbers of the page and of the command line, as plain text."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from typing import Any

__all__ = [
    "capital",
    "count",
    "listed",
    "number",
    "percent",
    "printable",
    "printable_line",
    "sentences",
    "with_sign",
]

# Longer names are cut.
_LONGEST = 120

# Marks of direction, with which text can be hidden.
_BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def printable(text: Any) -> str:
    r"""A name without control characters and marks of direction, cut at 120.

    These, and halves of surrogate pairs, are written out as ``\u202e``.

    >>> printable("a\u202eb\x00"), printable("one\ntwo")
    ('a\\u202eb\\x00', 'one two')
    """
    text = str(text)
    return printable_line(text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…")


def printable_line(text: Any) -> str:
    r"""A text of any length on one line, without control characters.

    >>> printable_line("one\ttwo\x1b")
    'one two\\x1b'
    """
    text = re.sub(r"[\t\n\r\f\v]+", " ", str(text))
    return "".join(
        repr(character)[1:-1]
        if _BIDI.match(character) or unicodedata.category(character) in ("Cc", "Cs")
        else character
        for character in text
    )


def number(value: Any, digits: int = 3) -> str:
    """A number with a few significant digits, as a person writes it.

    >>> number(1234567), number(0.12345), number(746.89), number(-0.00001234)
    ('1\u202f234\u202f567', '0.123', '747', '−1.23e−5')
    """
    if value is None:
        return "–"
    value = float(value)
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value.is_integer() and abs(value) < 1e12:
        text = f"{int(value):,}"
    elif 1e-4 <= abs(value) < 1e9:
        # Whole numbers keep all their digits.
        text = f"{value:,.{max(digits - 1 - math.floor(math.log10(abs(value))), 0)}f}"
    else:
        mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
        text = f"{mantissa}e{int(exponent)}"
    return text.replace(",", "\u202f").replace("-", "−")


def with_sign(value: float) -> str:
    """A difference with its sign and two decimals.

    >>> with_sign(0.126), with_sign(-1.0), with_sign(0.001)
    ('+0.13', '−1.00', '0.00')
    """
    if not math.isfinite(value):
        return number(value)
    return "0.00" if abs(value) < 0.005 else f"{value:+.2f}".replace("-", "−")


def percent(share: float) -> str:
    """A share in per cent; below 1 % is "<1 %", and above 99 % ">99 %".

    >>> percent(0.123), percent(0.0001), percent(0.9999), percent(1)
    ('12\u202f%', '<1\u202f%', '>99\u202f%', '100\u202f%')
    """
    if not math.isfinite(share):
        return number(share)
    if 0 < share < 0.005:
        return "<1\u202f%"
    if 0.995 <= share < 1:
        return ">99\u202f%"
    return f"{round(100 * share)}\u202f%"


def count(n: int, one: str, many: str | None = None) -> str:
    """A number with its noun.

    >>> count(1, "object"), count(4310, "object")
    ('1 object', '4\u202f310 objects')
    """
    noun = one if n == 1 else many or f"{one}s"
    return f"{n:,} {noun}".replace(",", "\u202f")


def listed(items: Sequence[str]) -> str:
    """A list in words.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *first, last = items
    return f"{', '.join(first)} and {last}" if first else last


def capital(text: str) -> str:
    """A text with a capital at its beginning, the rest as it is.

    >>> capital("k-means of PCA")
    'K-means of PCA'
    """
    return text[:1].upper() + text[1:]


def sentences(text: Any) -> str:
    """Sentences that may come as a list.

    >>> sentences(["One.", "Two."])
    'One. Two.'
    """
    return " ".join(map(str, text)) if isinstance(text, list) else str(text or "")
