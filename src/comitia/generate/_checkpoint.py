"""Finished members on disk, so that a killed run goes on where it was."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from comitia._files import (
    UNFINISHED,
    read_arrays,
    read_json,
    write_arrays,
    write_json,
)
from comitia._lock import LOCK
from comitia.exceptions import EnsembleFileError
from comitia.generate.member import Made

__all__ = ["Checkpoint", "check_state", "fingerprint"]

FORMAT = "comitia-checkpoint-2"


def fingerprint(what: Mapping[str, Any], X: Any) -> str:
    """Tell one run from another: equal for equal parameters and equal data."""
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

    n_objects : int
        How many objects each member clusters.

    is_seeded : bool, default=False
        Whether the same run always has the same plans.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        run: str,
        plans: list[Any],
        n_objects: int,
        *,
        is_seeded: bool = False,
    ) -> None:
        self.n_objects = n_objects
        self.run = run
        # Workers that joblib keeps for the next run may be in another folder.
        self.folder = Path(folder).absolute()
        self.folder.mkdir(parents=True, exist_ok=True)
        about = self.folder / "run.json"
        if about.exists():
            self.plans = self._continue(about, run, plans, is_seeded)
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
            write_json(about, {"format": FORMAT, "run": run, "plans": plans})

    def _continue(
        self, about: Path, run: str, fresh: list[Any], is_seeded: bool
    ) -> list[Any]:
        try:
            found = read_json(about, FORMAT)
            if found["format"] != FORMAT:
                raise ValueError("unknown format")
            earlier, plans = found["run"], found["plans"]
            known = json.loads(json.dumps(fresh))
            fits = _same_steps(plans, known) and (not is_seeded or plans == known)
            if earlier == run and not fits:
                raise ValueError("these are not the plans of the run")
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
        return list(plans)

    def read(self, m: int) -> dict[str, NDArray[Any]] | None:
        """Read the arrays of a finished member; None if it is not finished.

        One that a worker of an earlier run has left here, whose main process was killed
        and whose folder was cleared for this run, is not.
        """
        path = self._path(m)
        if not path.exists():
            return None
        try:
            found = read_arrays(path)
            owner = str(found.pop("member", ""))
            if owner.rpartition(" ")[0] != self.run:
                return None  # a worker of another run left it: it is made again
            if owner != self._seal(m):
                raise EnsembleFileError(f"{path} is damaged: it is another member.")
            self._check(found, path)
        except EnsembleFileError as error:
            raise EnsembleFileError(
                f"{error} Delete it to have that member made again."
            ) from None
        return found

    def _check(self, found: dict[str, NDArray[Any]], path: Path) -> None:
        """Check the labels or memberships; how they are coded is checked later."""
        labels, membership = found.get("labels"), found.get("membership")
        n = self.n_objects
        fits = (labels is None) != (membership is None)
        if labels is not None:
            fits &= labels.shape == (n,) and labels.dtype.kind in "iu"
            fits = fits and labels.min() >= -1
        if membership is not None:
            fits &= membership.ndim == 2 and membership.dtype.kind == "f"
            fits = fits and len(membership) == n
        if not fits:
            raise EnsembleFileError(
                f"{path} is damaged: it does not hold a clustering of {n} objects."
            )

    def write(self, m: int, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Write the arrays of a finished member."""
        write_arrays(self._path(m), {**arrays, "member": np.array(self._seal(m))})

    def keep(self, m: int, fit: Callable[[], Made]) -> Made:
        """Read a member that is finished, or make it with ``fit`` and write it.

        One that is read has no model.
        """
        found = self.read(m)
        if found is not None:
            labels = found.pop("labels", None)
            membership = found.pop("membership", None)
            return Made(labels, membership, state=found, earlier=True)
        made = fit()
        arrays = made.arrays()
        if made.labels is not None:
            arrays["labels"] = np.asarray(made.labels)
        if made.membership is not None:
            arrays["membership"] = np.asarray(made.membership)
        self.write(m, arrays)
        return made

    def _seal(self, m: int) -> str:
        """Whose member it is, and which."""
        return f"{self.run} {m}"

    def _path(self, m: int) -> Path:
        return self.folder / f"member-{m:05d}.npz"


def check_state(
    state: Mapping[str, NDArray[Any]], shapes: Mapping[str, str], **sizes: int
) -> dict[str, int]:
    """Check the arrays of a model that was kept, which kernels will read.

    Shapes are given by the names of their dimensions, as in ``"k p"``; no name is a
    number. Dimensions of one name are equal, and those in ``sizes`` are known. All
    dimensions are returned.
    """
    for name, dimensions in shapes.items():
        array, called = state.get(name), dimensions.split()
        fits = (
            array is not None
            and array.dtype.kind in "iuf"
            and array.dtype.isnative
            and len(called) == array.ndim
            and 0 not in array.shape
            and bool(np.isfinite(array).all())
            and all(
                sizes.setdefault(dimension, size) == size
                for dimension, size in zip(called, array.shape, strict=True)
            )
        )
        if not fits:
            raise EnsembleFileError(
                f"a member in the checkpoint is damaged: its {name} do not fit; delete "
                "the checkpoint, or give a new folder."
            )
    return sizes


def _same_steps(plans: Any, others: list[dict[str, Any]]) -> bool:
    """Whether plans differ in numbers and names alone."""
    return (
        isinstance(plans, list)
        and len(plans) == len(others)
        and all(
            isinstance(plan, dict) and plan.keys() == other.keys()
            for plan, other in zip(plans, others, strict=True)
        )
    )
