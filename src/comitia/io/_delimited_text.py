"""Columns of .csv and .tsv files, read without pandas.

Numbers are parsed as Python parses them, to the last digit; pandas does so only with
``float_precision="round_trip"``, and is then no faster than this.
"""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.exceptions import ComitiaError
from comitia.io._cell_text import (
    MISSING,
    all_missing,
    counted,
    find_column,
    object_names_of,
)
from comitia.io._number_text import looks_like_number, note_grouped_fractions
from comitia.io._text_form import (
    ANY_FORM,
    TextForm,
    decode,
    is_spaced,
    separator_of,
    take_separator_line,
)
from comitia.io._written_numbers import read_written_numbers
from comitia.prepare.missing_words import is_missing_word

__all__ = ["name_columns", "read_cells", "read_text", "rows_of"]

# Rows that are turned into numbers at once; then their text is freed.
_BLOCK_ROWS = 20_000

# Lines that are looked at to tell whether the first holds names.
_GLANCE = 100

# So many columns are counted by no line of data.
_COUNTED_COLUMNS = 5

_UNEVEN = (
    "every line must have as many. Take out titles and remarks above the names of the "
    "columns and below the rows, and quote cells that hold a separator."
)

_TRUTH_VALUES = {"true": 1.0, "false": 0.0}


def read_text(
    content: bytes,
    kind: str,
    source: str,
    header: bool | None,
    keep_text: Sequence[str | None] = (),
    form: TextForm = ANY_FORM,
) -> tuple[list[str], list[NDArray[Any]], list[str] | None, list[str]]:
    """Names, values, names of the objects and notes of a table in text form.

    Values are float64 with NaN for missing, or text with None.
    """
    notes: list[str] = []
    text = decode(content, source, form.encoding, notes)
    del content  # as long as the text
    if not text.strip():
        raise ComitiaError(f"{source} is empty.")
    said, text = take_separator_line(text)
    delimiter = separator_of(text, kind, form.sep or said, rows_of, notes)
    text = _without_blank_end(text, delimiter, notes)
    rows = rows_of(text, delimiter, source)
    n_lines, first = next(rows)
    second = next(rows, None)
    if header is not None:
        has_names = header
    else:
        some = itertools.islice(rows_of(text, delimiter, source), 1, _GLANCE)
        has_names = _has_names(first, [row for _, row in some], notes)
    if not has_names:
        names = [f"column {j + 1}" for j in range(len(first))]
        n_lines, rows = 0, rows_of(text, delimiter, source)
        second = next(rows)
    else:
        names = [name.strip() for name in first]
    if second is None:
        raise ComitiaError(f"{source} has a header and no rows.")
    if has_names and len(second[1]) == len(names) + 1:
        third = next(rows, None)
        if third is not None:
            rows = itertools.chain([third], rows)
        if not _is_title(text, names, second[1], third):
            # As R writes tables with row names: the header is one short.
            names = ["", *names]
    rows = itertools.chain([second], rows)
    # Looked up here because a column that is to be text must not pass through float.
    names_given = [each or f"column {j + 1}" for j, each in enumerate(names)]
    kept = (find_column(names_given, each) for each in keep_text if each is not None)
    kept_text = {at for at in kept if at is not None} | ({0} if not names[0] else set())
    is_plain = form.decimal in (None, ".") and form.thousands is None
    values = None
    if is_plain and not kept_text and all(map(_is_number, second[1])):
        values = _all_numbers(text, n_lines, len(names), delimiter)
    if values is None:
        values = _parse_columns(text, rows, len(names), kept_text, delimiter, source)
    free = [j for j in range(len(names)) if j not in kept_text]
    read = read_written_numbers(
        [names_given[j] for j in free],
        [values[j] for j in free],
        lambda: _cells_of(text, delimiter, source, len(values[0]), free),
        form,
        delimiter,
        notes,
    )
    if read is not None:
        for j, column in zip(free, read, strict=True):
            values[j] = column
    elif delimiter == ";" and form.decimal is None:
        note_grouped_fractions(names_given, values, notes)
    return name_columns(names, values, notes)


