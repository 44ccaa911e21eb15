"""Jobs are done once, limits hold, and a run that was killed goes on."""

import importlib
import json
import lzma
import threading
from dataclasses import replace

import pytest

from benchmarks.evaluation import store as tables
from benchmarks.evaluation.store import Job, Options, Store, read, run, write
from tests.benchmarks.jobs import square, threads

VALUES = ("square", "root")


def jobs_of(numbers, seeds=(0,), **arguments):
    return [
        Job({"number": number, "seed": seed}, square, arguments)
        for seed in seeds
        for number in numbers
    ]


@pytest.fixture
def processes(tmp_path):
    """Options with which workers are processes, as they are outside of tests."""
    return Options(results=tmp_path, n_jobs=1, time_limit=60.0)


@pytest.fixture
def options(processes, monkeypatch):
    """The same without processes, which take a second to start."""
    monkeypatch.setattr("comitia.workers.Worker", Here)
    return processes


class Here:
    """Answers as a worker does, from this process."""

    def __init__(self, memory_limit, *, preload, environment):
        self.closed = threading.Event()

    def call(self, address, arguments, time_limit):
        if arguments.get("raised") == "slow":
            return {"status": "timed out", "message": "too slow"}
        if arguments.get("raised") == "hang":
            self.closed.wait()
            return {"status": "failed", "message": "its process was stopped"}
        module, _, name = address.partition(":")
        try:
            value = getattr(importlib.import_module(module), name)(**arguments)
        except ValueError as error:
            return {"status": "failed", "message": str(error)}
        answer = {"status": "ok", "message": "", "value": value}
        return {**answer, "seconds": 0.5, "peak_mb": 1.0}

    def close(self):
        self.closed.set()


def test_rows_have_key_values_and_outcome(processes):
    rows = run("numbers", jobs_of([2, 7]), processes, values=VALUES)
    assert rows == read(processes.results / "numbers.csv")
    two, seven = rows
    assert list(two) == [
        *("number", "seed", "square", "root", "seconds", "peak_mb"),
        *("status", "message"),
    ]
    assert (two["square"], two["root"], two["status"]) == ("4", "1.414", "ok")
    assert float(two["seconds"]) >= 0
    assert seven["message"] == "warned: seven"


def test_what_is_done_is_not_done_again(options):
    run("numbers", jobs_of([2]), options, values=VALUES)
    # With the same key but another function result: the old row stays.
    jobs = [*jobs_of([2], raised="now it fails"), *jobs_of([3])]
    rows = run("numbers", jobs, options, values=VALUES)
    assert [row["square"] for row in rows] == ["4", "9"]
    assert {row["status"] for row in rows} == {"ok"}


def test_failures_of_all_kinds_are_rows(processes):
    jobs = [
        job
        for number, raised in enumerate(["no", "exit", "memory", None])
        for job in jobs_of([number], raised=raised)
    ]
    rows = run("numbers", jobs, processes, values=VALUES)
    assert [row["status"] for row in rows] == [
        *("failed", "failed", "out of memory", "ok")
    ]
    assert rows[0]["message"] == "no with a second line"
    assert "exit status 3" in rows[1]["message"]


def test_a_job_that_hangs_is_a_row(processes):
    jobs = jobs_of([2], raised="hang")
    (row,) = run("numbers", jobs, replace(processes, time_limit=1.0), values=VALUES)
    assert row["status"] == "timed out"
    assert row["message"] == "stopped after 1 s (time_limit)."


def test_failures_are_tried_again_when_asked(options):
    run("numbers", jobs_of([2], raised="no"), options, values=VALUES)
    again = replace(options, retry=True)
    (row,) = run("numbers", jobs_of([2]), again, values=VALUES)
    assert (row["status"], row["square"]) == ("ok", "4")
    assert len(read(options.results / "numbers.csv")) == 1


def test_other_seeds_of_what_is_too_slow_are_not_tried(options):
    slow, quick = jobs_of([1], seeds=(0, 1, 2), raised="slow"), jobs_of([2], (0, 1))
    rows = run(
        "numbers",
        [slow[0], quick[0], slow[1], quick[1]],
        options,
        values=VALUES,
        after_timeout=lambda job: job.key["number"],
    )
    assert [row["status"] for row in rows] == ["timed out", "ok", "timed out", "ok"]
    assert [row["message"][:9] for row in rows] == ["too slow", "", "not tried", ""]
    # Nor in a run that goes on.
    rows = run(
        "numbers",
        [slow[0], slow[2]],
        options,
        values=VALUES,
        after_timeout=lambda job: job.key["number"],
    )
    assert rows[1]["message"].startswith("not tried")


def test_a_torn_line_is_dropped_and_its_job_done_again(options):
    run("numbers", jobs_of([2, 3]), options, values=VALUES)
    path = options.results / "numbers.csv"
    whole = path.read_text()
    path.write_text(whole[: whole.rindex("9")])
    rows = run("numbers", jobs_of([2, 3]), options, values=VALUES)
    assert [row["square"] for row in rows] == ["4", "9"]
    assert len(path.read_text().splitlines()) == 3


def test_a_torn_head_is_as_good_as_no_file(tmp_path):
    path = tmp_path / "numbers.csv"
    path.write_text("number,se")
    store = Store(path, ("number", "seed"), VALUES)
    store.add({"number": 1, "seed": 0, "square": 1})
    assert [row["square"] for row in read(path)] == ["1"]


