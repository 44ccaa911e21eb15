"""Files that are written whole or not at all, and read without trust."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from comitia.exceptions import EnsembleFileError

__all__ = ["UNFINISHED", "atomic_write", "read_arrays"]

# How a file is called until it is whole.
UNFINISHED = ".unfinished-"


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file for writing that appears only when everything is written.

    Parameters
    ----------
    path : path-like
        Where the file is to appear. An older file there stays until then.

    Yields
    ------
    file : binary file
        To write to.
    """
    target = Path(path)
    # A temporary file beside the target: a rename inside one folder is atomic.
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=UNFINISHED)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        # mkstemp keeps its files to the owner; a result is as open as any new file.
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def read_arrays(path: str | os.PathLike[str]) -> dict[str, NDArray[Any]]:
    """Read the arrays of a ``.npz`` file; pickles are not opened.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    arrays : dict of ndarray
        What it holds.
    """
    try:
        # np.load leaves the file open when it is no zip file.
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except Exception as error:  # zlib, zipfile and NumPy fail in a dozen ways
        raise EnsembleFileError(
            f"{path} is not a file that comitia wrote, or is damaged ({error})."
        ) from None


def _umask() -> int:
    # The mask can only be read by setting it.
    mask = os.umask(0)
    os.umask(mask)
    return mask
