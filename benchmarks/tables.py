"""Tables for people from the files of the quality runs.

``python -m benchmarks.tables FILE.csv --value nmi [--where part=views] [--rst]``

A cell is the mean over the rows that belong to it. A row that did not end well, as
its column ``status`` says, makes its cell that word instead of a number. Means and
ranks can be compared only between lines that have a number in every column; the others
stand below, without. A star marks the best of a column.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.evaluation.store import read

__all__ = ["list_table", "markdown", "pivot", "rst"]

Cell = float | str | None


def main(arguments: list[str] | None = None) -> int:
    """Print the table that the command line asks for."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.tables", description=__doc__
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--value", required=True, help="the column that is averaged")
    parser.add_argument("--rows", default="method")
    parser.add_argument("--columns", default="set")
    parser.add_argument(
        "--where", action="append", default=[], help="column=value; may be repeated"
    )
    parser.add_argument("--rst", action="store_true", help="not markdown")
    asked = parser.parse_args(arguments)
    rows = read(asked.file)
    for condition in asked.where:
        column, _, value = condition.partition("=")
        rows = [row for row in rows if row.get(column) == value]
    if not rows:
        parser.error(f"no row of {asked.file} is left")
    table = pivot(rows, asked.rows, asked.columns, asked.value)
    print(rst(table) if asked.rst else markdown(table))
    return 0


def pivot(
    rows: Iterable[dict[str, Any]], by: str, across: str, value: str
) -> list[list[Cell]]:
    """Means of a value, one line for each ``by``, one column for each ``across``.

    Parameters
    ----------
    rows : iterable of dict
        What was measured.

    by, across : str
        The columns whose values name lines and columns, in the order of appearance.

    value : str
        The column that is averaged.

    Returns
    -------
    table : list of list
        A head; then a name, a cell for each column, their mean and the mean rank. Best
        mean rank first; last those that lack a number somewhere, without mean and rank.
    """
    found: dict[tuple[str, str], list[Any]] = {}
    words: dict[tuple[str, str], str] = {}
    for row in rows:
        key = str(row[by]), str(row[across])
        if row.get("status", "ok") == "ok":
            found.setdefault(key, []).append(float(row[value]))
        else:
            words[key] = str(row["status"])
    keys = dict.fromkeys([*found, *words])
    lines = list(dict.fromkeys(line for line, _ in keys))
    columns = list(dict.fromkeys(column for _, column in keys))
    cells: dict[tuple[str, str], Cell] = {
        key: words[key] if key in words else float(np.mean(found[key])) for key in keys
    }
    table: list[list[Cell]] = [
        [line, *(cells.get((line, column)) for column in columns)] for line in lines
    ]
    whole = [line for line in table if all(isinstance(c, float) for c in line[1:])]
    ranks = dict(zip((line[0] for line in whole), _mean_ranks(whole), strict=True))
    for line in table:
        at = ranks.get(line[0])
        line += [None if at is None else float(np.mean(line[1:])), at]  # type: ignore[arg-type]
    table.sort(key=lambda line: ranks.get(line[0], float("inf")))
    return [[by, *columns, "mean", "rank"], *table]


def markdown(table: list[list[Cell]]) -> str:
    """A table of :func:`pivot` in markdown.

    Parameters
    ----------
    table : list of list
        The table.

    Returns
    -------
    text : str
        Numbers right-aligned, to three decimals.
    """
    text = _texts(table)
    widths = [max(map(len, column)) for column in zip(*text, strict=True)]
    rule = [
        "-" * width if at == 0 else "-" * max(width - 1, 1) + ":"
        for at, width in enumerate(widths)
    ]
    padded = [
        [
            cell.ljust(width) if at == 0 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        for line in [text[0], rule, *text[1:]]
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in padded)


def rst(table: list[list[Cell]]) -> str:
    """A table of :func:`pivot` as a list table of reStructuredText.

    Parameters
    ----------
    table : list of list
        The table.

    Returns
    -------
    text : str
        A ``list-table`` directive.
    """
    head, *body = _texts(table)
    return list_table(head, body)


def list_table(
    head: Sequence[Any],
    rows: Iterable[Sequence[Any]],
    widths: Sequence[int] | None = None,
    *,
    header: bool = True,
) -> str:
    """Any table as a list table of reStructuredText.

    Parameters
    ----------
    head : sequence
        Names of the columns.

    rows : iterable of sequence
        The cells.

    widths : sequence of int, default=None
        Relative widths of the columns.

    header : bool, default=True
        Whether the names are shown.

    Returns
    -------
    text : str
        A ``list-table`` directive.
    """
    lines = [".. list-table::"]
    if header:
        lines.append("   :header-rows: 1")
    if widths:
        lines.append(f"   :widths: {' '.join(map(str, widths))}")
    lines.append("")
    for row in [head, *rows] if header else rows:
        for at, cell in enumerate(row):
            lines.append(f"   {' ' if at else '*'} - {cell}".rstrip())
    return "\n".join(lines)


def _mean_ranks(lines: list[list[Cell]]) -> list[float]:
    """Mean rank of each line over the columns, 1 for the largest numbers."""
    from scipy.stats import rankdata

    if not lines:
        return []
    numbers = np.array([line[1:] for line in lines], dtype=np.float64)
    return rankdata(-numbers, axis=0).mean(axis=1).tolist()


def _texts(table: list[list[Cell]]) -> list[list[str]]:
    """The cells as they are printed, the best of each column with a star."""
    head, *body = table
    texts = [[_text(cell) for cell in line] for line in body]
    for at in range(1, len(head) - 1):
        numbers = [cell for line in body if isinstance(cell := line[at], float)]
        best = max(numbers, default=None)
        for line, text in zip(body, texts, strict=True):
            # Rounded alike is as good.
            if isinstance(line[at], float) and _text(line[at]) == _text(best):
                text[at] = f"*{text[at]}"
    for line, text in zip(body, texts, strict=True):
        if isinstance(line[-1], float):
            text[-1] = f"{line[-1]:.1f}"
    return [[str(cell) for cell in head], *texts]


def _text(cell: Cell) -> str:
    if cell is None:
        return "–"
    return f"{cell:.3f}" if isinstance(cell, float) else cell


if __name__ == "__main__":
    sys.exit(main())
