"""Finished members on disk, so that a killed run goes on where it was."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import is_dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from comitia._files import UNFINISHED, atomic_write, read_arrays, write_arrays
from comitia._lock import LOCK
from comitia.exceptions import EnsembleFileError

__all__ = ["Checkpoint", "fingerprint"]

FORMAT = "comitia-checkpoint-1"


def fingerprint(what: Mapping[str, Any], X: Any) -> str:
    """Tell one run from another.

    Parameters
    ----------
    what : dict
        The generator and its parameters.

    X : ndarray or csr_array
        The data.

    Returns
    -------
    digest : str
        Equal for equal generators on equal data.
    """
    digest = hashlib.blake2b(digest_size=16)
    digest.update(json.dumps(_described(what), sort_keys=True).encode())
    sparse = hasattr(X, "indptr")
    for part in (X.data, X.indices, X.indptr) if sparse else (X,):
        digest.update(f"{part.shape} {part.dtype}".encode())
        digest.update(np.ascontiguousarray(part).data)
    return digest.hexdigest()


def _described(what: Any) -> Any:
    """What JSON can hold and tells one parameter from another in any process.

    The ``repr`` of a long array leaves numbers out, that of an estimator parameters,
    and that of a function says where in memory it happens to be.
    """
    if isinstance(what, Mapping):
        return {str(name): _described(value) for name, value in what.items()}
    if isinstance(what, list | tuple):
        return [_described(value) for value in what]
    if isinstance(what, np.ndarray):
        digest = hashlib.blake2b(np.ascontiguousarray(what).data, digest_size=16)
        return [what.shape, str(what.dtype), digest.hexdigest()]
    if isinstance(what, partial):
        return [_described(part) for part in (what.func, what.args, what.keywords)]
    if isinstance(what, BaseEstimator):
        return [type(what).__name__, _described(what.get_params(deep=False))]
    if is_dataclass(what) and not isinstance(what, type):
        return [type(what).__name__, _described(vars(what))]
    if hasattr(what, "__qualname__"):
        return f"{what.__module__}.{what.__qualname__}"
    return repr(what)


class Checkpoint:
    """A folder with one file for each finished member.

    Every file is written whole or not at all, so a run that is killed at any moment
    leaves a folder from which the same run can go on.

    Parameters
    ----------
    folder : path-like
        Made if it is not there.

    run : str
        The fingerprint of the run.

    plans : list
        What each member is to do; replaced by what the folder says if the run has
        begun there.
    """

    def __init__(
        self, folder: str | os.PathLike[str], run: str, plans: list[Any]
    ) -> None:
        self.run = run
        # Workers that joblib keeps for the next run may be in another folder.
        self.folder = Path(folder).absolute()
        self.folder.mkdir(parents=True, exist_ok=True)
        about = self.folder / "run.json"
        if about.exists():
            self.plans = self._continue(about, run)
        elif any(
            not file.name.startswith((UNFINISHED, LOCK))
            for file in self.folder.iterdir()
        ):
            raise EnsembleFileError(
                f"checkpoint={str(self.folder)!r} holds files that are no checkpoint; "
                "give an empty or new folder."
            )
        else:
            self.plans = plans
            text = json.dumps({"format": FORMAT, "run": run, "plans": plans})
            with atomic_write(about) as file:
                file.write(text.encode())

    def _continue(self, about: Path, run: str) -> list[Any]:
        try:
            found = json.loads(about.read_text())
            if found["format"] != FORMAT:
                raise ValueError("unknown format")
            earlier, plans = found["run"], list(found["plans"])
        except (OSError, ValueError, KeyError, TypeError):
            raise EnsembleFileError(
                f"checkpoint={str(self.folder)!r} is damaged: run.json cannot be read; "
                "give a new folder."
            ) from None
        if earlier != run:
            raise EnsembleFileError(
                f"checkpoint={str(self.folder)!r} belongs to another run (other data "
                "or parameters); give a new folder."
            )
        return plans

    def read(self, m: int) -> dict[str, NDArray[Any]] | None:
        """Read a finished member.

        Parameters
        ----------
        m : int
            Its number.

        Returns
        -------
        arrays : dict of ndarray or None
            What was written, or None if the member is not finished. One that a worker
            of an earlier run has left here, whose main process was killed and whose
            folder was cleared for this run, is not.
        """
        path = self._path(m)
        if not path.exists():
            return None
        try:
            arrays = read_arrays(path)
        except EnsembleFileError as error:
            raise EnsembleFileError(
                f"{error} Delete it to have that member made again."
            ) from None
        return arrays if str(arrays.pop("run", "")) == self.run else None

    def write(self, m: int, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Write a finished member.

        Parameters
        ----------
        m : int
            Its number.

        arrays : dict of ndarray
            What :meth:`read` is to give back.
        """
        write_arrays(self._path(m), {**arrays, "run": np.array(self.run)})

    def _path(self, m: int) -> Path:
        return self.folder / f"member-{m:05d}.npz"
