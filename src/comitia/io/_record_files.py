"""Columns of spreadsheets and of JSON, whose cells have types of their own."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from datetime import date, datetime, time
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from comitia._optional import import_optional
from comitia.config import require_memory
from comitia.exceptions import ComitiaError, MemoryBudgetError
from comitia.io._cell_text import find_column, text_or_none
from comitia.io._delimited_text import name_columns, read_cells
from comitia.io._file_columns import FileColumns
from comitia.io._text_form import ANY_FORM, TextForm, decode
from comitia.io._written_numbers import read_written_numbers

__all__ = ["read_json_lines", "read_xlsx"]

# Bytes that openpyxl takes for each byte of a sheet.
_XLSX_BYTES = 4


def read_xlsx(
    file: IO[bytes],
    source: str,
    header: bool | None,
    key: str | None,
    keep_text: Sequence[str | None] = (),
    form: TextForm = ANY_FORM,
) -> FileColumns:
    """The columns of a sheet: the first one, or the one called ``key``."""
    openpyxl = import_optional("openpyxl", "reading .xlsx", "io")
    try:
        with zipfile.ZipFile(file) as archive:
            size = sum(each.file_size for each in archive.infolist())
        require_memory(_XLSX_BYTES * size, f"the sheets of {source}")
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        sheets = list(book.sheetnames)
        if key is not None and key not in sheets:
            raise ComitiaError(
                f"key={key!r} is no sheet of {source}; it has {', '.join(sheets)}."
            )
        sheet = book[sheets[0] if key is None else key]
        # What a file says of its size can be wrong, and costs nothing to leave out.
        sheet.reset_dimensions()
        rows = [list(row) for row in sheet.iter_rows(values_only=True)]
    except (MemoryBudgetError, ComitiaError):
        raise
    except Exception as error:  # zipfile, XML and openpyxl fail in a dozen ways
        raise ComitiaError(
            f"{source} is no .xlsx file that can be read ({error})."
        ) from None
    rows = [row for row in rows if any(not _is_blank(cell) for cell in row)]
    others = [] if key is not None else sheets[1:]
    listed = f"{', '.join(others[:3])}{', …' if len(others) > 3 else ''}"
    hint = f" key chooses another sheet: {listed}." if others else ""
    if not rows:
        raise ComitiaError(f"the sheet {sheet.title!r} of {source} is empty.{hint}")
    width = max(
        j + 1 for row in rows for j, cell in enumerate(row) if not _is_blank(cell)
    )
    table = [(row + [None] * width)[:width] for row in rows]
    notes = []
    if others:
        notes.append(
            f"the sheet {sheets[0]!r} was read; key chooses another of {listed}."
        )
    first = table[0]
    named = any(isinstance(cell, str) for cell in first) if header is None else header
    if not named and header is None:
        notes.append("the first line is numbers and was read as data, not as names.")
    names = ["" if cell is None else str(cell).strip() for cell in first]
    if not named:
        names = [f"column {j + 1}" for j in range(width)]
    body = table[1:] if named else table
    if not body:
        raise ComitiaError(
            f"the sheet {sheet.title!r} of {source} has a header and no rows.{hint}"
        )
    kept = _kept(names, keep_text)
    values = [
        _column([row[j] for row in body], j in kept or (j == 0 and not names[0]))
        for j in range(width)
    ]
    kept |= {0} if not names[0] else set()
    values = _with_written_numbers(names, values, kept, form, notes)
    return FileColumns(*name_columns(names, values, notes))


def read_json_lines(
    content: bytes,
    source: str,
    form: TextForm = ANY_FORM,
    keep_text: Sequence[str | None] = (),
) -> FileColumns:
    """The columns of JSON objects, one on each line or in one list."""
    notes: list[str] = []
    text = decode(content, source, form.encoding, notes)
    # A cell of two characters becomes a place in a dict and an object.
    require_memory(16 * len(text), f"the objects of {source}")
    records = _records(text, source)
    if not records:
        raise ComitiaError(f"{source} is empty.")
    names = list(dict.fromkeys(name for record in records for name in record))
    if not names:
        raise ComitiaError(f"the objects of {source} are empty.")
    require_memory(
        8 * len(names) * len(records), f"the {len(records)} × {len(names)} of {source}"
    )
    kept = _kept(names, keep_text)
    values = []
    for j, name in enumerate(names):
        cells = [record.get(name) for record in records]
        at = next((i for i, c in enumerate(cells) if isinstance(c, dict | list)), None)
        if at is not None:
            raise ComitiaError(
                f"{name!r} of object {at + 1} in {source} holds a list or an object; "
                "write flat objects with one number or text for each name."
            )
        values.append(_column(cells, j in kept))
    values = _with_written_numbers(names, values, kept, form, notes)
    return FileColumns(names, values, notes=notes)


def _records(text: str, source: str) -> list[dict[str, Any]]:
    def load(words: str, where: str) -> Any:
        try:
            return json.loads(words)
        except (ValueError, RecursionError) as error:
            raise ComitiaError(
                f"{source}{where} is no JSON ({error}); write one object on each line."
            ) from None

    if text.lstrip().startswith("["):
        records = {f" entry {i + 1}": each for i, each in enumerate(load(text, ""))}
    else:
        places = ((f" line {i}", line) for i, line in enumerate(text.split("\n"), 1))
        records = {where: load(line, where) for where, line in places if line.strip()}
    for where, record in records.items():
        if not isinstance(record, dict):
            raise ComitiaError(
                f"{source}{where} is no object; write one on each line, such as "
                '{"a": 1, "b": 2}.'
            )
    return [*records.values()]


def _with_written_numbers(
    names: Sequence[str],
    values: list[NDArray[Any]],
    kept: set[int],
    form: TextForm,
    notes: list[str],
) -> list[NDArray[Any]]:
    """The columns, where text such as 1,5 or 12 % has become numbers."""
    texts = [
        j for j, each in enumerate(values) if j not in kept and each.dtype == object
    ]
    columns = [values[j] for j in texts]
    read = read_written_numbers(
        [names[j] or f"column {j + 1}" for j in texts],
        columns,
        lambda: columns,
        form,
        "",
        notes,
    )
    found = dict(zip(texts, read or columns, strict=True))
    return [found.get(j, each) for j, each in enumerate(values)]


def _kept(names: Sequence[str], keep_text: Sequence[str | None]) -> set[int]:
    found = (find_column(names, each) for each in keep_text if each is not None)
    return {at for at in found if at is not None}


def _is_blank(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _column(cells: list[Any], keep: bool) -> NDArray[Any]:
    """Cells as numbers, NaN where missing, or as text."""
    if all(cell is None or isinstance(cell, bool | int | float) for cell in cells):
        if keep:
            return text_or_none(np.array([*cells, ""], dtype=object)[:-1])
        return np.array([_number(cell) for cell in cells], dtype=np.float64)
    texts = ["" if cell is None else _written(cell) for cell in cells]
    return np.array(texts, dtype=object) if keep else read_cells(texts)


def _number(cell: bool | int | float | None) -> float:
    try:
        return np.nan if cell is None else float(cell)
    except OverflowError:
        return np.inf  # more than 308 digits


def _written(cell: Any) -> str:
    if isinstance(cell, datetime) and cell.time() == time():
        cell = cell.date()
    if isinstance(cell, datetime | date | time):
        return cell.isoformat()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)
