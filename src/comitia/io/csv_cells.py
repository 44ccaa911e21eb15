"""Cells and lines of the .csv files of a result."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
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
    "write_csv",
]

# A spreadsheet takes a cell that begins so for a formula; an apostrophe says "text".
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "'")

# From this many numbers on, equal ones are formatted once.
_MANY = 100_000


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
