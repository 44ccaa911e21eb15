"""A process that works for :mod:`comitia.advise._workers`: one fit or call at a time.

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

__all__ = ["main", "read_message", "write_message"]

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


def main() -> None:
    """Answer requests until the input ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    requests: queue.Queue[bytes] = queue.Queue()
    threading.Thread(
        target=_listen, args=(sys.stdin.buffer, requests), daemon=True
    ).start()
    setting: dict[str, Any] = {}
    while True:
        request = pickle.loads(requests.get())  # nosec B301 # our parent's
        if "setting" in request:
            setting = request["setting"]
            _limit_memory(setting["memory_limit"])
            answer: dict[str, Any] = {"status": "ok"}
        else:
            answer = _answer(setting, request)
        write_message(answers, pickle.dumps(answer))


def _listen(stream: IO[bytes], requests: queue.Queue[bytes]) -> None:
    while (message := read_message(stream)) is not None:
        requests.put(message)
    # A fit may be under way, and may have processes of its own.
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(0)


def _limit_memory(n_bytes: int) -> None:
    """Let allocations fail that go beyond what the process has now and this."""
    from comitia import config

    _load()
    config.set_memory_budget(n_bytes)
    try:
        import resource
    except ImportError:  # not a Unix; the budget alone holds
        return
    kind = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    most = _status_kb("VmData") * 1024 + n_bytes
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(kind, (most, resource.getrlimit(kind)[1]))


def _load() -> None:
    """Import what every fit needs, so that neither time nor memory count it."""
    for name in ("scipy.sparse", "comitia.base", "comitia._kernels.linkage"):
        importlib.import_module(name)


def _answer(setting: dict[str, Any], request: dict[str, Any]) -> dict[str, Any]:
    try:
        if "call" in request:
            return _measured(partial(_found(request["call"]), **request["arguments"]))
        estimator = pickle.loads(request["estimator"])  # nosec B301 # our parent's
        X, ensemble = setting["X"], setting["ensemble"]
        if request["clusterings"] is not None and ensemble is not None:
            ensemble = ensemble.take(clusterings=request["clusterings"])
        if request["objects"] is not None:
            X = None if X is None else X[request["objects"]]
            if ensemble is not None:
                ensemble = ensemble.take(objects=request["objects"])
        answer = _measured(partial(_labels, estimator, X, ensemble))
        return {**answer, "labels": answer.pop("value")}
    except MemoryError as error:
        return {"status": "out of memory", "message": str(error) or "MemoryError"}
    except Exception as error:
        from comitia.exceptions import MemoryBudgetError

        short = isinstance(error, MemoryBudgetError)
        text = str(error) if isinstance(error, ValueError) else _named(error)
        return {"status": "out of memory" if short else "failed", "message": text}


def _labels(estimator: Any, X: Any, ensemble: Any) -> Any:
    needs = estimator.card.needs
    if "labels" not in needs:
        estimator.fit(X)
    elif "data" in needs:
        estimator.fit(X, ensemble=ensemble)
    else:
        estimator.fit(ensemble)
    return estimator.labels_


def _found(address: str) -> Callable[..., Any]:
    module, _, name = address.partition(":")
    return getattr(importlib.import_module(module), name)


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


def _named(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _start_peak() -> int:
    """Forget the highest use so far where that can be, and say what is used now."""
    with contextlib.suppress(OSError), open("/proc/self/clear_refs", "w") as file:
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
    with contextlib.suppress(OSError), open("/proc/self/status") as file:
        for line in file:
            if line.startswith(f"{name}:"):
                return int(line.split()[1])
    return 0


if __name__ == "__main__":
    main()
