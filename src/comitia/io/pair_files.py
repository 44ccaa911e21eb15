"""Pairs of objects from files: constraints."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from comitia.exceptions import ComitiaError
from comitia.io._cell_text import counted
from comitia.io._delimited_text import rows_of
from comitia.io._input_paths import format_of, open_input, source_of
from comitia.io._text_form import decode, separator_of

__all__ = ["read_pairs"]


def read_pairs(
    path: str | os.PathLike[str],
    n_objects: int,
    object_names: Sequence[str] | None = None,
) -> NDArray[np.int64]:
    """Read pairs of objects: constraints.

    Parameters
    ----------
    path : path-like
        A .csv or .tsv file with two columns, with or without a header. Objects are
        called by their names, where they have names, and else by their numbers from 0,
        as in ``labels.csv``.

    n_objects : int
        Number of objects.

    object_names : sequence of str, default=None
        Their names.

    Returns
    -------
    pairs : ndarray of shape (n_pairs, 2)
        Indices of the objects.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from comitia.io import read_pairs
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "together.csv")
    ...     _ = path.write_text("ann,cy\\n")
    ...     read_pairs(path, 3, object_names=["ann", "bob", "cy"])
    array([[0, 2]])
    """
    if object_names is None:
        object_names = [str(i) for i in range(n_objects)]
    place = {name: i for i, name in enumerate(object_names)}
    if len(place) < n_objects:
        raise ComitiaError(
            f"{source_of(path)} cannot say which objects it means: their names repeat."
        )
    rows = [
        (line, [cell if cell in place else cell.strip() for cell in cells])
        for line, cells in _pair_rows(path)
    ]
    # A first line that names no objects is a header.
    if rows and not {*rows[0][1]} & {*place}:
        rows = rows[1:]
    pairs = np.empty((len(rows), 2), dtype=np.int64)
    for each, (line, cells) in zip(pairs, rows, strict=True):
        for side, cell in enumerate(cells):
            if cell not in place:
                raise ComitiaError(
                    f"{source_of(path)} line {line}: there is no object {cell!r}; "
                    f"objects are called {', '.join(map(repr, object_names[:3]))}, …"
                )
            each[side] = place[cell]
    return pairs


def _pair_rows(path: str | os.PathLike[str]) -> list[tuple[int, list[str]]]:
    kind = format_of(path, None)
    if kind not in ("csv", "tsv"):
        raise ComitiaError(f"{source_of(path)}: pairs are read from .csv and .tsv.")
    with open_input(path) as file:
        text = decode(file.read(), source_of(path), None, [])
    if not text.strip():
        raise ComitiaError(f"{source_of(path)} is empty.")
    delimiter = separator_of(text, kind, None, rows_of, [])
    rows = list(rows_of(text, delimiter, source_of(path)))
    for line, row in rows:
        if len(row) != 2:
            raise ComitiaError(
                f"{source_of(path)} line {line} has {counted(len(row), 'cell')}; a "
                "pair has two."
            )
    return rows
