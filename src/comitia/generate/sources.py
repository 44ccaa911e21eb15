"""Where rows come from that are too many for memory: files, folders, Dask arrays."""

from __future__ import annotations

import mmap
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._inputs import (
    masked_to_nan,
    refuse_large,
    refuse_masks_and_dates,
)
from comitia._storage_paths import local_path, path_of
from comitia.exceptions import ComitiaError, DataTypeError
from comitia.generate._docs import SharedDocs
from comitia.generate.columns import PIECE

__all__ = [
    "ArrayRows",
    "DaskRows",
    "MappedRows",
    "open_rows",
    "pieces_of",
]

Floats = NDArray[np.float64]


class Rows(SharedDocs, ABC):
    """Rows of numbers that are read some at a time.

    Attributes
    ----------
    name : str
        How messages call them.

    n_features : int
        Number of columns.

    feature_names : list of str or None
        Their names.
    """

    name: str
    n_features: int
    feature_names: list[str] | None = None

    @abstractmethod
    def __len__(self) -> int:
        """Number of rows."""

    @abstractmethod
    def read(self, start: int, stop: int) -> Floats:
        """Read the rows from start to stop - 1.

        Parameters
        ----------
        start, stop : int
            Where they begin and end.

        Returns
        -------
        X : ndarray of shape (stop - start, n_features)
            The rows, all of them finite numbers.
        """


def open_rows(data: Any, columns: Sequence[str] | None = None) -> Rows:
    """Open data that are to be read block by block.

    Parameters
    ----------
    data : path-like, np.memmap, dask.array.Array or ndarray
        A ``.npy`` file, a ``.parquet`` file or a folder of them, an array in a
        ``.zarr`` store, or an array of shape (n_objects, n_features). Parquet and Zarr
        may be on storage that fsspec opens, such as ``"s3://bucket/table.parquet"``.

    columns : sequence of str, default=None
        Which columns of Parquet files are meant; all by default.

    Returns
    -------
    rows : Rows
        The rows; hardly anything is read yet.

    Examples
    --------
    >>> import numpy as np
    >>> from comitia.generate import open_rows
    >>> rows = open_rows(np.zeros((5, 2)))
    >>> len(rows), rows.n_features
    (5, 2)
    """
    if isinstance(data, str | os.PathLike):
        path = path_of(data)
        if not path.exists():
            raise ComitiaError(f"there is no file or folder {path}.")
        if any(part.lower().endswith(".zarr") for part in path.parts):
            from comitia.generate.zarr_arrays import ZarrRows

            return ZarrRows(path)
        if path.is_dir() or path.suffix.lower() == ".parquet":
            from comitia.generate.parquet import ParquetRows

            return ParquetRows(path, columns)
        if path.suffix.lower() == ".npy":
            return MappedRows.of_file(local_path(data, "a .npy file is mapped from"))
        raise ComitiaError(
            f"{path} cannot be read in blocks; give a .npy file, a .parquet file, a "
            "folder of .parquet files or a .zarr array."
        )
    if hasattr(data, "dask"):
        return DaskRows(data)
    # A part of a mapped array does not know where in the file it is.
    if isinstance(data, np.memmap) and isinstance(data.base, mmap.mmap):
        return MappedRows(data)
    refuse_masks_and_dates(data, "X")
    return ArrayRows(np.asarray(data))


def pieces_of(
    rows: Rows, start: int = 0, stop: int | None = None, size: int = PIECE
) -> Iterator[tuple[int, Floats]]:
    """Read rows, some at a time.

    Parameters
    ----------
    rows : Rows
        The rows.

    start, stop : int, default=0 and all
        Where those that are read begin and end.

    size : int, default=PIECE
        How many at a time.

    Yields
    ------
    first, X : int, ndarray of shape (size, n_features)
        Where the rows begin, and the rows.
    """
    stop = len(rows) if stop is None else stop
    for first in range(start, stop, size):
        yield first, rows.read(first, min(first + size, stop))


class ArrayRows(Rows):
    """Rows of an array in memory.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        The rows.

    name : str, default="X"
        How messages call them.
    """

    def __init__(self, X: NDArray[Any], name: str = "X") -> None:
        _check_shape(X.shape, X.dtype, name)
        self.X = X
        self.name = name
        self.n_features = X.shape[1]

    def __len__(self) -> int:
        return len(self.X)

    def read(self, start: int, stop: int) -> Floats:
        return _checked(self.X[start:stop], self.name, start)


