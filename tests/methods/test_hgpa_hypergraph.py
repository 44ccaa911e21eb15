"""Hypergraph partitioning: parts of equal size that tear few clusters."""

import sys
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from comitia import Ensemble
from comitia.exceptions import ComitiaError
from comitia.methods.baselines import _hgpa_hypergraph as hypergraph
from comitia.methods.baselines._hgpa_hypergraph import hypergraph_partition
from tests.fixtures import E6, planted, same_partition

pytest.importorskip("mtkahypar")


def n_torn(ensemble, labels, weights, cost):
    total = 0.0
    for c, w in enumerate(weights):
        members = np.flatnonzero(ensemble.membership.toarray()[:, c])
        n_parts = len(set(labels[members].tolist()))
        total += w * cost(n_parts)
    return total


def least_torn(ensemble, weights, cost):
    n = ensemble.n_objects
    costs = []
    for half in combinations(range(n), n // 2):
        labels = np.zeros(n, dtype=int)
        labels[list(half)] = 1
        costs.append(n_torn(ensemble, labels, weights, cost))
    return min(costs)


COSTS = {
    "cut": lambda parts: float(parts > 1),
    "connectivity": lambda parts: parts - 1.0,
    "external_degree": lambda parts: parts * float(parts > 1),
}


def test_e6_is_halved_at_the_cost_of_one_cluster():
    labels = hypergraph_partition(Ensemble(E6), 2, imbalance=0.0)
    assert same_partition(labels, [0, 0, 0, 1, 1, 1])
    assert n_torn(Ensemble(E6), labels, np.ones(7), COSTS["cut"]) == 1  # d = {2, 3}


@pytest.mark.parametrize("objective", COSTS)
@pytest.mark.parametrize("seed", range(3))
def test_small_hypergraphs_are_halved_at_least_cost(objective, seed):
    rng = np.random.RandomState(seed)
    ensemble = Ensemble(rng.randint(4, size=(8, 4)))
    w = rng.randint(1, 5, size=4)
    labels = hypergraph_partition(
        ensemble, 2, clustering_weights=w, imbalance=0.0, objective=objective
    )
    assert np.bincount(labels).tolist() == [4, 4]
    weights = w[ensemble.clustering_of]
    cost = COSTS[objective]
    # A heuristic, but eight objects are few enough for it.
    assert n_torn(ensemble, labels, weights, cost) == least_torn(
        ensemble, weights, cost
    )


def test_clusters_that_weigh_more_are_torn_less():
    # Two clusterings that cannot both be kept.
    ensemble = Ensemble([[0, 0], [0, 1], [1, 0], [1, 1]])
    for m, weights in enumerate([[5, 1], [1, 5]]):
        labels = hypergraph_partition(
            ensemble, 2, clustering_weights=weights, imbalance=0.0
        )
        assert same_partition(labels, ensemble.labels[:, m])


def test_vertex_weights_are_balanced():
    ensemble = Ensemble(np.zeros((5, 1), dtype=int))
    weights = np.array([4, 1, 1, 1, 1])
    labels = hypergraph_partition(ensemble, 2, vertex_weights=weights, imbalance=0.0)
    assert np.bincount(labels, weights).tolist() == [4, 4]


def test_the_same_seed_divides_alike():
    ensemble = Ensemble(planted(200, 4, 6, 0.3, 0)[0])
    one, other = (
        hypergraph_partition(ensemble, 4, rng=np.random.RandomState(1))
        for _ in range(2)
    )
    assert_array_equal(one, other)
    assert np.bincount(one).max() <= 1.05 * 50


def test_one_part_and_as_many_parts_as_objects():
    assert hypergraph_partition(Ensemble(E6), 1).tolist() == [0] * 6
    assert hypergraph_partition(Ensemble(E6), 6).tolist() == [0, 1, 2, 3, 4, 5]


def test_missing_labels_and_overlaps_are_taken_as_they_are():
    partial = E6.copy()
    partial[[0, 5], [2, 2]] = -1
    labels = hypergraph_partition(Ensemble(partial), 2, imbalance=0.0)
    assert same_partition(labels, [0, 0, 0, 1, 1, 1])
    overlapping = Ensemble.from_clusters(
        [[[0, 1, 2], [2, 3, 4, 5]], [[0, 1], [3, 4]]], 6
    )
    labels = hypergraph_partition(overlapping, 2, imbalance=0.0)
    assert labels[0] == labels[1] != labels[3] == labels[4]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"objective": "ncut"}, "objective='ncut' is none of"),
        ({"n_clusters": 0}, "n_clusters=0 must be at least 1"),
        ({"imbalance": -1}, "imbalance=-1 must not be negative"),
    ],
)
def test_what_cannot_be_divided_is_refused(parameters, message):
    with pytest.raises(ComitiaError, match=message):
        hypergraph_partition(Ensemble(E6), **({"n_clusters": 2} | parameters))


def test_without_mtkahypar_the_message_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "mtkahypar", None)
    monkeypatch.setattr(hypergraph, "_mtkahypar", hypergraph._mtkahypar.__wrapped__)
    with pytest.raises(ImportError, match=r"comitia\[hypergraph\]"):
        hypergraph_partition(Ensemble(E6), 2)
