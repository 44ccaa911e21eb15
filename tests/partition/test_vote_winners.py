"""Votes that decide."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble
from comitia.exceptions import ComitiaError
from comitia.partition import median_selection, meta_vote
from comitia.partition.vote_winners import cluster_vote
from tests.fixtures import E6


def winner(votes):
    """The lowest label of those with most votes; -1 without any."""
    votes = np.asarray(votes, dtype=float)
    return int(votes.argmax()) if votes.any() else -1


def vote_by_loops(ensemble, targets, k, w, mean):
    B = ensemble.membership.toarray()
    table = np.zeros((len(B), k))
    for r in range(k):
        members = np.flatnonzero(targets == r)
        if len(members):
            table[:, r] = B[:, members] @ w[members] / (len(members) if mean else 1)
    return table


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["partial", "fuzzy"])
def test_groups_of_clusters_vote_by_their_formula(seed, kind):
    rng = np.random.RandomState(seed)
    if kind == "fuzzy":
        E = Ensemble.from_memberships(rng.dirichlet(np.ones(4), size=(5, 300)))
    else:
        E = Ensemble(rng.randint(-1, 4, size=(300, 5)))
    targets = rng.randint(-1, 3, size=E.n_clusters_total)
    w = rng.rand(E.n_clusters_total)
    sums = vote_by_loops(E, targets, 3, w, mean=False)
    expected = [winner(row) for row in sums]
    assert_array_equal(cluster_vote(E, targets, 3, cluster_weights=w), expected)
    means = vote_by_loops(E, targets, 3, w, mean=True)
    labels, association = meta_vote(E, targets, 3, cluster_weights=w)
    assert_allclose(association, means, atol=1e-14)
    assert_array_equal(labels, [winner(row) for row in means])
    alone, nothing = meta_vote(E, targets, 3, cluster_weights=w, association=False)
    assert nothing is None
    assert_array_equal(alone, labels)


def test_the_vote_of_more_objects_than_a_task_takes():
    rng = np.random.RandomState(0)
    E = Ensemble(rng.randint(6, size=(10_001, 7)))
    targets = rng.randint(5, size=E.n_clusters_total)
    sums = vote_by_loops(E, targets, 5, np.ones(E.n_clusters_total), mean=False)
    assert_array_equal(cluster_vote(E, targets, 5), sums.argmax(axis=1))


@pytest.mark.parametrize("k", [300, 70_000])
def test_labels_of_every_width_are_counted(k):
    rng = np.random.RandomState(0)
    labels = np.stack([rng.permutation(k) for _ in range(3)], axis=1)
    labels[:, 2] = labels[:, 0]
    E = Ensemble(labels)
    targets = np.tile(np.arange(k), 3)
    assert_array_equal(cluster_vote(E, targets, k), labels[:, 0])


def test_object_2_of_e6_scores_as_in_the_catalogue():
    labels, association = meta_vote(Ensemble(E6), [0, 1, 0, 1, 0, 1, 1], 2)
    assert_allclose(association[2], [2 / 3, 1 / 4])
    assert labels.tolist() == [0, 0, 0, 1, 1, 1]


def test_object_2_of_e6_scores_as_in_the_catalogue_with_cluster_weights():
    eci = [0.465219, 0.465219, 0.465219, 0.465219, 1, 0.188876, 1]
    _, association = meta_vote(
        Ensemble(E6), [0, 1, 0, 1, 0, 1, 1], 2, cluster_weights=eci
    )
    assert_allclose(association[2], [0.310146, 0.047219], atol=5e-7)  # printed digits


@pytest.mark.parametrize("swap", [False, True])
def test_means_of_groups_of_different_sizes_can_tie(swap):
    # Object 0 is in two clusters of a group of six and in one of a group of three.
    six, three = (1, 0) if swap else (0, 1)
    groups = np.array([six, six, three, 2] + [six] * 4 + [three] * 2)
    lists = [[[0], [1]], [[0], [1]], [[0], [1]], [[1], [2]], [[1], [2]]]
    order = [0, 3, 1, 4, 2, 5, 6, 7, 8, 9]
    E = Ensemble.from_clusters(lists, 3)
    labels, association = meta_vote(E, groups[order], 3)
    assert_allclose(association[0, :2], 1 / 3)
    assert labels[0] == 0


def test_groups_that_do_not_fit_are_refused():
    with pytest.raises(ComitiaError, match="groups must be one integer vector of 7"):
        meta_vote(Ensemble(E6), [0, 1], 2)
    with pytest.raises(ComitiaError, match=r"groups must be 0\.\.1"):
        meta_vote(Ensemble(E6), [0, 1, 2, 0, 1, 2, 0], 2)


def test_the_median_is_most_like_the_others():
    S = np.array([[9, 0.5, 0.1], [0.5, 0, 0.4], [0.1, 0.4, 7]])
    assert median_selection(S) == 1  # the diagonal does not count
    assert median_selection(S, candidates=[0, 2]) == 0
    assert median_selection(S, weights=[0, 0, 1]) == 1


def test_the_first_of_equal_medians_is_taken():
    S = np.full((3, 3), 0.1 + 0.2)
    S[0] = S[:, 0] = 0.3
    assert median_selection(S[:2, :2]) == 0
    assert median_selection(np.ones((4, 4)), candidates=[3, 2]) == 2


def test_what_is_no_similarity_is_refused():
    with pytest.raises(ComitiaError, match="square"):
        median_selection(np.ones((2, 3)))
    with pytest.raises(ComitiaError, match="finite"):
        median_selection([[1, np.nan], [0, 1]])