class MappedRows(Rows):
    """Rows of a file that is mapped into memory, here and on other machines.

    Parameters
    ----------
    mapped : np.memmap of shape (n, p)
        The rows.
    """

    def __init__(self, mapped: np.memmap[Any, Any]) -> None:
        self.name = str(mapped.filename)
        _check_shape(mapped.shape, mapped.dtype, self.name)
        self.n_features = mapped.shape[1]
        self.how = {
            "dtype": mapped.dtype,
            "offset": mapped.offset,
            "shape": mapped.shape,
            "order": "C" if mapped.flags.c_contiguous else "F",
        }
        self._mapped: Any = mapped

    @classmethod
    def of_file(cls, path: Path) -> MappedRows:
        """Map a ``.npy`` file.

        Parameters
        ----------
        path : Path
            The file.

        Returns
        -------
        rows : MappedRows
            Its rows.
        """
        try:
            mapped = np.load(path.absolute(), mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError) as error:
            raise ComitiaError(f"{path} cannot be read as .npy ({error}).") from None
        return cls(mapped)

    def __getstate__(self) -> dict[str, Any]:
        # Another process maps the file itself; a pickled map would be a copy of it.
        return {**self.__dict__, "_mapped": None}

    def __len__(self) -> int:
        return int(self.how["shape"][0])

    def read(self, start: int, stop: int) -> Floats:
        return _checked(self._map(start, stop)[start:stop], self.name, start)

    def read_as_is(self, start: int, stop: int, column: int | None = None) -> Floats:
        """Read rows in which values may be missing.

        Parameters
        ----------
        start, stop : int
            Where they begin and end.

        column : int, default=None
            The only column that is meant.

        Returns
        -------
        X : ndarray of shape (stop - start, n_features), or (stop - start,)
            The rows, or the column.
        """
        mapped = self._map(start, stop)[start:stop]
        part = mapped if column is None else mapped[:, column]
        return np.array(part, dtype=np.float64, order="C")

    def _map(self, start: int, stop: int) -> Any:
        if self._mapped is None:
            try:
                self._mapped = np.memmap(self.name, mode="r", **self.how)
            except (OSError, ValueError) as error:
                raise _unreadable(self.name, start, stop, error) from None
        return self._mapped


class DaskRows(Rows):
    """Rows of a Dask array.

    Parameters
    ----------
    array : dask.array.Array of shape (n, p)
        The rows; the number of rows in each chunk must be known.
    """

    name = "the Dask array"

    def __init__(self, array: Any) -> None:
        if np.isnan(array.shape).any():
            raise ComitiaError(
                "the Dask array does not know how many rows it has; call "
                "compute_chunk_sizes() on it."
            )
        _check_shape(array.shape, array.dtype, self.name)
        self.array = array
        self.n_features = int(array.shape[1])
        self.client: Any = None  # whoever Dask asks by default

    def __len__(self) -> int:
        return int(self.array.shape[0])

    def read(self, start: int, stop: int) -> Floats:
        part = self.array[start:stop]
        if self.client is None:
            return _checked(part.compute(), self.name, start)
        return _checked(self.client.compute(part).result(), self.name, start)


def _check_shape(shape: Sequence[int], dtype: Any, name: str) -> None:
    """Refuse what is no table of numbers."""
    if np.dtype(dtype).kind not in "biuf":
        raise DataTypeError(f"{name} is not a table of numbers: its type is {dtype}.")
    if len(shape) != 2 or shape[0] < 1 or shape[1] < 1:
        raise ComitiaError(
            f"{name} must have shape (n_objects, n_features), at least (1, 1); got "
            f"{tuple(shape)}."
        )


def _checked(X: Any, name: str, start: int) -> Floats:
    """A copy of rows as float64, in one order, and all of them finite."""
    X = np.array(masked_to_nan(X), dtype=np.float64, order="C", ndmin=2)
    wrong = ~np.isfinite(X).all(axis=1)
    if wrong.any():
        raise ComitiaError(
            f"{name} has NaN or infinity in row {start + int(np.argmax(wrong)) + 1}; "
            "fill or leave out such rows."
        )
    refuse_large(X, name)
    return X


def _unreadable(name: str, start: int, stop: int, error: Exception) -> ComitiaError:
    """An error that names the rows which cannot be read."""
    return ComitiaError(
        f"rows {start + 1} to {stop} of {name} cannot be read ({error})."
    )
