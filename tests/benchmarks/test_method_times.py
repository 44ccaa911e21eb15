"""The times of the methods, on few objects."""

import csv
import json
import signal

import pytest

from benchmarks import memory, method_times
from benchmarks.memory import in_fork


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    return tmp_path_factory.mktemp("times") / "method_times.csv"


@pytest.fixture(scope="module")
def asked(out):
    return ["--methods", "lwea,cspa", "--sizes", "80", "--out", str(out)]


def read(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_methods_are_timed_on_both_ensembles_and_finished_rows_are_kept(asked, out):
    assert method_times.main(asked) == 0
    rows = read(out)
    assert [(row["method"], row["input"]) for row in rows] == [
        ("cspa", "planted"),
        ("lwea", "planted"),
        ("cspa", "voronoi"),
        ("lwea", "voronoi"),
    ]
    assert {row["status"] for row in rows} == {"finished"}
    assert json.loads(out.with_suffix(".json").read_text())["versions"]["numpy"]
    rows[0]["cpu_s"] = "1234.5"
    method_times.write(out, rows)
    assert method_times.main(asked) == 1
    assert read(out) == rows
    assert method_times.main([*asked, "--again"]) == 0
    assert read(out)[0]["cpu_s"] != "1234.5"


def test_a_step_that_the_budget_refuses_is_no_failure(monkeypatch):
    monkeypatch.setattr(method_times, "BUDGET", "1 kB")
    (fit,) = [f for f in method_times.fits(["cspa"], [80]) if f.input == "planted"]
    row = method_times.attempt(fit, 60)
    assert row["status"] == "refused"
    assert "the budget is 1 kB" in row["message"]
    assert method_times.kept(row)


@pytest.mark.parametrize("status", ["too slow", "failed", "crashed"])
def test_what_did_not_end_is_not_kept(status):
    assert not method_times.kept({"status": status, "cpu_s": "0.1", "most_s": "10"})


def test_there_is_an_input_for_each_method_on_data():
    fits = list(method_times.fits(None, [300]))
    assert {fit.cls.card.id for fit in fits} == set(method_times.ON_DATA)
    assert all(len(method_times.given(fit.input, 20)) == 20 for fit in fits)


def test_work_that_dies_is_told_from_work_that_takes_too_long():
    def dies(answer):
        raise SystemExit

    assert in_fork(5, dies)["status"] == "crashed"


def test_work_that_a_busy_machine_gave_no_time_says_so(monkeypatch):
    monkeypatch.setattr(memory, "_PATIENCE", 0.001)
    row = in_fork(60, lambda answer: signal.pause())
    assert row["cpu_s"] < 60
    assert "of the clock" in row["message"]
    assert method_times._had_less(row, 60)
    assert not method_times._had_less({"status": "too slow", "cpu_s": "60"}, 60)
