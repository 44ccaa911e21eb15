"""The result folder: refused early, filled aside, and there only when complete."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from comitia._files import UNFINISHED, atomic_write
from comitia._lock import locked
from comitia._optional import import_optional
from comitia._steps import OnProgress
from comitia._storage_paths import local_path
from comitia.exceptions import ComitiaError

__all__ = ["ResultFolder", "can_report", "check_obs", "write_obs"]


class ResultFolder:
    """Where a command writes, and where it keeps what a killed run has finished.

    Parameters
    ----------
    out : str
        The result folder. ``<out>.partial`` beside it holds finished clusterings.

    force : bool, default=False
        Replace the result that is there, and forget an unfinished run.

    resume : bool, default=False
        Go on with an unfinished run.

    Notes
    -----
    Made by :meth:`held`, so that no other run writes there meanwhile.
    """

    def __init__(self, out: str, *, force: bool = False, resume: bool = False) -> None:
        self.path = local_path(out, "a result is written to")
        if not self.path.name:
            raise ComitiaError(f"-o {out!r} is no name for a new folder; give another.")
        self.partial = self.path.with_name(f"{self.path.name}.partial")
        self.force, self.resume = force, resume
        if self.path.is_symlink() and not self.path.exists():
            raise ComitiaError(
                f"{self.path} is a link to a folder that is not there; give another "
                "with -o."
            )
        if self.path.exists() and not self.path.is_dir():
            raise ComitiaError(f"{self.path} is a file; give a folder with -o.")
        if not force and self.path.is_dir() and any(self.path.iterdir()):
            raise ComitiaError(
                f"the folder {self.path} is there already; give another with -o, or "
                "--force to replace the result in it."
            )
        if self.partial.exists() and not (force or resume):
            raise ComitiaError(
                f"{self.partial} holds a run that was not finished"
                f"{self.earlier_command}; go on with --resume, or start again with "
                "--force."
            )

    @classmethod
    @contextmanager
    def held(
        cls,
        out: str,
        *,
        force: bool = False,
        resume: bool = False,
        quiet: bool = False,
    ) -> Iterator[ResultFolder]:
        """Be the only run that writes to a result folder.

        Parameters
        ----------
        out : str
            The result folder.

        force, resume : bool, default=False
            As for the class.

        quiet : bool, default=False
            Do not say that a run before this one was killed.

        Yields
        ------
        folder : ResultFolder
            The folder.
        """

        def say(text: str) -> None:
            if not quiet:
                print(f"comitia: {text}", file=sys.stderr)

        place = local_path(out, "a result is written to")
        with locked(place, beside=True, instead="give another folder with -o", say=say):
            yield cls(out, force=force, resume=resume)

    @property
    def checkpoint(self) -> Path:
        """The folder of finished clusterings."""
        return self.partial / "clusterings"

    @property
    def blocks(self) -> Path:
        """The folder of finished row blocks, where the work is done in blocks."""
        return self.partial / "ensemble"

    @property
    def n_clusterings(self) -> int:
        """How many clusterings are finished."""
        return _n_files(self.checkpoint, "member-")

    @property
    def kept(self) -> str:
        """What is finished, in words; nothing if nothing is."""
        for n, what in (
            (self.n_clusterings, "clusterings"),
            (_n_files(self.blocks, "block-"), "blocks"),
        ):
            if n:
                return f"{n} {what}"
        return ""

    def begin(self, command: str) -> None:
        """Make the place for finished clusterings.

        Parameters
        ----------
        command : str
            What was typed.
        """
        from comitia.io.folder_swap import recover_folder
        from comitia.io.result_files import FILES

        for each in (self.checkpoint, self.blocks):
            if each.is_dir():
                # What the lock of the result has said of a killed run is enough.
                with locked(each, say=lambda text: None):
                    pass
        if self.partial.is_dir():
            recover_folder(self.path, FILES, self.partial)
        if self.partial.exists() and not self.resume:
            shutil.rmtree(self.partial)
        self.partial.mkdir(parents=True, exist_ok=True)
        about = self.partial / "command.json"
        if not about.exists():  # a run that goes on is called by its first name
            with atomic_write(about) as file:
                file.write(json.dumps({"command": command}).encode())

    def abandon(self) -> None:
        """Leave nothing behind."""
        shutil.rmtree(self.partial, ignore_errors=True)

    def publish(
        self, result: Any, report: bool, on_progress: OnProgress, drift: Any = None
    ) -> Path | None:
        """Let the finished folder appear, and forget the finished clusterings.

        Parameters
        ----------
        result : Result
            What to write.

        report : bool
            Whether to write the report too.

        on_progress : callable
            Told of the stages.

        drift : Drift, default=None
            What became of the clusters of the result before.

        Returns
        -------
        report : Path or None
            Where the report is.
        """
        # The report is written before the folder appears, so that it appears complete.
        with self.replaced_result() as place:
            on_progress("write", 0, 1)
            result.save(place)
            if drift is not None:
                from comitia.io.csv_cells import write_csv

                rows = [*drift.rows()]
                write_csv(place / "drift.csv", rows[0]._fields, rows)
            written = False
            if report:
                on_progress("report", 0, 1)
                written = _report(result, place / "report.html")
        self.abandon()
        return self.path / "report.html" if written else None

    def replaced_result(self) -> AbstractContextManager[Path]:
        """Make a folder for a result, which appears only when it is complete.

        Returns
        -------
        place : context manager of Path
            Where to write.
        """
        from comitia.io.result_files import FILES

        return self.replaced(FILES)

    def replaced(self, files: Sequence[str]) -> AbstractContextManager[Path]:
        """Make a folder to write into that appears only when it is complete.

        Parameters
        ----------
        files : sequence of str
            What it may hold. Other files of a folder that is there already stay.

        Returns
        -------
        place : context manager of Path
            Where to write.
        """
        from comitia.io.folder_swap import recover_folder, replaced_folder

        self.path.parent.mkdir(parents=True, exist_ok=True)
        # Where a killed run leaves things for the next one to find.
        workplace = self.partial if self.partial.is_dir() else None
        recover_folder(self.path, files, workplace)
        return replaced_folder(self.path, files, workplace)

    @property
    def earlier_command(self) -> str:
        """What was typed for the run that was not finished, in brackets."""
        try:
            command = json.loads(
                (self.partial / "command.json").read_text(encoding="utf-8")
            )["command"]
        except (OSError, ValueError, KeyError, TypeError):
            return ""
        return f" ({command})"


def _n_files(folder: Path, prefix: str) -> int:
    try:
        return sum(name.startswith(prefix) for name in os.listdir(folder))
    except FileNotFoundError:
        return 0


def can_report() -> bool:
    """Say whether the extra for reports is installed.

    Returns
    -------
    installed : bool
        Whether it is.
    """
    return importlib.util.find_spec("jinja2") is not None


def _report(result: Any, path: Path) -> bool:
    """Write the report if the extra for it is installed."""
    if not can_report():
        return False
    from comitia.report import write_report

    write_report(result, path)
    return True


def check_obs(path: str, key: str, force: bool) -> None:
    """Refuse early what :func:`write_obs` could not do.

    Parameters
    ----------
    path : str
        The .h5ad file.

    key : str
        The column of ``.obs`` to be written.

    force : bool
        Whether a column that is there may be replaced.
    """
    if Path(path).suffix != ".h5ad":
        raise ComitiaError("--write-obs writes into a .h5ad file; DATA is none.")
    h5py = import_optional("h5py", "writing .h5ad", "io")
    if not Path(path).is_file():
        return  # the reader says so
    with h5py.File(path, "r") as file:
        if key in file.get("obs", {}) and not force:
            raise ComitiaError(
                f".obs of {path} has a column {key!r} already; give another with "
                "--write-obs, or --force to replace it."
            )


def write_obs(path: str, key: str, result: Any) -> None:
    """Write labels and confidence into ``.obs`` of a .h5ad file, whole or not at all.

    The file is copied, the copy gets the columns, and takes the place of the file.

    Parameters
    ----------
    path : str
        The .h5ad file.

    key : str
        The column for the clusters; ``<key>_confidence`` gets the confidence.

    result : Result
        The result.
    """
    import anndata
    import h5py
    import pandas as pd

    target = Path(path)
    # Columns that other runs write meanwhile must not get lost.
    with locked(target, beside=True, wait=True, say=lambda text: None):
        handle, copy = tempfile.mkstemp(dir=target.parent, prefix=UNFINISHED)
        os.close(handle)
        try:
            shutil.copyfile(target, copy)
            shutil.copymode(target, copy)
            with h5py.File(copy, "r+") as file:
                obs = anndata.io.read_elem(file["obs"])
                obs[key] = pd.Categorical(result.labels.astype(str))
                obs[f"{key}_confidence"] = result.confidence
                anndata.io.write_elem(file, "obs", obs)
            os.replace(copy, target)
        except BaseException:
            Path(copy).unlink(missing_ok=True)
            raise
