"""A folder of row blocks: labels in plain files, which are mapped rather than read.

``ensemble.json`` says which files there are. A folder grows by files: those of new
objects are a block of their own, those of new clusterings stand beside the files that a
block has. The description is written last, so that a folder is the old ensemble until
it is the new one.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from comitia._files import (
    DIGEST_BYTES,
    array_digest,
    atomic_write,
    read_json,
    write_json,
)
from comitia._labels import narrowest
from comitia._members import check_codes, check_n_clusters, check_names
from comitia._storage_paths import local_path
from comitia.exceptions import ComitiaError, EnsembleFileError, MemoryBudgetError

__all__ = [
    "FOLDER_FORMAT",
    "SHARED_NAMES",
    "Folder",
    "about_folder",
    "blamed_on",
    "grow_folder",
    "labels_name",
    "map_block",
    "open_folder",
    "read_block",
    "version_of",
]

FOLDER_FORMAT = "comitia-ensemble-3"
# Of folders that have grown, in which a block may have several files.
_GROWN = "comitia-ensemble-4"
# Folders of older versions, without digests: of labels, and of memberships or names.
_OLD_LABELS, _OLD_ARCHIVES = "comitia-ensemble-2", "comitia-ensemble-1"
# What all row blocks share.
SHARED_NAMES = ("groups", "clustering_names", "cluster_names")


class Part(NamedTuple):
    """One file of a block: the labels of its objects in some of the clusterings."""

    file: str
    digest: str | None  # None in folders of older versions
    n_clusters_each: list[int]  # when it was written; there may be more by now


class Folder(NamedTuple):
    """What ``ensemble.json`` says of a folder of labels."""

    path: Path
    kind: str
    n_rows: list[int]  # objects of each block
    n_clusters_each: NDArray[np.int64]
    dtype: np.dtype[Any]
    groups: NDArray[Any] | None
    clustering_names: NDArray[Any] | None
    cluster_names: NDArray[Any] | None
    parts: list[list[Part]]  # the files of each block

    def version(self, number: int) -> list[tuple[int, int]]:
        """Tells whether the files of a block have changed."""
        return [version_of(self.path / part.file) for part in self.parts[number]]

    def map(self, number: int) -> NDArray[Any]:
        """The labels of a block, mapped into memory where they are in one file."""
        return self._joined(
            number,
            [
                map_block(self.path / part.file, *_form(part, self.n_rows[number]))
                for part in self.parts[number]
            ],
        )

    def read(self, number: int) -> tuple[NDArray[Any], str]:
        """The same, and look at all of them: ``"hard"`` or ``"partial"``."""
        read = [
            read_block(
                self.path / part.file,
                np.array(part.n_clusters_each),
                self.n_rows[number],
                part.digest,
            )
            for part in self.parts[number]
        ]
        kind = "partial" if "partial" in [kind for _, kind in read] else "hard"
        return self._joined(number, [codes for codes, _ in read]), kind

    def _joined(self, number: int, each: list[NDArray[Any]]) -> NDArray[Any]:
        """The labels of several files together, as those of the clusters of now."""
        before = [k for part in self.parts[number] for k in part.n_clusters_each]
        if len(each) == 1 and before == self.n_clusters_each.tolist():
            return each[0]
        codes = np.concatenate(each, dtype=self.dtype, casting="unsafe")
        for row, was, k in zip(codes, before, self.n_clusters_each, strict=True):
            if was != k:  # the code of a missing label is another one
                row[row == was] = k
        return codes


def _form(part: Part, n_rows: int) -> tuple[np.dtype[Any], tuple[int, int]]:
    """Type and shape of the labels in a file."""
    k = part.n_clusters_each
    return np.dtype(narrowest(max(k))), (len(k), n_rows)


def grow_folder(
    path: str | os.PathLike[str],
    n_clusters_each: NDArray[np.int64],
    kind: str,
    names: dict[str, Any],
    files: Sequence[tuple[int, NDArray[Any], NDArray[np.int64]]],
) -> None:
    """Add files to a folder of labels, and then say so.

    Each file is the number of its block, the labels, and how many clusters their
    clusterings have. What was there stays the ensemble until the last step; files of a
    call that ended before it are written over by the next one.
    """
    folder = open_folder(path)
    k = n_clusters_each
    n_rows, parts = [*folder.n_rows], [[*each] for each in folder.parts]
    for number, codes, own in files:
        if number == len(parts):
            parts.append([])
            n_rows.append(codes.shape[1])
        checked, _, _ = check_codes(codes, own)
        name = labels_name(number, len(parts[number]))
        with atomic_write(folder.path / name) as file:
            np.save(file, checked)
        digest = array_digest(checked).hex()
        parts[number].append(Part(name, digest, own.tolist()))
    about = {
        "format": _GROWN,
        "blocks": "labels",
        "kind": kind,
        "n_objects": sum(n_rows),
        "n_rows": n_rows,
        "n_clusters_each": k.tolist(),
        "dtype": np.dtype(narrowest(int(k.max()))).name,
        "parts": [[part._asdict() for part in each] for each in parts],
        **{
            name: None if names[name] is None else [*map(str, names[name])]
            for name in SHARED_NAMES
        },
    }
    write_json(folder.path / "ensemble.json", about)


def open_folder(path: str | os.PathLike[str]) -> Folder:
    """Look at a folder of labels without reading the labels."""
    folder = local_path(path, "row blocks are mapped from")
    about = about_folder(folder)
    if about["blocks"] != "labels":
        raise EnsembleFileError(
            f"{folder} holds memberships or named objects, which are not mapped; use "
            "Ensemble.load."
        )
    try:
        each = _numbers(about["n_clusters_each"])
        k = check_n_clusters(each, len(each))
        groups, names, clusters = (
            check_names(about.get(name), n, name, noun)
            for name, n, noun in zip(
                SHARED_NAMES,
                (len(k), len(k), int(k.sum())),
                ("clustering", "clustering", "cluster"),
                strict=True,
            )
        )
        found = Folder(
            folder.resolve(),
            str(about["kind"]),
            _numbers(about["n_rows"]),
            k,
            np.dtype(narrowest(int(k.max()))),
            groups,
            names,
            clusters,
            [],
        )
        found = found._replace(parts=_parts_of(about, found))
        fits = (
            found.kind in ("hard", "partial")
            and found.dtype.name == about["dtype"]
            and min(found.n_rows) > 0
            and sum(found.n_rows) == about["n_objects"]
            and len(found.parts) == len(found.n_rows)
            and all(_is_of(part, found) for part in found.parts)
        )
    except MemoryBudgetError:
        raise
    except (KeyError, TypeError, ValueError):
        fits = False
    if not fits:
        raise EnsembleFileError(f"{folder} is damaged: ensemble.json does not fit.")
    for n, parts in zip(found.n_rows, found.parts, strict=True):
        for part in parts:
            map_block(folder / part.file, *_form(part, n))
    return found


def _parts_of(about: dict[str, Any], folder: Folder) -> list[list[Part]]:
    """The files of each block."""
    if about["format"] == _GROWN:
        return [
            [
                Part(
                    str(part["file"]), part["digest"], _numbers(part["n_clusters_each"])
                )
                for part in each
            ]
            for each in about["parts"]
        ]
    digests: Any = itertools.repeat(None)
    if about["format"] != _OLD_LABELS:
        digests = list(about["digests"])
        if len(digests) != len(folder.n_rows):
            raise ValueError
    k = folder.n_clusters_each.tolist()
    return [
        [Part(labels_name(number), digest, k)]
        for number, digest in zip(range(len(folder.n_rows)), digests, strict=False)
    ]


def _is_of(parts: list[Part], folder: Folder) -> bool:
    """Whether the files of a block can be what they are said to be."""
    before = np.array([k for part in parts for k in part.n_clusters_each])
    k = folder.n_clusters_each
    return (
        before.shape == k.shape
        and bool(((before >= 1) & (before <= k)).all())
        # Of this folder, and of no other place.
        and all(os.path.basename(part.file) == part.file for part in parts)
    )


def map_block(
    path: Path, dtype: np.dtype[Any], shape: tuple[int, int] | None = None
) -> np.memmap[Any, Any]:
    """Map the labels of one block into memory; :func:`read_block` also checks them."""
    try:
        codes = npy.open_memmap(path, mode="r")
    except Exception as error:  # NumPy fails in a dozen ways on a header
        raise EnsembleFileError(f"{path} cannot be read ({error}).") from None
    fits = codes.dtype == dtype and codes.ndim == 2 and codes.flags.c_contiguous
    if not fits or shape not in (None, codes.shape):
        raise EnsembleFileError(
            f"{path} is damaged: it holds {codes.dtype} of shape {codes.shape} instead "
            f"of labels, {dtype} of shape {shape}."
        )
    # Behind the labels is the seal of their writer; nothing in older folders.
    if version_of(path)[1] - codes.offset - codes.nbytes not in (0, DIGEST_BYTES):
        raise EnsembleFileError(f"{path} is damaged: it has another length.")
    return codes


def version_of(path: Path) -> tuple[int, int]:
    """When a file was written, and its length: they tell whether it changed."""
    try:
        found = path.stat()
    except OSError as error:
        raise EnsembleFileError(f"{path} cannot be read ({error}).") from None
    return found.st_mtime_ns, found.st_size


def read_block(
    path: Path, n_clusters_each: NDArray[np.int64], n_rows: int, digest: str | None
) -> tuple[NDArray[Any], str]:
    """Map the labels of one block into memory, and look at all of them.

    They are those with the digest, unless that is not known. Whether labels are missing
    comes with them: ``"hard"`` or ``"partial"``.
    """
    k = n_clusters_each
    codes = map_block(path, np.dtype(narrowest(int(k.max()))), (len(k), n_rows))
    if digest is not None and array_digest(codes).hex() != digest:
        raise EnsembleFileError(
            f"{path} is damaged: its labels are not those that were written."
        )
    with blamed_on(path):
        _, _, kind = check_codes(codes, k)
    return codes, kind


def _numbers(given: Any) -> list[int]:
    """Whole numbers of a description; JSON has others too."""
    if not isinstance(given, list) or not all(type(n) is int for n in given):
        raise TypeError
    return given


def labels_name(number: int, part: int = 0) -> str:
    """The file of a block; those of later clusterings have a number of their own."""
    return f"block-{number:05d}{f'-{part:02d}' if part else ''}.npy"


def about_folder(folder: Path) -> dict[str, Any]:
    """What ``ensemble.json`` says; what it has more in newer folders is filled in."""
    try:
        about = read_json(folder / "ensemble.json", FOLDER_FORMAT)
        if about.get("format") == _GROWN:
            about = read_json(folder / "ensemble.json", _GROWN)
    except OSError:
        about = {}
    except ValueError as error:
        raise EnsembleFileError(
            f"{folder} is damaged: ensemble.json does not fit ({error})."
        ) from None
    blocks = {
        FOLDER_FORMAT: about.get("blocks"),
        _GROWN: "labels",
        _OLD_LABELS: "labels",
        _OLD_ARCHIVES: "archives",
    }
    about["blocks"] = blocks.get(str(about.get("format")))
    if about["blocks"] not in ("labels", "archives"):
        raise EnsembleFileError(f"{folder} holds no ensemble.json that comitia wrote.")
    return about


@contextmanager
def blamed_on(source: Path) -> Iterator[None]:
    """Whatever does not fit in here is the fault of the source."""
    try:
        yield
    except MemoryBudgetError:
        raise
    except ComitiaError as error:
        raise EnsembleFileError(f"{source} is damaged: {error}") from None
