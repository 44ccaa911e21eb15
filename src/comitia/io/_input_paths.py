"""What a path means: its format, its compression, and whether it is there."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, get_args
from typing import Literal as L

from comitia._optional import import_optional
from comitia._steps import check_choice
from comitia._storage_paths import AnyPath, local_path, path_of
from comitia.config import require_memory
from comitia.exceptions import ComitiaError, MemoryBudgetError

__all__ = [
    "Format",
    "existing_file",
    "format_of",
    "is_stdin",
    "local_file",
    "open_input",
    "source_of",
]

Format = L[
    "csv",
    "tsv",
    "json",
    "xlsx",
    "parquet",
    "feather",
    "npy",
    "npz",
    "mat",
    "zarr",
    "h5ad",
]

# Other names that files of a format go by.
_ALSO = {
    "txt": "csv",
    "dat": "csv",
    "tab": "tsv",
    "jsonl": "json",
    "ndjson": "json",
    "xlsm": "xlsx",
    "pq": "parquet",
    "arrow": "feather",
}

_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")

# What is unpacked at a time, before the budget is asked again.
_PIECE = 1 << 22


def format_of(path: str | os.PathLike[str], format: str | None) -> str:
    """The format that was given, or that the name of the file says."""
    known = get_args(Format)
    check_choice("format", format, (None, *known))
    path_of(path)  # refuses addresses of the web
    if format is not None:
        return format
    if is_stdin(path):
        raise ComitiaError(
            f"the format of standard input is not known; say format as one of "
            f"{', '.join(known)}."
        )
    name, packed = _unpacked_name(path)
    suffix = Path(name).suffix.lower().removeprefix(".")
    kind = _ALSO.get(suffix, suffix)
    if kind not in known:
        raise ComitiaError(
            f"the name {os.fspath(path)} does not say its format; comitia reads "
            f"{', '.join('.' + each for each in known)}, or say the format."
        )
    if packed and kind not in ("csv", "tsv", "json"):
        raise ComitiaError(
            f"{os.fspath(path)}: of compressed files comitia reads text, such as "
            f".csv{packed}; unpack it."
        )
    return kind


def _unpacked_name(path: str | os.PathLike[str]) -> tuple[str, str]:
    """The name without the suffix of a compression, and that suffix."""
    stem, suffix = os.path.splitext(os.fspath(path))
    packed = suffix.lower() in _COMPRESSED
    return (stem, suffix.lower()) if packed else (os.fspath(path), "")


def is_stdin(path: str | os.PathLike[str]) -> bool:
    """Whether standard input is meant."""
    return os.fspath(path) == "-"


def source_of(path: str | os.PathLike[str]) -> str:
    """The path, or the words "standard input"."""
    return "standard input" if is_stdin(path) else os.fspath(path)


def existing_file(path: str | os.PathLike[str], folder: bool = False) -> AnyPath:
    """The path, if there is a file; ``folder`` says that it may be a folder."""
    if is_stdin(path):
        raise ComitiaError(
            "this format cannot be read from standard input; use a file."
        )
    file = path_of(path)
    if not file.exists():
        raise ComitiaError(f"there is no file {file}.")
    if file.is_dir() and not folder:
        raise ComitiaError(f"{file} is a folder; give a file.")
    return file


def local_file(path: str | os.PathLike[str]) -> Path:
    """The same for formats whose readers open no other storage."""
    existing_file(path)
    return local_path(path, f"a {Path(path).suffix} file is read from")


def open_input(path: str | os.PathLike[str]) -> IO[bytes]:
    """The bytes of a file or of standard input, unpacked if they are compressed."""
    if is_stdin(path):
        return io.BytesIO(sys.stdin.buffer.read())
    file, packed = existing_file(path), _unpacked_name(path)[1]
    try:
        return _unpack(file, packed) if packed else file.open("rb")
    except OSError as error:
        raise ComitiaError(
            f"{path} cannot be read: {error.strerror or error}."
        ) from None


def _unpack(path: AnyPath, suffix: str) -> IO[bytes]:
    """What a compressed file holds, as long as it fits into the memory budget."""
    content = io.BytesIO()
    try:
        with path.open("rb") as packed, _opener(suffix)(packed) as file:
            while piece := file.read(_PIECE):
                # Of a few bytes a whole disk of zeros can be made.
                require_memory(
                    2 * (content.tell() + len(piece)), f"what is packed in {path}"
                )
                content.write(piece)
    except (MemoryBudgetError, ImportError):
        raise
    except Exception as error:  # zlib, lzma and zstandard fail in a dozen ways
        raise ComitiaError(
            f"{path} is no {suffix} file that can be unpacked ({error})."
        ) from None
    content.seek(0)
    return content


def _opener(suffix: str) -> Callable[..., Any]:
    if suffix == ".gz":
        import gzip

        return gzip.open
    if suffix == ".bz2":
        import bz2

        return bz2.open
    if suffix == ".xz":
        import lzma

        return lzma.open
    return import_optional("zstandard", "reading .zst", "io").open
