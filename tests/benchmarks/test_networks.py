"""Networks in the evaluation: what is drawn, scored, and to choose or confirm by."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from benchmarks.evaluation.networks import run
from benchmarks.evaluation.networks.lfr import DEGREES, SIZES, lfr_network


@pytest.mark.parametrize("mixing", [0.1, 0.5])
def test_artificial_networks_have_the_mixing_they_are_asked_for(mixing):
    graph, member = lfr_network(600, mixing, seed=0)
    assert_array_equal(graph.toarray(), graph.toarray().T)
    assert not graph.diagonal().any()
    assert set(graph.data) == {1.0}
    row = np.repeat(np.arange(600), np.diff(graph.indptr))
    # Whole links of vertices with ten of them round the share by less than 0.02.
    assert_allclose((member[row] != member[graph.indices]).mean(), mixing, atol=0.02)
    assert np.diff(graph.indptr).max() <= DEGREES[1]
    assert np.bincount(member).min() >= SIZES[0]
    again = lfr_network(600, mixing, seed=0)[0]
    assert_array_equal(graph.indices, again.indices)


def test_half_of_the_networks_of_each_kind_is_to_choose(tmp_path):
    (tmp_path / "graphs").mkdir()
    edges = [[0, 1], [1, 2], [2, 3]]
    groups = {"comm_indptr": [0, 3], "comm_indices": [0, 1, 2]}
    for i in range(4):
        np.savez(tmp_path / f"graphs/known{i}.npz", n=4, edges=edges, y=[0, 0, 1, -1])
        np.savez(tmp_path / f"graphs/overlapping{i}.npz", n=4, edges=edges, **groups)
    half = run.networks(tmp_path)
    for kind in ("known", "overlapping", "lfr"):
        some = [each for name, each in half.items() if name.startswith(kind)]
        assert some.count("choose") == some.count("confirm") > 0
    assert run.load("known0", tmp_path).graph.nnz == 6
    assert_array_equal(run.load("overlapping0", tmp_path).groups, [[0, 1, 2]])


def test_groups_that_are_found_score_one(tmp_path):
    (tmp_path / "graphs").mkdir()
    edges = [[0, 1], [1, 2], [0, 2], [3, 4], [4, 5], [3, 5], [2, 3]]
    groups = {"comm_indptr": [0, 3, 6], "comm_indices": range(6)}
    np.savez(tmp_path / "graphs/two.npz", n=6, edges=edges, **groups)
    found = run.score("two", "choose", "leiden", 2, tmp_path)
    assert (found["n_classes"], found["n_clusters"], found["stability"]) == (2, 2, 1)
    assert_allclose((found["f1"], found["modularity"]), (1.0, 6 / 7 - 0.5))


def test_rivals_find_clear_communities(monkeypatch):
    monkeypatch.setattr(run, "N_MEMBERS", 4)
    for name in run.RIVALS.keys() - run.PEER_RIVALS.keys():
        found = run.score("lfr_120_0.1_0", "choose", name, 1, None)
        assert found["ari"] > 0.95, name
