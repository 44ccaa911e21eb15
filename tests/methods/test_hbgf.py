"""HBGF."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from comitia import Ensemble
from comitia.exceptions import ComitiaWarning
from comitia.methods import HBGF
from tests.fixtures import E6, planted, same_partition


@pytest.mark.parametrize("variant", ["even", "joint", "objects"])
def test_e6_is_cut_between_its_halves(variant):
    labels = HBGF(n_clusters=2, variant=variant).fit_predict(Ensemble(E6))
    assert same_partition(labels, [0, 0, 0, 1, 1, 1])


def test_e6_is_cut_at_two_of_its_eighteen_edges():
    # Objects 2 and 3 are both in d, which can be on one side only; every other edge
    # can be kept. Brute force over the sides of objects (three each) and clusters.
    B = Ensemble(E6).membership.toarray()
    cuts = {}
    for code in range(64):
        side = np.array([code >> i & 1 for i in range(6)])
        if side.sum() == 3 and side[0] == 0:
            # Each cluster goes where most of its objects are.
            others = B[side == 1].sum(axis=0)
            cuts[tuple(side)] = np.minimum(others, B.sum(axis=0) - others).sum()
    assert min(cuts, key=cuts.get) == (0, 0, 0, 1, 1, 1)
    assert min(cuts.values()) == 1


def test_merged_objects_are_cut_as_the_full_graph_is():
    labels = HBGF(n_clusters=2).fit_predict(Ensemble(np.repeat(E6, 5, axis=0)))
    assert same_partition(labels, np.repeat([0, 1], 15))


@pytest.mark.parametrize("variant", ["even", "joint", "objects"])
def test_planted_clusters_are_found(variant):
    labels, truth = planted(300, 5, 15, 0.2, 0)
    fitted = HBGF(n_clusters=5, variant=variant, random_state=0).fit(Ensemble(labels))
    assert adjusted_rand_score(truth, fitted.labels_) > 0.9


def test_a_clustering_of_one_cluster_does_not_tip_the_balance():
    truth = np.repeat(np.arange(4), 7)
    votes = np.column_stack([truth] * 6 + [np.zeros(28, dtype=int)])
    votes[14, 3], votes[3, 4], votes[4, 5] = 0, 1, 1  # a vote of six against the truth
    labels = HBGF(n_clusters=4, random_state=0).fit_predict(Ensemble(votes))
    assert same_partition(labels, truth)


@pytest.mark.parametrize("variant", ["even", "joint", "objects"])
def test_clusterings_of_one_cluster_alone_are_cut_somewhere(variant):
    votes = Ensemble(np.zeros((6, 2), dtype=int))
    with pytest.warns(ComitiaWarning, match="only 1 different row"):
        assert {*HBGF(n_clusters=2, variant=variant).fit_predict(votes)} == {0}


def test_parts_are_balanced_unless_imbalance_allows_more():
    labels, truth = planted(400, 2, 20, 0.1, 0, sizes=[3, 1])
    tight = HBGF(n_clusters=2, variant="objects", random_state=0).fit(Ensemble(labels))
    assert np.bincount(tight.labels_).max() <= 1.06 * 200
    loose = HBGF(n_clusters=2, imbalance=0.5, random_state=0)
    assert adjusted_rand_score(truth, loose.fit(Ensemble(labels)).labels_) > 0.95
    assert adjusted_rand_score(truth, tight.labels_) < 0.5
