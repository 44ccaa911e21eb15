"""Tables of any columns that are too large for memory: prepared some rows at a time.

What a column is, and what is learnt from it, is decided with one whole column in
memory at a time; rows are then prepared block by block.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._storage_paths import AnyPath
from comitia.config import require_memory
from comitia.exceptions import ComitiaError
from comitia.generate.sources import MappedRows, Rows, open_rows
from comitia.generate.zarr_arrays import ZarrRows
from comitia.io._arrow_files import arrow_values
from comitia.io._file_columns import chosen_columns
from comitia.io._table_notes import preparation_notes, scaling_word
from comitia.prepare import TablePreparer
from comitia.prepare.column_decisions import TableDecisions
from comitia.prepare.table_columns import TableColumn
from comitia.prepare.table_forms import looks_like_counts

__all__ = ["BlockTable", "PreparedRows", "open_block_table"]

# Bytes that a look at a whole column takes for each row: sorted copies of it.
_BYTES_EACH = 40

# Rows that tell whether a table is one of counts.
_GLANCE = 10_000

# What pandas calls an index without a name.
_INDEX = "__index_level_0__"


@dataclass
class BlockTable:
    """A table that is read some rows at a time.

    Parameters
    ----------
    rows, raw : PreparedRows
        The features as they are clustered, and in their own units.

    preparer : TablePreparer
        What was decided about the columns, and learnt from them.

    scaling : str
        What was done to them, in a word.

    notes : list of str
        The same in sentences.

    object_names, truth : iterator or None
        Names and known labels of the objects, some rows at a time.
    """

    rows: PreparedRows
    raw: PreparedRows
    preparer: TablePreparer
    scaling: str
    notes: list[str]
    object_names: Iterator[Any] | None = None
    truth: Iterator[Any] | None = None


class PreparedRows(Rows):
    """Rows of a file, prepared when they are read.

    Parameters
    ----------
    source : ColumnsOfParquet or ColumnsOfArray
        The file.

    preparer : TablePreparer
        Fitted on its columns.

    units : bool, default=False
        Whether features stay in their own units.
    """

    def __init__(
        self, source: Any, preparer: TablePreparer, units: bool = False
    ) -> None:
        self.source = source
        self.preparer = preparer
        self.units = units
        self.name = source.name
        self.feature_names = [*preparer.unit_names_]
        self.n_features = len(self.feature_names)

    def __len__(self) -> int:
        return len(self.source)

    def read(self, start: int, stop: int) -> NDArray[np.float64]:
        columns = self.source.read(start, stop)
        X = self.preparer.transform_columns(columns)[int(self.units)]
        return np.ascontiguousarray(X)


class ColumnsOfParquet:
    """Columns of a Parquet file, or of all in a folder.

    Parameters
    ----------
    path : Path or StoredPath
        The file or the folder.

    names : sequence of str
        The columns.
    """

    def __init__(self, path: AnyPath, names: Sequence[str]) -> None:
        self.path = path
        self._use(names)
        self.name = str(path)

    def _use(self, names: Sequence[str]) -> None:
        from comitia.generate.parquet import ParquetTable

        self.names = [*names]
        self.table = ParquetTable(self.path, self.names)

    def __len__(self) -> int:
        return len(self.table)

    def read(self, start: int, stop: int) -> list[TableColumn]:
        """Some rows of all columns."""
        found = self.table.rows(start, stop)
        return [
            TableColumn(name, arrow_values(name, column, self.name))
            for name, column in zip(self.names, found.columns, strict=True)
        ]

    def column(self, name: str) -> TableColumn:
        """A whole column."""
        import pyarrow as pa

        parts = [chunk for each in self.texts(name) for chunk in each.chunks]
        try:
            whole = pa.chunked_array(parts)
        except (pa.ArrowException, TypeError):
            raise ComitiaError(
                f"column {name!r} of {self.name} is not of one type in all files."
            ) from None
        return TableColumn(name, arrow_values(name, whole, self.name))

    def texts(self, name: str) -> Iterator[Any]:
        """A column as it is, some rows at a time."""
        from comitia.generate.parquet import parquet_texts

        return parquet_texts(self.path, name)

    def narrowed(self, names: Sequence[str]) -> ColumnsOfParquet:
        """Some of the columns."""
        return ColumnsOfParquet(self.path, names)


class ColumnsOfArray:
    """Columns of a .npy file or of a .zarr array.

    Parameters
    ----------
    mapped : MappedRows or ZarrRows
        The file.

    names : sequence of str
        The columns that are meant, called by their places.
    """

    def __init__(self, mapped: MappedRows | ZarrRows, names: Sequence[str]) -> None:
        self.mapped = mapped
        self.names = [*names]
        self.name = mapped.name

    def __len__(self) -> int:
        return len(self.mapped)

    def read(self, start: int, stop: int) -> list[TableColumn]:
        """Some rows of all columns."""
        rows = self.mapped.read_as_is(start, stop)
        return [TableColumn(name, rows[:, _place(name)]) for name in self.names]

    def column(self, name: str) -> TableColumn:
        """A whole column."""
        return TableColumn(name, np.concatenate([*self.texts(name)]))

    def texts(self, name: str) -> Iterator[Any]:
        """A column as it is, some rows at a time."""
        step = 1 << 20
        for lo in range(0, len(self), step):
            hi = min(lo + step, len(self))
            yield self.mapped.read_as_is(lo, hi, _place(name))

    def narrowed(self, names: Sequence[str]) -> ColumnsOfArray:
        """Some of the columns."""
        return ColumnsOfArray(self.mapped, names)


def _place(name: str) -> int:
    return int(name.removeprefix("column ")) - 1


def open_block_table(
    path: AnyPath,
    preparer: TablePreparer,
    *,
    columns: Any = None,
    drop: Any = None,
    id: str | None = None,
    truth: str | None = None,
) -> BlockTable:
    """Open a table that is to be worked on in blocks, and learn from its columns.

    Parameters
    ----------
    path : Path or StoredPath
        A .npy file, a .parquet file, a folder of these, or a .zarr array.

    preparer : TablePreparer
        What is to be done with the columns; it is fitted.

    columns, drop, id, truth : str or None
        As for :func:`comitia.io.read_table`.

    Returns
    -------
    table : BlockTable
        The table. Objects have the names that they have in memory.
    """
    suffix = path.suffix.lower()
    if suffix != ".zarr" and (path.is_dir() or suffix == ".parquet"):
        from comitia.generate.parquet import parquet_names

        names = parquet_names(path)
        source: Any = ColumnsOfParquet(path, names)
    else:
        mapped: Any = open_rows(path)
        names = [f"column {j + 1}" for j in range(mapped.n_features)]
        source = ColumnsOfArray(mapped, names)
    index = _INDEX if _INDEX in names and len(names) > 1 and id is None else None
    beside = [_one_column(names, "id", id), _one_column(names, "truth", truth)]
    picked = chosen_columns(names, columns, drop, [*beside, index])
    features = [names[j] for j in picked]
    require_memory(
        _BYTES_EACH * len(source),
        f"a column of the {len(source)} rows of {path}",
        "give fewer rows",
    )
    some = source.narrowed(features).read(0, min(_GLANCE, len(source)))
    if preparer.form == "auto" and _are_counts(some):
        raise ComitiaError(
            f"the columns of {path} look like counts, which need the whole table in "
            "memory; --form columns takes them as they are."
        )
    preparer.fit_one_by_one(map(source.column, features))
    decided = preparer.decisions_
    used = source.narrowed([each.column for each in decided if each.used])
    named = beside[0] or index
    notes = preparation_notes(
        TableDecisions(decided, preparer.form_, preparer.form_reason_, preparer.scale_),
        named is not None,
    )
    if named is None:
        ids = (e.column for e in decided if e.can_name_rows)
        named = next(ids, None)
    return BlockTable(
        PreparedRows(used, preparer),
        PreparedRows(used, preparer, units=True),
        preparer,
        scaling_word(preparer, False),
        notes,
        None if named is None else source.texts(named),
        None if beside[1] is None else source.texts(beside[1]),
    )


def _are_counts(columns: Sequence[TableColumn]) -> bool:
    if any(each.is_text for each in columns):
        return False
    return looks_like_counts(np.stack([each.values for each in columns], axis=1))


def _one_column(names: Sequence[str], option: str, wanted: str | None) -> str | None:
    """The column that is meant by its name or by its position."""
    if wanted is None:
        return None
    try:
        (at,) = chosen_columns(names, [wanted])
    except ComitiaError as error:
        raise ComitiaError(str(error).replace("columns=", f"{option}=")) from None
    except ValueError:
        raise ComitiaError(f"{option}={wanted!r} must be one column.") from None
    return names[at]
