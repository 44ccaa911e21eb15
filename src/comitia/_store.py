"""Ensembles on disk: one .npz without pickle, or a folder of row blocks.

Labels in a folder are plain ``.npy`` files, which are mapped into memory rather than
read; memberships, which are sparse matrices, are one ``.npz`` for each block.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._files import UNFINISHED, atomic_write, read_arrays, write_arrays
from comitia._labels import narrowest
from comitia._lock import locked
from comitia.config import require_memory
from comitia.exceptions import ComitiaError, EnsembleFileError

if TYPE_CHECKING:
    from comitia.ensemble import Ensemble

__all__ = ["BlockWriter", "Folder", "map_block", "open_folder", "read", "write"]

FORMAT = "comitia-ensemble-1"
FOLDER_FORMAT = "comitia-ensemble-2"
_NAMES = ("groups", "object_names", "clustering_names")
_MEMBERSHIP = ("data", "indices", "indptr")
_BLOCK_ROWS = 500_000
_KINDS = ("hard", "partial", "fuzzy", "overlapping")


def write(
    ensemble: Ensemble, path: str | os.PathLike[str], block_rows: int | None = None
) -> None:
    """Write an ensemble, all of it or nothing.

    Parameters
    ----------
    ensemble : Ensemble
        What to write.

    path : path-like
        A file name that ends in ``.npz``, or a folder to be made.

    block_rows : int, default=None
        Objects in each block of a folder; half a million by default.
    """
    target = Path(path)
    if target.suffix == ".npz":
        _write_file(ensemble, target)
    else:
        _write_folder(ensemble, target, block_rows or _BLOCK_ROWS)


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read what :func:`write` wrote.

    Parameters
    ----------
    path : path-like
        The file or folder.

    Returns
    -------
    parts : dict
        The arguments that assemble the ensemble.
    """
    source = Path(path)
    if not source.exists():
        raise EnsembleFileError(f"there is no ensemble at {source}.")
    if source.is_dir():
        return _read_folder(source)
    return _checked(read_arrays(source), source)


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
    starts = range(0, ensemble.n_objects, block_rows)
    for number, (_, block) in enumerate(ensemble.blocks(block_rows)):
        _write_file(block, folder / _block_name(number))
    about = {
        "format": FORMAT,
        "kind": ensemble.kind,
        "n_objects": ensemble.n_objects,
        "n_blocks": len(starts),
    }
    (folder / "ensemble.json").write_text(json.dumps(about, indent=1))


def _block_name(number: int) -> str:
    return f"block-{number:05d}.npz"


def _checked(arrays: dict[str, NDArray[Any]], source: Path) -> dict[str, Any]:
    """The parts of an ensemble, after a look at everything a kernel relies on."""
    from scipy.sparse import csr_array

    if str(arrays.get("format")) != FORMAT:
        raise EnsembleFileError(f"{source} does not hold an ensemble of {FORMAT}.")
    codes, k = arrays.get("codes"), arrays.get("n_clusters_each")
    kind = str(arrays.get("kind"))
    if (
        codes is None
        or k is None
        or codes.ndim != 2
        or 0 in codes.shape
        or k.shape != (len(codes),)
        or k.dtype.kind not in "iu"
        or codes.dtype not in (np.uint8, np.uint16, np.int32)
        or kind not in _KINDS
        or (k < 1).any()
        or k.max() > np.iinfo(codes.dtype).max
        or (codes.max(axis=1) > k).any()
        or codes.min() < 0
    ):
        raise EnsembleFileError(f"{source} is damaged: its labels do not fit together.")
    membership: Any = None
    if kind in ("fuzzy", "overlapping"):
        parts = [arrays.get(name) for name in _MEMBERSHIP]
        try:
            shape = codes.shape[1], int(k.sum())
            membership = csr_array(tuple(parts), shape=shape)  # type: ignore[arg-type]
            membership.check_format(full_check=True)
            if not (np.isfinite(membership.data).all() and (membership.data > 0).all()):
                raise ValueError("a membership is not positive")
        except (ValueError, TypeError) as error:
            raise EnsembleFileError(
                f"{source} is damaged: its memberships do not fit ({error})."
            ) from None
    names = {name: arrays.get(name) for name in _NAMES}
    for name, length in zip(_NAMES, (len(k), codes.shape[1], len(k)), strict=True):
        found = names[name]
        if found is not None and (found.shape != (length,) or found.dtype.kind != "U"):
            raise EnsembleFileError(f"{source} is damaged: its {name} do not fit.")
    return {
        "codes": codes,
        "n_clusters_each": k,
        "membership": membership,
        "kind": kind,
        **names,
    }


