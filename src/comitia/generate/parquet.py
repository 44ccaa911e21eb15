"""Rows of Parquet files, one row group at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.exceptions import ComitiaError
from comitia.generate.sources import Rows, _check_shape, _checked, _unreadable

__all__ = ["ParquetRows", "parquet_length", "parquet_names", "parquet_texts"]

Floats = NDArray[np.float64]


class ParquetRows(Rows):
    """Rows of one Parquet file, or of all in a folder in the order of their names.

    Parameters
    ----------
    path : Path
        The file or the folder.

    columns : sequence of str, default=None
        The columns that are meant; all by default.
    """

    def __init__(self, path: Path, columns: Sequence[str] | None = None) -> None:
        self.name = str(path)
        files = _parquet_files(path)
        # Of each row group: its file, its number there, and where its rows begin.
        self.groups: list[tuple[str, int]] = []
        starts = [0]
        names: list[str] | None = None
        for file in files:
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
            _check_types(schema, here, file)
            for number in range(metadata.num_row_groups):
                n = metadata.row_group(number).num_rows
                if n:
                    self.groups.append((str(file.absolute()), number))
                    starts.append(starts[-1] + n)
        assert names is not None
        _check_shape((starts[-1], len(names)), np.dtype(float), self.name)
        self.starts = np.array(starts)
        self.feature_names = names
        self.n_features = len(names)
        self._last: tuple[int, Floats] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_last": None}

    def __len__(self) -> int:
        return int(self.starts[-1])

    def read(self, start: int, stop: int) -> Floats:
        X = np.empty((stop - start, self.n_features))
        first = int(np.searchsorted(self.starts, start, side="right")) - 1
        for group in range(first, len(self.groups)):
            lo, hi = self.starts[group : group + 2]
            if lo >= stop:
                break
            here = self._group(group)
            rows = here[max(start - lo, 0) : stop - lo]
            X[max(lo - start, 0) : hi - start] = rows
        return X

    def _group(self, group: int) -> Floats:
        """The rows of a group; the last one is kept, as blocks may cut it in two."""
        if self._last is None or self._last[0] != group:
            self._last = None
            file, number = self.groups[group]
            lo, hi = (int(end) for end in self.starts[group : group + 2])
            try:
                with _parquet().ParquetFile(file) as opened:
                    table = opened.read_row_group(number, columns=self.feature_names)
                # The order of the file is not the order that was asked for.
                found = np.column_stack(
                    [
                        table.column(name).to_numpy().astype(np.float64)
                        for name in self.feature_names or ()
                    ]
                )
            except (OSError, ValueError, TypeError) as error:
                raise _unreadable(file, lo, hi, error) from None
            self._last = group, _checked(found, file, 0)
        return self._last[1]


def parquet_names(path: Path) -> list[str]:
    """Names of the columns of a Parquet file, or of the first one in a folder.

    Parameters
    ----------
    path : Path
        The file or the folder.

    Returns
    -------
    names : list of str
        The names.
    """
    schema, _ = _about(_parquet_files(path)[0])
    return [*schema.names]


def parquet_length(path: Path) -> int:
    """Number of rows of a Parquet file, or of all in a folder.

    Parameters
    ----------
    path : Path
        The file or the folder.

    Returns
    -------
    n : int
        What their footers say.
    """
    return sum(_about(file)[1].num_rows for file in _parquet_files(path))


def parquet_texts(path: Path, name: str) -> Iterator[Any]:
    """A column of Parquet files as it is, a row group at a time.

    Parameters
    ----------
    path : Path
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
            with _parquet().ParquetFile(file) as opened:
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


def _parquet_files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    # Names that begin so are what other programs keep for themselves.
    files = sorted(
        file for file in path.rglob("*.parquet") if not file.name.startswith((".", "_"))
    )
    if not files:
        raise ComitiaError(f"the folder {path} holds no .parquet file.")
    return files


def _about(file: Path) -> tuple[Any, Any]:
    """The columns of a file, and its row groups."""
    try:
        with _parquet().ParquetFile(file) as opened:
            return opened.schema_arrow, opened.metadata
    except (OSError, ValueError) as error:
        raise ComitiaError(f"{file} cannot be read ({error}).") from None


def _check_types(schema: Any, names: Sequence[str], file: Path) -> None:
    from pyarrow import types

    for name in names:
        kind = schema.field(name).type
        if not (
            types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)
        ):
            raise ComitiaError(
                f"column {name!r} of {file} holds {kind}, not numbers; leave it out."
            )


def _parquet() -> Any:
    try:
        import pyarrow.parquet
    except ImportError:
        raise ImportError(
            "Parquet files are read with pyarrow; pip install 'comitia[io]'."
        ) from None
    return pyarrow.parquet
