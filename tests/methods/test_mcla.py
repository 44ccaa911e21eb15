"""MCLA, against the catalogue's numbers."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from comitia import Ensemble
from comitia.exceptions import ComitiaWarning
from comitia.methods import MCLA
from comitia.partition import meta_vote, metis_partition
from comitia.represent import jaccard_clusters
from tests.fixtures import E6, planted, same_partition


def test_the_meta_clusters_of_e6_are_those_of_the_catalogue():
    # With {a, a', c} and {b, b', d, e} object 2 scores 2/3 against 1/4; d may be with
    # either, which leaves three clusters against four.
    groups = metis_partition(jaccard_clusters(Ensemble(E6)), 2)
    a, b, a2, b2, c, _, e = groups
    assert a == a2 == c != b == b2 == e
    _, association = meta_vote(Ensemble(E6), groups, 2)
    assert association[2].max() >= 2 / 3


def test_e6_is_its_first_clustering():
    fitted = MCLA(n_clusters=2).fit(Ensemble(E6))
    assert fitted.labels_.tolist() == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize("variant", ["clusters", "objects"])
def test_planted_clusters_are_found(variant):
    labels, truth = planted(300, 5, 15, 0.4, 0)
    fitted = MCLA(n_clusters=5, variant=variant, random_state=0).fit(Ensemble(labels))
    assert adjusted_rand_score(truth, fitted.labels_) > 0.95


def test_clusters_of_unequal_size_are_found_when_clusters_are_balanced():
    labels, truth = planted(400, 3, 15, 0.2, 0, sizes=[8, 1, 1])
    counted = MCLA(n_clusters=3, random_state=0).fit_predict(Ensemble(labels))
    assert adjusted_rand_score(truth, counted) > 0.95


def test_a_meta_cluster_that_wins_nothing_is_no_cluster():
    # Three meta-clusters of clusterings that know two clusters.
    votes = Ensemble(np.repeat([[0], [0], [1], [1]], 3, axis=1))
    with pytest.warns(ComitiaWarning, match="only 2 of n_clusters=3"):
        fitted = MCLA(n_clusters=3).fit(votes)
    assert fitted.labels_[0] == fitted.labels_[1] != fitted.labels_[2]


def test_one_clustering_asked_for_more_clusters_than_it_has():
    with pytest.warns(ComitiaWarning, match="only 2 of n_clusters=4"):
        fitted = MCLA(n_clusters=4).fit(Ensemble([[0], [0], [1], [1]]))
    assert same_partition(fitted.labels_, [0, 0, 1, 1])


def test_fuzzy_memberships_are_voted_with():
    F = np.array([[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.4, 0.6]])
    votes = Ensemble.from_memberships([F, F[:, ::-1], F])
    assert same_partition(MCLA(n_clusters=2).fit_predict(votes), [0, 0, 1, 1])