def _without_blank_end(text: str, delimiter: str, notes: list[str]) -> str:
    """The text without the lines of bare separators that spreadsheets leave behind."""
    if is_spaced(delimiter):
        return text
    n, end = 0, len(text.rstrip("\r\n"))
    while (start := text.rfind("\n", 0, end) + 1) > 0:
        line = text[start:end]
        if line.strip(f"{delimiter} \t\r"):
            break
        n += delimiter in line
        end = max(start - 1, 0)
    if not n:
        return text
    lines = "line" if n == 1 else "lines"
    notes.append(f"{n} {lines} without any value at the end left out.")
    return text[:end].rstrip("\r") + "\n"


def _has_names(first: list[str], rows: list[list[str]], notes: list[str]) -> bool:
    """Whether the first line holds names: not numbers, or the numbers of columns."""
    words = [j for j, cell in enumerate(first) if not _is_any_number(cell)]
    if words:
        # 5.1,3.5,Iris-setosa is no header where Iris-setosa stands below it again.
        again = any(len(row) > j and row[j] == first[j] for j in words for row in rows)
        is_data = again and any("." in cell and _is_number(cell) for cell in first)
        if is_data:
            notes.append(
                f"the first line, {','.join(first[:3])},…, was read as data, not as "
                "names."
            )
        return not is_data
    if rows and _counts(first) and not _counts(rows[0]):
        # 0,1,…,19 and then something else. Few whole numbers could be data as well.
        whole = all(cell.strip().lstrip("+-").isdecimal() for cell in rows[0])
        if len(first) >= _COUNTED_COLUMNS or not whole:
            notes.append("the first line counts the columns and was read as names.")
            return True
    notes.append("the first line is numbers and was read as data, not as names.")
    return False


def _is_title(
    text: str,
    first: list[str],
    second: list[str],
    third: tuple[int, list[str]] | None,
) -> bool:
    """Whether one cell above two is a title, and not the name of the second column."""
    if len(first) > 1 or text.lstrip().startswith('"'):
        return False
    names_stand_below = third is not None and (
        _is_any_number(third[1][-1]) and not _is_any_number(second[-1])
    )
    return " " in first[0] or names_stand_below


def _is_any_number(cell: str) -> bool:
    return _is_number(cell) or looks_like_number(cell)


def _counts(cells: Sequence[str]) -> bool:
    """Whether cells are 0, 1, 2, … or 1, 2, 3, …"""
    start = cells[0].strip()
    return (
        len(cells) > 1
        and start in ("0", "1")
        and all(cell.strip() == str(j) for j, cell in enumerate(cells, int(start)))
    )


def _cells_of(
    text: str, delimiter: str, source: str, n_rows: int, columns: list[int]
) -> list[NDArray[Any]]:
    """Some columns as text, without the header."""
    rows = [row for _, row in rows_of(text, delimiter, source)]
    rows = rows[len(rows) - n_rows :]
    return [_texts([row[j] for row in rows]) for j in columns]


def name_columns(
    names: list[str], values: list[NDArray[Any]], notes: list[str]
) -> tuple[list[str], list[NDArray[Any]], list[str] | None, list[str]]:
    """Name columns; an unnamed first one has the objects, an empty last one goes."""
    object_names = None
    names, values = list(names), list(values)
    if names[-1] == "" and len(names) > 1 and all_missing(values[-1]):
        del names[-1], values[-1]  # every line ends with a delimiter
    if names[0] == "" and len(names) > 1:
        object_names = object_names_of(values.pop(0), blank="")
        del names[0]
        notes.append("the first column has no name and was read as the objects' names.")
    names = [name or f"column {j + 1}" for j, name in enumerate(names)]
    return names, values, object_names, notes


def _lines(text: str) -> Iterator[str]:
    """Lines with their ends; io.StringIO would hold four bytes for each character."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start : end + 1]
        start = end + 1
    if start < len(text):
        yield text[start:]


def _spaced_lines(text: str) -> Iterator[str]:
    """Lines in which tabs are blanks, without blanks at their ends."""
    for line in _lines(text):
        yield line.strip().replace("\t", " ") + "\n"


def rows_of(text: str, delimiter: str, source: str) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of each line that is not blank."""
    spaced = is_spaced(delimiter)
    reader = csv.reader(
        _spaced_lines(text) if spaced else _lines(text),
        delimiter=delimiter,
        skipinitialspace=spaced,
        strict=True,
    )
    try:
        for row in reader:
            if row and (len(row) > 1 or row[0].strip()):
                yield reader.line_num, row
    except csv.Error as error:
        raise ComitiaError(
            f"{source} line {reader.line_num} cannot be read ({error}); is a quotation "
            "mark left open?"
        ) from None


