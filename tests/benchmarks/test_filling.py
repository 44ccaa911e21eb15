"""Cells are taken out as the benchmark says, and its lines are kept."""

import csv

import numpy as np
import pytest

from benchmarks import filling


@pytest.mark.parametrize(("gaps", "share"), [("5%", 0.05), ("20%", 0.2)])
def test_cells_are_taken_out_everywhere(gaps, share):
    X = filling.with_gaps(np.ones((2000, 10)), gaps, np.random.RandomState(0))
    assert np.isnan(X).mean() == pytest.approx(share, abs=0.01)
    narrow = filling.with_gaps(np.ones((2000, 1)), gaps, np.random.RandomState(0))
    assert not np.isnan(narrow).any()


def test_half_of_the_columns_are_taken_out_of_a_third_of_the_rows():
    X = filling.with_gaps(np.ones((2000, 6)), "block", np.random.RandomState(0))
    per_row = np.isnan(X).sum(axis=1)
    assert set(per_row) == {0, 3}
    assert (per_row > 0).mean() == pytest.approx(0.35, abs=0.05)
    assert np.isnan(X).any(axis=0).sum() == 3


def test_lines_of_the_other_half_stay(tmp_path, monkeypatch):
    monkeypatch.setattr(filling, "GAPS", ("20%",))
    monkeypatch.setattr(filling, "N_ROWS", 60)
    out = tmp_path / "filling.csv"
    for half in ("choose", "confirm", "confirm"):
        assert filling.main(["--half", half, "--seeds", "1", "--out", str(out)]) == 0
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["half"] for row in rows] == ["choose"] * 3 + ["confirm"] * 3
    assert {row["data"] for row in rows} == {"iris", "wine", "breast_cancer"}
    assert all(float(row["default_knn"]) <= 1 for row in rows)
