"""Jobs, and the processes that do them: a time and a memory limit for each."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.harness import ONE_THREAD

__all__ = ["Crew", "Job", "Slow", "cell"]

_SKIPPED = {
    "status": "timed out",
    "message": "not tried: another seed ran out of time on this data set",
}


@dataclass(frozen=True)
class Job:
    """One call, and the row that comes of it.

    Parameters
    ----------
    key : dict
        The columns that tell this job from the others; jobs of a part have the same
        ones. Also arguments of the function.

    function : callable
        At module level. It returns a dict: the values of the row.

    arguments : dict, default={}
        Further arguments of the function; they are pickled.
    """

    key: Mapping[str, Any]
    function: Callable[..., Mapping[str, Any]]
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> tuple[str, ...]:
        """The key as it stands in the file."""
        return tuple(cell(value) for value in self.key.values())

    @property
    def address(self) -> str:
        """Where another process finds the function."""
        return f"{self.function.__module__}:{self.function.__qualname__}"


class Slow:
    """What ran out of time, by a name; without one, nothing is slow.

    Parameters
    ----------
    name_of : callable or None
        The name of a job.
    """

    def __init__(self, name_of: Callable[[Job], Any] | None) -> None:
        self._name_of = name_of
        self._names: set[Any] = set()

    def note(self, job: Job, answer: Mapping[str, Any] | None) -> None:
        """Remember the name of a job that ran out of time.

        Parameters
        ----------
        job : Job
            The job.

        answer : dict or None
            What came of it, if it was tried.
        """
        late = answer is not None and answer["status"] == "timed out"
        if late and self._name_of is not None:
            self._names.add(self._name_of(job))

    def __contains__(self, job: Job) -> bool:
        return self._name_of is not None and self._name_of(job) in self._names


class Crew:
    """Workers that take jobs from the front of a list until it is empty or time is up.

    Parameters
    ----------
    n_jobs : int
        Number of processes, one thread each.

    time_limit, memory_limit : float
        Most seconds and MB of one job.

    stop_after : float or None
        Seconds after which all are stopped.
    """

    def __init__(
        self,
        n_jobs: int,
        time_limit: float,
        memory_limit: float,
        stop_after: float | None,
    ) -> None:
        from comitia.workers import Worker

        self._workers = [
            Worker(
                int(memory_limit * 1e6),
                preload=(
                    "scipy.sparse",
                    "comitia.base",
                    "comitia._kernels.linkage",
                ),
                environment=ONE_THREAD,
            )
            for _ in range(n_jobs)
        ]
        self._limit = time_limit
        self._stop_at = float("inf")
        if stop_after is not None:
            self._stop_at = time.monotonic() + stop_after
        self._answers: queue.Queue[tuple[Job, dict[str, Any]] | None] = queue.Queue()
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop_at = 0.0
        for worker in self._workers:
            worker.close()
        for thread in self._threads:
            thread.join()

    def work(
        self, jobs: Sequence[Job], slow: Slow
    ) -> Iterator[tuple[Job, dict[str, Any]]]:
        """Do jobs.

        Parameters
        ----------
        jobs : sequence of Job
            In the order in which they are begun.

        slow : Slow
            What is not tried; jobs that run out of time are noted there.

        Yields
        ------
        job, answer : Job, dict
            As jobs end. ``status`` and ``message``, and with the status "ok" also
            ``value``, ``seconds`` and ``peak_mb``.
        """
        waiting = iter(jobs)
        self._threads = [
            threading.Thread(target=self._serve, args=(worker, waiting, slow))
            for worker in self._workers
        ]
        for thread in self._threads:
            thread.start()
        serving = len(self._threads)
        while serving:
            try:
                got = self._answers.get(timeout=self._seconds_left())
            except queue.Empty:
                return  # what runs now is stopped with its process
            if got is None:
                serving -= 1
            else:
                yield got

    def _serve(self, worker: Any, waiting: Iterator[Job], slow: Slow) -> None:
        try:
            while time.monotonic() < self._stop_at:
                with self._lock:
                    job = next(waiting, None)
                if job is None:
                    break
                answer = _SKIPPED.copy() if job in slow else self._do(worker, job)
                slow.note(job, answer)
                self._answers.put((job, answer))
        except RuntimeError:
            if self._stop_at:  # else the worker was closed, and nobody waits
                raise
        finally:
            self._answers.put(None)

    def _do(self, worker: Any, job: Job) -> dict[str, Any]:
        arguments = {**job.key, **job.arguments}
        return worker.call(job.address, arguments, self._limit)

    def _seconds_left(self) -> float | None:
        if self._stop_at == float("inf"):
            return None
        return max(self._stop_at - time.monotonic(), 0.0)


def cell(value: Any) -> str:
    """A value as it stands in a file: no line breaks, four digits are enough.

    Parameters
    ----------
    value : object
        A number or a text.

    Returns
    -------
    cell : str
        The text.
    """
    if isinstance(value, float):
        return f"{value:.4g}"
    return " ".join(str(value).split())[:300]
