"""Files that are written whole or not at all, and read without trust."""

import math
import os
import secrets
import stat
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from comitia.config import require_memory
from comitia.exceptions import ComitiaError, EnsembleFileError

__all__ = [
    "UNFINISHED",
    "atomic_write",
    "read_arrays",
    "read_npy",
    "read_npz",
    "write_arrays",
]

# How a file is called until it is whole.
UNFINISHED = ".unfinished-"


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file for writing that appears only when everything is written.

    Parameters
    ----------
    path : path-like
        Where the file is to appear. An older file there stays until then, and the new
        one has its mode; otherwise it is as open as any new file. Until then it is its
        owner's alone.

    Yields
    ------
    file : binary file
        To write to.
    """
    target = Path(path)
    if not target.parent.is_dir():
        raise ComitiaError(f"{target} cannot be written: there is no such folder.")
    # A temporary file beside the target: a rename inside one folder is atomic.
    handle, unfinished = _new_file(target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            replaces = target.is_file() and not target.is_symlink()
            mode = stat.S_IMODE((target if replaces else unfinished).stat().st_mode)
            os.chmod(unfinished, 0o600)
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(unfinished, mode)
        os.replace(unfinished, target)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def _new_file(parent: Path) -> tuple[int, Path]:
    """A file under a name that nobody can guess; the kernel applies the umask.

    To ask for the umask is to set it for a moment, for all threads.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    while True:
        path = parent / f"{UNFINISHED}{secrets.token_hex(8)}"
        with suppress(FileExistsError):
            return os.open(path, flags, 0o666), path


def write_arrays(
    path: str | os.PathLike[str],
    arrays: Mapping[str, NDArray[Any]],
    *,
    compress: bool = False,
) -> None:
    """Write arrays into a ``.npz`` file, all of it or nothing.

    Parameters
    ----------
    path : path-like
        The file.

    arrays : dict of ndarray
        What :func:`read_arrays` is to give back; nothing is pickled.

    compress : bool, default=False
        Whether to compress them.
    """
    # numpy.savez of NumPy 2.0 leaves the archive open when the disk is full, and
    # the interpreter complains on standard error when it comes to clean up.
    how = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
    with atomic_write(path) as file, zipfile.ZipFile(file, "w", how) as archive:
        for name, values in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                npy.write_array(entry, np.asanyarray(values), allow_pickle=False)


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
        with open(path, "rb") as file:
            return read_npz(file)
    except ComitiaError:
        raise
    except Exception as error:  # zlib, zipfile and NumPy fail in a dozen ways
        raise EnsembleFileError(
            f"{path} is not a file that comitia wrote, or is damaged ({error})."
        ) from None


def read_npz(file: IO[bytes]) -> dict[str, NDArray[Any]]:
    """Read the arrays of an open ``.npz`` file, after a look at their sizes.

    A few bytes of zeros unpack to as many gigabytes as their author likes: what the
    archive says that it holds must fit the memory, and each array its part of it.

    Parameters
    ----------
    file : binary file
        The file.

    Returns
    -------
    arrays : dict of ndarray
        What it holds.
    """
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        require_memory(
            sum(member.file_size for member in members),
            "unpacking the arrays of the file",
            "give a smaller file",
        )
        arrays = {}
        for member in members:
            # What the archive says of the size is also all that zipfile unpacks.
            with archive.open(member) as part:
                name = member.filename.removesuffix(".npy")
                arrays[name] = read_npy(part, member.file_size)
        return arrays


def read_npy(file: IO[bytes], n_bytes: int) -> NDArray[Any]:
    """Read one array; pickles are not opened.

    Parameters
    ----------
    file : binary file
        An open ``.npy`` file, at its beginning.

    n_bytes : int
        Its length, which the array that it promises must not exceed.

    Returns
    -------
    array : ndarray
        The array.
    """
    version = npy.read_magic(file)
    if version not in _HEADERS:
        raise ValueError(f"version {version[0]} of the .npy format is not read")
    shape, _, dtype = _HEADERS[version](file)
    if dtype.hasobject:
        raise ValueError("it holds Python objects, which are not unpickled")
    # NumPy makes room for all that the header promises before it reads any of it.
    if math.prod(shape) * dtype.itemsize > n_bytes - file.tell():
        raise ValueError(f"it promises an array of shape {shape} and is too short")
    file.seek(0)
    return npy.read_array(file, allow_pickle=False)


_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
