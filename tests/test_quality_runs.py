"""The quality runs need real data; here they run on data made for the purpose."""

import csv

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_blobs

from benchmarks import genes, gpu, networks, selection
from tests.fixtures import planted


@pytest.fixture
def pools(tmp_path):
    (tmp_path / "pools").mkdir()
    for seed, name in enumerate(["one", "two"]):
        labels, truth = planted(40, 3, 20, noise=0.2, seed=seed)
        np.savez(tmp_path / "pools" / f"{name}.npz", members=labels + 1, gt=truth)
    return tmp_path


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_matches_of_sets_are_counted_as_defined():
    known = [np.array([0, 1, 2]), np.array([5, 6, 7, 8])]
    found = [np.array([0, 1, 2]), np.array([8, 9, 10, 11]), np.array([3, 4])]
    # Overlap 1 for the first pair, 1/16 for the second: one of three, one of two.
    assert_allclose(networks.f_measure(found, known), 2 * (1 / 3) * (1 / 2) / (5 / 6))
    best = [(1 + 1 / 4 + 0) / 3, (1 + 1 / 4) / 2]
    assert_allclose(networks.best_match_f1(found, known), np.mean(best))


def test_networks_are_read_and_combined(tmp_path):
    rng = np.random.RandomState(0)
    truth = np.repeat([0, 1, 2], 12)
    close = rng.rand(36, 36) < np.where(truth[:, None] == truth, 0.8, 0.03)
    edges = np.argwhere(np.triu(close, 1))
    groups = {"indptr": [0, 12, 24, 36], "indices": np.arange(36)}
    (tmp_path / "graphs").mkdir()
    np.savez(
        tmp_path / "graphs" / "small.npz",
        n=36,
        edges=edges,
        **{f"{gold}_{k}": v for gold in ("gold", "comm") for k, v in groups.items()},
    )
    proteins = networks.complexes(tmp_path, "small", "gold")
    assert proteins[-1]["method"] == "wu_2017"
    friends = networks.circles(tmp_path, "small")
    assert friends[-1]["score"] > 0.6


def test_genes_are_compared(tmp_path):
    X, y = make_blobs(30, centers=2, n_features=40, random_state=0)
    rows = genes.compare("small", X, y)
    assert [row["method"] for row in rows] == ["abc", "k-means, best of 10", "Ward"]
    assert rows[0]["adjusted_rand"] > 0.9


def test_selectors_are_compared_with_keeping_all(pools, capsys):
    (pools / "single").mkdir()
    X, y = make_blobs(160, centers=3, random_state=0)
    np.savez(pools / "single" / "blobs.npz", X=X, y=y)
    np.savez(pools / "single" / "noisy.npz", X=X, y=np.where(y == 2, -1, y))
    np.savez(pools / "single" / "small.npz", X=X[:149], y=y[:149])
    run = ["--data", str(pools), "--draws", "2", "--out", str(pools)]
    run += ["--selectors", "asa,alizadeh_2014,sivid,random_half"]
    selection.main(run)
    first = rows_of(pools / "selection.csv")
    done = {(row["data"], row["selector"], row["consensus"]) for row in first}
    # Pools have no data, and the control no consensus of its own.
    assert {data for data, _, _ in done} == {"one", "two", "blobs"}
    assert {data for data, selector, _ in done if selector == "sivid"} == {"blobs"}
    assert ("one", "random_half", "own") not in done
    assert all(row["status"] == "ok" for row in first)
    assert all(0 < float(row["kept"]) <= 1 for row in first)
    # Average linkage is asa's own consensus.
    own, eac = (
        [row["nmi_max_selected"] for row in first if names(row) == ("asa", consensus)]
        for consensus in ("own", "eac")
    )
    assert own == eac
    assert "p Holm" in capsys.readouterr().out
    selection.main(run)
    assert rows_of(pools / "selection.csv") == first
    summary = rows_of(pools / "selection_summary.csv")
    assert {int(row["n_sets"]) for row in summary} == {1, 3}


def names(row):
    return row["selector"], row["consensus"]


def test_a_selector_that_fails_is_a_row(pools, monkeypatch):
    def fail(*_):
        raise TimeoutError("more than 60 s")

    monkeypatch.setattr(selection, "select", fail)
    out = pools / "selection.csv"
    rows = selection.run(selection.pool_cases(pools, 1), ["asa"], out, 60.0)
    assert {row["status"] for row in rows} == {"TimeoutError: more than 60 s"}
    assert selection.summarize(rows) == []


def test_a_loop_that_takes_too_long_is_stopped():
    def forever():
        with selection.time_limit(0.05):
            while True:
                pass

    with pytest.raises(TimeoutError, match="more than 0"):
        forever()


def test_differences_are_summed_up_over_data_sets():
    row = {"selector": "asa", "consensus": "own", "status": "ok", "kept": 0.5}
    scores = [("a", 0.1), ("a", 0.3), ("b", -0.1), ("c", 0.0)]
    summary = selection.summarize(
        {
            **row,
            "data": data,
            **{f"{m}_all": 0.5 for m in selection.MEASURES},
            **{f"{m}_selected": 0.5 + gain for m in selection.MEASURES},
        }
        for data, gain in scores
    )
    got = summary[0]
    assert_allclose(got["difference"], (0.2 - 0.1) / 3)
    assert (got["wins"], got["ties"], got["losses"]) == (1, 1, 1)
    assert got["n_sets"] == 3


def test_several_p_values_are_corrected_as_holm_does():
    # Of 0.01, 0.02, 0.04: three, two and one times, and never falling.
    assert_allclose(selection.holm([0.04, 0.01, 0.03]), [0.06, 0.03, 0.06])
    assert selection.signed_rank(np.zeros(5)) == 1.0
    # All six of one sign: twice one in 64.
    assert_allclose(selection.signed_rank(np.arange(1.0, 7.0)), 2 / 64)


def test_devices_are_compared_with_numpy(tmp_path, capsys):
    pytest.importorskip("torch")
    gpu.main(["--smoke", "--out", str(tmp_path)])
    rows = rows_of(tmp_path / "gpu.csv")
    assert len(rows) == 3 * len(gpu.cases("smoke"))
    assert {row["device"] for row in rows} == {"numpy", "torch"}
    for row in rows:
        assert float(row["updates_s"]) <= float(row["fit_s"])
        if row["device"] == "torch":
            near = 1e-8 if row["precision"] == "float64" else 1e-4
            assert float(row["objective"]) < near
            assert float(row["labels"]) == 1.0
    assert "ratio" in capsys.readouterr().out
    assert (tmp_path / "gpu.json").exists()


@pytest.mark.parametrize("script", [networks, genes, selection])
def test_a_run_without_data_says_what_is_missing(script, monkeypatch, capsys):
    monkeypatch.delenv("COMITIA_DATA", raising=False)
    with pytest.raises(SystemExit):
        script.main([])
    assert "COMITIA_DATA" in capsys.readouterr().err
