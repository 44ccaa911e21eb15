"""How a table is written as text: its encoding and its separator."""

from __future__ import annotations

import codecs
import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from comitia.exceptions import ComitiaError

__all__ = [
    "ANY_FORM",
    "TextForm",
    "decode",
    "is_spaced",
    "separator_of",
    "take_separator_line",
]

BLANKS = " "

_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "blanks"}

# Lines that are looked at for the separator.
_GLANCE = 100

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

_PACKED = (
    (b"\x1f\x8b", "gz"),
    (b"BZh", "bz2"),
    (b"\xfd7zXZ", "xz"),
    (b"PK\3\4", "zip"),
)

_CONTROLS = bytes(set(range(32)) - {*b"\t\n\v\f\r\x1a"}) + b"\x7f"


# The end of the line is not a part of it.
_SAID_SEPARATOR = re.compile(r'"?sep=([^"\r\n])"?[ \t]*(?=\r?\n)', re.IGNORECASE)

_FRACTION = re.compile(r"\s*[+-]?\d+,\d+\s*")


@dataclass(frozen=True)
class TextForm:
    """How text is written; None is for whatever it looks like.

    Attributes
    ----------
    sep : str or None
        What stands between the cells of a line; a blank means any number of blanks.

    decimal, thousands : str or None
        What stands in numbers before the fraction, and between groups of three digits.

    encoding : str or None
        A name that Python knows, such as "cp1252".
    """

    sep: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    encoding: str | None = None

    def __post_init__(self) -> None:
        if self.sep is not None and (len(self.sep) != 1 or self.sep in '"\r\n'):
            raise ComitiaError(
                f"sep={self.sep!r} must be one character, such as ',', ';', '|' or a "
                "tab; a blank means any number of them."
            )
        if self.decimal not in (None, ".", ","):
            raise ComitiaError(f"decimal={self.decimal!r} must be '.' or ','.")
        if self.thousands not in (None, ".", ",", " ", "'"):
            raise ComitiaError(
                f"thousands={self.thousands!r} must be '.', ',', a blank or an "
                "apostrophe."
            )
        if self.thousands is not None and self.thousands == self.decimal:
            raise ComitiaError("decimal and thousands must not be the same.")
        if self.encoding is not None:
            try:
                "".encode(self.encoding)
            except LookupError:
                raise ComitiaError(
                    f"encoding={self.encoding!r} is not known; write utf-8, cp1252, "
                    "latin-1 or utf-16, or another name that Python knows."
                ) from None

    @property
    def is_given(self) -> bool:
        """Whether anything was said."""
        return self != ANY_FORM


# Nothing said.
ANY_FORM = TextForm()

# -- encodings ------------------------------------------------------------------------


