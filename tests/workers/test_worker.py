"""Calls in a process of their own: answers, limits, and processes that end."""

import os
import threading
import time
import warnings

import numpy as np
import pytest

from comitia import config
from comitia.exceptions import MemoryBudgetError
from comitia.workers import Worker, worker_process

HERE = f"{__name__}:"


def add(a, b):
    print("not an answer")
    warnings.warn("rounded", UserWarning, stacklevel=1)
    return a + b


def process_and_thread_limit():
    return os.getpid(), os.environ["OMP_NUM_THREADS"]


def fail(error):
    raise error


def fill_memory():
    taken = []
    while True:
        taken.append(np.ones(4_000_000))


def sleep():
    time.sleep(600)


@pytest.fixture(scope="module")
def worker():
    one = Worker(300_000_000, shared={"a": 40}, environment={"OMP_NUM_THREADS": "1"})
    yield one
    one.close()


@pytest.fixture(scope="module")
def bare():
    one = Worker(300_000_000, environment={"OMP_NUM_THREADS": "3"})
    yield one
    one.close()


def test_a_call_gets_what_is_shared_and_its_own_arguments(worker):
    answer = worker.call(HERE + "add", {"b": 2}, 60.0)
    assert answer["status"] == "ok"
    assert answer["value"] == 42
    assert answer["message"] == "warned: rounded"
    assert answer["seconds"] >= 0
    assert answer["peak_mb"] >= 0


def test_calls_run_in_one_other_process_with_its_environment(bare):
    first = bare.call(HERE + "process_and_thread_limit", {}, 60.0)["value"]
    again = bare.call(HERE + "process_and_thread_limit", {}, 60.0)["value"]
    assert first == again
    assert first[0] != os.getpid()
    assert first[1] == "3"


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (ValueError("k=9 is too large."), "failed", "k=9 is too large."),
        (KeyError("k"), "failed", "KeyError: 'k'"),
        (MemoryError(), "out of memory", "MemoryError"),
        (MemoryBudgetError("too much"), "out of memory", "too much"),
    ],
)
def test_an_error_is_an_answer(bare, error, status, message):
    answer = bare.call(HERE + "fail", {"error": error}, 60.0)
    assert answer == {"status": status, "message": message}


def test_a_call_that_hangs_is_stopped_and_the_next_one_works(bare):
    before, _ = bare.call(HERE + "process_and_thread_limit", {}, 60.0)["value"]
    assert bare.call(HERE + "sleep", {}, 0.2)["status"] == "timed out"
    after, _ = bare.call(HERE + "process_and_thread_limit", {}, 60.0)["value"]
    assert after != before
    with pytest.raises(ProcessLookupError):
        os.kill(before, 0)


def test_memory_is_limited(bare):
    assert bare.call(HERE + "fill_memory", {}, 60.0)["status"] == "out of memory"


def test_a_crash_is_an_answer(bare):
    answer = bare.call("os:abort", {}, 60.0)
    assert answer["status"] == "failed"
    assert "signal 6" in answer["message"]


def test_closing_stops_a_call_of_another_thread():
    worker, answers = Worker(300_000_000), []
    worker.call("os:getpid", {}, 60.0)
    thread = threading.Thread(
        target=lambda: answers.append(worker.call(HERE + "sleep", {}, 600.0))
    )
    thread.start()
    time.sleep(0.2)
    worker.close()
    thread.join(60.0)
    assert [answer["status"] for answer in answers] == ["failed"]
    with pytest.raises(RuntimeError, match="was closed"):
        worker.call("os:getpid", {}, 60.0)


class Unreadable:
    """Cannot be unpickled."""

    def __reduce__(self):
        return fail, (ValueError("not to be read"),)


def test_arguments_that_cannot_be_read_are_a_failed_call(bare):
    answer = bare.call(HERE + "add", {"a": Unreadable(), "b": 1}, 60.0)
    assert answer == {"status": "failed", "message": "not to be read"}
    assert bare.call(HERE + "add", {"a": 1, "b": 1}, 60.0)["value"] == 2


def test_memory_of_the_system_is_limited_only_where_it_says_what_is_used(monkeypatch):
    # Elsewhere a limit would be one on what the process has already.
    resource = pytest.importorskip("resource")
    limits = []
    monkeypatch.setattr(resource, "setrlimit", lambda *how: limits.append(how))
    monkeypatch.setattr(worker_process, "_status_kb", lambda name: 0)
    worker_process._limit_memory(10**9)
    config.set_memory_budget(None)
    assert not limits
    monkeypatch.setattr(worker_process, "_status_kb", lambda name: 1000)
    worker_process._limit_memory(10**9)
    config.set_memory_budget(None)
    assert [most for _, (most, _) in limits] == [10**9 + 1_024_000]
