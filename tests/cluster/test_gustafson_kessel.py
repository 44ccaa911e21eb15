"""Gustafson and Kessel: clusters with a metric of their own."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

from comitia.cluster import FuzzyCMeans, GustafsonKessel
from comitia.cluster.gustafson_kessel import ellipsoidal_distances, ellipsoids
from comitia.exceptions import ComitiaWarning


def sticks(n=60, seed=0):
    """A long stick, and one that stands across its end."""
    rng = np.random.RandomState(seed)
    truth = np.repeat([0, 1], n)
    lying = np.column_stack([30 * rng.rand(n), 0.5 * rng.randn(n)])
    standing = np.column_stack([33 + 0.5 * rng.randn(n), 30 * rng.rand(n) - 15])
    return np.vstack([lying, standing]), truth


def by_loops(X, weights, shrinkage, spread):
    """Centers, matrices and distances by their definition."""
    n, p = X.shape
    centers, norms, d = [], [], np.empty(weights.shape)
    for r in range(weights.shape[1]):
        c = sum(weights[i, r] * X[i] for i in range(n)) / weights[:, r].sum()
        cov = sum(weights[i, r] * np.outer(X[i] - c, X[i] - c) for i in range(n))
        cov = (1 - shrinkage) * cov / weights[:, r].sum()
        cov = cov + shrinkage * spread * np.eye(p)
        A = np.linalg.det(cov) ** (1 / p) * np.linalg.inv(cov)
        for i in range(n):
            d[i, r] = (X[i] - c) @ A @ (X[i] - c)
        centers.append(c)
        norms.append(A)
    return np.array(centers), np.array(norms), d


@pytest.mark.parametrize("shrinkage", [0.01, 0.5, 1.0])
def test_ellipsoids_are_their_definition(shrinkage):
    rng = np.random.RandomState(0)
    X, weights = rng.randn(25, 3), rng.rand(25, 4)
    centers, norms = ellipsoids(X, weights, np.zeros((4, 3)), shrinkage, 0.7)
    wanted = by_loops(X, weights, shrinkage, 0.7)
    assert_allclose(centers, wanted[0])
    assert_allclose(norms, wanted[1], atol=1e-9)
    assert_allclose(ellipsoidal_distances(X, centers, norms), wanted[2], atol=1e-9)
    assert_allclose(np.linalg.det(norms), 1.0)


def test_the_result_is_a_fixed_point():
    X, _ = sticks()
    found = GustafsonKessel(2, shrinkage=0.05, tol=1e-12, max_iter=2000, random_state=0)
    F = found.fit(X).membership_
    spread = X.var(axis=0).mean()
    centers, norms, d = by_loops(X, F**2, 0.05, spread)
    assert_allclose(found.cluster_centers_, centers, atol=1e-7)
    assert_allclose(found.norms_, norms, atol=1e-7)
    assert_allclose(F, (1 / d) / (1 / d).sum(axis=1, keepdims=True), atol=1e-7)
    assert_allclose(found.objective_[-1], (F**2 * d).sum())
    assert_allclose(found.predict_membership(X), F)


def test_a_little_shrinkage_never_raises_the_objective():
    X, _ = sticks()
    found = GustafsonKessel(2, shrinkage=1e-9, random_state=0).fit(X)
    assert np.diff(found.objective_).max() <= 1e-6 * found.objective_[0]


def test_sticks_are_found_that_balls_cut_across():
    X, truth = sticks()
    balls = FuzzyCMeans(2, random_state=0).fit(X).labels_
    found = GustafsonKessel(2, random_state=0).fit(X).labels_
    assert adjusted_rand_score(truth, balls) < 0.7
    assert adjusted_rand_score(truth, found) > 0.9


def test_altogether_shrunk_it_is_fuzzy_c_means():
    X, _ = sticks()
    options = {"tol": 1e-10, "max_iter": 2000, "random_state": 0}
    balls = FuzzyCMeans(2, **options).fit(X)
    found = GustafsonKessel(2, shrinkage=1.0, **options).fit(X)
    assert adjusted_rand_score(balls.labels_, found.labels_) == 1.0
    assert_allclose(found.objective_[-1], balls.objective_[-1])


def test_many_dimensions_do_not_blur_the_memberships():
    X = load_digits().data[:200]
    found = GustafsonKessel(10, n_init=1, random_state=0).fit(X)
    assert found.fuzziness_ < 1.5
    assert len(set(found.labels_)) == 10
    assert found.membership_.max(axis=1).mean() > 0.5
    with pytest.warns(ComitiaWarning, match="Gustafson and Kessel coincide"):
        GustafsonKessel(10, fuzziness=2.0, n_init=1, random_state=0).fit(X)
