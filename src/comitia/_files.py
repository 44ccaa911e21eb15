"""Files that are written whole or not at all, and read without trust."""

import hashlib
import json
import math
import os
import secrets
import stat
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from comitia.config import require_memory
from comitia.exceptions import ComitiaError, EnsembleFileError

__all__ = [
    "DIGEST_BYTES",
    "UNFINISHED",
    "array_digest",
    "atomic_write",
    "file_digest",
    "is_text",
    "read_arrays",
    "read_json",
    "read_npy",
    "read_npy_header",
    "read_npz",
    "signed",
    "write_arrays",
    "write_json",
]

# How a file is called until it is whole.
UNFINISHED = ".unfinished-"

# Length of a digest.
DIGEST_BYTES = 16
_digest = partial(hashlib.blake2b, digest_size=DIGEST_BYTES)

# The largest character of Unicode.
_LAST_CHARACTER = 0x10FFFF

# Bytes of an array that one thread looks at, while others look at other bytes.
_PIECE = 1 << 18
_MOST_THREADS = 8


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


def array_digest(array: NDArray[Any]) -> bytes:
    """A digest of the values of an array.

    Parameters
    ----------
    array : ndarray
        Contiguous; its type and shape are not part of the digest.

    Returns
    -------
    digest : bytes
        Equal for equal values, whatever the number of threads.
    """
    content = array.reshape(-1).view(np.uint8).data
    pieces = [content[lo : lo + _PIECE] for lo in range(0, len(content), _PIECE)]
    n_threads = min(len(pieces), os.cpu_count() or 1, _MOST_THREADS)
    if n_threads <= 1:
        sums = [zlib.crc32(piece) for piece in pieces]
    else:
        with ThreadPoolExecutor(n_threads) as pool:
            sums = list(pool.map(zlib.crc32, pieces))
    # BLAKE2 of all bytes would take 7 % of the time of the fastest methods. A checksum
    # of each piece, five times as fast, misses one damage in four thousand million.
    return _digest(np.array(sums, dtype="<u4").tobytes()).digest()


def file_digest(path: str | os.PathLike[str]) -> str:
    """A digest of a file.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    digest : str
        Equal for equal content.
    """
    with open(path, "rb") as file:
        return hashlib.file_digest(file, _digest).hexdigest()


def signed(about: Mapping[str, Any]) -> dict[str, Any]:
    """Put a digest into a description, by which damage is noticed.

    Parameters
    ----------
    about : dict
        What JSON can hold.

    Returns
    -------
    about : dict
        The same and its ``digest``, which takes the place of an earlier one.
    """
    about = {name: value for name, value in about.items() if name != "digest"}
    text = json.dumps(about, sort_keys=True)
    return {**about, "digest": _digest(text.encode()).hexdigest()}


def write_json(path: str | os.PathLike[str], about: Mapping[str, Any]) -> None:
    """Write a description with its digest, all of it or nothing.

    Parameters
    ----------
    path : path-like
        The file.

    about : dict
        What :func:`read_json` is to give back.
    """
    text = json.dumps(signed(about), indent=1, allow_nan=False, ensure_ascii=False)
    with atomic_write(path) as file:
        # Half a surrogate pair, which a file name may hold, is no UTF-8.
        file.write(text.encode("utf-8", "surrogatepass") + b"\n")


def read_json(path: str | os.PathLike[str], signed_format: str) -> dict[str, Any]:
    """Read a description that :func:`write_json` wrote.

    Parameters
    ----------
    path : path-like
        The file.

    signed_format : str
        The format whose descriptions carry a digest. Another one is for the caller to
        refuse, or to take for that of an older version.

    Returns
    -------
    about : dict
        What was written, empty if it is no description. A ValueError says that it is
        damaged.
    """
    with open(path, "rb") as file:
        content = file.read()
    try:
        about = json.loads(content.decode("utf-8", "surrogatepass"))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(about, dict):
        return {}
    if about.get("format") == signed_format and about != signed(about):
        raise ValueError("its digest is not that of what it says")
    about.pop("digest", None)
    return about


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
                # The checksum is compared when the end of the part is reached.
                if part.read(1):
                    raise ValueError(f"{name} is shorter than its part of the file")
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
    shape, dtype = read_npy_header(file)
    if dtype.hasobject:
        raise ValueError("it holds Python objects, which are not unpickled")
    # NumPy makes room for all that the header promises before it reads any of it.
    if math.prod(shape) * dtype.itemsize > n_bytes - file.tell():
        raise ValueError(f"it promises an array of shape {shape} and is too short")
    file.seek(0)
    array = npy.read_array(file, allow_pickle=False)
    if not is_text(array):
        raise ValueError("it holds characters that there are not")
    return array


def read_npy_header(file: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Read what a ``.npy`` file says of its array.

    Parameters
    ----------
    file : binary file
        An open ``.npy`` file, at its beginning.

    Returns
    -------
    shape, dtype : tuple of int, dtype
        As the header has them.
    """
    version = npy.read_magic(file)
    if version not in _HEADERS:
        raise ValueError(f"version {version[0]} of the .npy format is not read")
    shape, _, dtype = _HEADERS[version](file)
    return shape, dtype


def is_text(array: NDArray[Any]) -> bool:
    """Whether an array of text holds text; NumPy stumbles over anything else later.

    Parameters
    ----------
    array : ndarray
        Any array.

    Returns
    -------
    is_text : bool
        False where a character is none; True for arrays of something else.
    """
    if array.dtype.kind != "U" or array.nbytes == 0:
        return True
    native = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
    return bool(native.reshape(-1).view(np.uint32).max() <= _LAST_CHARACTER)


_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
