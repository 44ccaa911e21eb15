"""Plain voting."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from comitia import Ensemble
from comitia.exceptions import ComitiaError
from comitia.methods import Voting
from comitia.methods.baselines.voting import overlaps_with
from comitia.represent import align, overlaps
from comitia.represent.cluster_sums import labels_of
from tests.fixtures import E6, planted, same_partition


def voting_by_loops(labels, k):
    """One round: align to the first clustering, count; equals go by what is shared."""
    aligned = np.stack([align(column, labels[:, 0]).labels for column in labels.T], 1)
    agree = aligned == labels[:, :1]
    support = np.array([agree[labels[:, 0] == label].sum() for label in range(k)])
    votes = [np.bincount(row, minlength=k) for row in aligned]
    return np.array([np.lexsort((-support, -row))[0] for row in votes])


@pytest.mark.parametrize("seed", range(4))
def test_one_round_is_a_loop_over_objects(seed):
    labels, _ = planted(200, 4, 7, 0.5, seed)
    fitted = Voting(n_clusters=4, agreement=None, max_iter=1).fit(Ensemble(labels))
    assert same_partition(fitted.labels_, voting_by_loops(labels, 4))


def test_e6_is_the_clustering_that_two_of_three_have():
    fitted = Voting(n_clusters=2).fit(Ensemble(E6))
    assert fitted.labels_.tolist() == [0, 0, 0, 1, 1, 1]
    assert fitted.converged_
    assert fitted.n_iter_ == 2


def test_without_a_number_the_reference_has_it():
    assert Voting().fit(Ensemble(E6)).n_clusters_ == 2
    assert Voting().fit(Ensemble(E6[:, [2, 2, 0]])).n_clusters_ == 3


def test_the_heavy_clustering_has_its_way():
    fitted = Voting(n_clusters=3, clustering_weights=[1, 1, 5]).fit(Ensemble(E6))
    assert same_partition(fitted.labels_, E6[:, 2])
    assert_allclose(fitted.clustering_weights_, [1 / 7, 1 / 7, 5 / 7])


def test_rounds_end_where_another_changes_nothing():
    labels, truth = planted(500, 8, 15, 0.7, 0)
    fitted = Voting(n_clusters=8, agreement=None).fit(Ensemble(labels))
    assert fitted.converged_
    assert fitted.n_iter_ > 1
    one = Voting(n_clusters=8, agreement=None, max_iter=1).fit(Ensemble(labels))
    gain = adjusted_rand_score(truth, fitted.labels_) - adjusted_rand_score(
        truth, one.labels_
    )
    assert gain > 0.3


def test_rounds_cut_short_are_announced_but_a_single_one_is_not():
    labels, _ = planted(500, 8, 15, 0.7, 0)
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        Voting(n_clusters=8, agreement=None, max_iter=2).fit(Ensemble(labels))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Voting(n_clusters=8, agreement=None, max_iter=1).fit(Ensemble(labels))


def test_finer_and_coarser_clusterings_vote_too():
    _, truth = planted(300, 4, 1, 0.0, 0)
    rng = np.random.RandomState(0)
    finer = [2 * truth + rng.randint(2, size=300) for _ in range(3)]
    coarser = [truth // 2, truth]
    votes = Ensemble(np.stack([*finer, *coarser], axis=1))
    assert same_partition(Voting(n_clusters=4).fit_predict(votes), truth)


def test_a_number_that_no_clustering_has_is_made_from_the_rows():
    _, truth = planted(300, 4, 1, 0.0, 0)
    rng = np.random.RandomState(0)
    votes = Ensemble(
        np.stack([2 * truth + rng.randint(2, size=300) for _ in range(6)], axis=1)
    )
    fitted = Voting(n_clusters=4, random_state=0).fit(votes)
    assert adjusted_rand_score(truth, fitted.labels_) > 0.95


def test_clusters_of_unequal_size_are_found():
    labels, truth = planted(600, 4, 15, 0.4, 0, sizes=[16, 4, 2, 1])
    found = Voting(n_clusters=4).fit_predict(Ensemble(labels))
    assert adjusted_rand_score(truth, found) > 0.9


def test_a_partial_reference_is_completed_by_the_others():
    labels = np.repeat(E6[:, :1], 3, axis=1)
    labels[2, 0] = -1
    fitted = Voting(agreement=None).fit(Ensemble(labels))
    assert_array_equal(fitted.labels_, [0, 0, 0, 1, 1, 1])


def test_fuzzy_clusterings_split_their_vote():
    F = np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]])
    G = np.array([[0.1, 0.9], [0.7, 0.3], [1.0, 0.0]])
    votes = Ensemble.from_memberships([F, G])
    assert same_partition(Voting(agreement=None).fit_predict(votes), [0, 1, 1])


def test_objects_that_weights_leave_without_a_vote_are_refused():
    votes = Ensemble([[0, 0], [0, 0], [1, 1], [-1, 1]])
    with pytest.raises(ComitiaError, match="without a vote, the first is object 3"):
        Voting(clustering_weights=[1, 0]).fit(votes)


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("few", [0, 10**6])  # compiled tables, and sparse products
def test_overlaps_with_a_clustering_are_those_with_its_labels(
    few, missing, monkeypatch
):
    monkeypatch.setattr("comitia.sizes.FEW_LABELS", few)
    rng = np.random.RandomState(0)
    labels = rng.randint(4, size=(60, 3))
    labels[rng.uniform(size=labels.shape) < missing] = -1
    labels[:, 0] = rng.randint(7, size=60)
    votes = Ensemble(labels)
    for m in range(3):
        own = labels_of(votes, m)
        assert_array_equal(overlaps_with(votes, m), overlaps(votes, own))


def test_overlaps_with_a_fuzzy_clustering_take_its_likeliest_labels():
    rng = np.random.RandomState(0)
    votes = Ensemble.from_memberships(
        [rng.dirichlet(np.ones(3), size=20) for _ in range(2)]
    )
    expected = overlaps(votes, labels_of(votes, 1), 3)
    assert_array_equal(overlaps_with(votes, 1), expected)
