"""Cells and lines of the .csv files of a result."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._files import atomic_write

__all__ = [
    "digits",
    "escape_cell",
    "read_csv",
    "unescape_cell",
    "unescape_cells",
    "write_columns",
    "write_csv",
]

# A spreadsheet takes a cell that begins so for a formula; an apostrophe says "text".
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "'")

# From this many numbers on, equal ones are formatted once, and pyarrow, which takes a
# moment to load, joins the lines.
_MANY = 100_000

# Lines that are in memory as text at a time.
_LINES = 1 << 17

# Numbers that tell whether many are equal.
_GLANCE = 1000

# Of shares of one so many parts are told apart where there are many lines: the shortest
# text that gives a number back exactly takes ten times as long as six decimals.
_DECIMALS = 6
_PARTS = 10**_DECIMALS

# Between these, numbers that are not whole are written alike by Python and by Arrow.
_PLAIN = 1e-4, 1e9


def escape_cell(text: Any) -> str:
    """Make a text safe to open in a spreadsheet.

    Parameters
    ----------
    text : str
        What stands in a cell.

    Returns
    -------
    cell : str
        The text, with an apostrophe in front if a spreadsheet could take it for a
        formula, or if it begins with an apostrophe itself.

    Examples
    --------
    >>> escape_cell("=1+1"), escape_cell("plain")
    ("'=1+1", 'plain')
    """
    text = str(text)
    return f"'{text}" if text.startswith(_FORMULA) else text


def unescape_cell(cell: str) -> str:
    """Undo :func:`escape_cell`.

    Parameters
    ----------
    cell : str
        What stands in the file.

    Returns
    -------
    text : str
        The text that was meant.

    Examples
    --------
    >>> unescape_cell(escape_cell("'=1+1"))
    "'=1+1"
    """
    return cell[1:] if cell.startswith("'") else cell


def unescape_cells(cells: Sequence[str]) -> list[str]:
    """Undo :func:`escape_cell` in a column that may have come from elsewhere.

    Parameters
    ----------
    cells : sequence of str
        A column of a file, of which it is not known who wrote it.

    Returns
    -------
    texts : list of str
        The texts that were meant; the cells as they are if one of them could not stand
        in a file of ours. Different cells are different texts.

    Examples
    --------
    >>> unescape_cells(["'=1+1", "plain"]), unescape_cells(["'=1+1", "=1+1"])
    (['=1+1', 'plain'], ["'=1+1", '=1+1'])
    """
    texts = [unescape_cell(cell) for cell in cells]
    ours = all(map(str.__eq__, map(escape_cell, texts), cells))
    return texts if ours else list(cells)


def digits(values: NDArray[Any]) -> list[str]:
    """Numbers with the fewest digits that give them back exactly.

    Parameters
    ----------
    values : ndarray of shape (n,)
        The numbers.

    Returns
    -------
    texts : list of str
        One for each.
    """
    if len(values) > _MANY and values.dtype == np.float64:
        # Many objects share their votes: a number is written once. Bits are compared,
        # so that -0.0 stays what it is.
        bits, which = np.unique(
            np.ascontiguousarray(values).view(np.int64), return_inverse=True
        )
        if len(bits) < len(values) // 2:
            texts = np.array(list(map(repr, bits.view(np.float64).tolist())), object)
            return texts[which].tolist()
    return [repr(value) for value in values.tolist()]


def write_csv(path: Path, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a table, all of it or nothing.

    Parameters
    ----------
    path : Path
        The file.

    head : sequence of str
        Names of the columns.

    rows : iterable of sequences
        The lines; None is an empty cell.
    """
    with atomic_write(path) as file:
        text = io.TextIOWrapper(
            file, encoding="utf-8", errors="surrogatepass", newline=""
        )
        writer = csv.writer(_LineFeeds(text), lineterminator="\r\n")
        writer.writerow(head)
        writer.writerows(rows)
        text.detach()  # flushes, and leaves the file open


