"""Rows of Parquet files, one row group at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._optional import import_optional
from comitia._storage_paths import AnyPath, path_of
from comitia.exceptions import ComitiaError
from comitia.generate.sources import Rows, _check_shape, _checked, _unreadable

__all__ = [
    "ParquetRows",
    "ParquetTable",
    "parquet_length",
    "parquet_names",
    "parquet_texts",
]

Floats = NDArray[np.float64]


class ParquetTable:
    """Rows of one Parquet file, or of all in a folder in the order of their names.

    Parameters
    ----------
    path : Path or StoredPath
        The file or the folder.

    columns : sequence of str, default=None
        The columns that are meant; all by default.
    """

    def __init__(self, path: AnyPath, columns: Sequence[str] | None = None) -> None:
        self.name = str(path)
        # Of each row group: its file, its number there, and where its rows begin.
        self.groups: list[tuple[str, int]] = []
        starts = [0]
        names: list[str] | None = None
        for file in _parquet_files(path):
            schema, metadata = _about(file)
            here = [*schema.names] if columns is None else [*columns]
            missing = [each for each in here if each not in schema.names]
            if missing or (names is not None and here != names):
                raise ComitiaError(
                    f"{file} has no column {missing[0]!r}."
                    if missing
                    else f"{file} has other columns than the files before it."
                )
            names = here
            self.check_schema(schema, here, file)
            for number in range(metadata.num_row_groups):
                n = metadata.row_group(number).num_rows
                if n:
                    self.groups.append((str(file.absolute()), number))
                    starts.append(starts[-1] + n)
        assert names is not None
        _check_shape((starts[-1], len(names)), np.dtype(float), self.name)
        self.starts = np.array(starts)
        self.names = names
        self._last: tuple[int, Any] | None = None

    def check_schema(self, schema: Any, names: Sequence[str], file: Any) -> None:
        """Refuse what cannot be worked with.

        Parameters
        ----------
        schema : pyarrow.Schema
            The types of the columns of a file.

        names : sequence of str
            The columns that are meant.

        file : Path or StoredPath
            The file.
        """

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_last": None}

    def __len__(self) -> int:
        return int(self.starts[-1])

    def rows(self, start: int, stop: int) -> Any:
        """Read some rows.

        Parameters
        ----------
        start, stop : int
            Where they begin and end.

        Returns
        -------
        table : pyarrow.Table
            The rows; columns in the order that was asked for.
        """
        import pyarrow as pa

        parts = []
        first = int(np.searchsorted(self.starts, start, side="right")) - 1
        for group in range(first, len(self.groups)):
            lo = int(self.starts[group])
            if lo >= stop:
                break
            begin = max(start - lo, 0)
            parts.append(self._group(group).slice(begin, stop - lo - begin))
        try:
            return pa.concat_tables(parts, promote_options="permissive")
        except pa.ArrowException as error:
            raise _unreadable(self.name, start, stop, error) from None

    def _group(self, group: int) -> Any:
        """The rows of a group; the last one is kept, as blocks may cut it in two."""
        if self._last is None or self._last[0] != group:
            self._last = None
            file, number = self.groups[group]
            lo, hi = (int(end) for end in self.starts[group : group + 2])
            try:
                with _opened(path_of(file)) as opened:
                    table = opened.read_row_group(number, columns=self.names)
            except (OSError, ValueError, TypeError) as error:
                raise _unreadable(file, lo, hi, error) from None
            # The order of the file is not the order that was asked for.
            self._last = group, table.select(self.names)
        return self._last[1]


class ParquetRows(ParquetTable, Rows):
    """The same, of columns of numbers.

    Parameters
    ----------
    path : Path or StoredPath
        The file or the folder.

    columns : sequence of str, default=None
        The columns that are meant; all by default.
    """

    def __init__(self, path: AnyPath, columns: Sequence[str] | None = None) -> None:
        super().__init__(path, columns)
        self.feature_names = self.names
        self.n_features = len(self.names)

    def check_schema(self, schema: Any, names: Sequence[str], file: Any) -> None:
        from pyarrow import types

        for name in names:
            kind = schema.field(name).type
            numbers = types.is_integer(kind) or types.is_floating(kind)
            if not (numbers or types.is_boolean(kind)):
                raise ComitiaError(
                    f"column {name!r} of {file} holds {kind}, not numbers; leave it "
                    "out."
                )

    def read(self, start: int, stop: int) -> Floats:
        columns = self.rows(start, stop).columns
        try:
            found = [each.to_numpy().astype(np.float64) for each in columns]
        except (ValueError, TypeError) as error:
            raise _unreadable(self.name, start, stop, error) from None
        return _checked(np.column_stack(found), self.name, start)


def parquet_names(path: AnyPath) -> list[str]:
    """Names of the columns of a Parquet file, or of the first one in a folder.

    Parameters
    ----------
    path : Path or StoredPath
        The file or the folder.

    Returns
    -------
    names : list of str
        The names.
    """
    schema, _ = _about(_parquet_files(path)[0])
    return [*schema.names]


def parquet_length(path: AnyPath) -> int:
    """Number of rows of a Parquet file, or of all in a folder.

    Parameters
    ----------
    path : Path or StoredPath
        The file or the folder.

    Returns
    -------
    n : int
        What their footers say.
    """
    return sum(_about(file)[1].num_rows for file in _parquet_files(path))


def parquet_texts(path: AnyPath, name: str) -> Iterator[Any]:
    """A column of Parquet files as it is, a row group at a time.

    Parameters
    ----------
    path : Path or StoredPath
        The file or the folder.

    name : str
        The column.

    Yields
    ------
    values : pyarrow.ChunkedArray
        Those of the next row group that has any.
    """
    for file in _parquet_files(path):
        try:
            with _opened(file) as opened:
                if name not in opened.schema_arrow.names:
                    raise ComitiaError(f"{file} has no column {name!r}.")
                for number in range(opened.metadata.num_row_groups):
                    values = opened.read_row_group(number, columns=[name]).column(0)
                    if len(values):
                        yield values
        except ComitiaError:
            raise
        except (OSError, ValueError) as error:
            raise ComitiaError(f"{file} cannot be read ({error}).") from None


def _parquet_files(path: AnyPath) -> list[AnyPath]:
    if not path.is_dir():
        return [path]
    # Names that begin so are what other programs keep for themselves.
    files: list[AnyPath] = sorted(
        (
            file
            for file in path.rglob("*.parquet")
            if not file.name.startswith((".", "_"))
        ),
        key=lambda file: file.parts,
    )
    if not files:
        raise ComitiaError(f"the folder {path} holds no .parquet file.")
    return files


def _about(file: AnyPath) -> tuple[Any, Any]:
    """The columns of a file, and its row groups."""
    try:
        with _opened(file) as opened:
            return opened.schema_arrow, opened.metadata
    except (OSError, ValueError) as error:
        raise ComitiaError(f"{file} cannot be read ({error}).") from None


@contextmanager
def _opened(file: AnyPath) -> Iterator[Any]:
    parquet = import_optional("pyarrow.parquet", "reading .parquet", "io")
    if isinstance(file, Path):
        with parquet.ParquetFile(file) as opened:
            yield opened
    else:
        with file.open() as stream, parquet.ParquetFile(stream) as opened:
            yield opened
