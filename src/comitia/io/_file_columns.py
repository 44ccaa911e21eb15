"""Columns of a file of any format, found by name, position or range."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from comitia.exceptions import ComitiaError
from comitia.io._cell_text import (
    find_column,
    object_names_of,
    refuse_duplicates,
    verbatim,
)
from comitia.io._delimited_text import read_text
from comitia.io._input_paths import existing_file, format_of, open_input, source_of
from comitia.io._text_form import ANY_FORM, TextForm
from comitia.io.csv_cells import unescape_cells

__all__ = [
    "FileColumns",
    "chosen_columns",
    "column_indices",
    "object_names_from",
    "other_column",
    "read_columns",
]


@dataclass
class FileColumns:
    """What a file holds: float64 with NaN for missing, or text with None.

    ``values`` is a list, or :class:`comitia.io._lazy_columns.MatrixColumns` for a
    matrix that is not read yet and may be sparse.
    """

    names: list[str]
    values: Sequence[NDArray[Any]]
    object_names: list[str] | None = None
    notes: list[str] = field(default_factory=list)
    # Columns that are no features unless they are asked for (.obs, vectors of .npz).
    aside: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    # Other matrices of the same objects (.obsm), each read when it is asked for.
    embeddings: Mapping[str, Any] = field(default_factory=dict)
    # Whether it is AnnData, whose clusterings are columns of .obs.
    is_annotated: bool = False
    # Of an array (objects, channels, times): its channels, each so many columns.
    n_channels: int | None = None


def read_columns(
    path: str | os.PathLike[str],
    format: str | None,
    header: bool | None,
    key: str | None,
    keep_text: Sequence[str | None] = (),
    form: TextForm = ANY_FORM,
    transpose: bool = False,
    series: bool = False,
) -> FileColumns:
    """Read a file; the columns in ``keep_text`` stay as they are written.

    An array of three dimensions is read with ``series`` alone.
    """
    kind = format_of(path, format)
    if key is not None and kind not in _HAS_KEYS:
        raise ComitiaError(
            f"key={key!r} goes with {', '.join(_HAS_KEYS.values())}, not with .{kind}."
        )
    if form.is_given and kind not in ("csv", "tsv", "json"):
        raise ComitiaError(
            f"sep, decimal, thousands and encoding go with text, not with .{kind}."
        )
    found = _read(path, kind, header, key, () if transpose else keep_text, form)
    refuse_duplicates(found.names, source_of(path))
    if found.n_channels is not None and (transpose or not series):
        raise ComitiaError(
            f"{source_of(path)} has 3 dimensions, as series have (objects, channels, "
            "times); "
            + (
                "leave out transpose."
                if series
                else "give one row per object and one column per feature. comitia fit "
                "reads series."
            )
        )
    if transpose:
        from comitia.io._transposed import transposed

        return transposed(found, source_of(path))
    return found


# Formats in which key chooses something, as they are called in messages.
_HAS_KEYS = {
    "npz": ".npz",
    "mat": ".mat",
    "zarr": ".zarr",
    "h5ad": ".h5ad",
    "xlsx": ".xlsx",
}


def _read(
    path: str | os.PathLike[str],
    kind: str,
    header: bool | None,
    key: str | None,
    keep_text: Sequence[str | None],
    form: TextForm,
) -> FileColumns:
    # Readers are imported when their format comes: a file that is not there, or is
    # text, is told without them.
    if kind in ("h5ad", "zarr"):
        file_path = existing_file(path, folder=kind == "zarr")
        from comitia.io._annotated_files import read_h5ad, read_zarr

        return (read_h5ad if kind == "h5ad" else read_zarr)(file_path, key)
    if kind == "mat":
        file_path = existing_file(path)
        from comitia.io._array_files import read_mat

        return read_mat(file_path, key)
    source = source_of(path)
    with open_input(path) as file:
        if kind in ("csv", "tsv"):
            return FileColumns(
                *read_text(file.read(), kind, source, header, keep_text, form)
            )
        if kind in ("parquet", "feather"):
            from comitia.io._arrow_files import read_feather, read_parquet

            read = read_parquet if kind == "parquet" else read_feather
            return read(file, source, keep_text)
        if kind == "xlsx":
            from comitia.io._record_files import read_xlsx

            return read_xlsx(file, source, header, key, keep_text)
        if kind == "json":
            from comitia.io._record_files import read_json_lines

            return read_json_lines(file.read(), source, form.encoding, keep_text)
        from comitia.io._array_files import read_numpy

        return read_numpy(file, kind, source, key)


def column_index(names: Sequence[str], wanted: str, option: str) -> int:
    at = find_column(names, wanted)
    if at is None:
        close = difflib.get_close_matches(wanted, names, n=2)
        known = close or [*names[:6], *(["…"] if len(names) > 6 else [])]
        raise ComitiaError(
            f"{option}={wanted!r} is no column; "
            f"{'did you mean' if close else 'there are'} "
            f"{' or '.join(known) if close else ', '.join(known)}"
            f"{'?' if close else '.'}"
        )
    return at


def column_indices(
    names: Sequence[str], wanted: str | Sequence[str], option: str
) -> list[int]:
    """Indices of columns given by names, positions and ranges, each once."""
    found: list[int] = []
    for item in [wanted] if isinstance(wanted, str) else wanted:
        # A name may hold a comma, a colon or a hyphen: whole names come first.
        pieces = [item] if item in names else [p.strip() for p in item.split(",")]
        for piece in pieces:
            if not piece:
                continue
            if find_column(names, piece) is not None:
                found.append(column_index(names, piece, option))
                continue
            first, last = _range_of(piece)
            if last is None:
                found.append(column_index(names, piece, option))
                continue
            begin, end = (
                column_index(names, first, option),
                column_index(names, last, option),
            )
            if end < begin:
                raise ComitiaError(f"{option}={piece!r} runs backwards; turn it round.")
            found.extend(range(begin, end + 1))
    return list(dict.fromkeys(found))


def _range_of(piece: str) -> tuple[str, str | None]:
    if re.fullmatch(r"\d+-\d+", piece):
        first, _, last = piece.partition("-")
        return first, last
    first, colon, last = piece.partition(":")
    return (first, last) if colon and first and last else (piece, None)


def other_column(found: FileColumns, wanted: str, option: str) -> NDArray[Any]:
    """A column that is no feature: from the table or from ``aside``."""
    if wanted in found.aside:
        return found.aside[wanted]
    names = [*found.names, *found.aside]
    at = column_index(names, wanted, option)
    return found.values[at] if at < len(found.names) else found.aside[names[at]]


def object_names_from(found: FileColumns, wanted: str) -> list[str]:
    """The names of the objects, from the column that holds them."""
    column = other_column(found, wanted, "id")
    names = [*found.names, *found.aside]
    if (
        wanted not in found.aside
        and names[column_index(names, wanted, "id")] == "object"
    ):
        # A labels.csv of ours, in which cells are escaped.
        return unescape_cells([name or "" for name in verbatim(column)])
    return object_names_of(column, blank="")


def chosen_columns(
    names: Sequence[str],
    columns: str | Sequence[str] | None = None,
    drop: str | Sequence[str] | None = None,
    not_features: Sequence[str | None] = (),
) -> list[int]:
    """Choose columns by name, position or range.

    Parameters
    ----------
    names : sequence of str
        Names of all columns.

    columns, drop : str or sequence of str, default=None
        Columns to use, or to leave out, as in :func:`read_table`.

    not_features : sequence of str or None, default=()
        Columns that are something else, such as names of objects.

    Returns
    -------
    chosen : list of int
        Indices of the columns to use.
    """
    kept = (
        [*range(len(names))]
        if columns is None
        else column_indices(names, columns, "columns")
    )
    out = {*column_indices(names, drop, "drop")} if drop is not None else set()
    out |= {
        at
        for each in not_features
        if each is not None and (at := find_column(names, each)) is not None
    }
    kept = [j for j in kept if j not in out]
    if not kept:
        raise ComitiaError(
            "no columns are left to cluster; look at columns, drop, id and truth."
        )
    return kept