class Folder(NamedTuple):
    """What ``ensemble.json`` says of a folder of labels."""

    path: Path
    kind: str
    n_rows: list[int]  # objects of each block
    n_clusters_each: NDArray[np.int64]
    dtype: np.dtype[Any]
    groups: list[str] | None
    clustering_names: list[str] | None


class BlockWriter:
    """Writes the labels of an ensemble block by block.

    Finished blocks stay when the writing stops half-way, and a second writer of the
    same run goes on with them.

    Parameters
    ----------
    folder : path-like
        Made if it is not there.

    n_clusters_each : array-like of shape (n_clusterings,)
        Clusters of each clustering.

    groups, clustering_names : sequence of str, default=None
        As those of an Ensemble.

    run : str, default=""
        Says what the blocks are made of; those of another run are refused.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        n_clusters_each: ArrayLike,
        *,
        groups: Sequence[str] | None = None,
        clustering_names: Sequence[str] | None = None,
        run: str = "",
    ) -> None:
        self.folder = Path(folder)
        self.n_clusters_each = np.asarray(n_clusters_each, dtype=np.int64)
        self.dtype = np.dtype(narrowest(int(self.n_clusters_each.max())))
        self.about: dict[str, Any] = {
            "format": FOLDER_FORMAT,
            "n_clusters_each": self.n_clusters_each.tolist(),
            "dtype": self.dtype.name,
            "groups": None if groups is None else [str(name) for name in groups],
            "clustering_names": (
                None
                if clustering_names is None
                else [str(name) for name in clustering_names]
            ),
            "run": run,
        }
        self._begin()

    @classmethod
    def of(cls, ensemble: Ensemble, folder: str | os.PathLike[str]) -> BlockWriter:
        """A writer for the blocks of an ensemble.

        Parameters
        ----------
        ensemble : Ensemble
            A hard or partial one.

        folder : path-like
            Where they go.

        Returns
        -------
        writer : BlockWriter
            The writer.
        """
        names: dict[str, Any] = {
            name: None if value is None else value.tolist()
            for name, value in (
                ("groups", ensemble.groups),
                ("clustering_names", ensemble.clustering_names),
            )
        }
        return cls(folder, ensemble.n_clusters_each, **names)

    def _begin(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        started = self.folder / "run.json"
        if started.exists() or (self.folder / "ensemble.json").exists():
            try:
                found = json.loads(started.read_text())
            except (OSError, ValueError):
                found = None
            if found != self.about:
                raise EnsembleFileError(
                    f"{self.folder} holds the blocks of another run; give a new folder."
                )
            return
        with atomic_write(started) as file:
            file.write(json.dumps(self.about, indent=1).encode())

    def done(self, number: int) -> bool:
        """Whether a block is written already.

        Parameters
        ----------
        number : int
            Of the block, from 0.

        Returns
        -------
        done : bool
            True when it is whole.
        """
        return (self.folder / _labels_name(number)).exists()

    def write(self, number: int, codes: NDArray[Any]) -> None:
        """Write one block, all of it or nothing.

        Parameters
        ----------
        number : int
            Of the block, from 0.

        codes : ndarray of shape (n_clusterings, n_rows)
            Labels 0..k_m - 1, and k_m where the label is missing.
        """
        if codes.ndim != 2 or len(codes) != len(self.n_clusters_each):
            raise ComitiaError(
                f"codes of block {number} must have {len(self.n_clusters_each)} rows, "
                f"one per clustering; got shape {codes.shape}."
            )
        wrong = (codes.min(axis=1) < 0) | (codes.max(axis=1) > self.n_clusters_each)
        if wrong.any():
            m = int(np.argmax(wrong))
            raise ComitiaError(
                f"codes of clustering {m} in block {number} must lie in "
                f"0..{self.n_clusters_each[m]}."
            )
        path = self.folder / _labels_name(number)
        try:
            with atomic_write(path) as file:
                np.save(file, np.ascontiguousarray(codes, dtype=self.dtype))
        except OSError as error:
            raise EnsembleFileError(
                f"{path} could not be written ({error.strerror or error}); the blocks "
                "before it are whole, and a new try goes on with them."
            ) from error

    def finish(self, n_rows: Sequence[int]) -> None:
        """Say that all blocks are there: from now on the folder is an ensemble.

        Parameters
        ----------
        n_rows : sequence of int
            Objects of each block.
        """
        k = self.n_clusters_each[:, None]
        partial = False
        for number, n in enumerate(n_rows):
            codes = map_block(self.folder / _labels_name(number), self.dtype)
            if codes.shape != (len(k), n):
                raise EnsembleFileError(
                    f"{self.folder / _labels_name(number)} has shape {codes.shape} "
                    f"instead of {(len(k), n)}."
                )
            partial = partial or bool((codes.max(axis=1, keepdims=True) == k).any())
        about = {
            **self.about,
            "kind": "partial" if partial else "hard",
            "n_objects": int(sum(n_rows)),
            "n_rows": [int(n) for n in n_rows],
        }
        with atomic_write(self.folder / "ensemble.json") as file:
            file.write(json.dumps(about, indent=1).encode())


def open_folder(path: str | os.PathLike[str]) -> Folder:
    """Look at a folder of labels without reading the labels.

    Parameters
    ----------
    path : path-like
        The folder.

    Returns
    -------
    folder : Folder
        What it holds.
    """
    folder = Path(path)
    about = _about(folder)
    if about.get("format") != FOLDER_FORMAT:
        raise EnsembleFileError(
            f"{folder} holds memberships or named objects, which are not mapped; use "
            "Ensemble.load."
        )
    try:
        k = np.array(about["n_clusters_each"], dtype=np.int64)
        n_rows = [int(n) for n in about["n_rows"]]
        found = Folder(
            folder.resolve(),
            str(about["kind"]),
            n_rows,
            k,
            np.dtype(str(about["dtype"])),
            about.get("groups"),
            about.get("clustering_names"),
        )
        fits = (
            k.ndim == 1
            and len(k) > 0
            and (k > 0).all()
            and found.kind in ("hard", "partial")
            and found.dtype == narrowest(int(k.max()))
            and len(n_rows) > 0
            and min(n_rows) > 0
            and sum(n_rows) == about["n_objects"]
        )
    except (KeyError, TypeError, ValueError):
        fits = False
    if not fits:
        raise EnsembleFileError(f"{folder} is damaged: ensemble.json does not fit.")
    for number, n in enumerate(found.n_rows):
        block = folder / _labels_name(number)
        if map_block(block, found.dtype).shape != (len(k), n):
            raise EnsembleFileError(f"{block} is damaged: its labels do not fit.")
    return found


def map_block(path: Path, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Map the labels of one block into memory.

    Parameters
    ----------
    path : Path
        The file.

    dtype : dtype
        What it must hold.

    Returns
    -------
    codes : ndarray of shape (n_clusterings, n_rows)
        They are read when they are needed.
    """
    try:
        codes = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise EnsembleFileError(f"{path} cannot be read ({error}).") from None
    if not isinstance(codes, np.memmap) or codes.dtype != dtype or codes.ndim != 2:
        raise EnsembleFileError(f"{path} is damaged: it does not hold labels.")
    return codes


