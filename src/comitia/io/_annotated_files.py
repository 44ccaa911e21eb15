"""AnnData in HDF5 and Zarr, and arrays in Zarr, read no further than asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from comitia._inputs import check_sparse
from comitia._optional import import_optional
from comitia._storage_paths import AnyPath, open_zarr, refuse_pickles
from comitia.config import require_memory
from comitia.exceptions import ComitiaError, MemoryBudgetError
from comitia.io._array_files import columns_of_arrays
from comitia.io._cell_text import refuse_duplicates
from comitia.io._file_columns import FileColumns
from comitia.io._lazy_columns import LazyMapping, MatrixColumns

__all__ = ["read_h5ad", "read_zarr"]


def read_h5ad(path: Path, key: str | None) -> FileColumns:
    """The columns of X, of a layer or of an entry of ``.obsm``; ``.obs`` is aside."""
    import_optional("anndata", "reading .h5ad", "io")
    h5py = import_optional("h5py", "reading .h5ad", "io")
    return _read_annotated(partial(h5py.File, path, "r"), path, key)


def read_zarr(path: AnyPath, key: str | None) -> FileColumns:
    """The columns of an array in Zarr, or of AnnData in it."""

    @contextmanager
    def opened() -> Iterator[Any]:
        yield open_zarr(path)

    with _in_words(path):
        with opened() as store:
            is_array = hasattr(store, "shape")
            kind = "" if is_array else store.attrs.get("encoding-type", "")
            names = [] if is_array else sorted(store.array_keys())
            shapes = {name: tuple(store[name].shape) for name in names}
            if is_array:
                _require(store, path)
                found = {"": np.asarray(store[:])}
        if kind == "anndata":
            return _read_annotated(opened, path, key)

        def read(name: str) -> Any:
            with opened() as store:
                _require(store[name], path)
                return np.asarray(store[name][:])

        arrays = found if is_array else LazyMapping(names, read, shapes)
        return columns_of_arrays(arrays, os.fspath(path), key)


@contextmanager
def _in_words(path: AnyPath) -> Iterator[None]:
    try:
        yield
    except (ComitiaError, MemoryBudgetError, ImportError):
        raise
    except Exception as error:  # h5py, Zarr and anndata fail in a dozen ways
        message = str(error).partition("\n")[0]
        raise ComitiaError(
            f"{path} is not a {path.suffix} file that can be read ({message})."
        ) from None


def _require(array: Any, path: AnyPath) -> None:
    refuse_pickles(array, path)
    cells = int(np.prod(array.shape, dtype=np.float64))
    require_memory(
        8 * cells, f"an array of {path}", "give a smaller entry with key, such as X_pca"
    )


def _read_annotated(
    opened: Callable[[], Any], path: AnyPath, key: str | None
) -> FileColumns:
    with _in_words(path), opened() as store:
        missing = [name for name in ("obs", "var") if name not in store]
        if missing:
            raise ComitiaError(f"{path} has no {missing[0]}, so it is no AnnData.")
        object_names = _index_of(store["obs"])
        obsm, layers = (
            sorted(store[name]) if name in store else [] for name in ("obsm", "layers")
        )
        columns = _names_of(store["obs"])
        where = _where(store, key, obsm, layers, path)
        shape = _shape_of(store[where])
        names = (
            [f"{key} {j + 1}" for j in range(shape[1])]
            if where.startswith("obsm/")
            else _index_of(store["var"])
        )
        if 0 in shape:
            raise ComitiaError(f"{path} is empty; its shape is {shape}.")
        if shape != (len(object_names), len(names)):
            raise ComitiaError(
                f"{path} is damaged: {where} is {shape[0]} × {shape[1]} for "
                f"{len(object_names)} objects and {len(names)} columns."
            )
        kept = {
            each: _shape_of(store[f"obsm/{each}"])
            for each in obsm
            if each != key and len(_shape_of(store[f"obsm/{each}"])) == 2
        }
    refuse_duplicates(names, os.fspath(path))

    def read(entry: str) -> Any:
        with _in_words(path), opened() as store:
            return _checked(_read_element(store[entry], path), entry, path)

    def column(name: str) -> Any:
        with _in_words(path), opened() as store:
            values = np.asarray(_read_element(store[f"obs/{name}"], path), dtype=object)
            if values.shape != (len(object_names),):
                raise ComitiaError(f"{path} is damaged: .obs[{name!r}] is too short.")
            return values

    return FileColumns(
        names,
        MatrixColumns(shape, partial(read, where)),
        object_names,
        aside=LazyMapping(columns, column),
        embeddings=LazyMapping([*kept], lambda name: read(f"obsm/{name}"), kept),
        is_annotated=True,
    )


def _where(
    store: Any,
    key: str | None,
    obsm: list[str],
    layers: list[str],
    path: AnyPath,
) -> str:
    """Where in the file the matrix stands that is meant."""
    if key is None or key == "X":
        if "X" not in store or store["X"].attrs.get("encoding-type") == "null":
            raise ComitiaError(f"{path} has no X; say which layer or .obsm with key.")
        return "X"
    if key in obsm:
        return f"obsm/{key}"
    if key in layers:
        return f"layers/{key}"
    entries = ["X", *layers, *obsm]
    raise ComitiaError(f"key={key!r} is not in {path}; it has {', '.join(entries)}.")


def _shape_of(element: Any) -> tuple[int, ...]:
    if hasattr(element, "shape"):
        return tuple(int(n) for n in element.shape)
    shape = element.attrs.get("shape", element.attrs.get("h5sparse_shape"))
    if shape is None:  # a table of columns
        names = _names_of(element)
        return len(_index_of(element)), len(names)
    return tuple(int(n) for n in shape)


def _names_of(frame: Any) -> list[str]:
    if not hasattr(frame, "keys"):
        raise ComitiaError("its .obs or .var is of an old version of anndata.")
    return [str(each) for each in frame.attrs.get("column-order", ())]


def _index_of(frame: Any) -> list[str]:
    _names_of(frame)
    index = frame[frame.attrs.get("_index", "_index")]
    return [str(each) for each in _plain(_read_element(index, None))]


def _plain(values: Any) -> list[Any]:
    return list(np.asarray(values, dtype=object).tolist())


def _read_element(element: Any, path: AnyPath | None) -> Any:
    import anndata

    for array in _arrays_in(element):
        _require(array, path or Path("the file"))
    return anndata.io.read_elem(element)


def _arrays_in(element: Any) -> list[Any]:
    if hasattr(element, "shape"):
        return [element]
    return [each for name in element for each in _arrays_in(element[name])]


def _checked(matrix: Any, entry: str, path: AnyPath) -> Any:
    """A matrix of numbers, whose indices are in range if it is sparse."""
    if hasattr(matrix, "to_numpy"):
        matrix = matrix.to_numpy()
    if hasattr(matrix, "check_format"):
        check_sparse(matrix, f"{entry} of {path}")
    if matrix.dtype.kind not in "biuf":
        raise ComitiaError(f"{entry} of {path} holds {matrix.dtype}; give numbers.")
    return matrix
