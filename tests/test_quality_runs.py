"""The quality runs need real data; here they run on data made for the purpose."""

import csv

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_blobs

from benchmarks import genes, networks, quality
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


def test_the_pools_are_run_once_and_kept(pools, capsys):
    out = pools / "quality.csv"
    run = ["--data", str(pools), "--methods", "eac,lwea", "--draws", "2"]
    quality.main([*run, "--out", str(out)])
    first = rows_of(out)
    assert len(first) == 2 * 2 * 2
    assert all(float(row["adjusted_rand"]) > 0.8 for row in first)
    quality.main([*run, "--out", str(out)])
    assert rows_of(out) == first
    printed = capsys.readouterr().out
    assert "nmi_max" in printed
    assert "rank" in printed


def test_published_figures_stand_beside_ours(pools):
    (pools / "published").mkdir()
    (pools / "published" / "published_lwea_lwgp_tables_5_7.csv").write_text(
        "dataset,method,measure,criterion,mean,sd\n"
        "one,GP-MGLA,NMI,true-k,0.5,0.01\none,LWEA,ARI,true-k,0.4,0.01\n"
    )
    assert quality.published(pools) == {("one", "gp_mgla"): (0.5, 0.01)}
    results = quality.run(pools, ["one"], ["gp_mgla"], 1, pools / "out.csv")
    assert "  published" in quality.tables(results, quality.published(pools))


def test_methods_that_are_not_finished_everywhere_have_no_rank(pools):
    results = quality.run(pools, ["one", "two"], ["eac"], 1, pools / "out.csv")
    half = quality.run(pools, ["one"], ["weac"], 1, pools / "half.csv")
    assert "weac" not in quality.tables(results + half, {})
    assert quality.tables(half[:0], {}) == "no method is finished on all pools"


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


@pytest.mark.parametrize("script", [quality, networks, genes])
def test_a_run_without_data_says_what_is_missing(script, monkeypatch, capsys):
    monkeypatch.delenv("COMITIA_DATA", raising=False)
    with pytest.raises(SystemExit):
        script.main([])
    assert "COMITIA_DATA" in capsys.readouterr().err