def decode(content: bytes, source: str, encoding: str | None, notes: list[str]) -> str:
    """The text of a file; what is not plain UTF-8 is noted."""
    for magic, suffix in _PACKED:
        if content.startswith(magic) and encoding is None:
            raise ComitiaError(
                f"{source} is compressed, not text; "
                + (
                    "unpack it."
                    if suffix == "zip"
                    else f"let its name end with .{suffix}."
                )
            )
    found = encoding or _encoding_of(content)
    try:
        text = content.decode("utf-8-sig" if found == "utf-8" else found)
    except UnicodeError as error:
        start = error.start if isinstance(error, UnicodeDecodeError) else 0
        line = content.count(b"\n", 0, start) + 1
        byte = f"byte 0x{content[start]:02x} in line {line}"
        raise ComitiaError(
            f"{source} is not {found.upper()} ({byte}); say its encoding, such as "
            "cp1252, or save it as UTF-8."
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ComitiaError(
            f"{source} has NUL bytes, the first in line {line}, which no text has; "
            "save it as UTF-8."
        )
    if encoding is None and found != "utf-8":
        name = {"cp1252": "Windows-1252", "latin-1": "Latin-1"}.get(found)
        notes.append(
            f"the text is {found.upper()}."
            if name is None
            else f"the text is not UTF-8 and was read as {name}; say the encoding if "
            "names look odd."
        )
    text = text.removeprefix("\ufeff")
    # Old spreadsheets on a Macintosh end lines with a carriage return.
    return text if "\n" in text else text.replace("\r", "\n")


def _encoding_of(content: bytes) -> str:
    for mark, name in _BOMS:
        if content.startswith(mark):
            return name
    if b"\0" in content:
        # Every other byte of Western text in UTF-16 is a NUL.
        n_even, n_odd = content[::2].count(0), content[1::2].count(0)
        if min(n_even, n_odd) == 0 and 5 * max(n_even, n_odd) > 2 * len(content):
            return "utf-16-le" if n_odd else "utf-16-be"
        return "utf-8"  # and refused
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        pass
    else:
        return "utf-8"
    escaped = content.decode("utf-8", "surrogateescape")
    wrong = sum("\udc80" <= each <= "\udcff" for each in escaped)
    right = sum(each > "\x7f" for each in escaped) - wrong
    if right > wrong or content.translate(None, _CONTROLS) != content:
        return "utf-8"  # damaged, or no text at all
    try:
        content.decode("cp1252")
    except UnicodeDecodeError:
        return "latin-1"
    return "cp1252"


# -- separators -----------------------------------------------------------------------


def is_spaced(separator: str) -> bool:
    """Whether cells are separated by any number of blanks."""
    return separator == BLANKS


def take_separator_line(text: str) -> tuple[str | None, str]:
    """The separator that the first line says, as in ``sep=;``, and the rest.

    Spreadsheets write and obey such a line. A blank one takes its place, so that lines
    keep their numbers.
    """
    found = _SAID_SEPARATOR.match(text)
    return (found[1], text[found.end() :]) if found else (None, text)


def separator_of(
    text: str,
    kind: str,
    sep: str | None,
    rows_of: Callable[[str, str, str], Iterator[tuple[int, list[str]]]],
    notes: list[str],
) -> str:
    """What separates the cells, by the first lines; noted if it is unusual.

    Lines of equal length decide. Commas come after the others, because they stand in
    numbers too, and blanks come last, because they stand in names.
    """
    if sep is not None:
        return sep
    usual = "\t" if kind == "tsv" else ","
    lines = itertools.islice((line for line in text.splitlines() if line.strip()), 200)
    head = "\n".join(lines) + "\n"
    found = _even_separator(head, rows_of)
    if found is None:
        first = head.partition("\n")[0]
        counts = {each: first.count(each) for each in ",;\t|"}
        most = max(counts, key=lambda each: counts[each])
        found = most if counts[most] and kind == "csv" else usual
        if not counts[most] and all(map(_FRACTION.fullmatch, head.split("\n")[1:-1])):
            return "\t"  # one column of decimal commas
    if found != usual:
        notes.append(f"columns are separated by {_NAMES[found]}.")
    return found


def _even_separator(
    head: str, rows_of: Callable[[str, str, str], Iterator[tuple[int, list[str]]]]
) -> str | None:
    """The separator that makes lines of equal length; a header may be one short."""
    short = None
    for each in "\t;|, ":
        if each not in head:
            continue
        try:
            rows = [
                row for _, row in itertools.islice(rows_of(head, each, ""), _GLANCE)
            ]
        except ComitiaError:
            continue
        lengths = {len(row) for row in rows[1:]}
        if len(lengths) != 1 or (width := lengths.pop()) < 2:
            if each == "," and len(rows) == 1 and len(rows[0]) > 1:
                return each
            continue
        if each == BLANKS and not _are_numbers(rows, head):
            continue
        if len(rows[0]) == width:
            return each
        if len(rows[0]) == width - 1 and (width > 2 or '"' in head) and not short:
            short = each
    return short


def _are_numbers(rows: Sequence[Sequence[str]], head: str) -> bool:
    """Whether most cells between blanks are numbers; a name may have blanks too."""
    cells = [cell for row in rows[1:] for cell in row]
    numbers = sum(
        bool(re.fullmatch(r"[+-]?[\d.,]+([eE][+-]?\d+)?|NA", c)) for c in cells
    )
    named = len(rows[0]) < len(rows[1]) and '"' in head
    return 2 * numbers > len(cells) or (named and 2 * numbers == len(cells))
