"""Times of two commits: what is compared, and what is a peer's."""

import csv
import json

import pytest

from benchmarks import before_after


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """Two rounds of a topic: one row got slower, one faster, one is new."""
    monkeypatch.setattr(before_after, "KEPT", tmp_path)
    rounds = {
        "old": [[["a", "n=1", "", 1.0], ["b", "", "peer", 4.0]]] * 2,
        "new": [
            [["a", "n=1", "", 1.9], ["b", "", "peer", 3.0], ["c", "", "", 1.0]],
            [["a", "n=1", "", 1.5], ["b", "", "peer", None], ["c", "", "", 1.0]],
        ],
    }
    for name, found in rounds.items():
        for number, rows in enumerate(found):
            path = tmp_path / f"{name}-linkage-{number}.json"
            path.write_text(json.dumps(rows))
    return tmp_path


def test_the_least_times_of_rows_that_both_have_are_compared(kept):
    rows = before_after.table("old", "new")
    found = [[row[name] for name in ("kernel", "ratio", "rounds")] for row in rows]
    assert found == [["a", 1.5, 2], ["b", 0.75, 1]]


def test_what_is_slower_is_told(kept, monkeypatch, capsys):
    names = iter(["old", "new"])
    monkeypatch.setattr(before_after, "commit", lambda _: next(names))
    out = kept / "table.csv"
    asked = [str(kept), str(kept), "linkage", "--rounds", "2", "--out", str(out)]
    assert before_after.main(asked) == 1
    assert "linkage: a, n=1: 1.0 s, now 1.5 s" in capsys.readouterr().out
    with out.open(newline="") as file:
        assert len([*csv.DictReader(file)]) == 2
    about = json.loads(out.with_suffix(".json").read_text())
    assert (about["before"], about["after"]) == ("old", "new")
