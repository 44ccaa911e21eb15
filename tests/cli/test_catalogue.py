"""comitia methods, comitia report, comitia demo."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_wine

import comitia
from comitia.agreement import adjusted_rand, agreement_with
from comitia.io import Result
from tests.cli.conftest import read


def test_methods_lists_the_catalogue(run):
    code, out, _ = run("methods")
    assert code == 0
    listed = [line.split()[0] for line in out.splitlines()[1:-2]]
    assert listed == [card.id for card in comitia.methods()]
    assert f"{len(listed)} methods" in out


def test_methods_are_filtered(run):
    code, out, _ = run(
        *("methods", "--weighs", "objects,features", "--approach", "fixed"),
        *("--needs", "labels, data", "--scales", "linear", "--json"),
    )
    assert code == 0
    cards = comitia.methods(
        weighs=["objects", "features"],
        approach="fixed",
        needs=["labels", "data"],
        scales="linear",
    )
    assert [card["id"] for card in json.loads(out)] == [card.id for card in cards]


def test_one_method_is_shown(run):
    code, out, _ = run("methods", "show", "lwgp")
    assert code == 0
    assert out.startswith("lwgp: Locally weighted graph partitioning\n")
    assert "theta : float, default=0.4" in out
    assert "Zhang's review" in out
    assert "Huang" in out
    assert "``" not in out
    assert ":math:" not in out
    code, out, _ = run("methods", "show", "lwgp", "--json")
    assert json.loads(out)["parameters"]["theta"] == 0.4


def test_what_a_method_does_not_promise_is_shown(run):
    _, out, _ = run("methods", "show", "yang_2016")
    _, shown, _ = run("methods", "show", "yang_2016", "--json")
    _, other, _ = run("methods", "show", "lwgp")
    assert (
        "returns as many clusters as asked for, or warns:\n      n_clusters is" in out
    )
    assert "n_clusters is None" in json.loads(shown)["exempt"]["asked_k"]
    assert "Not promised" not in other


@pytest.mark.parametrize("card", comitia.methods(), ids=lambda card: card.id)
def test_every_method_can_be_shown(card, run):
    code, out, _ = run("methods", "show", card.id)
    assert code == 0
    assert "n_clusters : " in out


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """Run the demo once: what it printed and where its files are."""
    folder = tmp_path_factory.mktemp("demo")
    done = subprocess.run(
        [sys.executable, "-m", "comitia", "demo", "--out", str(folder / "new")],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "NUMBA_NUM_THREADS": "1"},
    )
    return done.stdout, folder / "new"


def test_demo_prints_the_agreement_of_the_labels_it_wrote(demo):
    printed, folder = demo
    rows = read(folder / "labels.csv")
    labels = [int(row["cluster"]) for row in rows]
    wine = load_wine()
    assert [row["truth"] for row in rows] == [*wine.target_names[wine.target]]
    (line,) = (line for line in printed.splitlines() if "known cultivars" in line)
    score = adjusted_rand(np.array(labels), wine.target)
    shown = float(line.split()[2].rstrip(","))
    assert shown == pytest.approx(score, abs=5e-4)  # three decimals
    # Equal weights have 0.53, k-means on all columns 0.83.
    assert score > 0.75
    beside = [line for line in printed.splitlines() if line.lstrip().startswith("ARI")]
    assert "with equal weights" in beside[0]
    assert "k-means on all 26 columns" in beside[1]
    assert float(beside[0].split()[1]) < score


def test_demo_shows_the_heaviest_and_the_lightest_clusterings(demo):
    printed, folder = demo
    weights = Result.load(folder).weights["clustering_weights"]
    lines = printed.splitlines()
    head = next(i for i, line in enumerate(lines) if "clustering  weight" in line)
    shown = [line.split() for line in lines[head + 1 : head + 7]]
    assert shown[0][0] == "heaviest"
    assert shown[3][0] == "lightest"
    got = [float(row[-2]) for row in shown]
    in_order = np.sort(weights)[::-1]
    assert_allclose(got, [*in_order[:3], *in_order[-3:]], atol=5e-4)  # three decimals


def test_the_weights_of_the_demo_follow_quality(demo):
    printed, folder = demo
    result = Result.load(folder)
    weights = result.weights["clustering_weights"]
    alone = agreement_with(load_wine().target, result.ensemble, "adjusted_rand")
    order = np.argsort(-weights)
    assert alone[order[:3]].min() > alone[order[-3:]].max() + 0.3
    assert np.corrcoef(weights, alone)[0, 1] > 0.8
    noise = [name.startswith("noise") for name in result.ensemble.clustering_names]
    assert np.sum(noise) == 24
    assert weights[np.logical_not(noise)].mean() > 2 * weights[noise].mean()
    assert "The correlation of weight and ARI is 0." in " ".join(printed.split())


def test_demo_says_where_its_report_is(demo):
    printed, folder = demo
    assert str(folder / "report.html") in printed
    assert (folder / "report.html").stat().st_size > 10_000
    assert not folder.with_name("new.partial").exists()


def test_the_demo_may_be_run_again_and_without_extras(demo, run, monkeypatch):
    folder = demo[1]
    before = (folder / "labels.csv").read_bytes()
    for package in ("cyclopts", "rich", "jinja2"):
        monkeypatch.setitem(sys.modules, package, None)
    code, out, err = run("demo", "-o", folder)
    assert (code, err) == (0, "")
    assert "pip install 'comitia[report]'" in out
    assert (folder / "labels.csv").read_bytes() == before
    assert not (folder / "report.html").exists()


def test_the_demo_spares_other_folders(run, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("three years")
    code, out, err = run("demo", "-o", "mine")
    assert code == 1
    assert "there already" in err
    assert not out


def test_the_report_is_written_again_from_the_folder_alone(run, blobs, tmp_path):
    run(
        *("fit", blobs, "--id", "name", "--truth", "class", "-k", "3"),
        *("--n-clusterings", "5"),
    )
    path = tmp_path / "result" / "report.html"
    before = path.read_bytes()
    path.unlink()
    blobs.unlink()
    code, out, err = run("report", "result")
    assert (code, err) == (0, "")
    assert out == "  report    result/report.html\n"
    assert path.read_bytes() == before
    code, out, _ = run("report", "result", "-o", "elsewhere.html", "--json")
    assert code == 0
    assert json.loads(out) == {"report": "elsewhere.html"}
    assert (tmp_path / "elsewhere.html").exists()


def test_a_folder_without_a_result_has_no_report(run, tmp_path):
    (tmp_path / "empty").mkdir()
    code, _, err = run("report", "empty")
    assert code == 1
    assert "holds no result.json" in err
