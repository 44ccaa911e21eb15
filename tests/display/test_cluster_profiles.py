"""What makes each cluster different, against loops over clusters and features."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia.display.cluster_profiles import cluster_profile
from comitia.exceptions import ComitiaError


def profile_by_loops(X, labels):
    k, p = labels.max() + 1, X.shape[1]
    means, differences, effects = np.empty((3, k, p))
    for c in range(k):
        inside, outside = X[labels == c], X[labels != c]
        means[c] = inside.mean(axis=0)
        differences[c] = (means[c] - X.mean(axis=0)) / X.std(axis=0)
        within = ((inside - means[c]) ** 2).sum(axis=0)
        within += ((outside - outside.mean(axis=0)) ** 2).sum(axis=0)
        pooled = np.sqrt(within / (len(X) - 2))
        effects[c] = (means[c] - outside.mean(axis=0)) / pooled
    return means, differences, effects


@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_profile_is_its_definition(shift):
    rng = np.random.RandomState(8)
    labels = rng.randint(0, 4, size=70)
    X = rng.randn(70, 5) + labels[:, None] * [0, 1, 2, -1, 5] + shift
    profile = cluster_profile(X, labels)
    means, differences, effects = profile_by_loops(X, labels)
    assert_allclose(profile.means, means)
    # A shift of 1e6 costs either way of adding up six digits.
    assert_allclose(profile.differences, differences, atol=1e-8)
    assert_allclose(profile.effects, effects, atol=1e-7)
    assert_array_equal(profile.sizes, np.bincount(labels))
    between = (np.bincount(labels)[:, None] * (means - X.mean(axis=0)) ** 2).sum(axis=0)
    assert_allclose(profile.explained, between / X.var(axis=0) / 70, rtol=1e-7)


def test_profile_of_a_feature_that_the_clusters_share_out_has_infinite_effects():
    profile = cluster_profile([[0.0, 0.1], [0.0, 0.1], [1.0, 0.1]], [0, 0, 1])
    assert_array_equal(profile.effects, [[-np.inf, 0], [np.inf, 0]])
    assert_array_equal(profile.explained, [1, 0])
    assert_array_equal(profile.differences[:, 1], 0)


def test_profile_of_one_cluster_differs_from_nothing():
    profile = cluster_profile([[0.0], [2.0]], [0, 0])
    assert_array_equal(profile.differences, [[0]])
    assert_array_equal(profile.effects, [[0]])


def test_profile_leaves_a_cluster_without_objects_open():
    profile = cluster_profile([[0.0], [2.0], [5.0]], [0, 0, 2])
    assert_array_equal(profile.sizes, [2, 0, 1])
    for part in (profile.means, profile.differences, profile.effects):
        assert np.isnan(part[1]).all()
        assert np.isfinite(part[[0, 2]]).all()


def test_profile_counts_objects_without_a_cluster_among_all():
    X = np.array([[0.0], [1.0], [4.0], [10.0]])
    profile = cluster_profile(X, [0, 0, 1, -1])
    assert_allclose(profile.differences[0, 0], (0.5 - X.mean()) / X.std())


def test_profile_needs_a_cluster():
    with pytest.raises(ComitiaError, match="no object into a cluster"):
        cluster_profile([[0.0], [1.0]], [-1, -1])
