"""Columns of a file of any format, found by name, position or range."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict

from numpy.typing import NDArray

from comitia.exceptions import ComitiaError
from comitia.io._cell_text import (
    find_column,
    object_names_of,
    refuse_duplicates,
    verbatim,
)
from comitia.io._delimited_text import read_text
from comitia.io._input_paths import (
    Format,
    existing_file,
    format_of,
    local_file,
    open_input,
    source_of,
)
from comitia.io._text_form import TextForm
from comitia.io.csv_cells import unescape_cells

__all__ = [
    "FileColumns",
    "ReadOptions",
    "Reading",
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


class ReadOptions(TypedDict, total=False):
    """The keywords of :class:`Reading`, for readers that hand them on."""

    columns: str | Sequence[str] | None
    drop: str | Sequence[str] | None
    id: str | None
    truth: str | None
    format: Format | None
    header: bool | None
    key: str | None
    sep: str | None
    decimal: str | None
    thousands: str | None
    encoding: str | None
    transpose: bool


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How a file is read: the keywords that :func:`comitia.io.read_table` describes."""

    columns: str | Sequence[str] | None = None
    drop: str | Sequence[str] | None = None
    id: str | None = None
    truth: str | None = None
    format: Format | None = None
    header: bool | None = None
    key: str | None = None
    sep: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    encoding: str | None = None
    transpose: bool = False

    @property
    def takes_all(self) -> bool:
        """Whether neither columns nor a part of the file were asked for."""
        return self.key is None and self.columns is None and self.drop is None

    def object_names(self, found: FileColumns) -> list[str] | None:
        """The names of the objects: those asked for, or else those of the file."""
        if self.id is None:
            return found.object_names
        return object_names_from(found, self.id)


def read_columns(
    path: str | os.PathLike[str], how: Reading, *, series: bool = False
) -> FileColumns:
    """Read a file; names of objects and known labels stay as they are written.

    An array of three dimensions is read with ``series`` alone.
    """
    form = TextForm(how.sep, how.decimal, how.thousands, how.encoding)
    kind = format_of(path, how.format)
    if how.key is not None and kind not in _HAS_KEYS:
        raise ComitiaError(
            f"key={how.key!r} goes with {', '.join(_HAS_KEYS.values())}, "
            f"not with .{kind}."
        )
    for_numbers = form.sep is None and form.encoding is None
    if form.is_given and not (
        kind in ("csv", "tsv", "json") or (kind == "xlsx" and for_numbers)
    ):
        raise ComitiaError(
            f"sep, decimal, thousands and encoding go with text, not with .{kind}."
        )
    keep_text = () if how.transpose else (how.id, how.truth)
    found = _read(path, kind, how.header, how.key, keep_text, form)
    refuse_duplicates(found.names, source_of(path))
    if found.n_channels is not None and (how.transpose or not series):
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
    if how.transpose:
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
    if kind == "zarr":
        store_path = existing_file(path, folder=True)
        from comitia.io._annotated_files import read_zarr

        return read_zarr(store_path, key)
    if kind == "h5ad":
        file_path = local_file(path)
        from comitia.io._annotated_files import read_h5ad

        return read_h5ad(file_path, key)
    if kind == "mat":
        file_path = local_file(path)
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

            return read_xlsx(file, source, header, key, keep_text, form)
        if kind == "json":
            from comitia.io._record_files import read_json_lines

            return read_json_lines(file.read(), source, form, keep_text)
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
            + (" A place such as 1 holds for every file." if option == "id" else "")
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
