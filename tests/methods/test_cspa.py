"""CSPA, against the catalogue's numbers and brute force."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from comitia import Ensemble
from comitia.config import limit
from comitia.exceptions import MemoryBudgetError
from comitia.methods import CSPA
from tests.fixtures import E6, planted, same_partition


def cut(S, labels):
    return S[labels[:, None] != labels[None, :]].sum() / 2


def test_e6_is_cut_where_it_costs_least():
    S = (E6[:, None] == E6[None]).mean(axis=2)
    costs = {}
    for others in combinations(range(1, 6), 2):  # with object 0: ten bipartitions
        labels = np.ones(6, dtype=int)
        labels[[0, *others]] = 0
        costs[tuple(labels)] = cut(S, labels)
    assert len(costs) == 10
    cheapest = min(costs, key=costs.get)
    assert cheapest == (0, 0, 0, 1, 1, 1)
    assert costs[cheapest] == pytest.approx(1 / 3)
    assert sum(cost < 1 / 3 + 1e-9 for cost in costs.values()) == 1
    assert same_partition(CSPA(n_clusters=2).fit_predict(Ensemble(E6)), cheapest)


def test_merged_objects_are_cut_as_the_full_graph_is():
    # Four objects of each kind: the smallest balanced cut of the full graph is that of
    # E6, sixteen times as dear.
    labels = CSPA(n_clusters=2).fit_predict(Ensemble(np.repeat(E6, 4, axis=0)))
    assert same_partition(labels, np.repeat([0, 1], 12))


def test_a_doubled_clustering_is_a_doubled_weight():
    labels, _ = planted(60, 3, 4, 0.3, 0)
    doubled = Ensemble(labels[:, [0, 0, 1, 2, 3]])
    weighted = CSPA(n_clusters=3, clustering_weights=[2, 1, 1, 1], random_state=0)
    one = weighted.fit_predict(Ensemble(labels))
    assert same_partition(one, CSPA(n_clusters=3, random_state=0).fit_predict(doubled))


def test_parts_are_balanced_unless_imbalance_allows_more():
    labels, truth = planted(400, 2, 20, 0.1, 0, sizes=[3, 1])
    tight = CSPA(n_clusters=2, random_state=0).fit(Ensemble(labels))
    assert np.bincount(tight.labels_).max() <= 1.06 * 200
    loose = CSPA(n_clusters=2, imbalance=0.5, random_state=0).fit(Ensemble(labels))
    assert adjusted_rand_score(truth, loose.labels_) > 0.95
    assert adjusted_rand_score(truth, tight.labels_) < 0.5


def test_planted_clusters_are_found():
    labels, truth = planted(300, 5, 15, 0.4, 0)
    found = CSPA(n_clusters=5, random_state=0).fit_predict(Ensemble(labels))
    assert adjusted_rand_score(truth, found) > 0.95


def test_a_graph_beyond_the_memory_budget_is_refused():
    labels, _ = planted(500, 3, 8, 0.9, 0)
    with limit("100 kB"), pytest.raises(MemoryBudgetError, match="lwgp"):
        CSPA(n_clusters=3).fit(Ensemble(labels))
