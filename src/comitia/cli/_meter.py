"""Progress, memory and time left: a bar on a terminal, some lines elsewhere."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

__all__ = ["Meter", "clock", "memory_words"]

# A log wants a line now and then, a short run none at all.
_SECONDS_BETWEEN_LINES = 10.0

# What a stage is called on the screen.
_WORDS = {
    "read": "reading",
    "prepare": "preparing",
    "generate": "ensemble",
    "weigh": "weights",
    "combine": "consensus",
    "collect": "confidence",
    "write": "result",
    "report": "report",
    "choose": "choose k",
    "compare": "methods",
    "compile": "kernels",
}


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


def memory_words() -> str:
    """The memory that this process has now, in words.

    Returns
    -------
    text : str
        ``"1.2 GB"``; the most that it has had where the system does not say more.
    """
    try:
        with open("/proc/self/statm", encoding="utf-8") as file:
            n_bytes = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        try:
            import resource
        except ImportError:  # Windows
            return ""
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        n_bytes = most if sys.platform == "darwin" else most * 1024
    return f"{n_bytes / 1e9:.1f} GB"


class Meter:
    """Shows on stderr how far the work is, while a ``with`` block lasts.

    Parameters
    ----------
    quiet : bool, default=False
        Show nothing.

    n_earlier : int, default=0
        How many clusterings an earlier run has made, which take no time in this one.
    """

    def __init__(self, quiet: bool = False, n_earlier: int = 0) -> None:
        self.quiet = quiet
        self.n_earlier = n_earlier
        self._stage: str | None = None
        self._bar: Any = None
        self._task: Any = None
        self._begin = 0.0
        self._first = 0
        self._last_line = 0.0

    def __enter__(self) -> Meter:
        return self

    def __exit__(self, *error: object) -> None:
        self._end_stage()
        self._stage = None

    def on_progress(self, stage: str, done: int, total: int) -> None:
        """Show how far a stage is; a new stage takes the place of the one before.

        Parameters
        ----------
        stage : str
            What is being done, as ``fit`` and others call it.

        done, total : int
            How much is done, and of how much.
        """
        if stage != self._stage:
            self._end_stage()
            self._stage = stage
            self._begin = self._last_line = time.monotonic()
            self._first = max(done, self.n_earlier if stage == "generate" else 0)
            self._start_bar()
        if self._bar is not None:
            self._bar.update(
                self._task, completed=done, total=total, memory=memory_words()
            )
        elif not self.quiet:
            self._print_line(done, total)

    @property
    def _words(self) -> str:
        return _WORDS.get(self._stage or "", self._stage or "")

    def _end_stage(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
        elif self._stage is not None and not self.quiet:
            # A log hears of long stages that tell nothing on the way, too.
            spent = time.monotonic() - self._begin
            if spent >= _SECONDS_BETWEEN_LINES:
                text = f"  {self._words:<9} {clock(spent)}, {memory_words()}"
                print(text, file=sys.stderr, flush=True)

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
            TextColumn("{task.fields[memory]}"),
            console=Console(stderr=True),
            transient=True,
        )
        self._bar.start()
        self._task = self._bar.add_task(self._words, total=None, memory=memory_words())

    def _print_line(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._last_line < _SECONDS_BETWEEN_LINES:
            return
        self._last_line = now
        text = f"  {self._words:<9} {done} of {total}"
        new = done - self._first
        if new > 0:
            left = (now - self._begin) / new * (total - done)
            text += f", about {clock(left)} left"
        text += f", {memory_words()}"
        print(text, file=sys.stderr, flush=True)
