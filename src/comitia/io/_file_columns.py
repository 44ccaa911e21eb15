"""Columns of a file of any format, found by name, position or range."""

from __future__ import annotations

import difflib
import io
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, get_args
from typing import Literal as L

import numpy as np
from numpy.typing import NDArray

from comitia._files import read_npy, read_npz
from comitia.config import require_memory
from comitia.exceptions import ComitiaError
from comitia.io._cell_text import (
    check_choice,
    find_column,
    object_names_of,
    refuse_duplicates,
    text_or_none,
    verbatim,
)
from comitia.io._delimited_text import read_text
from comitia.io.csv_cells import unescape_cells

__all__ = [
    "FileColumns",
    "Format",
    "chosen_columns",
    "existing_file",
    "format_of",
    "is_stdin",
    "object_names_from",
    "open_input",
    "other_column",
    "read_columns",
    "source_of",
]

Format = L["csv", "tsv", "parquet", "npy", "npz", "h5ad"]


@dataclass
class FileColumns:
    """What a file holds: float64 with NaN for missing, or text with None."""

    names: list[str]
    values: list[NDArray[Any]]
    object_names: list[str] | None = None
    notes: list[str] = field(default_factory=list)
    # Columns that are no features unless they are asked for (.obs, vectors of .npz).
    aside: dict[str, NDArray[Any]] = field(default_factory=dict)


def read_columns(
    path: str | os.PathLike[str],
    format: Format | None,
    header: bool | None,
    key: str | None,
    keep_text: Sequence[str | None] = (),
) -> FileColumns:
    """Read a file; the columns in ``keep_text`` stay as they are written."""
    kind = format_of(path, format)
    if kind == "h5ad":
        return read_h5ad(existing_file(path), key)
    if key is not None and kind != "npz":
        raise ComitiaError(f"key={key!r} goes with .npz and .h5ad, not with .{kind}.")
    with open_input(path) as file:
        if kind in ("csv", "tsv"):
            found = FileColumns(
                *read_text(file.read(), kind, source_of(path), header, keep_text)
            )
        elif kind == "parquet":
            found = read_parquet(file, source_of(path), keep_text)
        else:
            found = read_numpy(file, kind, source_of(path), key)
    refuse_duplicates(found.names, source_of(path))
    return found


def format_of(path: str | os.PathLike[str], format: str | None) -> str:
    known = get_args(Format)
    check_choice("format", format, (None, *known))
    if format is not None:
        return format
    if is_stdin(path):
        raise ComitiaError(
            f"the format of standard input is not known; say format as one of "
            f"{', '.join(known)}."
        )
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in known:
        raise ComitiaError(
            f"the name {os.fspath(path)} does not say its format; comitia reads "
            f"{', '.join('.' + each for each in known)}, or say the format."
        )
    return suffix


def is_stdin(path: str | os.PathLike[str]) -> bool:
    return os.fspath(path) == "-"


def source_of(path: str | os.PathLike[str]) -> str:
    """The path, or the words "standard input"."""
    return "standard input" if is_stdin(path) else os.fspath(path)


def existing_file(path: str | os.PathLike[str]) -> Path:
    if is_stdin(path):
        raise ComitiaError(
            "this format cannot be read from standard input; use a file."
        )
    file = Path(path)
    if not file.exists():
        raise ComitiaError(f"there is no file {file}.")
    if file.is_dir():
        raise ComitiaError(f"{file} is a folder; give a file.")
    return file


def open_input(path: str | os.PathLike[str]) -> IO[bytes]:
    if is_stdin(path):
        return io.BytesIO(sys.stdin.buffer.read())
    try:
        return existing_file(path).open("rb")
    except OSError as error:
        raise ComitiaError(f"{path} cannot be read: {error.strerror}.") from None


def read_parquet(
    file: IO[bytes], source: str, keep_text: Sequence[str | None] = ()
) -> FileColumns:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise ImportError(
            "reading .parquet needs pyarrow; pip install 'comitia[io]'."
        ) from None
    try:
        about = pq.read_metadata(file)
        # A column of equal values takes no room in the file.
        require_memory(
            8 * about.num_rows * about.num_columns,
            f"the {about.num_rows} × {about.num_columns} table of {source}",
        )
        table = pq.read_table(file)
    except (pa.ArrowException, OSError) as error:
        message = str(error).partition("\n")[0]
        raise ComitiaError(f"{source} is no Parquet file ({message}).") from None
    refuse_duplicates(table.column_names, source)
    if table.num_rows == 0 or table.num_columns == 0:
        raise ComitiaError(f"{source} is empty.")
    kept = {find_column(table.column_names, each) for each in keep_text if each}
    values = []
    for j, (name, column) in enumerate(
        zip(table.column_names, table.columns, strict=True)
    ):
        kind = column.type
        if j in kept or name == "__index_level_0__":
            # As text, whole numbers beyond 2**53 stay different.
            values.append(np.array(column.to_pylist(), dtype=object))
            continue
        if pa.types.is_boolean(kind):
            column = column.cast(pa.int8())
        numeric = pa.types.is_integer(kind) or pa.types.is_floating(kind)
        if numeric or pa.types.is_boolean(kind) or pa.types.is_decimal(kind):
            values.append(column.cast(pa.float64(), safe=False).to_numpy())
        elif pa.types.is_nested(kind):
            raise ComitiaError(f"column {name!r} of {source} holds lists; drop it.")
        else:
            values.append(text_or_none(np.array(column.to_pylist(), dtype=object)))
    names = list(table.column_names)
    # As pandas writes an index that has no name.
    if "__index_level_0__" in names and len(names) > 1:
        at = names.index("__index_level_0__")
        object_names = object_names_of(values.pop(at), blank="")
        del names[at]
        return FileColumns(names, values, object_names)
    return FileColumns(names, values)