def names_in(folder):
    return sorted(path.name for path in folder.glob("numbers.csv*"))


def test_a_large_table_is_compressed_and_read_like_any_other(options, monkeypatch):
    jobs = jobs_of([2, 3])
    rows = run("numbers", jobs, options, values=VALUES)
    assert names_in(options.results) == ["numbers.csv"]
    monkeypatch.setattr(tables, "LARGE", 10)
    assert run("numbers", jobs, options, values=VALUES) == rows
    assert names_in(options.results) == ["numbers.csv.xz"]
    assert read(options.results / "numbers.csv") == rows
    assert read(options.results / "numbers.csv.xz") == rows


def test_a_run_goes_on_from_a_compressed_table(options, monkeypatch):
    monkeypatch.setattr(tables, "LARGE", 10)
    (first,) = run("numbers", jobs_of([2]), options, values=VALUES)
    path = options.results / "numbers.csv"
    # Killed while it wrote the row after the next.
    Store(path, ("number", "seed"), VALUES).add({"number": 3, "seed": 0, "square": 9})
    assert names_in(options.results) == ["numbers.csv", "numbers.csv.xz"]
    path.write_text(f"{path.read_text()}4,0,1")
    rows = run("numbers", jobs_of([2, 3, 4]), options, values=VALUES)
    assert rows[0] == first
    assert [row["square"] for row in rows] == ["4", "9", "16"]
    assert names_in(options.results) == ["numbers.csv.xz"]


def test_a_compressed_table_with_other_columns_is_refused(options, monkeypatch):
    monkeypatch.setattr(tables, "LARGE", 10)
    run("numbers", jobs_of([1]), options, values=VALUES)
    with pytest.raises(ValueError, match=r"numbers\.csv\.xz has the columns"):
        run("numbers", jobs_of([1]), options, values=("square", "cube"))


def test_the_same_rows_give_the_same_bytes(tmp_path, monkeypatch):
    rows = [{"a": at, "b": "wörd, quoted"} for at in range(50)]
    found = []
    for large in (10, 10, 10_000_000):
        monkeypatch.setattr(tables, "LARGE", large)
        write(tmp_path / "table.csv", ("a", "b"), rows)
        (file,) = tmp_path.iterdir()
        found.append((file.name, file.read_bytes()))
    assert found[0] == found[1]
    assert found[0][0] == "table.csv.xz"
    assert found[2][0] == "table.csv"
    assert lzma.decompress(found[0][1]) == found[2][1]


def test_large_tables_of_the_repository_are_compressed():
    results = tables.RESULTS.parent
    plain = [*results.glob("*.csv"), *tables.RESULTS.glob("*.csv")]
    assert [path for path in plain if path.stat().st_size > tables.LARGE] == []


def test_the_file_is_in_the_order_of_the_jobs(options):
    slow_first = [*jobs_of([5], sleep=1.0), *jobs_of([1, 2, 3])]
    two = replace(options, n_jobs=2)
    rows = run("numbers", slow_first, two, values=VALUES)
    assert [row["number"] for row in rows] == ["5", "1", "2", "3"]
    assert rows == read(options.results / "numbers.csv")


def test_when_time_is_up_what_is_done_stays_and_the_rest_goes_on_later(options):
    jobs = [*jobs_of([1]), *jobs_of([2], raised="hang")]
    rows = run("numbers", jobs, replace(options, stop_after=1.0), values=VALUES)
    assert [row["number"] for row in rows] == ["1"]
    rows = run("numbers", jobs_of([1, 2]), options, values=VALUES)
    assert [row["square"] for row in rows] == ["1", "4"]


def test_the_note_says_how_each_run_was_made(options):
    run("numbers", jobs_of([1]), options, values=VALUES)
    run("numbers", jobs_of([1, 2, 3]), options, values=VALUES, about={"peer": "1.0"})
    run("numbers", jobs_of([1, 2, 3]), options, values=VALUES)  # adds nothing
    runs = json.loads((options.results / "numbers.json").read_text())["runs"]
    assert [one["rows"] for one in runs] == [1, 2]
    assert runs[1]["peer"] == "1.0"
    for one in runs:
        assert one["cores"] > 0
        assert one["date"]
        assert one["command"].startswith("python -m benchmarks.evaluation")
        assert "numpy" in one["versions"]


def test_workers_have_one_thread(processes):
    jobs = [Job({"name": "OPENBLAS_NUM_THREADS"}, threads)]
    assert run("threads", jobs, processes, values=("value",))[0]["value"] == "1"


def test_wrong_uses_are_refused_in_words(options):
    with pytest.raises(ValueError, match="numbers has no jobs"):
        run("numbers", [], options, values=VALUES)
    with pytest.raises(ValueError, match="same key"):
        run("numbers", jobs_of([1, 1]), options, values=VALUES)
    with pytest.raises(ValueError, match="row has root, which"):
        run("numbers", jobs_of([1]), options, values=("square",))
    run("others", jobs_of([1]), options, values=VALUES)
    with pytest.raises(ValueError, match="move the old file away"):
        run("others", jobs_of([1]), options, values=("square", "cube"))
