"""Locally adaptive clustering: closed-form weights, limits, planted subspaces."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine, make_blobs
from sklearn.metrics import adjusted_rand_score

from comitia.cluster import LAC
from comitia.cluster.lac import (
    feature_dispersions,
    lac_cost,
    lac_objective,
    lac_weights,
    locally_adaptive,
    weighted_distances,
)
from comitia.exceptions import ComitiaError


def test_weights_are_those_of_the_catalogue():
    assert_allclose(lac_weights([1.0, 3.0], 2.0), [0.731059, 0.268941], atol=5e-7)


@pytest.mark.parametrize("seed", range(4))
def test_weights_minimize_the_objective(seed):
    rng = np.random.RandomState(seed)
    X, penalty = rng.rand(4) * 3, rng.rand() + 0.1

    def cost(v):
        w = np.exp(v - v.max())
        return lac_objective(X[None], (w / w.sum())[None], penalty)

    found = minimize(cost, np.zeros(4), tol=1e-12)
    best = np.exp(found.x) / np.exp(found.x).sum()
    # BFGS stops where differences of the objective no longer tell anything.
    assert_allclose(lac_weights(X, penalty), best, atol=1e-5)
    assert cost(np.log(lac_weights(X, penalty))) <= found.fun + 1e-12


def test_parts_are_their_definitions():
    rng = np.random.RandomState(0)
    X, centers, labels = rng.rand(12, 3), rng.rand(2, 3), np.repeat([0, 1], [5, 7])
    weights = rng.dirichlet(np.ones(3), 2)
    D = [[np.mean((X[labels == v, r] - centers[v, r]) ** 2) for r in range(3)]
         for v in range(2)]  # fmt: skip
    assert_allclose(feature_dispersions(X, labels, centers), D, atol=1e-12)
    d = [[sum(weights[v, r] * (X[i, r] - centers[v, r]) ** 2 for r in range(3))
          for v in range(2)] for i in range(12)]  # fmt: skip
    assert_allclose(weighted_distances(X, centers, weights), d, atol=1e-12)


def test_extreme_penalties_give_equal_weights_or_one_feature():
    D = [[1.0, 1.5, 0.9], [4.0, 0.0, 2.0]]
    assert_allclose(lac_weights(D, 1e12), 1 / 3)
    assert_array_equal(lac_weights(D, 1e-12), [[0, 0, 1], [0, 1, 0]])
    assert_array_equal(lac_weights(D, 1e-320), [[0, 0, 1], [0, 1, 0]])
    with pytest.raises(ComitiaError, match="concentration_penalty=0 must be positive"):
        lac_weights(D, 0)


@pytest.mark.parametrize("seed", range(3))
def test_a_large_penalty_is_kmeans(seed):
    X, _ = make_blobs(100, centers=4, cluster_std=2.5, random_state=seed)
    plain = KMeans(4, init=X[:4], n_init=1, tol=0).fit(X)
    ours = LAC(4, concentration_penalty=1e9, init=X[:4]).fit(X)
    assert_array_equal(ours.labels_, plain.labels_)
    assert_allclose(ours.cluster_centers_, plain.cluster_centers_)


def test_the_best_iterate_is_kept():
    X = np.random.RandomState(0).rand(60, 4)
    for seed in range(5):
        run = locally_adaptive(
            X, 5, np.random.RandomState(seed), concentration_penalty=0.01, n_init=1
        )
        D = feature_dispersions(X, run.labels, run.centers)
        assert_allclose(lac_weights(D, 0.01), run.weights)
        reached = lac_objective(D, run.weights, 0.01)
        assert np.isclose(run.objective, reached).any()
        # What the two exact steps give cannot be improved from where they are.
        rng = np.random.RandomState(seed)
        for _ in range(20):
            moved = run.centers + 0.05 * rng.randn(*run.centers.shape)
            spread = feature_dispersions(X, run.labels, moved)
            assert lac_objective(spread, run.weights, 0.01) >= reached


@pytest.mark.parametrize("seed", range(3))
def test_the_cost_of_equal_weights_is_that_of_kmeans(seed):
    rng = np.random.RandomState(seed)
    X, labels = rng.rand(30, 4), rng.randint(3, size=30)
    centers = np.array([X[labels == v].mean(axis=0) for v in range(3)])
    D = feature_dispersions(X, labels, centers)
    inertia = ((X - centers[labels]) ** 2).sum()
    sizes = np.bincount(labels)
    assert_allclose(lac_cost(D, np.full((3, 4), 0.25), 1e9, sizes), inertia / (30 * 4))


def test_the_cost_is_the_objective_with_clusters_counted_by_size():
    rng = np.random.RandomState(0)
    D, weights = rng.rand(2, 3), rng.dirichlet(np.ones(3), 2)
    one, other = (lac_objective(D[[v]], weights[[v]], 0.4) for v in range(2))
    wanted = (7 * one + 3 * other) / 10 + 0.4 * np.log(3)
    assert_allclose(lac_cost(D, weights, 0.4, [7, 3]), wanted)


@pytest.mark.parametrize("penalty", [1.0, 10.0])
def test_starts_on_wine_end_in_clusters_of_some_size(penalty):
    # Each variety has 48 bottles or more.
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    for seed in range(3):
        fitted = LAC(3, concentration_penalty=penalty, random_state=seed).fit(X)
        assert np.bincount(fitted.labels_).min() > 40
        assert adjusted_rand_score(y, fitted.labels_) > 0.75


def test_each_cluster_finds_the_features_it_is_tight_in():
    rng = np.random.RandomState(0)
    truth = np.repeat([0, 1, 2], 60)
    X = rng.normal(scale=3.0, size=(180, 6))
    for v in range(3):
        own = slice(2 * v, 2 * v + 2)
        X[truth == v, own] = 4.0 * v - 4.0 + rng.normal(scale=0.2, size=(60, 2))
    fitted = LAC(3, concentration_penalty=1.0, random_state=0).fit(X)
    plain = KMeans(3, n_init=10, random_state=0).fit(X)
    assert adjusted_rand_score(truth, fitted.labels_) > 0.95
    assert adjusted_rand_score(truth, plain.labels_) < 0.7
    for v in range(3):
        cluster = np.bincount(fitted.labels_[truth == v]).argmax()
        assert fitted.feature_weights_[cluster, 2 * v : 2 * v + 2].sum() > 0.9


def test_weights_lie_on_the_simplex_and_no_cluster_is_empty():
    X = np.repeat([[0.0, 0.0], [1.0, 5.0]], 5, axis=0)
    fitted = LAC(4, random_state=0).fit(X)
    assert_allclose(fitted.feature_weights_.sum(axis=1), 1.0)
    assert len(set(fitted.labels_)) == 4