def write_columns(
    path: Path, head: Sequence[str], columns: Sequence[Any], shares: Sequence[int] = ()
) -> None:
    """Write a table column by column, all of it or nothing.

    Many lines are put together by pyarrow where it is installed, many times as fast;
    the bytes are those that are written without it.

    Parameters
    ----------
    path : Path
        The file.

    head : sequence of str
        Names of the columns.

    columns : sequence of ndarray or list of str
        Whole numbers, numbers, or texts.

    shares : sequence of int, default=()
        Columns of numbers from 0 to 1, of which six decimals are written where there
        are 100 000 lines or more; other numbers are written exactly.
    """
    many = len(columns[0]) >= _MANY
    rounded = {j for j in shares if many and _are_shares(columns[j])}
    pa = _pyarrow() if many else None
    if pa is None:
        texts = [
            each
            if isinstance(each, list)
            else _six_decimals(each)
            if j in rounded
            else digits(each)
            for j, each in enumerate(columns)
        ]
        write_csv(path, head, zip(*texts, strict=True))
        return
    first = io.StringIO()
    csv.writer(first, lineterminator="\n").writerow(head)
    with atomic_write(path) as file:
        file.write(first.getvalue().encode("utf-8", "surrogatepass"))
        for lines in _arrow_lines(pa, columns, rounded):
            file.write(lines)


def _are_shares(values: NDArray[np.float64]) -> bool:
    return bool(values.min() >= 0 and values.max() <= 1)  # and none of them is NaN


def _parts(values: NDArray[np.float64]) -> NDArray[np.int32]:
    return np.rint(values * _PARTS).astype(np.int32)


def _six_decimals(values: NDArray[np.float64]) -> list[str]:
    return [f"{part / _PARTS:.{_DECIMALS}f}" for part in _parts(values).tolist()]


def _share_texts() -> NDArray[np.uint64]:
    """Each of the shares as text, its eight bytes as one number."""
    triples = np.array([f"{i:03d}" for i in range(1000)], dtype="S3")
    triples = triples.view(np.uint8).reshape(1000, 3)
    texts = np.empty((_PARTS + 1, 2 + _DECIMALS), dtype=np.uint8)
    texts[:, :2] = np.frombuffer(b"0.", np.uint8)
    texts[:-1, 2:5] = np.repeat(triples, 1000, axis=0)
    texts[:-1, 5:] = np.tile(triples, (1000, 1))
    texts[-1] = np.frombuffer(b"1.000000", np.uint8)
    return texts.view(np.uint64).ravel()


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.compute
    except ImportError:
        return None
    return pyarrow


def _arrow_lines(pa: Any, columns: Sequence[Any], rounded: set[int]) -> Iterator[Any]:
    """The bytes of some lines at a time."""
    texts = _share_texts() if rounded else None
    for start in range(0, len(columns[0]), _LINES):
        some = [each[start : start + _LINES] for each in columns]
        cells = []
        # Columns of shares that stand together become cells together.
        for are_shares, places in itertools.groupby(
            range(len(some)), rounded.__contains__
        ):
            here = [some[j] for j in places]
            if are_shares:
                cells.append(_share_cells(pa, here, texts))
            else:
                cells += [_arrow_cells(pa, each) for each in here]
        # A join with nothing puts the end behind the last cell.
        nothing = pa.scalar(b"", pa.binary())
        cells[-1] = pa.compute.binary_join_element_wise(cells[-1], nothing, b"\n")
        joined = pa.compute.binary_join_element_wise(*cells, b",")
        _, offsets, content = joined.buffers()
        ends = np.frombuffer(offsets, np.int32)[joined.offset :][: len(joined) + 1]
        yield content[int(ends[0]) : int(ends[-1])]


