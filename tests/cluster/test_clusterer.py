"""What the clusterers share: empty clusters, starts, repetitions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia.cluster.clusterer import (
    Repeats,
    cluster_means,
    fill_empty,
    initial_centers,
)
from comitia.exceptions import ComitiaError


def test_empty_clusters_get_the_farthest_objects_that_are_not_alone():
    labels = np.array([0, 0, 0, 1])
    distance = np.array([1.0, 3.0, 2.0, 9.0])
    assert_array_equal(fill_empty(labels, distance, 3), [0, 2, 0, 1])
    assert_array_equal(fill_empty(labels, distance, 4), [0, 2, 3, 1])
    assert_array_equal(labels, [0, 0, 0, 1])
    assert_array_equal(fill_empty(labels, distance, 2), labels)


def test_objects_that_may_not_move_stay():
    labels, distance = np.zeros(3, dtype=int), np.array([3.0, 2.0, 1.0])
    movable = np.array([False, False, True])
    assert_array_equal(fill_empty(labels, distance, 2, movable), [0, 0, 1])
    assert_array_equal(fill_empty(labels, distance, 2, ~movable & False), labels)


def test_means_are_nan_for_empty_clusters():
    X = np.array([[0.0], [3.0], [5.0]])
    means = cluster_means(X, np.array([0, 0, 2]), 3)
    assert_allclose(means, [[1.5], [np.nan], [5.0]])


@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_objects_without_weight_are_no_centers(init):
    X, weights = np.arange(20.0)[:, None], np.zeros(20)
    weights[[3, 8, 11]] = 1.0
    for seed in range(5):
        rng = np.random.RandomState(seed)
        centers = initial_centers(X, 3, init, rng, weights)
        assert sorted(centers.ravel()) == [3, 8, 11]


def test_bad_starts_are_refused_in_words():
    X, rng = np.zeros((5, 2)), np.random.RandomState(0)
    with pytest.raises(ComitiaError, match="init='best' is none of \"k-means"):
        initial_centers(X, 2, "best", rng)
    with pytest.raises(ComitiaError, match=r"shape \(2, 2\); got .* \(3, 2\)"):
        initial_centers(X, 2, np.zeros((3, 2)), rng)


def test_labels_that_come_back_are_noticed():
    seen_before = Repeats()
    one, other = np.array([0, 1]), np.array([1, 0])
    assert [seen_before(x) for x in (one, other, one)] == [False, False, True]
