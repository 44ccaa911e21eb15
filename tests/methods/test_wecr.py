import numpy as np
import pytest
from numpy.testing import assert_allclose

from comitia import Ensemble, method
from comitia.cluster import ConstraintSet
from comitia.weigh.cluster_silhouettes import (
    _local_weight,
    cluster_silhouettes,
    constraint_shares,
)
from tests.fixtures import E6, X6, planted, same_partition

WECR = method("wecr")


def test_silhouettes_of_e6_are_those_of_the_catalogue():
    s = cluster_silhouettes(Ensemble(E6), X6)
    printed = [0.932828, 0.932828, 0.932828, 0.932828, 0.908333, 0.09375, 0.908333]
    assert_allclose(s, printed, atol=5e-7)  # printed to six decimals


def test_similarities_of_e6_are_those_of_the_catalogue():
    fitted = WECR(2).fit(X6, ensemble=Ensemble(E6))
    assert_allclose(1 - fitted.linkage_[2:4, 2], 0.800234, atol=5e-7)
    assert same_partition(fitted.labels_, E6[:, 0])


def test_clusterings_count_by_the_constraints_they_meet():
    pairs = ConstraintSet(6, must_link=[(0, 1)], cannot_link=[(2, 3)])
    shares = constraint_shares(Ensemble(E6), pairs, 0.0)
    # Without a local share all clusters of a clustering have that of the clustering,
    # unless more pairs touch them than their size lets expect.
    assert_allclose(shares[:4], 1.0)
    assert shares[4:].max() <= 1.0
    # The must-link holds in c; d joins the cannot-link, which is its only pair.
    local = constraint_shares(Ensemble(E6), pairs, 1.0)
    assert_allclose(local[4:], [1.0, 0.0, 0.5], atol=1e-12)


@pytest.mark.parametrize(
    ("p", "weight"), [(0, 0.0), (1, 0.25), (2, 0.5), (6, 0.75), (10, 1.0)]
)
def test_the_more_pairs_touch_a_cluster_the_more_they_count(p, weight):
    assert _local_weight(p, 2.0, 10, 0.5) == pytest.approx(weight)


def test_a_cluster_of_all_objects_is_touched_by_all():
    assert _local_weight(5, 5.0, 5, 0.5) == 1.0


def test_constraints_turn_the_consensus():
    rng = np.random.RandomState(0)
    X = rng.rand(40, 2)
    left, below = (X[:, 0] > 0.5).astype(int), (X[:, 1] > 0.5).astype(int)
    votes = Ensemble(np.stack([left, left, below, below], axis=1))
    apart = [(i, j) for i in range(40) for j in range(i) if left[i] != left[j]][:60]
    together = [(i, j) for i in range(40) for j in range(i) if left[i] == left[j]][:60]
    fitted = WECR(2).fit(X, ensemble=votes, must_link=together, cannot_link=apart)
    assert same_partition(fitted.labels_, left)


def test_a_planted_partition_is_found_in_blobs():
    labels, truth = planted(90, 3, 10, noise=0.2, seed=0)
    rng = np.random.RandomState(0)
    X = np.array([[0, 0], [6, 0], [0, 6]])[truth] + rng.randn(90, 2)
    fitted = WECR(3).fit(X, ensemble=Ensemble(labels))
    assert same_partition(fitted.labels_, truth)
