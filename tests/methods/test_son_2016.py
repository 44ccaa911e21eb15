"""Fuzzy clusterings, weighted by validity, factorised into memberships."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris, load_wine, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from comitia import Ensemble
from comitia.exceptions import ComitiaWarning
from comitia.generate import FuzzyGenerator
from comitia.methods import ValidityWeightedFuzzyEnsemble
from comitia.methods.fixed_clusterings.son_2016 import weighted_membership_similarity
from comitia.validity.pairs import dunn
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
    S = weighted_membership_similarity(same, np.full(4, 0.25))
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
    got = weighted_membership_similarity(Ensemble.from_memberships(memberships), w)
    assert_allclose(got, similarity_by_loops(memberships, w), atol=1e-12)


def test_missing_labels_are_left_out_of_the_mean():
    labels = np.array([[0, 0], [0, 1], [-1, 1], [1, -1]])
    S = weighted_membership_similarity(Ensemble(labels), np.array([0.25, 0.75]))
    e = np.exp(-2.0)
    assert_allclose(S[0, 1], 0.25 + 0.75 * e)
    assert_allclose(S[1, 2], 1.0)  # together in the only clustering that has both
    assert_allclose(S[2, 3], e)  # in no clustering together
    assert_allclose(np.diag(S), 1.0)


@pytest.mark.parametrize("seed", range(4))
def test_the_consensus_minimizes_what_it_says(seed):
    labels, truth = planted(30, 3, 4, noise=0.2, seed=seed)
    rng = np.random.RandomState(seed)
    memberships = [
        0.8 * np.eye(3)[column] + 0.2 * rng.dirichlet(np.ones(3), size=30)
        for column in labels.T
    ]
    votes = Ensemble.from_memberships(memberships)
    X = truth[:, None] + rng.rand(30, 2)
    fitted = ValidityWeightedFuzzyEnsemble(n_clusters=3, tol=1e-14, max_iter=5000)
    F = fitted.fit(X, ensemble=votes).membership_
    S = weighted_membership_similarity(votes, fitted.clustering_weights_)
    assert F.shape == (30, 3)
    assert_allclose(fitted.objective_[-1], ((S - F @ F.T) ** 2).sum())
    assert (np.diff(fitted.objective_) <= 1e-9).all()
    # Nothing to gain by moving membership from one cluster to another: where F is
    # positive the gradient is the smallest of its row, up to the stopping rule.
    gradient = 4 * (F @ F.T - S) @ F
    gap = (F * (gradient - gradient.min(axis=1, keepdims=True))).sum(axis=1)
    assert gap.max() < 1e-4 * np.abs(gradient).max()


@pytest.mark.parametrize("seed", range(4))
def test_labels_are_the_largest_memberships(seed):
    X, truth = make_blobs(90, centers=3, cluster_std=0.5, random_state=0)
    generator = FuzzyGenerator(5, n_clusters=3)
    fitted = ValidityWeightedFuzzyEnsemble(
        n_clusters=3, generator=generator, random_state=seed
    ).fit(X)
    assert (fitted.membership_.argmax(axis=1) == fitted.labels_).all()
    assert adjusted_rand_score(truth, fitted.labels_) > 0.9


def test_data_alone_are_clustered_by_fuzzy_algorithms():
    X, truth = make_blobs(90, centers=3, cluster_std=0.5, random_state=0)
    fitted = ValidityWeightedFuzzyEnsemble(n_clusters=3, random_state=0).fit(X)
    assert fitted.ensemble_.kind == "fuzzy"
    kinds = ["FuzzyCMeans", "KernelFuzzyCMeans", "GustafsonKessel"]
    assert fitted.ensemble_.groups[:4].tolist() == [*kinds, "FuzzyCMeans"]
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
    # Memberships that hardly differ: the best F has all objects in one cluster.
    alike = np.random.RandomState(0).dirichlet(np.full(3, 20.0), size=6)
    votes = Ensemble.from_memberships([alike, alike[:, ::-1]])
    with pytest.warns(ComitiaWarning, match="of n_clusters=3 .*without objects"):
        fitted = ValidityWeightedFuzzyEnsemble(n_clusters=3).fit(X6, ensemble=votes)
    assert fitted.n_clusters_ < 3
    assert fitted.membership_.shape == (6, fitted.n_clusters_)
    assert_allclose(fitted.membership_.sum(axis=1), 1.0)


def test_clusterings_that_no_index_can_judge_weigh_the_same():
    one_cluster = Ensemble(np.zeros((6, 2), dtype=int))
    with pytest.warns(ComitiaWarning, match="uniform"):  # it has no Dunn index
        fitted = ValidityWeightedFuzzyEnsemble(n_clusters=1).fit(
            X6, ensemble=one_cluster
        )
    assert_allclose(fitted.clustering_weights_, 0.5)
    assert fitted.n_clusters_ == 1


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


def test_members_differ_and_keep_all_clusters_of_wine():
    # Fuzzy c-means with a fuzziness of 2 was one clustering, and one cluster.
    X, truth = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    fitted = ValidityWeightedFuzzyEnsemble(n_clusters=3, random_state=0).fit(X)
    members = fitted.ensemble_.labels.T
    different = [
        adjusted_rand_score(one, other) < 1
        for m, one in enumerate(members)
        for other in members[:m]
    ]
    assert np.mean(different) > 0.9
    assert np.ptp(fitted.clustering_weights_) > 0.005
    assert fitted.n_clusters_ == 3
    assert adjusted_rand_score(truth, fitted.labels_) > 0.7


@pytest.mark.parametrize("seed", range(2))
def test_iris_has_three_clusters(seed):
    # With a fuzziness of 2 in three dimensions it had two.
    X, y = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    found = ValidityWeightedFuzzyEnsemble(3, random_state=seed).fit_predict(X)
    assert len(set(found)) == 3
    assert adjusted_rand_score(y, found) > 0.6
