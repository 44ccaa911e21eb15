"""The quality run over views and series, on data made for the purpose."""

import csv

import numpy as np
import pytest
from numpy.testing import assert_allclose

from benchmarks import tables, views

TRUTH = np.repeat([0, 1, 2], 12)


@pytest.fixture
def data(tmp_path):
    rng = np.random.RandomState(0)
    (tmp_path / "multiview").mkdir()
    (tmp_path / "temporal").mkdir()
    X = [9.0 * np.eye(3)[TRUTH] + rng.rand(36, 3) for _ in range(2)]
    np.savez(tmp_path / "multiview" / "far.npz", y=TRUTH, X0=X[0], X1=X[1])
    series = rng.randn(36, 1, 20) + 5.0 * TRUTH[:, None, None]
    lengths = rng.randint(10, 21, size=36)
    series[np.arange(20) >= lengths[:, None, None].repeat(1, axis=1)] = np.nan
    np.savez(tmp_path / "temporal" / "levels.npz", X=series, y=TRUTH, lengths=lengths)
    return tmp_path


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_run_is_kept_and_not_done_again(data, capsys):
    out = data / "out.csv"
    run = ["--data", str(data), "--smoke", "--out", str(out)]
    run += ["--methods", "ensemble lwgp,view 0,view 1,yang_chen_2011"]
    views.main(run)
    rows = rows_of(out)
    assert {row["part"] for row in rows} == {"views", "missing", "series"}
    assert [row["status"] for row in rows] == ["ok"] * len(rows)
    assert all(float(row["ari"]) > 0.8 for row in rows if row["missing"] == "0.0")
    assert [r["missing"] for r in rows if r["part"] == "missing"] == [
        "0.0",
        "0.1",
        "0.3",
        "0.5",
    ]
    printed = capsys.readouterr().out
    assert "best view (oracle)" in printed
    assert "missing 50%, ari" in printed
    assert (data / "out.json").exists()
    views.main(run)
    assert rows_of(out) == rows


def test_every_method_and_peer_can_be_asked_for(data):
    for name in ("views", "missing"):
        loaded, truth, n_all = views.read_views(data / "multiview" / "far.npz", 20)
        assert (len(truth), n_all) == (20, 36)
        assert [len(X) for X in loaded] == [20, 20]
        assert "ensemble lwgp" in views.FITS[name](loaded)
    loaded, _, _ = views.read_series(data / "temporal" / "levels.npz", 100)
    assert len({one.shape[1] for one in loaded}) > 1
    assert np.isfinite(np.concatenate(loaded, axis=1)).all()
    fits = views.FITS["series"](loaded)
    assert {"k-means (flattened)", "k-means (DTW)", "yang_jiang_2018"} <= set(fits)


def test_what_takes_too_long_or_fails_is_a_row_that_says_so():
    def forever(data, k, seed):
        while True:
            pass

    def broken(data, k, seed):
        raise ValueError("no\nway")

    late = views.limited(forever, None, 2, 0, TRUTH, limit=1)
    assert late["status"] == "timed out"
    assert views.limited(broken, None, 2, 0, TRUTH, limit=9)["note"] == (
        "ValueError: no way"
    )


def test_missing_rows_are_missing_and_no_object_is_gone():
    X = [np.ones((4000, 2)), np.ones((4000, 3))]
    gone = np.stack([np.isnan(x).all(axis=1) for x in views.without(X, 0.3, 0)])
    assert not gone.all(axis=0).any()
    # Of the 9 % that were gone twice, half comes back in each view.
    assert_allclose(gone.mean(axis=1), 0.3 - 0.045, atol=0.02)  # 4000 objects


def test_the_oracle_takes_the_view_with_the_best_mean():
    row = {"part": "views", "set": "s", "status": "ok", "nmi": 0}
    rows = [
        {**row, "method": "view 0", "ari": 0.9},
        {**row, "method": "view 0", "ari": 0.1},
        {**row, "method": "view 1", "ari": 0.6},
        {**row, "method": "view 1", "ari": 0.6},
        {**row, "method": "mic", "ari": 0.2},
    ]
    found = views.with_oracle(rows)
    assert [r["ari"] for r in found] == [0.2, 0.6, 0.6]
    assert found[1]["method"] == "best view (oracle)"


def test_tables_have_means_ranks_and_words():
    rows = [
        {"method": "a", "set": "x", "ari": "0.5", "status": "ok"},
        {"method": "a", "set": "x", "ari": "0.7", "status": "ok"},
        {"method": "b", "set": "x", "ari": "0.9", "status": "ok"},
        {"method": "a", "set": "y", "ari": "0.4", "status": "ok"},
        {"method": "b", "set": "y", "ari": "", "status": "timed out"},
        {"method": "c", "set": "y", "ari": "0.3", "status": "ok"},
        {"method": "c", "set": "x", "ari": "0.8", "status": "ok"},
        {"method": "d", "set": "x", "ari": "0.1", "status": "ok"},
    ]
    head, *lines = tables.pivot(rows, "method", "set", "ari")
    assert head == ["method", "x", "y", "mean", "rank"]
    assert [line[0] for line in lines] == ["a", "c", "b", "d"]
    assert_allclose(lines[0][1:], [0.6, 0.4, 0.5, 1.5])
    assert_allclose(lines[1][1:], [0.8, 0.3, 0.55, 1.5])
    # Who has not a number everywhere has no mean.
    assert lines[2] == ["b", 0.9, "timed out", None, None]
    assert lines[3] == ["d", 0.1, None, None, None]
    text = tables.markdown([head, *lines]).splitlines()
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text]
    assert cells[2] == ["a", "0.600", "*0.400", "0.500", "1.5"]
    assert cells[3] == ["c", "0.800", "0.300", "*0.550", "1.5"]
    assert cells[4] == ["b", "*0.900", "timed out", "–", "–"]
    assert "     - timed out" in tables.rst([head, *lines])


def test_tables_are_printed_from_files(tmp_path, capsys):
    path = tmp_path / "results.csv"
    path.write_text("method,set,ari,part\na,x,0.25,views\na,x,1.0,series\n")
    tables.main([str(path), "--value", "ari", "--where", "part=views"])
    assert "*0.250" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        tables.main([str(path), "--value", "ari", "--where", "part=none"])


def test_a_run_without_data_says_what_is_missing(monkeypatch, capsys):
    monkeypatch.delenv("COMITIA_DATA", raising=False)
    with pytest.raises(SystemExit):
        views.main([])
    assert "COMITIA_DATA" in capsys.readouterr().err
