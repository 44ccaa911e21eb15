"""Paths to storage that is no folder of this machine, through fsspec.

comitia opens no connection by itself. A path such as ``s3://bucket/table.parquet`` is
the user's own storage, which fsspec and its packages open with the user's own keys. An
address of the web is refused, and so is whatever could lead to one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any

from comitia._optional import import_optional
from comitia.exceptions import ComitiaError

__all__ = [
    "AnyPath",
    "StoredPath",
    "local_path",
    "open_zarr",
    "path_of",
    "refuse_pickles",
]

# What fetches from somebody else's server, and what can be told to.
_WEB = {
    *("http", "https", "ftp", "github", "gist", "hf", "data", "webdav"),
    *("reference", "generic", "cached", "blockcache", "filecache", "simplecache"),
}


class StoredPath:
    """A path of fsspec, with those methods of ``pathlib.Path`` that are needed.

    Parameters
    ----------
    url : str
        Such as ``memory://folder/table.parquet``.
    """

    def __init__(self, url: str) -> None:
        protocol = url.partition("://")[0].lower()
        if protocol in _WEB or "::" in url:
            raise ComitiaError(
                f"{url} is a URL, and comitia reads files only; download it and give "
                "the path of the file."
            )
        self.url = url
        fsspec = import_optional("fsspec", f"reading {protocol}:// paths", "dask")
        try:
            fsspec.get_filesystem_class(protocol)
        except ImportError as error:
            raise ImportError(f"{url} cannot be read: {error}.") from None
        except ValueError:
            raise ComitiaError(
                f"{url} cannot be read: fsspec knows no {protocol}:// paths."
            ) from None
        with self._in_words():
            self._system, self._inside = fsspec.core.url_to_fs(url)

    def __reduce__(self) -> tuple[Any, ...]:
        # Connections stay here; another process opens its own.
        return StoredPath, (self.url,)

    def __str__(self) -> str:
        return self.url

    def __fspath__(self) -> str:
        return self.url

    def __truediv__(self, name: str) -> StoredPath:
        return StoredPath(f"{self.url.rstrip('/')}/{name}")

    @property
    def name(self) -> str:
        """The last part of the path."""
        return PurePosixPath(self._inside).name

    @property
    def suffix(self) -> str:
        """What the name ends with, such as ``.parquet``."""
        return PurePosixPath(self._inside).suffix

    @property
    def parts(self) -> tuple[str, ...]:
        """The names on the way."""
        return PurePosixPath(self._inside).parts

    def exists(self) -> bool:
        """Whether there is anything."""
        with self._in_words():
            return bool(self._system.exists(self._inside))

    def is_dir(self) -> bool:
        """Whether it is a folder."""
        with self._in_words():
            return bool(self._system.isdir(self._inside))

    def is_file(self) -> bool:
        """Whether it is a file."""
        with self._in_words():
            return bool(self._system.isfile(self._inside))

    def absolute(self) -> StoredPath:
        """The path: storage has no current folder."""
        return self

    def rglob(self, pattern: str) -> list[StoredPath]:
        """The files in the folder, and in those in it, whose names fit."""
        with self._in_words():
            files = self._system.find(self._inside)
        found = [StoredPath(self._system.unstrip_protocol(file)) for file in files]
        return [path for path in found if PurePosixPath(path.name).match(pattern)]

    def open(self, mode: str = "rb") -> IO[bytes]:
        """The bytes of the file."""
        with self._in_words():
            opened: IO[bytes] = self._system.open(self._inside, mode)
            return opened

    def mapper(self) -> Any:
        """The files of the folder by their names, as Zarr takes them."""
        return self._system.get_mapper(self._inside)

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # each storage fails in its own ways
            message = " ".join(str(error).split()) or type(error).__name__
            raise ComitiaError(f"{self.url} cannot be read ({message}).") from None


AnyPath = Path | StoredPath


def path_of(path: str | os.PathLike[str]) -> AnyPath:
    """A path of this machine, or of storage that fsspec opens.

    Parameters
    ----------
    path : path-like
        A path, or ``protocol://path``; ``file://`` is this machine.

    Returns
    -------
    path : Path or StoredPath
        Nothing is opened yet.
    """
    if isinstance(path, StoredPath):
        return path
    local = _of_this_machine(path)
    return StoredPath(os.fspath(path)) if local is None else local


def local_path(path: str | os.PathLike[str], why: str) -> Path:
    """A path of this machine; any other is refused.

    Parameters
    ----------
    path : path-like
        A path, or ``file://path``.

    why : str
        What needs it, the beginning of a sentence.

    Returns
    -------
    path : Path
        The path.
    """
    found = _of_this_machine(path)
    if found is None:
        raise ComitiaError(
            f"{why} a folder of this machine, or one that is mounted here; got "
            f"{os.fspath(path)}."
        )
    return found


def _of_this_machine(path: str | os.PathLike[str]) -> Path | None:
    text = os.fspath(path)
    # Not one letter, which is a drive.
    if not re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", text):
        return Path(path)
    protocol, _, rest = text.partition("://")
    if protocol.lower() not in ("file", "local"):
        return None
    if os.name == "nt" and re.match(r"/[A-Za-z]:", rest):
        rest = rest[1:]
    return Path(rest)


def open_zarr(path: AnyPath) -> Any:
    """Open an array or a group of Zarr; of an array nothing is read yet.

    Parameters
    ----------
    path : Path or StoredPath
        The store, or an array in it.

    Returns
    -------
    opened : zarr.Array or zarr.Group
        For reading.
    """
    zarr = import_optional("zarr", "reading .zarr", "zarr")
    store = path.mapper() if isinstance(path, StoredPath) else os.fspath(path)
    return zarr.open(store, mode="r")


def refuse_pickles(array: Any, path: AnyPath) -> None:
    """Refuse an array of Zarr whose chunks are pickles, which are programs.

    Parameters
    ----------
    array : zarr.Array
        Of which nothing was read.

    path : Path or StoredPath
        Where it is.
    """
    # Version 2 of Zarr has one compressor, and later ones several.
    packed = "compressors" if hasattr(array, "compressors") else "compressor"
    codecs: list[Any] = []
    for name in ("filters", packed):
        found = getattr(array, name, None)
        codecs += found if isinstance(found, list | tuple) else [found]
    if any("pickle" in str(getattr(codec, "codec_id", codec)) for codec in codecs):
        raise ComitiaError(f"{path} holds pickles, which are not read.")
