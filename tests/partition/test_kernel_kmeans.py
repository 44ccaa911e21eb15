from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from comitia.exceptions import ComitiaError
from comitia.partition import kernel_kmeans, kmeans
from tests.fixtures import same_partition


def rng(seed=0):
    return np.random.RandomState(seed)


def cost(K, labels, a):
    """The objective, by its definition with distances to means of feature vectors."""
    total = 0.0
    for r in np.unique(labels):
        part = np.flatnonzero(labels == r)
        share = a[part] / a[part].sum()
        inner = K[np.ix_(part, part)]
        within = share @ inner @ share
        distances = np.diag(inner) - 2 * inner @ share + within
        total += a[part] @ distances
    return total


def all_partitions(n, k):
    for rest in product(range(k), repeat=n - 1):
        labels = np.array((0, *rest))
        if len(np.unique(labels)) == k:
            yield labels


@pytest.mark.parametrize("init", ["k-means++", "spectral"])
@pytest.mark.parametrize("seed", range(3))
def test_the_least_cost_of_all_partitions_is_found(init, seed):
    random = rng(seed)
    X, a = random.randn(8, 3), random.uniform(0.5, 2.0, 8)
    K = X @ X.T
    got = kernel_kmeans(K, 3, rng(), weights=a, init=init, n_init=50)
    assert_allclose(got.objective[-1], cost(K, got.labels, a))
    least = min(cost(K, labels, a) for labels in all_partitions(8, 3))
    assert_allclose(got.objective[-1], least)


def test_the_linear_kernel_is_k_means():
    X = rng(1).randn(100, 2) + 4 * rng(0).randint(3, size=(100, 2))
    a = rng(2).uniform(0.5, 2.0, 100)
    got = kernel_kmeans(X @ X.T, 4, rng(), weights=a, n_init=30)
    plain = kmeans(X, 4, rng(), sample_weight=a, n_init=30)
    assert_allclose(got.objective[-1], plain.objective[-1])
    assert same_partition(got.labels, plain.labels)


@pytest.mark.parametrize("seed", range(3))
def test_degrees_as_weights_give_the_normalized_cut(seed):
    # Without a diagonal the kernel is indefinite, and the shift has to help.
    random = rng(seed).rand(7, 7)
    S = random + random.T
    np.fill_diagonal(S, 0.0)
    d = S.sum(axis=1)
    K = S / np.outer(d, d)

    def association(labels):
        return sum(
            S[labels == r][:, labels == r].sum() / d[labels == r].sum()
            for r in np.unique(labels)
        )

    got = kernel_kmeans(K, 2, rng(), weights=d, n_init=60)
    assert_allclose(got.objective[-1], np.trace(S / d) - association(got.labels))
    # The smallest shift can hide some moves: the cut is one that Lloyd cannot improve.
    for labels in all_partitions(7, 2):
        expected = np.trace(S / d) - association(labels)
        assert_allclose(cost(K, labels, d), expected, atol=1e-12)
    assert (np.diff(got.objective) <= 1e-12).all()


def test_a_shift_changes_every_cost_by_the_same():
    random = rng(3).randn(9, 9)
    K, a = random + random.T, rng(4).uniform(0.5, 2.0, 9)
    shifted = K + np.diag(2.5 / a)
    for labels in list(all_partitions(9, 3))[:50]:
        assert_allclose(cost(shifted, labels, a), cost(K, labels, a) + 2.5 * (9 - 3))


def test_an_indefinite_kernel_has_a_falling_objective():
    random = rng(5).randn(60, 60)
    got = kernel_kmeans(random + random.T, 5, rng(), n_init=3, tol=0.0)
    assert (np.diff(got.objective) <= 1e-9).all()


def test_no_more_iterations_than_asked_for():
    X = rng(6).randn(80, 2)
    K = X @ X.T
    got = kernel_kmeans(K, 6, rng(), n_init=1, max_iter=2)
    assert len(got.objective) == 2
    assert_allclose(got.objective[-1], cost(K, got.labels, np.ones(80)))


@pytest.mark.parametrize(
    ("K", "k", "weights", "message"),
    [
        (np.ones((2, 3)), 1, None, "square"),
        ([[1.0, 0.0], [0.5, 1.0]], 1, None, "symmetric"),
        ([[np.inf, 0.0], [0.0, 1.0]], 1, None, "finite"),
        (np.eye(2), 3, None, "n_clusters=3 must be between 1 and .* 2"),
        (np.eye(2), 1, [1.0, 0.0], "positive"),
    ],
)
def test_bad_kernels_are_refused_in_words(K, k, weights, message):
    with pytest.raises(ComitiaError, match=message):
        kernel_kmeans(K, k, rng(), weights=weights)