def _labels_name(number: int) -> str:
    return f"block-{number:05d}.npy"


def _about(folder: Path) -> dict[str, Any]:
    try:
        about = json.loads((folder / "ensemble.json").read_text())
    except (OSError, ValueError):
        about = None
    if not isinstance(about, dict) or "n_objects" not in about:
        raise EnsembleFileError(f"{folder} holds no ensemble.json that comitia wrote.")
    return about


def _read_folder(folder: Path) -> dict[str, Any]:
    from scipy.sparse import vstack

    about = _about(folder)
    if about.get("format") == FOLDER_FORMAT:
        return _read_labels(open_folder(folder))
    try:
        n_blocks = int(about["n_blocks"])
    except (ValueError, KeyError, TypeError):
        raise EnsembleFileError(
            f"{folder} is damaged: ensemble.json does not fit."
        ) from None
    paths = [folder / _block_name(number) for number in range(n_blocks)]
    blocks = [_checked(read_arrays(path), path) for path in paths]
    if not blocks or any(
        not np.array_equal(block["n_clusters_each"], blocks[0]["n_clusters_each"])
        or (block["membership"] is None) != (about.get("kind") in ("hard", "partial"))
        or (block["object_names"] is None) != (blocks[0]["object_names"] is None)
        for block in blocks
    ):
        raise EnsembleFileError(f"{folder} is damaged: its blocks do not fit together.")
    parts = dict(blocks[0], kind=about.get("kind"))
    parts["codes"] = np.concatenate([block["codes"] for block in blocks], axis=1)
    if parts["codes"].shape[1] != about.get("n_objects") or parts["kind"] not in _KINDS:
        raise EnsembleFileError(f"{folder} is damaged: objects are missing.")
    if parts["membership"] is not None:
        parts["membership"] = vstack([b["membership"] for b in blocks], format="csr")
    if parts["object_names"] is not None:
        parts["object_names"] = np.concatenate([b["object_names"] for b in blocks])
    return parts


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
        path = folder.path / _labels_name(number)
        codes[:, start : start + rows] = map_block(path, folder.dtype)
        start += rows
    if (codes.max(axis=1) > k).any() or codes.min() < 0:
        raise EnsembleFileError(
            f"{folder.path} is damaged: its labels do not fit together."
        )
    return {
        "codes": codes,
        "n_clusters_each": k,
        "membership": None,
        "kind": folder.kind,
        "groups": folder.groups,
        "clustering_names": folder.clustering_names,
    }
