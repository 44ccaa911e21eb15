"""Ensembles on disk: one .npz without pickle, or a folder of row blocks."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from comitia._files import atomic_write, read_arrays
from comitia.exceptions import ComitiaError, EnsembleFileError

if TYPE_CHECKING:
    from comitia.ensemble import Ensemble

__all__ = ["read", "write"]

FORMAT = "comitia-ensemble-1"
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
    with atomic_write(target) as file:
        np.savez_compressed(file, **_arrays(ensemble))  # type: ignore[arg-type]


def _write_folder(ensemble: Ensemble, target: Path, block_rows: int) -> None:
    if block_rows < 1:
        raise ComitiaError(f"block_rows={block_rows} must be at least 1.")
    if target.exists():
        raise EnsembleFileError(f"{target} exists already; give a new folder name.")
    folder = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}-"))
    try:
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
        os.rename(folder, target)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


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


def _read_folder(folder: Path) -> dict[str, Any]:
    from scipy.sparse import vstack

    try:
        about = json.loads((folder / "ensemble.json").read_text())
        n_blocks = int(about["n_blocks"])
    except (OSError, ValueError, KeyError, TypeError):
        raise EnsembleFileError(
            f"{folder} holds no ensemble.json that comitia wrote."
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
