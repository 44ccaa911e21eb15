"""The scale runs, at a thousandth of their size."""

import csv

import pytest

from benchmarks import scale
from benchmarks.scale_page import page


@pytest.mark.parametrize("part", ["memory", "disk"])
def test_a_part_runs_and_keeps_its_lines(part, tmp_path):
    assert scale.main([part, "--smoke", "--out", str(tmp_path)]) == 0
    with (tmp_path / "scale.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["part"] for row in rows} == {part}
    assert all(float(row["cpu_s"]) > 0 for row in rows)
    assert (tmp_path / "scale.json").exists()


def test_a_part_replaces_its_own_lines_only(tmp_path):
    row = {"run": "in memory", "method": "lwgp", "n": 10, "cpu_s": 1.0}
    scale.write(tmp_path, "memory", [{"part": "memory", **row}], smoke=True)
    scale.write(tmp_path, "disk", [{"part": "disk", **row}] * 2, smoke=True)
    scale.write(tmp_path, "memory", [{"part": "memory", **row}] * 3, smoke=True)
    with (tmp_path / "scale.csv").open(newline="") as file:
        parts = [row["part"] for row in csv.DictReader(file)]
    assert parts == ["disk"] * 2 + ["memory"] * 3


def test_the_page_shows_limits_and_growth(tmp_path):
    rows = [
        {
            "part": "growth",
            "run": "growth",
            "method": "lwgp",
            "n": 100 * 2**i,
            "cpu_s": 2.0**i,
            "ratio": 2.0 if i else None,
        }
        for i in range(3)
    ]
    scale.write(tmp_path, "growth", rows, smoke=True)
    line = {"part": "disk", "run": "disk blocks", "n": 10**8, "passed": True}
    scale.write(tmp_path, "disk", [{**line, "target": "<= 6 GB"}], smoke=True)
    text = page(tmp_path, tmp_path / "figures")
    assert "100,000,000" in text
    assert "2.00 to 2.00" in text
    assert (tmp_path / "figures" / "growth.svg").exists()
    assert page(tmp_path / "nothing", tmp_path) == "*Not measured yet.*\n"


def test_unknown_parts_are_refused(tmp_path, capsys):
    with pytest.raises(SystemExit):
        scale.main(["everything", "--out", str(tmp_path)])
    assert "no part 'everything'" in capsys.readouterr().err
