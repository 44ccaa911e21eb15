"""Peers get the same input, absent ones are named, and junk is what it says."""

import csv
import json
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from benchmarks.evaluation import tools
from benchmarks.evaluation.peers import junk
from benchmarks.evaluation.peers import page as peers_page
from benchmarks.evaluation.peers import run as peers
from benchmarks.evaluation.pools import draw_of, load_pool
from benchmarks.evaluation.store import Options
from benchmarks.evaluation.tools import TOOLS, absent
from comitia import ConsensusClustering, Ensemble
from comitia.agreement import agreement
from comitia.partition import reassign
from tests.fixtures import planted


@pytest.fixture
def nothing_installed(monkeypatch, tmp_path):
    monkeypatch.setattr(tools, "PEER_PYTHON", tmp_path / "none")
    monkeypatch.setattr(tools.shutil, "which", lambda _: None)
    monkeypatch.setattr(tools.importlib.util, "find_spec", lambda _: None)
    monkeypatch.delenv(tools.LABEL_PYTHON, raising=False)
    for cached in (absent, tools._r_version):
        cached.cache_clear()
    yield
    for cached in (absent, tools._r_version):
        cached.cache_clear()


def test_absent_packages_are_left_out_with_a_reason(nothing_installed):
    found = absent()
    assert found["clue"] == found["ConsensusClusterPlus"] == "there is no R"
    assert "make bench" in found["ensembleclustering"]
    assert "not installed" in found["tslearn"]
    assert tools.LABEL_PYTHON in found["tsml-eval"]
    used = {TOOLS[job.key["tool"]].package for job in peers._jobs(Options())}
    assert used == {"comitia", "scikit-learn"}
    assert set(tools.versions()) == {"scikit-learn"}


@pytest.mark.parametrize(("takes", "case"), [*peers.cases()])
def test_cases_are_what_their_tools_take(takes, case):
    given, classes = peers.load_case(case, 0, 60)
    parts = given if isinstance(given, list) else [given]
    assert isinstance(given, list) == (takes == "views")
    assert {len(part) for part in parts} == {len(classes)} == {60}
    assert all(part.ndim == (3 if takes == "series" else 2) for part in parts)
    assert len(np.unique(classes)) > 1


@pytest.mark.parametrize(
    "tool", [name for name, tool in TOOLS.items() if tool.package == "scikit-learn"]
)
def test_scikit_learn_finds_what_is_easy(tool):
    labels, truth = planted(60, 3, 8, noise=0.1, seed=0)
    points = np.eye(3)[truth] + 0.05 * np.random.RandomState(0).randn(60, 3)
    given = labels if TOOLS[tool].takes == "labels" else points
    found, costs = TOOLS[tool].measured(given, given[:30], 3, 0)
    assert agreement(found, truth, "adjusted_rand") > 0.9
    assert costs["seconds"] >= 0
    assert costs["peak_mb"] >= 0


@pytest.mark.parametrize(
    "tool", [name for name in TOOLS if TOOLS[name].package in tools._IN_OWN_PROCESS]
)
def test_peers_in_other_processes_find_what_is_easy(tool):
    if (package := TOOLS[tool].package) in absent():
        pytest.skip(f"{package}: {absent()[package]}")
    labels, truth = planted(40, 2, 6, noise=0.05, seed=0)
    points = np.eye(2)[truth] + 0.05 * np.random.RandomState(0).randn(40, 2)
    given = labels if TOOLS[tool].takes == "labels" else points
    found, costs = TOOLS[tool].measured(given, given[:20], 2, 0)
    assert agreement(found, truth, "adjusted_rand") > 0.8
    assert costs["seconds"] >= 0
    assert costs["peak_mb"] >= 0


def test_a_command_that_fails_is_an_error_with_its_words(tmp_path):
    script = "import sys; sys.exit('no such thing')"
    with pytest.raises(RuntimeError, match="no such thing"):
        tools._printed_lines([sys.executable, "-c", script], str(tmp_path))


# -- junk ------------------------------------------------------------------------------


def test_junk_members_have_more_random_labels():
    labels, truth = junk.planted_with_junk(4000, 10, 0.3, 0.9, 1, seed=0)
    kept = [
        max(np.mean(column[truth == 0] == c) for c in range(junk.N_CLUSTERS))
        for column in labels.T
    ]
    # A random label is right one time in five. Three binomial spreads of 800 objects.
    assert_allclose(kept[:3], 0.1 + 0.9 / 5, atol=0.06)
    assert_allclose(kept[3:], 0.6 + 0.4 / 5, atol=0.06)


