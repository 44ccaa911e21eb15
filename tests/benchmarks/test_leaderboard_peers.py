"""Peers get the same ensembles, and what fails says how."""

import sys

import numpy as np
import pytest

from benchmarks.evaluation import tools
from benchmarks.evaluation.leaderboards import peers
from benchmarks.evaluation.store import Options, read
from benchmarks.evaluation.tools import TOOLS, Tool

# A package that does well, fails as PCE does, raises, and takes its time.
FAKE = """
import time

def good(BPs, nClusters, nBase, nRepeat, seed):
    return [BPs[:, 0]], [0.0]

def says(BPs, **_):
    print("SAYS failed on repeat 0: no file in {folder}")
    return [BPs[:, 0] * 0], [0.0]

def raises(BPs, **_):
    raise ValueError("no such thing")

def slow(BPs, **_):
    start = time.process_time()
    while time.process_time() < start + 30:
        pass
"""


def test_members_are_labels_from_zero_in_a_drawn_order():
    members, y = peers.load_case("members of iris", 0, None)
    assert members.shape == (150, peers.N_MEMBERS)
    assert {tuple(np.unique(one)) for one in members.T} == {(0, 1, 2)}
    drawn, classes = peers.load_case("pool iris", 2, None)
    assert drawn.shape == (150, 10)
    assert (drawn.min(axis=0) == 0).all()
    assert not np.array_equal(y, classes)
    assert np.array_equal(np.sort(y), np.sort(classes))
    table, again = peers.load_case("table iris", 0, None)
    assert table.shape == (150, 4)
    assert np.array_equal(y, again)  # the same order as that of its members


def test_tools_get_what_they_take(monkeypatch):
    monkeypatch.setattr(peers, "absent", lambda: {"clue": "not here"})
    made = [job.key for job in peers._jobs(Options(seeds=(0,)))]
    for key in made:
        takes = "table" if key["data"].startswith("table") else "labels"
        assert TOOLS[key["method"]].takes == takes
    seen = {key["method"] for key in made}
    assert "clue SE" not in seen
    assert {*peers.OURS, "ConsensusClusterPlus km", "PCE lwea"} <= seen


def test_too_few_labels_are_a_failure(monkeypatch):
    monkeypatch.setitem(
        TOOLS, "few", Tool("comitia", "labels", lambda G, k, s: G[1:, 0])
    )
    with pytest.raises(ValueError, match="59 labels for 60 objects"):
        peers.measure("members of iris", "few", 0, None, smoke=True)


@pytest.fixture
def fake_package(tmp_path, monkeypatch):
    module = tmp_path / "pce" / "consensus"
    module.mkdir(parents=True)
    text = FAKE.replace("{folder}", tmp_path.as_posix())
    (module / "__init__.py").write_text(text)
    monkeypatch.setenv(tools.LABEL_PYTHON, sys.executable)
    monkeypatch.setenv(tools.PCE_FOLDER, tmp_path.as_posix())
    monkeypatch.setattr(tools, "CPU_LIMIT", 0.2)
    methods = ("good", "says", "raises", "slow")
    monkeypatch.setitem(tools.LABEL_PEERS, "PCE", methods)
    tools._label_peers.cache_clear()
    yield
    tools._label_peers.cache_clear()


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of CPU time there")
def test_functions_of_a_package_fail_one_by_one(fake_package):
    labels = np.array([[0, 1], [1, 1], [1, 0]])
    found, costs = tools._label_peer("PCE", "good", labels, 2, 0)
    assert np.array_equal(found, labels[:, 0])
    assert costs["seconds"] >= 0
    for method, said in {
        "says": "SAYS failed on repeat 0: no file in PCE",
        "raises": "ValueError: no such thing",
        "slow": "TimeoutError: more than the CPU time",
    }.items():
        with pytest.raises(RuntimeError, match=said):
            tools._label_peer("PCE", method, labels, 2, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of CPU time there")
def test_a_call_that_takes_too_long_is_ended(monkeypatch):
    monkeypatch.setattr(tools, "CPU_LIMIT", 0.2)

    def endless(given, k, seed):
        while len(given) > 1:
            pass
        return given

    with pytest.raises(TimeoutError, match=r"more than 0\.2 s"):
        Tool("comitia", "labels", endless).measured(np.zeros(5), np.zeros(1), 2, 0)


def test_the_page_tells_costs_and_what_failed(tmp_path):
    peers.run(Options(results=tmp_path, smoke=True))
    rows = read(tmp_path / "leaderboard_peers.csv")
    assert {row["status"] for row in rows} == {"ok"}
    assert "our default has a mean ARI of" in peers.answer(tmp_path)
    text = peers.page(tmp_path, tmp_path)
    assert "Nothing." in text
    failed = {**rows[0], "status": "failed", "message": "no `such` thing", "ari": ""}
    told = peers._failures([*rows, failed])
    assert "1 of 2" in told
    assert "``failed: no 'such' thing``" in told
