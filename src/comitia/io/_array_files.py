"""Columns of files that hold arrays: NumPy's, MATLAB's, Zarr's."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from comitia._files import read_npy, read_npz
from comitia._optional import import_optional
from comitia.config import require_memory
from comitia.exceptions import ComitiaError
from comitia.io._cell_text import object_names_of, text_or_none
from comitia.io._file_columns import FileColumns
from comitia.io._lazy_columns import LazyMapping, MatrixColumns

__all__ = ["columns_of_arrays", "main_array", "read_mat", "read_numpy"]

# How a MATLAB file of version 7.3 begins, which is an HDF5 file.
_HDF5_MAT = b"MATLAB 7.3"


def read_numpy(file: IO[bytes], kind: str, source: str, key: str | None) -> FileColumns:
    """The columns of a .npy or .npz file."""
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
    return columns_of_arrays(arrays, source, key)


def read_mat(path: Path, key: str | None) -> FileColumns:
    """The columns of a MATLAB file, of version 5 to 7.2 or of 7.3."""
    with path.open("rb") as file:
        is_hdf5 = file.read(len(_HDF5_MAT)) == _HDF5_MAT
    try:
        arrays = _hdf5_variables(path) if is_hdf5 else _variables(path)
        return columns_of_arrays(arrays, os.fspath(path), key)
    except (ComitiaError, ImportError):
        raise
    except Exception as error:  # SciPy and h5py fail in a dozen ways
        raise ComitiaError(
            f"{path} is no .mat file that can be read ({error})."
        ) from None


def _variables(path: Path) -> dict[str, Any]:
    from scipy.io import loadmat, whosmat

    for name, shape, kind in whosmat(path):
        cells = int(np.prod(shape, dtype=np.float64)) if kind != "sparse" else 0
        require_memory(8 * cells, f"the array {name!r} of {path}")
    found = loadmat(path, chars_as_strings=True)
    arrays = {}
    for name, array in found.items():
        if name.startswith("__"):
            continue
        if array.dtype == object:
            array = _strings(array)
        if array is not None:
            arrays[name] = array
    return arrays


def _strings(cells: NDArray[Any]) -> NDArray[Any] | None:
    """A cell array of strings, None for other cells."""
    texts = [
        str(cell[0]) if isinstance(cell, np.ndarray) and cell.shape == (1,) else None
        for cell in cells.ravel(order="F")
    ]
    return None if None in texts else np.array(texts)


def _hdf5_variables(path: Path) -> Mapping[str, Any]:
    h5py = import_optional("h5py", "reading .mat of version 7.3", "io")

    def read(name: str) -> Any:
        with h5py.File(path, "r") as file:
            array = file[name]
            require_memory(
                8 * int(np.prod(array.shape, dtype=np.float64)),
                f"the array {name!r} of {path}",
            )
            # MATLAB writes columns first: what HDF5 has is the transpose.
            return np.asarray(array).T

    with h5py.File(path, "r") as file:
        # Text is a list of numbers there, and cells are links to other places.
        names = [
            name
            for name, each in file.items()
            if isinstance(each, h5py.Dataset)
            and each.dtype.kind in "biuf"
            and each.attrs.get("MATLAB_class") != b"char"
        ]
        shapes = {name: file[name].shape[::-1] for name in names}
    return LazyMapping(names, read, shapes)


def columns_of_arrays(
    arrays: Mapping[str, Any], source: str, key: str | None
) -> FileColumns:
    """The columns of one of several arrays; vectors of its length stand aside."""
    shapes = {each: _shape_of(arrays, each) for each in arrays}
    name = main_array(shapes, key, source)
    X = arrays[name]
    what = f"{source}{f' array {name!r}' if name else ''}"
    if X.dtype.kind == "V" or X.dtype.kind not in "biufUS":
        raise ComitiaError(f"{what} holds {X.dtype}; give numbers.")
    if X.ndim == 1:
        X = X[:, None]
    if X.ndim not in (2, 3):
        raise ComitiaError(
            f"{what} has {X.ndim} dimensions; give one row per object and one column "
            "per feature."
        )
    if 0 in X.shape:
        raise ComitiaError(f"{what} is empty; its shape is {X.shape}.")
    n_channels = None
    if X.ndim == 3:
        n_channels = X.shape[1]
        X = X.reshape(len(X), -1)
    n, p = X.shape
    values: Any
    if hasattr(X, "tocsc"):
        values = MatrixColumns(X.shape, lambda: X)
    elif X.dtype.kind in "US":
        values = [text_or_none(column) for column in X.astype(str).T]
    else:
        values = list(np.ascontiguousarray(X.T, dtype=np.float64))
    beside = {}
    for each in arrays:
        if each != name and _is_vector(_shape_of(arrays, each)):
            array = arrays[each]
            if array.dtype.kind in "biufUS":
                beside[each] = np.asarray(array).ravel()
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
        n_channels=n_channels,
    )


def _shape_of(arrays: Mapping[str, Any], name: str) -> tuple[int, ...]:
    if isinstance(arrays, LazyMapping):
        return arrays.shapes[name]
    return tuple(arrays[name].shape)


def _is_vector(shape: tuple[int, ...]) -> bool:
    """Whether an array is a vector; MATLAB's are matrices with one row or column."""
    return len(shape) == 1 or (len(shape) == 2 and 1 in shape)


def main_array(
    shapes: Mapping[str, tuple[int, ...]], key: str | None, source: str
) -> str:
    """The name of the array that is meant, by the shapes of all."""
    if key is not None:
        if key not in shapes:
            raise ComitiaError(
                f"key={key!r} is no array of {source}; it holds {', '.join(shapes)}."
            )
        return key
    if "X" in shapes:
        return "X"
    flat = [name for name, shape in shapes.items() if len(shape) == 2]
    tables = (
        [name for name in flat if not _is_vector(shapes[name])]
        or [name for name, shape in shapes.items() if len(shape) == 3]
        or flat
    )
    if not tables:
        tables = [*shapes] if len(shapes) == 1 else []
    if len(tables) != 1:
        raise ComitiaError(
            f"{source} holds {', '.join(shapes) or 'nothing'}; say which array is "
            "meant with key."
        )
    return tables[0]
