"""Small tables for notebooks, in which everything is text."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

__all__ = ["html_table"]

# Longer tables say how many rows they leave out.
_MOST_ROWS = 200

# Longer texts are cut.
_MOST_SIGNS = 500


def html_table(
    head: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = ""
) -> str:
    """A table as a notebook shows it.

    Parameters
    ----------
    head : sequence of str
        Names of the columns.

    rows : iterable of sequence
        The cells: numbers stand flush right, with three decimals if they have any, and
        everything else is escaped text.

    caption : str, default=""
        What stands above the table.

    Returns
    -------
    html : str
        A ``table`` element.

    Examples
    --------
    >>> html_table(["id"], [["<b>"]])
    '<table><thead><tr><th>id</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    lines = [*rows]
    left_out = len(lines) - _MOST_ROWS
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in lines[:_MOST_ROWS])
    if left_out > 0:
        body += f'<tr><td colspan="{len(head)}">and {left_out} more</td></tr>'
    heads = "".join(f"<th>{_text(name)}</th>" for name in head)
    above = f"<caption>{_text(caption)}</caption>" if caption else ""
    return f"<table>{above}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"<td>{_text(value)}</td>"
    if value != value:
        text = "–"
    elif isinstance(value, int):
        text = str(value)
    else:
        text = (
            f"{value:.3f}" if 1e-3 <= abs(value) < 1e4 or value == 0 else f"{value:.3g}"
        )
    return f'<td style="text-align: right">{text}</td>'


def _text(value: Any) -> str:
    whole = str(value)
    text = whole[:_MOST_SIGNS]
    text += "…" if text != whole else ""
    # Control characters and marks of direction can hide what is there.
    return escape(
        "".join(
            repr(sign)[1:-1]
            if unicodedata.category(sign) in ("Cc", "Cf", "Cs")
            else sign
            for sign in text
        )
    )