def read_numpy(file: IO[bytes], kind: str, source: str, key: str | None) -> FileColumns:
    try:
        if kind == "npz":
            arrays = read_npz(file)
        else:
            n_bytes = file.seek(0, os.SEEK_END)
            file.seek(0)
            arrays = {"": read_npy(file, n_bytes)}
    except ComitiaError:
        raise
    except Exception as error:  # zlib, zipfile and NumPy fail in a dozen ways
        raise ComitiaError(
            f"{source} is not a .{kind} file that can be read ({error})."
        ) from None
    if "format" in arrays and str(arrays["format"]).startswith("comitia-ensemble"):
        raise ComitiaError(
            f"{source} holds clusterings, not features; use comitia combine."
        )
    name = _main_array(arrays, key, source)
    X = arrays.pop(name)
    what = f"{source}{f' array {name!r}' if name else ''}"
    if X.dtype.kind == "V" or X.dtype.kind not in "biufUS":
        raise ComitiaError(f"{what} holds {X.dtype}; give numbers.")
    if X.ndim == 1:
        X = X[:, None]
    if X.ndim != 2:
        raise ComitiaError(
            f"{what} has {X.ndim} dimensions; give one row per object and one column "
            "per feature."
        )
    if 0 in X.shape:
        raise ComitiaError(f"{what} is empty; its shape is {X.shape}.")
    n, p = X.shape
    if X.dtype.kind in "US":
        values = [text_or_none(column) for column in X.astype(str).T]
    else:
        values = list(np.ascontiguousarray(X.T, dtype=np.float64))
    beside = {
        each: array
        for each, array in arrays.items()
        if array.ndim == 1 and array.dtype.kind in "biufUS"
    }
    named = beside.pop("feature_names", None)
    objects = beside.pop("object_names", None)
    return FileColumns(
        [str(each) for each in named]
        if named is not None and len(named) == p
        else [f"column {j + 1}" for j in range(p)],
        values,
        object_names_of(objects, blank="")
        if objects is not None and len(objects) == n
        else None,
        aside={each: array for each, array in beside.items() if len(array) == n},
    )


def _main_array(arrays: dict[str, Any], key: str | None, source: str) -> str:
    if key is not None:
        if key not in arrays:
            raise ComitiaError(
                f"key={key!r} is no array of {source}; it holds {', '.join(arrays)}."
            )
        return key
    if "X" in arrays:
        return "X"
    tables = [name for name, array in arrays.items() if array.ndim == 2]
    if not tables:
        tables = [*arrays] if len(arrays) == 1 else []
    if len(tables) != 1:
        raise ComitiaError(
            f"{source} holds {', '.join(arrays) or 'nothing'}; say which array is "
            "meant with key."
        )
    return tables[0]


def read_h5ad(path: Path, key: str | None) -> FileColumns:
    try:
        import anndata
    except ImportError:
        raise ImportError(
            "reading .h5ad needs anndata; pip install 'comitia[io]'."
        ) from None
    try:
        data = anndata.read_h5ad(path)
    except Exception as error:  # h5py and anndata fail in a dozen ways
        message = str(error).partition("\n")[0]
        raise ComitiaError(f"{path} is not a .h5ad file ({message}).") from None
    names = [str(name) for name in data.var_names]
    if key is None or key == "X":
        matrix = data.X
        if matrix is None:
            raise ComitiaError(f"{path} has no X; say which layer or .obsm with key.")
    elif key in data.obsm:
        matrix = data.obsm[key]
        names = [f"{key} {j + 1}" for j in range(matrix.shape[1])]
    elif key in data.layers:
        matrix = data.layers[key]
    else:
        entries = ["X", *map(str, data.layers), *map(str, data.obsm)]
        raise ComitiaError(
            f"key={key!r} is not in {path}; it has {', '.join(entries)}."
        )
    if hasattr(matrix, "toarray"):
        n, p = matrix.shape
        require_memory(
            8 * n * p,
            f"the {n} × {p} matrix of {path}",
            "give a smaller entry with key, such as X_pca",
        )
        matrix = matrix.toarray()
    X = np.asarray(matrix, dtype=np.float64)
    if 0 in X.shape:
        raise ComitiaError(f"{path} is empty; its shape is {X.shape}.")
    refuse_duplicates(names, os.fspath(path))
    return FileColumns(
        names,
        list(np.ascontiguousarray(X.T)),
        [str(name) for name in data.obs_names],
        aside={str(each): data.obs[each].to_numpy(object) for each in data.obs},
    )


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
