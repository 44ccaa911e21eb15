"""Ensembles that comitia saved, and the known labels of its results."""

from __future__ import annotations

import os
import shlex
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._files import read_npy
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.io._input_paths import is_stdin, open_input, source_of

__all__ = ["saved_ensemble", "saved_truth"]


def saved_ensemble(path: str | os.PathLike[str]) -> Ensemble | None:
    """Read an ensemble that comitia saved, if it is one.

    Parameters
    ----------
    path : path-like
        A file, or a folder: a result, or an ensemble in row blocks.

    Returns
    -------
    ensemble : Ensemble or None
        None if the file is something else.
    """
    if is_stdin(path):
        return None
    if Path(path).is_dir() and Path(path).suffix.lower() != ".zarr":
        # A result folder, or an ensemble in row blocks.
        inside = Path(path) / "ensemble.npz"
        return Ensemble.load(inside if inside.exists() else path)
    if Path(path).suffix.lower() != ".npz":
        return None
    with open_input(path) as file:
        try:
            with zipfile.ZipFile(file) as archive:
                named = archive.getinfo("format.npy")
                with archive.open(named) as part:
                    # The name of our format is short; nothing longer is unpacked.
                    is_ours = named.file_size < 1000 and str(
                        read_npy(part, named.file_size)
                    ).startswith("comitia-ensemble")
        except Exception:  # the reader of tables says what is wrong with it
            return None
    return Ensemble.load(path) if is_ours else None


def saved_truth(path: str | os.PathLike[str], name: str) -> NDArray[Any]:
    """Read the known labels of a result that comitia saved.

    Parameters
    ----------
    path : path-like
        The result folder.

    name : str
        What the known labels were called when the result was made, or ``"truth"``, as
        ``labels.csv`` calls them.

    Returns
    -------
    truth : ndarray of shape (n_objects,)
        As text; None where they are not known.
    """
    from comitia.io.results import Result

    is_result = (Path(path) / "result.json").exists()
    result = Result.load(path) if is_result else None
    if result is None or result.truth is None:
        raise ComitiaError(
            f"{source_of(path)} holds no known labels, so that --truth {name} means "
            "nothing; a result has them if comitia fit was given --truth."
        )
    words = [*shlex.split(result.command or ""), ""]
    called = "truth"
    for at, word in enumerate(words[:-1]):
        option, equals, value = word.partition("=")
        if option == "--truth":
            called = value if equals else words[at + 1]
    if name not in ("truth", called):
        raise ComitiaError(
            f"truth={name!r} is not in {source_of(path)}; its known labels are called "
            f"{called!r}."
        )
    return np.array([value or None for value in result.truth.tolist()], dtype=object)
