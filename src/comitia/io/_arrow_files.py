"""Columns of Parquet and Feather files."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from comitia._optional import import_optional
from comitia.config import require_memory
from comitia.exceptions import ComitiaError
from comitia.io._cell_text import (
    find_column,
    object_names_of,
    refuse_duplicates,
    text_or_none,
)
from comitia.io._file_columns import FileColumns

__all__ = ["arrow_values", "read_feather", "read_parquet"]

# How a Feather file of version 2 begins, with what fills it up to eight bytes.
_FEATHER = b"ARROW1\0\0"


def read_parquet(
    file: IO[bytes], source: str, keep_text: Sequence[str | None] = ()
) -> FileColumns:
    """The columns of a Parquet file."""
    pa = import_optional("pyarrow", "reading .parquet", "io")
    import pyarrow.parquet as pq

    try:
        about = pq.read_metadata(file)
        _require_cells(about.num_rows, about.num_columns, source)
        table = pq.read_table(file)
    except (pa.ArrowException, OSError) as error:
        message = str(error).partition("\n")[0]
        raise ComitiaError(f"{source} is no Parquet file ({message}).") from None
    return _columns_of(table, source, keep_text)


def read_feather(
    file: IO[bytes], source: str, keep_text: Sequence[str | None] = ()
) -> FileColumns:
    """The columns of a Feather or Arrow file, or of a stream of Arrow's."""
    pa = import_optional("pyarrow", "reading .feather", "io")
    import pyarrow.ipc as ipc

    try:
        content = pa.py_buffer(file.read())
        is_file = content[: len(_FEATHER)].to_pybytes() == _FEATHER
        n_rows, n_columns = _announced(ipc, content, is_file)
        _require_cells(n_rows, n_columns, source)
        opened = ipc.open_file(content) if is_file else ipc.open_stream(content)
        table = opened.read_all()
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError, struct.error) as error:
        if isinstance(error, ComitiaError):
            raise
        message = str(error).partition("\n")[0]
        raise ComitiaError(f"{source} is no Feather file ({message}).") from None
    return _columns_of(table, source, keep_text)


def _announced(ipc: Any, content: Any, is_file: bool) -> tuple[int, int]:
    """Rows and columns, before anything is unpacked.

    Buffers are compressed one by one, and a few bytes can hold a million zeros. How
    many rows a batch has stands in its message, a flat buffer: a table begins with the
    distance to the list of where its fields are.
    """
    n_rows, n_columns = 0, 0
    start = len(_FEATHER) if is_file else 0
    for message in ipc.MessageReader.open_stream(content[start:]):
        if message.type == "schema":
            n_columns = len(ipc.read_schema(message))
        elif message.type == "record batch":
            about = message.metadata.to_pybytes()
            batch = _field(about, struct.unpack_from("<I", about)[0], 2)
            batch += struct.unpack_from("<I", about, batch)[0]
            n_rows += max(
                struct.unpack_from("<q", about, _field(about, batch, 0))[0], 0
            )
    return n_rows, n_columns


def _field(about: bytes, table: int, number: int) -> int:
    """Where a field of a table in a flat buffer stands."""
    fields = table - struct.unpack_from("<i", about, table)[0]
    return table + int(struct.unpack_from("<H", about, fields + 4 + 2 * number)[0])


def _require_cells(n_rows: int, n_columns: int, source: str) -> None:
    # A column of equal values takes no room in the file.
    require_memory(
        8 * n_rows * n_columns, f"the {n_rows} × {n_columns} table of {source}"
    )


def _columns_of(
    table: Any, source: str, keep_text: Sequence[str | None]
) -> FileColumns:
    refuse_duplicates(table.column_names, source)
    if table.num_rows == 0 or table.num_columns == 0:
        raise ComitiaError(f"{source} is empty.")
    kept = {find_column(table.column_names, each) for each in keep_text if each}
    values = []
    for j, (name, column) in enumerate(
        zip(table.column_names, table.columns, strict=True)
    ):
        if j in kept or name == "__index_level_0__":
            # As text, whole numbers beyond 2**53 stay different.
            values.append(np.array(column.to_pylist(), dtype=object))
        else:
            values.append(arrow_values(name, column, source))
    names = list(table.column_names)
    # As pandas writes an index that has no name.
    if "__index_level_0__" in names and len(names) > 1:
        at = names.index("__index_level_0__")
        object_names = object_names_of(values.pop(at), blank="")
        del names[at]
        return FileColumns(names, values, object_names)
    return FileColumns(names, values)


def arrow_values(name: str, column: Any, source: str) -> NDArray[Any]:
    """A column as numbers, or as text with None where it is missing."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_boolean(kind):
        column = column.cast(pa.int8())
    numeric = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    if numeric or pa.types.is_boolean(kind) or pa.types.is_decimal(kind):
        return column.cast(pa.float64(), safe=False).to_numpy()
    if pa.types.is_nested(kind):
        raise ComitiaError(f"column {name!r} of {source} holds lists; drop it.")
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        # A text that many rows have is looked at once.
        whole = column.dictionary_encode().combine_chunks()
        texts = text_or_none(np.array([*whole.dictionary.to_pylist(), None], object))
        return texts[whole.indices.fill_null(-1).to_numpy(zero_copy_only=False)]
    return text_or_none(np.array(column.to_pylist(), dtype=object))