def test_imbalance_is_the_ratio_of_sizes():
    _, truth = junk.planted_with_junk(60_000, 1, 0.0, 0.9, 16, seed=0)
    sizes = np.bincount(truth)
    assert_allclose(sizes[0] / sizes[-1], 16, rtol=0.1)  # 2000 in the smallest


def test_a_star_is_a_second_look():
    labels, _ = junk.planted_with_junk(150, 10, 0.5, 0.9, 4, seed=1)
    votes = Ensemble(labels)
    first = junk.combine(votes, "lwea", 5, 0)
    again = junk.combine(votes, "lwea*", 5, 0)
    assert_array_equal(again, reassign(votes, first).labels)


def test_every_method_is_scored_on_the_same_ensemble():
    cell = {"junk_share": 0.0, "junk_noise": 0.9, "imbalance": 1, "n_clusterings": 20}
    found = junk.score_junk(200, **cell, seed=0)
    assert list(found) == list(junk.COLUMNS)
    assert found["oracle"] > 0.97
    assert max(found.values()) <= 1.0


def test_without_junk_its_noise_is_not_varied():
    jobs = list(junk._jobs(Options()))
    noises = {job.key["junk_noise"] for job in jobs if job.key["junk_share"] == 0}
    assert noises == {junk.JUNK_NOISE[0]}
    assert len(jobs) == 3 * 9 * (1 + 4 * 3)


def test_a_pool_is_combined_by_every_method():
    found = junk.score_pool("iris", 1, None)
    assert list(found) == list(junk.METHODS)
    votes = Ensemble(draw_of(load_pool("iris", None)[0], 1))
    labels = ConsensusClustering(3, random_state=1).fit_predict(votes)
    expected = agreement(labels, load_pool("iris", None)[1], "adjusted_rand")
    assert_allclose(found[junk.DEFAULT], expected)


def test_draws_of_a_pool_are_one_data_set(tmp_path):
    methods = dict.fromkeys(junk.METHODS, "0.5")
    ours = {("a", 1): "0.9", ("a", 2): "0.3", ("b", 1): "0.2"}
    rows = [
        {"pool": pool, "draw": draw, **methods, junk.DEFAULT: score, "status": "ok"}
        for (pool, draw), score in ours.items()
    ]
    with (tmp_path / "peers_pools.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    text = peers_page._on_pools(tmp_path)
    assert "from the 2 pools of Fidelity, 3 draws" in text
    line = text.index(f"* - {junk.DEFAULT}")
    assert text[line:].split("\n")[1:3] == ["     - 0.400", "     - 1 / 0 / 1"]


def junk_row(share, seed, scores):
    grid = {"junk_noise": "0.9", "imbalance": "1", "n_clusterings": "10"}
    return {"junk_share": share, **grid, "seed": seed, **scores}


def test_wins_are_counted_by_cells_not_by_seeds():
    rows = [
        junk_row("0.5", 0, {"a": "0.9", "b": "0.5"}),
        junk_row("0.5", 1, {"a": "0.4", "b": "0.5"}),
        junk_row("0.7", 0, {"a": "0.1", "b": "0.3"}),
        junk_row("0.8", 0, {"a": "0.304", "b": "0.3"}),
    ]
    wins, ties, losses, worst = peers_page.against(rows, "a", "b")
    assert (wins, ties, losses) == (1, 1, 1)
    assert_allclose(worst, -0.2)


def test_the_page_names_what_was_left_out_and_what_was_too_slow(tmp_path):
    head = "case,tool,seed,package,n_objects,k,nmi,ari,seconds,peak_mb,status,message"
    (tmp_path / "peers.csv").write_text(
        f"{head}\nequal sizes,lwea,0,comitia,60,5,1,0.5,0.1,2,ok,\n"
        "equal sizes,clue SE,0,,,,,,,,timed out,stopped\n"
        "equal sizes,lwea*,0,comitia,60,5,1,0.7,0.1,2,ok,\n"
    )
    run = {
        "rows": 3,
        "date": "2026-11-15",
        "cores": 2,
        "time_limit": 1.0,
        "memory_limit": 1.0,
        "versions": {},
        "peers": {"clue": "1"},
        "absent": {"snfpy": "snfpy is not installed"},
    }
    (tmp_path / "peers.json").write_text(json.dumps({"runs": [run]}))
    text = peers_page.page(tmp_path, tmp_path / "figures")
    assert "Left out: snfpy: snfpy is not installed." in text
    assert "- timed out" in text
    assert "- **lwea\\***" in text
