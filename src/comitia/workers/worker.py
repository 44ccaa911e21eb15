"""The parent's side: start a process, ask it, stop it when time is up."""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from comitia.workers.worker_process import read_message, write_message

__all__ = ["Worker"]

# A process that has not answered by then is broken; a busy machine needs seconds.
_SECONDS_TO_START = 120.0


class Worker:
    """A process that calls functions, one at a time, within limits.

    It starts with the first call. Nothing of the calling script is imported again, no
    thread of this process is forked, and the process ends with this one, however this
    one ends.

    Parameters
    ----------
    memory_limit : int
        Bytes that it may allocate beyond what it has after its imports.

    shared : dict, default=None
        Arguments that every call gets; they are sent once.

    preload : sequence of str, default=()
        Modules to import first, so that neither time nor memory of a call count them.

    environment : dict of str to str, default=None
        What differs from the environment of this process, such as the number of
        threads.
    """

    def __init__(
        self,
        memory_limit: int,
        *,
        shared: Mapping[str, Any] | None = None,
        preload: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._setup = pickle.dumps(
            {
                "memory_limit": memory_limit,
                "shared": dict(shared or {}),
                "preload": list(preload),
            }
        )
        self._environment = environment or {}
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False

    def call(
        self, function: str, arguments: dict[str, Any], time_limit: float
    ) -> dict[str, Any]:
        """Call a function in the process.

        Parameters
        ----------
        function : str
            Where to find it, as ``"module:function"``.

        arguments : dict
            What it is called with, by name, beside what is shared.

        time_limit : float
            Seconds after which the process is stopped.

        Returns
        -------
        answer : dict
            ``status`` and ``message``; with the status "ok" also ``value``, ``seconds``
            and ``peak_mb``.
        """
        if self._closed:
            raise RuntimeError("this worker was closed; make a new one.")
        if self._process is None:
            self._start()
            if self._closed:  # while it started
                self._stop()
                return {"status": "failed", "message": "its process was stopped"}
            started = self._ask(self._setup, _SECONDS_TO_START)
            if started["status"] != "ok":
                return {**started, "status": "failed"}
        # Pickled on their own: arguments that cannot be read there are a failed call.
        request = {"function": function, "arguments": pickle.dumps(arguments)}
        return self._ask(pickle.dumps(request), time_limit)

    def close(self) -> None:
        """Stop for good: a call that another thread makes starts no new process."""
        self._closed = True
        self._stop()

    def _stop(self) -> None:
        """Stop the process and all it has started."""
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        process.wait()
        self._listener.join()
        for stream in (process.stdin, process.stdout, self._errors):
            if stream is not None:
                with contextlib.suppress(OSError):  # a request it did not read
                    stream.close()

    def _start(self) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by _stop
        # It gets our sys.path; -P keeps out modules of the current folder. In a session
        # of its own it can be killed together with its children.
        paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "comitia.workers.worker_process"],
            env={**os.environ, **self._environment, "PYTHONPATH": paths},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,
        )
        self._answers: queue.Queue[bytes | None] = queue.Queue()
        self._listener = threading.Thread(
            target=_listen, args=(self._process.stdout, self._answers), daemon=True
        )
        self._listener.start()

    def _ask(self, request: bytes, time_limit: float) -> dict[str, Any]:
        assert self._process is not None
        assert self._process.stdin is not None
        start = time.monotonic()
        # A process that is gone is a broken pipe, and on Windows an invalid argument.
        with contextlib.suppress(OSError):
            write_message(self._process.stdin, request)
        try:
            left = max(time_limit - (time.monotonic() - start), 0.0)
            answer = self._answers.get(timeout=left)
        except queue.Empty:
            self._stop()
            return {
                "status": "timed out",
                "message": f"stopped after {time_limit:g} s (time_limit).",
            }
        if answer is None:
            return self._died()
        found: dict[str, Any] = pickle.loads(answer)  # noqa: S301  our own child's
        return found

    def _died(self) -> dict[str, Any]:
        """What is known of a process that ended without an answer."""
        process, errors = self._process, self._errors
        if process is None:  # closed by another thread meanwhile
            return {"status": "failed", "message": "its process was stopped"}
        code = process.wait()
        errors.seek(0)
        lines = errors.read().decode(errors="replace").strip().splitlines()
        self._stop()
        last = f": {lines[-1]}" if lines else ""
        how = f"signal {-code}" if code < 0 else f"exit status {code}"
        # What Python, C++ and C print when an allocation fails.
        short = any(
            word in line
            for line in lines[-5:]
            for word in ("MemoryError", "bad_alloc", "allocate memory")
        )
        return {
            "status": "out of memory" if short else "failed",
            "message": f"its process ended with {how}{last}",
        }


def _listen(stream: Any, answers: queue.Queue[bytes | None]) -> None:
    while (message := read_message(stream)) is not None:
        answers.put(message)
    answers.put(None)
