"""Locally adaptive clusterings refined by links: a co-association with neighbours."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_wine
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from comitia import config, method
from comitia.exceptions import MemoryBudgetError
from comitia.methods.variable_features._lac_link_2013_links import refine_by_links
from comitia.partition import ncut
from comitia.represent import coassociation, profile_similarity
from tests.fixtures import same_partition, settled
from tests.methods._subspaces import subspaces

LinkRefinedLAC = method("lac_link_2013")


def blobs(sizes, seed=0):
    rng = np.random.RandomState(seed)
    truth = np.repeat(np.arange(len(sizes)), sizes)
    return 9.0 * np.column_stack([truth % 2, truth // 2]) + rng.randn(
        len(truth), 2
    ), truth


def similarity(fitted, X):
    P = fitted._probabilities(X)
    refined = refine_by_links(P, fitted.ensemble_, fitted.link_similarity_)
    return profile_similarity(refined, fitted.ensemble_, dtype=np.float64), P


def test_links_are_symmetric_with_a_unit_diagonal():
    X, _ = subspaces(n=15)
    s = LinkRefinedLAC(4, random_state=0).fit(X).link_similarity_
    assert_allclose(s, s.T)
    assert_allclose(np.diag(s), 1.0)
    assert 0 <= s.min() < s.max() == 1.0
    apart = s[~np.eye(len(s), dtype=bool)]
    assert_allclose(apart.max(), 0.8)


def test_clusters_of_wine_are_told_apart():
    # Without decay the two clusters most alike are one and the same: 0.75.
    X, truth = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    found = [LinkRefinedLAC(3, random_state=seed).fit_predict(X) for seed in range(3)]
    assert np.mean([adjusted_rand_score(truth, one) for one in found]) > 0.8


def test_links_fall_with_the_decay_and_vanish_at_zero():
    X = settled(subspaces(n=15)[0])
    whole, half, none = (
        LinkRefinedLAC(4, decay=decay, random_state=0).fit(X)
        for decay in (1.0, 0.5, 0.0)
    )
    eye = np.eye(40)
    assert_allclose(half.link_similarity_ - eye, (whole.link_similarity_ - eye) / 2)
    S, _ = similarity(none, X)
    S = S - coassociation(none.ensemble_, dtype=np.float64)
    # An object may be nearer to another center after the last step.
    same = (none.generator_.transform(X) == none.ensemble_.labels).all(axis=1)
    assert same.mean() > 0.9
    assert_allclose(S[np.ix_(same, same)], 0.0, atol=1e-12)


def test_clusterings_that_agree_leave_the_plain_coassociation():
    X, truth = blobs([20, 20, 20])
    fitted = LinkRefinedLAC(3, weight_penalty=(5, 10), random_state=0).fit(X)
    assert_allclose(fitted.link_similarity_, np.eye(30))  # no common neighbours
    S, _ = similarity(fitted, X)
    assert_allclose(S, coassociation(fitted.ensemble_, dtype=np.float64), atol=1e-12)
    assert same_partition(fitted.labels_, truth)


def test_in_a_clustering_only_the_most_probable_cluster_counts():
    X, _ = subspaces(n=15)
    fitted = LinkRefinedLAC(4, random_state=0).fit(X)
    S, P = similarity(fitted, X)
    blocks = np.split(P, fitted.ensemble_.offsets[1:-1], axis=1)
    stars = np.column_stack([block.argmax(axis=1) for block in blocks])
    same = (stars[:, None] == stars).all(axis=2)
    assert same.sum() > len(X)
    assert_allclose(S[same], 1.0)


def test_the_result_is_the_normalized_cut_of_that_similarity():
    X = np.random.RandomState(0).randn(60, 3)  # no clusters: every similarity matters
    fitted = LinkRefinedLAC(3, n_clusterings=4, random_state=0).fit(X)
    S, _ = similarity(fitted, X)
    rng = np.random.RandomState(0)
    rng.randint(np.iinfo(np.int32).max)  # the seed of the clusterings
    assert same_partition(fitted.labels_, ncut(S.astype(np.float32), 3, rng))


def test_clusters_in_subspaces_are_found():
    X, truth = subspaces()
    fitted = LinkRefinedLAC(3, weight_penalty=(0.1, 1), random_state=0).fit(X)
    assert adjusted_rand_score(truth, fitted.labels_) > 0.9
    assert_allclose(fitted.feature_weights_.sum(axis=1), 1.0)
    assert fitted.converged_
    assert len(fitted.objective_) == 10


@pytest.mark.parametrize("sizes", [[60, 20, 20, 20], [30, 30, 30]])
def test_clusters_are_counted_whatever_their_sizes(sizes):
    X, truth = blobs(sizes)
    fitted = LinkRefinedLAC(random_state=0).fit(X)
    assert same_partition(fitted.labels_, truth)


def test_a_single_clustering_is_its_own_consensus():
    X, _ = blobs([20, 20, 20])
    fitted = LinkRefinedLAC(3, n_clusterings=1, random_state=0).fit(X)
    assert same_partition(fitted.labels_, fitted.ensemble_.labels[:, 0])


def test_the_memory_budget_is_asked_first():
    X, _ = subspaces(n=40)
    with config.limit("30 kB"), pytest.raises(MemoryBudgetError, match="linear in n"):
        LinkRefinedLAC(3, n_clusterings=2).fit(X)
