"""Fuzzy clusterings, weighted by validity, factorised into memberships."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from comitia import Ensemble
from comitia.generate import FuzzyGenerator
from comitia.methods import ValidityWeightedFuzzyEnsemble
from comitia.methods.fixed_clusterings.son_2016 import membership_similarity
from comitia.validity import dunn
from tests.fixtures import E6, X6, planted, same_partition


def similarity_by_loops(memberships, w):
    n = len(memberships[0])
    S = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            for F, wm in zip(memberships, w, strict=True):
                S[i, j] += wm * np.exp(-np.sum((F[i] - F[j]) ** 2))
    return S


def random_memberships(seed, n=12, sizes=(2, 3, 4)):
    rng = np.random.RandomState(seed)
    return [rng.dirichlet(np.ones(k), size=n) for k in sizes]


def test_identical_crisp_clusterings_are_their_own_consensus():
    truth = np.repeat([0, 1, 2], [4, 3, 5])
    same = Ensemble(np.repeat(truth[:, None], 4, axis=1))
    S = membership_similarity(same, np.full(4, 0.25))
    assert_allclose(np.unique(S.round(9)), [0.135335283, 1.0])  # exp(-2) and 1
    assert_allclose(S == 1.0, truth[:, None] == truth)
    X = truth[:, None] + np.linspace(0, 0.1, 12)[:, None]
    fitted = ValidityWeightedFuzzyEnsemble(n_clusters=3).fit(X, ensemble=same)
    assert same_partition(fitted.labels_, truth)
    assert_allclose(fitted.clustering_weights_, 0.25)


def test_weights_are_dunn_indices_of_the_hardened_clusterings():
    # Dunn of C1 and C3 is 4 and 1/8.
    soft = [0.8 * np.eye(3)[labels] + 0.2 / 3 for labels in E6.T]
    for votes in (Ensemble(E6), Ensemble.from_memberships(soft)):
        fitted = ValidityWeightedFuzzyEnsemble(n_clusters=2).fit(X6, ensemble=votes)
        assert_allclose(fitted.clustering_weights_, np.array([4, 4, 0.125]) / 8.125)
        assert same_partition(fitted.labels_, [0, 0, 0, 1, 1, 1])


def test_clusters_that_are_empty_after_hardening_are_dropped():
    # The third cluster is nobody's largest.
    F = 0.8 * np.eye(3)[E6[:, 0]] + [0.0, 0.0, 0.2]
    votes = Ensemble.from_memberships([F, np.eye(3)[E6[:, 2]]])
    fitted = ValidityWeightedFuzzyEnsemble(n_clusters=2).fit(X6, ensemble=votes)
    assert_allclose(fitted.clustering_weights_, np.array([4, 0.125]) / 4.125)


@pytest.mark.parametrize("seed", range(4))
def test_similarity_is_its_definition(seed):
    memberships = random_memberships(seed)
    w = np.array([0.5, 0.0, 0.5])
    got = membership_similarity(Ensemble.from_memberships(memberships), w)
    assert_allclose(got, similarity_by_loops(memberships, w), atol=1e-12)


def test_missing_labels_are_left_out_of_the_mean():
    labels = np.array([[0, 0], [0, 1], [-1, 1], [1, -1]])
    S = membership_similarity(Ensemble(labels), np.array([0.25, 0.75]))
    e = np.exp(-2.0)
    assert_allclose(S[0, 1], 0.25 + 0.75 * e)
    assert_allclose(S[1, 2], 1.0)  # together in the only clustering that has both
    assert_allclose(S[2, 3], e)  # in no clustering together
    assert_allclose(np.diag(S), 1.0)


@pytest.mark.parametrize("seed", range(4))
def test_the_consensus_minimises_what_it_says(seed):
    memberships = random_memberships(seed, n=20)
    votes = Ensemble.from_memberships(memberships)
    X = np.random.RandomState(seed).rand(20, 2)
    fitted = ValidityWeightedFuzzyEnsemble(n_clusters=3, tol=1e-13, max_iter=5000)
    F = fitted.fit(X, ensemble=votes).membership_
    S = membership_similarity(votes, fitted.clustering_weights_)
    if F.shape[1] == 3:
        assert_allclose(fitted.objective_[-1], ((S - F @ F.T) ** 2).sum(), rtol=1e-6)
    assert (np.diff(fitted.objective_) <= 1e-9).all()
    assert_allclose(F.sum(axis=1), 1.0)
    assert (F >= 0).all()
    # No direction inside the simplex leads down: the largest gradient entry of a row
    # where F is positive equals the smallest one, up to the stopping rule.
    gradient = 4 * (F @ F.T - S) @ F
    gap = (F * (gradient - gradient.min(axis=1, keepdims=True))).sum(axis=1)
    assert gap.max() < 0.02 * np.abs(gradient).max()


@pytest.mark.parametrize("seed", range(4))
def test_labels_are_the_largest_memberships(seed):
    X, truth = make_blobs(90, centers=3, cluster_std=0.5, random_state=0)
    generator = FuzzyGenerator(5, n_clusters=3)
    fitted = ValidityWeightedFuzzyEnsemble(
        n_clusters=3, generator=generator, random_state=seed
    ).fit(X)
    assert (fitted.membership_.argmax(axis=1) == fitted.labels_).all()
    assert adjusted_rand_score(truth, fitted.labels_) > 0.9


def test_data_alone_are_clustered_by_fuzzy_c_means():
    X, truth = make_blobs(90, centers=3, cluster_std=0.5, random_state=0)
    fitted = ValidityWeightedFuzzyEnsemble(n_clusters=3, random_state=0).fit(X)
    assert fitted.ensemble_.kind == "fuzzy"
    assert (fitted.ensemble_.n_clusters_each == 3).all()
    assert adjusted_rand_score(truth, fitted.labels_) > 0.9


def test_real_fuzzy_c_means_runs_are_combined():
    X, truth = make_blobs(100, centers=4, cluster_std=0.7, random_state=2)
    votes = FuzzyGenerator(8, n_clusters=(4, 6), random_state=0).generate(X)
    fitted = ValidityWeightedFuzzyEnsemble(n_clusters=4, random_state=0)
    found = fitted.fit(X, ensemble=votes).labels_
    values = np.array([dunn(X, labels) for labels in votes.labels.T])
    assert_allclose(fitted.clustering_weights_, values / values.sum())
    assert adjusted_rand_score(truth, found) > 0.9


def test_a_cluster_that_is_nobodys_largest_is_left_out():
    same = Ensemble(np.zeros((6, 2), dtype=int) + [[0, 0]])
    with pytest.warns(UserWarning, match="uniform"):  # one cluster has no Dunn index
        fitted = ValidityWeightedFuzzyEnsemble(n_clusters=3).fit(X6, ensemble=same)
    assert fitted.membership_.shape == (6, fitted.n_clusters_)
    assert_allclose(fitted.membership_.sum(axis=1), 1.0)


def test_any_index_and_any_function_can_judge():
    wanted = {"calinski_harabasz": [150, 150, 5.5], "sse": [1 / 5, 1 / 5, 1 / 34]}
    for index, scores in wanted.items():
        fitted = ValidityWeightedFuzzyEnsemble(n_clusters=2, index=index)
        fitted.fit(X6, ensemble=Ensemble(E6))
        assert_allclose(fitted.clustering_weights_, scores / np.sum(scores))
    only_two = ValidityWeightedFuzzyEnsemble(
        n_clusters=2, index=lambda X, labels: float(labels.max() == 1)
    ).fit(X6, ensemble=Ensemble(E6))
    assert_allclose(only_two.clustering_weights_, [0.5, 0.5, 0])


def test_a_descent_that_is_cut_short_warns():
    labels, _ = planted(30, 3, 5, noise=0.4, seed=0)
    X = np.random.RandomState(0).rand(30, 2)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        ValidityWeightedFuzzyEnsemble(n_clusters=3, max_iter=1).fit(
            X, ensemble=Ensemble(labels)
        )
