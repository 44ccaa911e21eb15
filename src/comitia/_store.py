"""Ensembles on disk: one .npz without pickle, or a folder of row blocks.

Labels in a folder are plain ``.npy`` files, which are mapped into memory rather than
read; memberships, which are sparse matrices, are one ``.npz`` for each block.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia import sizes
from comitia._block_folder import (
    FOLDER_FORMAT,
    SHARED_NAMES,
    Folder,
    about_folder,
    blamed_on,
    labels_name,
    map_block,
    open_folder,
    read_block,
)
from comitia._files import (
    UNFINISHED,
    array_digest,
    atomic_write,
    file_digest,
    read_arrays,
    write_arrays,
    write_json,
)
from comitia._labels import narrowest
from comitia._lock import locked
from comitia._members import check_codes
from comitia._storage_paths import local_path
from comitia.config import require_memory
from comitia.exceptions import ComitiaError, EnsembleFileError

if TYPE_CHECKING:
    from comitia.ensemble import Ensemble

__all__ = ["BlockWriter", "read", "write"]

FORMAT = "comitia-ensemble-1"
_NAMES = ("groups", "object_names", "clustering_names", "cluster_names")
_MEMBERSHIP = ("data", "indices", "indptr")


def write(
    ensemble: Ensemble, path: str | os.PathLike[str], block_rows: int | None = None
) -> None:
    """Write an ensemble, all of it or nothing.

    A path that ends in ``.npz`` is a file, any other a folder to be made, with half a
    million objects in each block unless ``block_rows`` says otherwise.
    """
    target = local_path(path, "an ensemble is written to")
    if target.suffix == ".npz":
        _write_file(ensemble, target)
    else:
        _write_folder(ensemble, target, block_rows or sizes.BLOCK_ROWS)


def read(path: str | os.PathLike[str], make: Callable[..., Ensemble]) -> Ensemble:
    """Read what :func:`write` wrote.

    ``make`` makes an ensemble of its parts, and says whether they fit.
    """
    source = local_path(path, "an ensemble is read from")
    if not source.exists():
        raise EnsembleFileError(f"there is no ensemble at {source}.")
    if source.is_dir():
        return _read_folder(source, make)
    return _read_file(source, make)


def _read_file(source: Path, make: Callable[..., Ensemble]) -> Ensemble:
    return _assembled(_parts(read_arrays(source), source), source, make)


def _arrays(ensemble: Ensemble) -> dict[str, NDArray[Any]]:
    arrays = {
        "format": np.array(FORMAT),
        "kind": np.array(ensemble.kind),
        "codes": ensemble.codes,
        "n_clusters_each": ensemble.n_clusters_each,
    }
    arrays |= {
        name: getattr(ensemble, name)
        for name in _NAMES
        if getattr(ensemble, name) is not None
    }
    if not ensemble.is_hard:
        B = ensemble.membership
        arrays |= {name: getattr(B, name) for name in _MEMBERSHIP}
    return arrays


def _write_file(ensemble: Ensemble, target: Path) -> None:
    write_arrays(target, _arrays(ensemble), compress=True)


def _write_folder(ensemble: Ensemble, target: Path, block_rows: int) -> None:
    if block_rows < 1:
        raise ComitiaError(f"block_rows={block_rows} must be at least 1.")
    with locked(target, beside=True):
        if target.exists():
            raise EnsembleFileError(f"{target} exists already; give a new folder name.")
        # In a private room, so that the folder itself is as open as any new one.
        room = Path(tempfile.mkdtemp(dir=target.parent, prefix=UNFINISHED))
        folder = room / "new"
        try:
            folder.mkdir()
            _fill_folder(ensemble, folder, block_rows)
            os.rename(folder, target)
        finally:
            shutil.rmtree(room, ignore_errors=True)


def _fill_folder(ensemble: Ensemble, folder: Path, block_rows: int) -> None:
    if ensemble.is_hard and ensemble.object_names is None:
        writer = BlockWriter.of(ensemble, folder)
        n_rows = []
        for number, (rows, block) in enumerate(ensemble.blocks(block_rows)):
            writer.write(number, block.codes)
            n_rows.append(rows.stop - rows.start)
        writer.finish(n_rows)
        return
    digests = []
    for number, (_, block) in enumerate(ensemble.blocks(block_rows)):
        _write_file(block, folder / _block_name(number))
        digests.append(file_digest(folder / _block_name(number)))
    about = {
        "format": FOLDER_FORMAT,
        "blocks": "archives",
        "kind": ensemble.kind,
        "n_objects": ensemble.n_objects,
        "digests": digests,
    }
    write_json(folder / "ensemble.json", about)


def _block_name(number: int) -> str:
    return f"block-{number:05d}.npz"


def _assembled(
    parts: dict[str, Any], source: Path, make: Callable[..., Ensemble]
) -> Ensemble:
    """An ensemble of what was read; what does not fit is the fault of the source."""
    said = parts["kind"]
    # Whether labels are missing is found out; what the source says is compared.
    kind = None if parts["membership"] is None else said
    with blamed_on(source):
        codes = parts.pop("codes")
        made = make(codes, **{**parts, "kind": kind})
        if made.kind != said:
            raise ComitiaError(f"kind={said!r} is not true: it is {made.kind}.")
    return made


def _parts(arrays: dict[str, NDArray[Any]], source: Path) -> dict[str, Any]:
    """The parts of an ensemble that a file holds."""
    from scipy.sparse import csr_array

    if str(arrays.get("format")) != FORMAT:
        raise EnsembleFileError(f"{source} does not hold an ensemble of {FORMAT}.")
    parts: dict[str, Any] = {name: arrays.get(name) for name in _NAMES}
    damaged = [
        name
        for name, found in parts.items()
        if found is not None and (found.ndim != 1 or found.dtype.kind != "U")
    ]
    damaged += [
        name
        for name, types in (("codes", "iu"), ("n_clusters_each", "iu"), ("kind", "U"))
        if name not in arrays
        or arrays[name].dtype.kind not in types
        or arrays[name].size == 0
    ]
    if damaged:
        raise EnsembleFileError(
            f"{source} is damaged: its {' and '.join(damaged)} cannot be read."
        )
    codes, k = arrays["codes"], arrays["n_clusters_each"]
    membership = None
    if str(arrays["kind"]) in ("fuzzy", "overlapping"):
        try:
            n = codes.shape[1]
            membership = csr_array(
                tuple(arrays[name] for name in _MEMBERSHIP), shape=(n, int(k.sum()))
            )
        except (LookupError, TypeError, ValueError, OverflowError) as error:
            raise EnsembleFileError(
                f"{source} is damaged: its memberships do not fit ({error})."
            ) from None
    return {
        "codes": codes,
        "n_clusters_each": k,
        "membership": membership,
        "kind": str(arrays["kind"]),
        **parts,
    }


class BlockWriter:
    """Writes the labels of an ensemble block by block.

    Finished blocks stay when the writing stops half-way, and a second writer of the
    same run goes on with them. ``run`` says what the blocks are made of; those of
    another run are refused.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        n_clusters_each: ArrayLike,
        *,
        groups: Sequence[str] | None = None,
        clustering_names: Sequence[str] | None = None,
        cluster_names: Sequence[str] | None = None,
        run: str = "",
    ) -> None:
        self.folder = local_path(folder, "row blocks are written to")
        self.n_clusters_each = np.asarray(n_clusters_each, dtype=np.int64)
        self.dtype = np.dtype(narrowest(int(self.n_clusters_each.max())))
        self.about: dict[str, Any] = {
            "format": FOLDER_FORMAT,
            "blocks": "labels",
            "n_clusters_each": self.n_clusters_each.tolist(),
            "dtype": self.dtype.name,
            "groups": groups,
            "clustering_names": clustering_names,
            "cluster_names": cluster_names,
            "run": run,
        }
        for name in SHARED_NAMES:
            if self.about[name] is not None:
                self.about[name] = [*map(str, self.about[name])]
        self._begin()

    @classmethod
    def of(cls, ensemble: Ensemble, folder: str | os.PathLike[str]) -> BlockWriter:
        """A writer for the blocks of an ensemble."""
        names: dict[str, Any] = {
            name: None if value is None else value.tolist()
            for name, value in (
                (name, getattr(ensemble, name)) for name in SHARED_NAMES
            )
        }
        return cls(folder, ensemble.n_clusters_each, **names)

    def _begin(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        started = self.folder / "run.json"
        if started.exists() or (self.folder / "ensemble.json").exists():
            try:
                found = json.loads(started.read_text(encoding="utf-8"))
            except (OSError, ValueError, RecursionError):
                found = None
            if found != self.about:
                raise EnsembleFileError(
                    f"{self.folder} holds the blocks of another run; give a new folder."
                )
            return
        with atomic_write(started) as file:
            file.write(json.dumps(self.about, indent=1).encode())

    def done(self, number: int) -> bool:
        """Whether a block is there already, and as it was written."""
        try:
            self._digest(number)
        except EnsembleFileError:
            return False
        return True

    def _digest(self, number: int) -> str:
        """The digest of a block that is as it was written."""
        path = self.folder / labels_name(number)
        codes = map_block(path, self.dtype)
        digest = array_digest(codes)
        with open(path, "rb") as file:
            file.seek(codes.offset + codes.nbytes)
            if file.read() != self._seal(number, digest):
                raise EnsembleFileError(
                    f"{path} is damaged: its labels are not those that were written."
                )
        return digest.hex()

    def _seal(self, number: int, digest: bytes) -> bytes:
        """What stands behind the labels of a block: whose they are, and which."""
        return array_digest(
            np.frombuffer(f"{self.about} {number} ".encode() + digest, dtype=np.uint8)
        )

    def write(self, number: int, codes: NDArray[Any]) -> None:
        """Write one block, all of it or nothing.

        Codes, (n_clusterings, n_rows), are 0..k_m - 1, and k_m for a missing label.
        """
        if codes.ndim != 2 or len(codes) != len(self.n_clusters_each):
            raise ComitiaError(
                f"codes of block {number} must have {len(self.n_clusters_each)} rows, "
                f"one per clustering; got shape {codes.shape}."
            )
        try:
            checked, _, _ = check_codes(codes, self.n_clusters_each)
        except ComitiaError as error:
            raise ComitiaError(f"block {number} does not fit: {error}") from None
        path = self.folder / labels_name(number)
        try:
            with atomic_write(path) as file:
                np.save(file, checked)
                # Behind the array, where NumPy does not look: whoever goes on with the
                # blocks of a run that was killed can tell whether they are whole.
                file.write(self._seal(number, array_digest(checked)))
        except OSError as error:
            raise EnsembleFileError(
                f"{path} could not be written ({error.strerror or error}); the blocks "
                "before it are whole, and a new try goes on with them."
            ) from error

    def finish(self, n_rows: Sequence[int]) -> None:
        """Say that all blocks are there: from now on the folder is an ensemble."""
        kinds, digests = set(), []
        for number, n in enumerate(n_rows):
            path = self.folder / labels_name(number)
            _, kind = read_block(path, self.n_clusters_each, int(n), None)
            kinds.add(kind)
            digests.append(self._digest(number))
        about = {
            **self.about,
            "kind": "partial" if "partial" in kinds else "hard",
            "n_objects": int(sum(n_rows)),
            "n_rows": [int(n) for n in n_rows],
            "digests": digests,
        }
        write_json(self.folder / "ensemble.json", about)


def _read_folder(folder: Path, make: Callable[..., Ensemble]) -> Ensemble:
    from scipy.sparse import vstack

    about = about_folder(folder)
    if about["blocks"] == "labels":
        return _assembled(_read_labels(open_folder(folder)), folder, make)
    # One after the other: the first that is not there ends it, however many there are
    # said to be.
    blocks = [
        _read_archive(folder / _block_name(number), digest, make)
        for number, digest in _archives(about, folder)
    ]
    if not blocks or any(
        not np.array_equal(block.n_clusters_each, blocks[0].n_clusters_each)
        or block.is_hard != blocks[0].is_hard
        or any(
            (getattr(block, name) is None) != (getattr(blocks[0], name) is None)
            for name in _NAMES
        )
        for block in blocks
    ):
        raise EnsembleFileError(f"{folder} is damaged: its blocks do not fit together.")
    if sum(block.n_objects for block in blocks) != about.get("n_objects"):
        raise EnsembleFileError(f"{folder} is damaged: objects are missing.")
    first = blocks[0]
    named = first.object_names is not None
    parts = {
        "codes": np.concatenate([block.codes for block in blocks], axis=1),
        "n_clusters_each": first.n_clusters_each,
        "membership": None
        if first.is_hard
        else vstack([block.membership for block in blocks], format="csr"),
        "kind": about.get("kind"),
        **{name: getattr(first, name) for name in SHARED_NAMES},
        "object_names": np.concatenate([block.object_names for block in blocks])
        if named
        else None,
    }
    return _assembled(parts, folder, make)


def _archives(about: dict[str, Any], folder: Path) -> Iterator[tuple[int, str | None]]:
    """The numbers of the blocks, and their digests in folders of this version."""
    if about["format"] == FOLDER_FORMAT and isinstance(about.get("digests"), list):
        yield from enumerate(about["digests"])
    elif about["format"] != FOLDER_FORMAT and type(about.get("n_blocks")) is int:
        yield from zip(range(about["n_blocks"]), itertools.repeat(None))
    else:
        raise EnsembleFileError(f"{folder} is damaged: ensemble.json does not fit.")


def _read_archive(
    path: Path, digest: str | None, make: Callable[..., Ensemble]
) -> Ensemble:
    if not path.is_file():
        raise EnsembleFileError(f"{path} is not there.")
    if digest is not None and file_digest(path) != digest:
        raise EnsembleFileError(f"{path} is damaged: it is not what was written.")
    return _read_file(path, make)


def _read_labels(folder: Folder) -> dict[str, Any]:
    k, n = folder.n_clusters_each, sum(folder.n_rows)
    require_memory(
        n * len(k) * folder.dtype.itemsize,
        f"the labels of {n} objects in {len(k)} clusterings",
        "use Ensemble.open, which maps them",
    )
    codes = np.empty((len(k), n), dtype=folder.dtype)
    start = 0
    for number, rows in enumerate(folder.n_rows):
        codes[:, start : start + rows], _ = folder.read(number)
        start += rows
    return {
        "codes": codes,
        "n_clusters_each": k,
        "membership": None,
        "kind": folder.kind,
        **{name: getattr(folder, name) for name in SHARED_NAMES},
    }
