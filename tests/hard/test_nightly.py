"""The shards of the night: which are drawn, which are run, what is kept of them."""

import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.hard import nightly, profiles

ROW = {
    "method": "lwea",
    "property": "test_another_clustering_more_does_no_harm",
    "shard": "0",
    "examples": "250",
    "outcome": "passed",
    "cpu_s": "1.5",
    "date": "2026-01-01",
    "commit": "abc",
    "versions": "numpy 2.0",
}
WORDS = ["lwea", "test_of_something", "0"]


def drawn(*words):
    """What a shard tries."""
    seen = []

    @profiles.seed_of(*words)
    @profiles.settings(profiles.PROFILE, max_examples=20)
    @given(st.binary(min_size=8, max_size=8))
    def look(example):
        seen.append(example)

    look()
    return seen


def test_a_shard_tries_the_same_when_it_is_run_again():
    assert drawn(*WORDS) == drawn(*WORDS)


@pytest.mark.parametrize("i", range(3))
def test_another_method_property_or_shard_tries_others(i):
    other = [*WORDS]
    other[i] += "1"
    # Hypothesis begins with the simplest of all, whatever the seed.
    assert len({*drawn(*WORDS)} & {*drawn(*other)}) <= 2


def test_what_passed_at_this_commit_is_done():
    assert nightly.is_done(ROW, "abc", any_commit=False)


def test_what_failed_or_passed_with_other_code_is_not_done():
    assert not nightly.is_done(ROW | {"outcome": "failed"}, "abc", any_commit=False)
    assert not nightly.is_done(ROW, "abd", any_commit=False)
    # Changes that were not committed may have been others.
    assert not nightly.is_done(ROW | {"commit": "abc+"}, "abc+", any_commit=False)


def test_what_passed_at_another_commit_is_done_where_that_is_said():
    assert nightly.is_done(ROW, "abd", any_commit=True)
    assert not nightly.is_done(ROW | {"outcome": "failed"}, "abd", any_commit=True)


def test_the_last_word_on_a_shard_counts():
    rows = [ROW | {"outcome": "failed"}, ROW, ROW | {"shard": "1", "commit": "abd"}]
    (found,) = nightly.summary(nightly.last_of_each(rows).values(), ["method"])
    assert (found["shards"], found["examples"], found["failed"]) == (2, 500, 0)
    assert found["commits"] == "abc abd"


def test_a_summary_says_which_shards_another_machine_need_not_run(tmp_path):
    rows = [ROW | {"shard": str(i)} for i in (0, 1, 2, 5)]
    rows += [ROW | {"shard": "4", "outcome": "failed"}]
    found = nightly.summary(rows, ["method", "property"])
    assert found[0]["passed"] == "0-2 5"
    nightly.write(tmp_path / "summary.csv", found)
    asked = nightly.command_line().parse_args(
        ["--known", str(tmp_path / "summary.csv"), "--out", str(tmp_path / "none.csv")]
    )
    known = nightly.all_known(asked)
    assert [row["shard"] for row in known.values()] == ["0", "1", "2", "5"]
    assert known.keys() <= nightly.last_of_each(rows).keys()
    assert all(nightly.is_done(row, "abc", any_commit=False) for row in known.values())
    # A line of this machine has the last word.
    nightly.append(tmp_path / "none.csv", ROW | {"outcome": "failed"})
    assert len(nightly.all_known(asked)) == 4
    assert next(iter(nightly.all_known(asked).values()))["outcome"] == "failed"


def test_a_process_that_died_is_a_failure_with_a_report(tmp_path, monkeypatch):
    monkeypatch.setenv("COMITIA_SHARD", "3")
    monkeypatch.setenv("COMITIA_EXAMPLES", "1000")
    report = pytest.TestReport(
        nodeid=f"{nightly.TESTS}::{ROW['property']}[lwea]",
        location=("", None, ""),
        keywords={},
        outcome="failed",
        longrepr="worker 'gw0' crashed",
        when="???",  # as xdist says it
    )
    out = tmp_path / "nightly.csv"
    nightly.Recorder(out).pytest_runtest_logreport(report)
    (row,) = nightly.read(out)
    assert [row[name] for name in ("shard", "outcome", "cpu_s")] == ["3", "failed", ""]
    told = nightly.report_of(out, row).read_text()
    assert "crashed" in told
    assert nightly.again(row) in told
    assert "COMITIA_SHARD=3 COMITIA_EXAMPLES=1000 " in nightly.again(row)
    files = ["--out", str(out), "--known", str(tmp_path / "none.csv")]
    assert nightly.main([*files, "--summary", str(tmp_path / "s.csv")]) == 1
    (found,) = nightly.read(tmp_path / "s.csv")
    assert (found["method"], found["failed"]) == ("lwea", "1")


def test_every_property_of_every_method_is_run():
    from tests.hard import test_properties

    found = nightly.properties()
    assert {*found} == {cls.card.id for cls in test_properties.LABEL_ONLY}
    assert {name for names in found.values() for name in names} == {
        name for name in vars(test_properties) if name.startswith("test_")
    }


def test_a_night_that_was_stopped_goes_on_with_what_is_missing(tmp_path):
    out = tmp_path / "nightly.csv"
    *done_before, last = nightly.properties()["voting"]
    for name in done_before:
        row = {"method": "voting", "property": name, "examples": "1", "commit": "abc"}
        nightly.append(out, ROW | row)
    done = subprocess.run(
        [sys.executable, "-m", "tests.hard.nightly", "--methods", "voting"]
        + ["--shards", "1", "--examples", "1", "--any-commit", "--out", out]
        + ["--known", tmp_path / "none.csv"],
        cwd=nightly.ROOT,
        env={key: value for key, value in os.environ.items() if "XDIST" not in key},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows = nightly.read(out)
    assert [row["property"] for row in rows] == [*done_before, last]
    assert [row["commit"] == "abc" for row in rows] == [True] * len(done_before) + [
        False
    ]
    assert {row["outcome"] for row in rows} == {"passed"}
    assert f"1 methods, {len(rows)} examples" in done.stdout
