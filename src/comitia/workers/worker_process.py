"""The process's side: what runs in the process of a :class:`Worker`.

It reads requests from its standard input and answers on what was its standard output;
anything a library prints goes to standard error. When the input ends, the parent is
gone or has no more work, and the process ends with everything it has started.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import pickle
import queue
import signal
import struct
import sys
import threading
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import IO, Any

__all__ = ["read_message", "serve", "write_message"]

_LENGTH = struct.Struct("<Q")


def write_message(stream: IO[bytes], message: bytes) -> None:
    """Write a message with its length before it.

    Parameters
    ----------
    stream : binary file
        Where to.

    message : bytes
        What.
    """
    stream.write(_LENGTH.pack(len(message)))
    stream.write(message)
    stream.flush()


def read_message(stream: IO[bytes]) -> bytes | None:
    """Read a message that :func:`write_message` wrote.

    Parameters
    ----------
    stream : binary file
        Where from.

    Returns
    -------
    message : bytes or None
        None when the stream has ended, in a message or before one.
    """
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    message = stream.read(length)
    return message if len(message) == length else None


def serve() -> None:
    """Answer requests until the input ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    requests: queue.Queue[bytes] = queue.Queue()
    threading.Thread(
        target=_listen, args=(sys.stdin.buffer, requests), daemon=True
    ).start()
    setup = pickle.loads(requests.get())  # noqa: S301  our parent's
    for name in setup["preload"]:
        importlib.import_module(name)
    _limit_memory(setup["memory_limit"])
    write_message(answers, pickle.dumps({"status": "ok"}))
    while True:
        request = pickle.loads(requests.get())  # noqa: S301  our parent's
        answer = _answer(request["function"], setup["shared"], request["arguments"])
        write_message(answers, pickle.dumps(answer))


def _listen(stream: IO[bytes], requests: queue.Queue[bytes]) -> None:
    while (message := read_message(stream)) is not None:
        requests.put(message)
    # A call may be under way, and may have processes of its own.
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(0)


def _limit_memory(n_bytes: int) -> None:
    """Let allocations fail beyond what the process has now plus ``n_bytes``."""
    from comitia import config

    config.set_memory_budget(n_bytes)
    now = _status_kb("VmData") * 1024
    if not now:  # not Linux: a limit cannot be told from what the process has already
        return
    import resource

    most = resource.getrlimit(resource.RLIMIT_DATA)[1]
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (now + n_bytes, most))


def _answer(address: str, shared: dict[str, Any], pickled: bytes) -> dict[str, Any]:
    module, _, name = address.partition(":")
    try:
        function = getattr(importlib.import_module(module), name)
        arguments = pickle.loads(pickled)  # noqa: S301  our parent's
        return _measured(partial(function, **shared, **arguments))
    except MemoryError as error:
        return {"status": "out of memory", "message": str(error) or "MemoryError"}
    except Exception as error:
        from comitia.exceptions import MemoryBudgetError

        short = isinstance(error, MemoryBudgetError)
        kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
        return {
            "status": "out of memory" if short else "failed",
            "message": f"{kind}{error}",
        }


def _measured(work: Callable[[], Any]) -> dict[str, Any]:
    before = _start_peak()
    start = time.perf_counter()
    with (
        warnings.catch_warnings(record=True) as caught,
        contextlib.redirect_stdout(io.StringIO()),
    ):
        warnings.simplefilter("always")
        value = work()
    seconds = time.perf_counter() - start
    texts = list(dict.fromkeys(str(one.message) for one in caught))
    return {
        "status": "ok",
        "value": value,
        "seconds": seconds,
        "peak_mb": max(_peak_kb() - before, 0) * 1024 / 1e6,
        "message": "" if not texts else f"warned: {texts[0]}",
    }


def _start_peak() -> int:
    """Reset the peak of memory where the system can, and return the current peak."""
    with (
        contextlib.suppress(OSError),
        open("/proc/self/clear_refs", "w", encoding="utf-8") as file,
    ):
        file.write("5")
    return _peak_kb()


def _peak_kb() -> int:
    peak = _status_kb("VmHWM")
    if peak:
        return peak
    try:
        import resource
    except ImportError:
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most // 1024 if sys.platform == "darwin" else most


def _status_kb(name: str) -> int:
    with (
        contextlib.suppress(OSError),
        open("/proc/self/status", encoding="utf-8") as file,
    ):
        for line in file:
            if line.startswith(f"{name}:"):
                return int(line.split()[1])
    return 0


if __name__ == "__main__":
    serve()