def _all_numbers(
    text: str, n_lines: int, n_columns: int, delimiter: str
) -> list[NDArray[Any]] | None:
    """The columns of a table that holds nothing but numbers, twice as fast."""
    try:
        table = np.loadtxt(
            _lines(text),
            delimiter=None if is_spaced(delimiter) else delimiter,
            skiprows=n_lines,
            comments=None,
            quotechar='"',
            ndmin=2,
        )
    except ValueError:
        return None  # something else is in it; the careful reader says what
    return list(table.T.copy()) if table.shape[1] == n_columns else None


def _parse_columns(
    text: str,
    rows: Iterable[tuple[int, list[str]]],
    n_columns: int,
    kept_text: set[int],
    delimiter: str,
    source: str,
) -> list[NDArray[Any]]:
    """Columns as float64 where every cell is a number or missing, else as text.

    Those that are kept are text as it is written, blanks and words for missing too.
    """
    underscores = "_" in text
    parts: list[list[NDArray[Any]]] = [[] for _ in range(n_columns)]
    is_text = {*kept_text}
    late: set[int] = set()
    rows = iter(rows)
    while block := [*itertools.islice(rows, _BLOCK_ROWS)]:
        for line, row in block:
            if len(row) != n_columns:
                opened = any("\n" in cell for cell in row)
                raise ComitiaError(
                    f"{source} line {line} has {counted(len(row), 'cell')} and the "
                    f"first line has {n_columns}; "
                    + ("is a quotation mark left open?" if opened else _UNEVEN)
                )
        for j, cells in enumerate(zip(*(row for _, row in block), strict=True)):
            if j in kept_text:
                parts[j].append(np.array(cells, dtype=object))
                continue
            numbers = None if j in is_text else _numbers(cells, underscores, True)
            if numbers is None:
                if j not in is_text and parts[j]:
                    late.add(j)  # its first cells are gone: they were numbers
                is_text.add(j)
                parts[j].append(_texts(cells))
            else:
                parts[j].append(numbers)
    if late:
        n_rows, which = sum(map(len, parts[min(late)])), sorted(late)
        again = _cells_of(text, delimiter, source, n_rows, which)
        for j, column in zip(which, again, strict=True):
            parts[j] = [column]
    return [np.concatenate(each) for each in parts]


def _numbers(
    cells: Sequence[str], underscores: bool, gaps: bool = False
) -> NDArray[np.float64] | None:
    """The cells as numbers, NaN where missing; None if one is something else.

    With ``gaps`` a hyphen and the like are missing beside numbers, too.
    """
    if underscores and any("_" in cell for cell in cells):
        return None  # Python reads 1_000 as a number; a table does not mean it so
    try:
        return np.array(cells, dtype=np.float64)
    except ValueError:
        pass
    numbers = np.empty(len(cells))
    for i, cell in enumerate(cells):
        try:
            numbers[i] = float(cell)
        except ValueError:
            word = cell.strip()
            if word in MISSING or (gaps and is_missing_word(word)):
                numbers[i] = np.nan
            elif word.lower() in _TRUTH_VALUES:
                numbers[i] = _TRUTH_VALUES[word.lower()]
            else:
                return None
    return numbers


def read_cells(cells: Sequence[str]) -> NDArray[Any]:
    """Cells as numbers, NaN where missing, or else as text."""
    numbers = _numbers(cells, underscores=True, gaps=True)
    return _texts(cells) if numbers is None else numbers


def _texts(cells: Iterable[str]) -> NDArray[Any]:
    stripped = [cell.strip() for cell in cells]
    return np.array(
        [None if cell in MISSING else cell for cell in stripped], dtype=object
    )


def _is_number(cell: str) -> bool:
    return cell.strip() != "" and _numbers([cell], underscores=True) is not None
