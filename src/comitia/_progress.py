"""How far a step is, and how long its stages take."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

__all__ = ["OnProgress", "Progress"]

# Called as ``on_progress(stage, done, total)``.
OnProgress = Callable[[str, int, int], None]


class Progress:
    """Tells a caller how far the stages of a step are, and times them.

    Parameters
    ----------
    on_progress : callable or None, default=None
        Who is told.

    seconds : dict of str to float, default=None
        What earlier stages took.

    Attributes
    ----------
    seconds : dict of str to float
        What each stage took, less the stages inside of it.
    """

    def __init__(
        self,
        on_progress: OnProgress | None = None,
        seconds: dict[str, float] | None = None,
    ) -> None:
        self.on_progress = on_progress
        self.seconds = {} if seconds is None else dict(seconds)
        self._last: dict[str, tuple[int, int]] = {}

    def report(self, stage: str, done: int, total: int) -> None:
        """Say how far a stage is.

        Parameters
        ----------
        stage : str
            What is being done.

        done, total : int
            How much of it is done, and of how much.
        """
        self._last[stage] = (done, total)
        if self.on_progress is not None:
            self.on_progress(stage, done, total)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage, and say when it begins and when it is done.

        Parameters
        ----------
        name : str
            What is being done.
        """
        begin, earlier = perf_counter(), sum(self.seconds.values())
        self.report(name, 0, 1)
        yield
        inside = sum(self.seconds.values()) - earlier
        self.seconds[name] = perf_counter() - begin - inside
        done, total = self._last[name]
        if done != total:  # a loop may end before its last round
            self.report(name, total, total)
