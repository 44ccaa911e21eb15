"""Folders that appear whole or not at all."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from comitia._files import UNFINISHED

__all__ = ["recover_folder", "replaced_folder"]


@contextmanager
def replaced_folder(
    target: Path, files: Sequence[str], workplace: Path | None = None
) -> Iterator[Path]:
    """Make a folder to write into that takes the place of another when it is finished.

    Parameters
    ----------
    target : Path
        The folder that is to appear.

    files : sequence of str
        What it may hold. Other files of a folder that is there already stay, and the
        new one has is_of_target mode.

    workplace : Path, default=None
        A folder on the same disk for what is not finished; beside the target by
        default. What a killed process leaves there, :func:`recover_folder` finds.
        Whoever calls this holds the lock of the target.

    Yields
    ------
    place : Path
        Where to write.
    """
    room = Path(
        tempfile.mkdtemp(
            dir=workplace or target.parent, prefix=UNFINISHED, suffix=f"-{target.name}"
        )
    )
    fresh, old = room / "new", room / "old"
    try:
        # mkdtemp's folder is private; one inside it has the usual mode.
        fresh.mkdir()
        if target.exists():
            fresh.chmod(stat.S_IMODE(target.stat().st_mode) | stat.S_IRWXU)
        yield fresh
        _sync(fresh)
        if target.exists():
            os.rename(target, old)
        try:
            for entry in old.iterdir() if old.exists() else ():
                if entry.name not in files:
                    os.rename(entry, fresh / entry.name)
            os.rename(fresh, target)
        except BaseException:
            _restore_old(old, fresh, target, files)
            raise
        _sync(target.parent)
    finally:
        # An old folder that could not be brought back is left where it can be found.
        if target.exists() or not old.exists():
            shutil.rmtree(room, ignore_errors=True)


def recover_folder(
    target: Path, files: Sequence[str], workplace: Path | None = None
) -> None:
    """Tidy up after a process that was killed while it replaced a folder.

    Whoever calls this holds the lock of the target, so that the process is gone.

    Parameters
    ----------
    target : Path
        The folder. If it was taken away already, it is brought back.

    files, workplace : shared
        As for :func:`replaced_folder`.
    """
    where = workplace or target.parent
    for room in where.glob(f"{UNFINISHED}*") if where.is_dir() else ():
        # Between prefix and suffix mkdtemp puts 8 characters, none a hyphen.
        is_of_target = room.name.removeprefix(UNFINISHED)[8:] == f"-{target.name}"
        if room.is_dir() and (is_of_target or workplace is not None):
            if not target.exists():
                _restore_old(room / "old", room / "new", target, files)
            shutil.rmtree(room)


def _restore_old(old: Path, fresh: Path, target: Path, files: Sequence[str]) -> None:
    if not old.exists():
        return
    for entry in fresh.iterdir():
        if entry.name not in files:
            os.rename(entry, old / entry.name)
    os.rename(old, target)


def _sync(folder: Path) -> None:
    # Windows cannot open a folder to sync it.
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
