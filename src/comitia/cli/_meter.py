"""Progress with the time left: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["Meter", "clock", "watching"]

# A log wants a line now and then, a short run none at all.
_SECONDS_BETWEEN_LINES = 10.0
_SECONDS_BETWEEN_LOOKS = 0.2


def clock(seconds: float) -> str:
    """Minutes and seconds.

    Parameters
    ----------
    seconds : float
        A duration.

    Returns
    -------
    text : str
        ``"0:07"``, or ``"2:03:00"`` with hours.
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


class Meter:
    """Shows on stderr how far the work is.

    Parameters
    ----------
    quiet : bool, default=False
        Show nothing.
    """

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet
        self._bar: Any = None
        self._task: Any = None
        self._begin = 0.0
        self._first: int | None = None
        self._said = 0.0

    @contextmanager
    def stage(self, what: str) -> Iterator[Meter]:
        """Show one stage of the work.

        Parameters
        ----------
        what : str
            What is being done, in a word or two.

        Yields
        ------
        meter : Meter
            Itself.
        """
        self._begin = self._said = time.monotonic()
        self._first = None
        self._what = what
        self._start_bar()
        try:
            yield self
        finally:
            if self._bar is not None:
                self._bar.stop()
                self._bar = None

    def show(self, done: int, total: int | None = None) -> None:
        """Say how far the stage is.

        Parameters
        ----------
        done : int
            How much is done.

        total : int, default=None
            Of how much.
        """
        if self._first is None:
            self._first = done  # what an earlier run did took no time in this one
        if self._bar is not None:
            self._bar.update(self._task, completed=done, total=total)
        elif not self.quiet:
            self._line(done, total)

    def _start_bar(self) -> None:
        if self.quiet or not sys.stderr.isatty():
            return
        try:
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                MofNCompleteColumn,
                Progress,
                TextColumn,
                TimeElapsedColumn,
                TimeRemainingColumn,
            )
        except ImportError:
            return
        self._bar = Progress(
            TextColumn("  {task.description:<9}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._bar.start()
        self._task = self._bar.add_task(self._what, total=None)

    def _line(self, done: int, total: int | None) -> None:
        now = time.monotonic()
        if now - self._said < _SECONDS_BETWEEN_LINES:
            return
        self._said = now
        text = f"  {self._what:<9} {done}"
        if total is not None:
            text += f" of {total}"
            new = done - (self._first or 0)
            if new > 0:
                left = (now - self._begin) / new * (total - done)
                text += f", about {clock(left)} left"
        print(text, file=sys.stderr, flush=True)


@contextmanager
def watching(folder: Path, meter: Meter) -> Iterator[None]:
    """Show how many members a generator has saved into its checkpoint.

    What is on disk is what a killed run keeps, whichever process made it.

    Parameters
    ----------
    folder : Path
        The checkpoint of the generator.

    meter : Meter
        Where it is shown.
    """
    stop = threading.Event()

    def look() -> None:
        total = None
        while not stop.wait(_SECONDS_BETWEEN_LOOKS):
            if total is None:
                total = _n_members(folder)
            if total is not None:
                meter.show(n_finished(folder), total)

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        stop.set()
        watcher.join()


def n_finished(folder: Path, called: str = "member-") -> int:
    """Count the members in a checkpoint, or the blocks in a folder of them.

    Parameters
    ----------
    folder : Path
        The folder.

    called : str, default="member-"
        What the names of finished files begin with.

    Returns
    -------
    n : int
        How many are finished.
    """
    try:
        return sum(name.startswith(called) for name in os.listdir(folder))
    except FileNotFoundError:
        return 0


def _n_members(folder: Path) -> int | None:
    try:
        return len(json.loads((folder / "run.json").read_text())["plans"])
    except (OSError, ValueError, KeyError):
        return None