def _share_cells(pa: Any, columns: Sequence[Any], texts: Any) -> Any:
    """Columns of shares, with commas between them, as Arrow's binary."""
    n, k = len(columns[0]), len(columns)
    # A text of eight bytes is copied as one number.
    cells = [(f"share_{j}", np.uint64) for j in range(k)]
    commas = [(f"comma_{j}", np.uint8) for j in range(k - 1)]
    between = itertools.zip_longest(cells, commas)
    lines = np.empty(n, dtype=[one for two in between for one in two if one])
    for (cell, _), values in zip(cells, columns, strict=True):
        lines[cell] = texts[_parts(values)]
    for comma, _ in commas:
        lines[comma] = ord(",")
    ends = np.arange(n + 1, dtype=np.int32) * lines.itemsize
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(lines)]
    return pa.Array.from_buffers(pa.binary(), n, buffers)


def _arrow_cells(pa: Any, cells: Any) -> Any:
    """A column as Arrow's binary, each cell as :func:`write_csv` writes it."""
    if isinstance(cells, list):
        return _arrow_texts(pa, cells)
    glance = cells[:: max(len(cells) // _GLANCE, 1)]
    if len(np.unique(glance)) > len(glance) // 2:
        return _arrow_numbers(pa, np.ascontiguousarray(cells))
    # Bits are compared, so that -0.0 stays what it is.
    whole = cells.dtype.kind in "iu"
    bits = np.ascontiguousarray(cells if whole else cells.view(np.int64))
    encoded = pa.array(bits).dictionary_encode()
    values = encoded.dictionary.to_numpy()
    texts = _arrow_numbers(pa, values if whole else values.view(np.float64))
    return texts.take(encoded.indices)


def _arrow_texts(pa: Any, cells: list[str]) -> Any:
    try:
        texts = pa.array(cells, pa.string())
    except UnicodeEncodeError:  # half a surrogate pair
        written = [_quoted(cell).encode("utf-8", "surrogatepass") for cell in cells]
        return pa.array(written, pa.binary())
    odd = pa.compute.match_substring_regex(texts, '[,"\r\n]')
    if pa.compute.any(odd).as_py():
        quoted = [_quoted(cell) for cell in texts.filter(odd).to_pylist()]
        mended = pa.array(quoted, pa.string())
        texts = pa.compute.replace_with_mask(texts, odd, mended)
    return texts.cast(pa.binary())


def _arrow_numbers(pa: Any, values: NDArray[Any]) -> Any:
    texts = pa.array(values).cast(pa.string()).cast(pa.binary())
    if values.dtype.kind in "iu":
        return texts
    size = np.abs(values)
    alike = (size >= _PLAIN[0]) & (size < _PLAIN[1]) & (values != np.rint(values))
    if alike.all():
        return texts
    others = [text.encode() for text in digits(values[~alike])]
    return pa.compute.replace_with_mask(
        texts, pa.array(~alike), pa.array(others, pa.binary())
    )


def _quoted(cell: str) -> str:
    if any(each in cell for each in ',"\r\n'):
        return '"' + cell.replace('"', '""') + '"'
    return cell


class _LineFeeds:
    """Ends lines with a line feed.

    Only the characters of the line terminator are quoted by the csv module of Python
    3.12 and before, and a carriage return in a name has to be.
    """

    def __init__(self, file: io.TextIOWrapper) -> None:
        self.file = file

    def write(self, line: str) -> int:
        """Write a line that ends with a carriage return and a line feed."""
        return self.file.write(line[:-2] + "\n")


def read_csv(path: Path) -> tuple[list[str], list[list[str]]]:
    """Read a table that :func:`write_csv` wrote.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    head : list of str
        Names of the columns.

    rows : list of list of str
        The lines, all as long as the head.
    """
    with open(path, encoding="utf-8", errors="surrogatepass", newline="") as file:
        rows = csv.reader(file)
        head = next(rows, [])
        table = list(rows)
    if any(len(row) != len(head) for row in table):
        raise ValueError(f"{path.name} has lines of different lengths")
    return head, table
