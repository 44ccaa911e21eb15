"""Graphs from files."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from typing import Any

from comitia._files import read_arrays
from comitia.config import require_memory
from comitia.exceptions import ComitiaError, MemoryBudgetError
from comitia.io._input_paths import is_stdin, local_file

__all__ = ["is_graph_file", "read_graph"]


def is_graph_file(path: str | os.PathLike[str]) -> bool:
    """Whether :func:`read_graph` reads a file that could not be a table.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    is_graph : bool
        True for a .mtx file, and for a .npz file that ``scipy.sparse.save_npz`` wrote.
    """
    suffix = Path(path).suffix.lower()
    if is_stdin(path) or suffix not in (".mtx", ".npz") or not Path(path).is_file():
        return False
    if suffix == ".mtx":
        return True
    try:
        with zipfile.ZipFile(path) as archive:
            return {"format.npy", "shape.npy", "data.npy"} <= {*archive.namelist()}
    except (OSError, zipfile.BadZipFile):  # the reader of tables says what is wrong
        return False


def read_graph(path: str | os.PathLike[str]) -> Any:
    """Read a graph.

    Parameters
    ----------
    path : path-like
        The adjacency matrix: a .npz file that ``scipy.sparse.save_npz`` wrote, or a
        Matrix Market .mtx file.

    Returns
    -------
    graph : csr_array of shape (n_objects, n_objects)
        The adjacency matrix.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from scipy.sparse import csr_array, save_npz
    >>> from comitia.io import read_graph
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "links.npz")
    ...     save_npz(path, csr_array([[0, 1], [1, 0]]))
    ...     read_graph(path).toarray().tolist()
    [[0, 1], [1, 0]]
    """
    from scipy.io import mminfo, mmread
    from scipy.sparse import csr_array, load_npz

    file = local_file(path)
    try:
        if file.suffix == ".mtx":
            n_rows, n_columns, n_entries = mminfo(file)[:3]
            size = 8 * (max(n_rows, n_columns) + 3 * n_entries)
            require_memory(size, f"the graph of {file}")
            return csr_array(mmread(file))
        if file.suffix == ".npz":
            read_arrays(file)  # refuses what would not fit
            return csr_array(load_npz(file))
    except MemoryBudgetError:
        raise
    except Exception as error:  # zipfile, NumPy and SciPy fail in a dozen ways
        raise ComitiaError(
            f"{file} is not a sparse matrix that can be read ({error}); write it with "
            "scipy.sparse.save_npz or as Matrix Market."
        ) from None
    raise ComitiaError(
        f"{file} is no graph; give the adjacency matrix as .npz "
        "(scipy.sparse.save_npz) or .mtx (Matrix Market)."
    )
