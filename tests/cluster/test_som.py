"""Self-organising map: the kernel and its twin, rules, order on the map."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs

from comitia._kernels.cluster_som import train_pass
from comitia.cluster import (
    ConstrainedPlacement,
    SelfOrganizingMap,
    nearest_unit,
    random_constraints,
)
from comitia.cluster.som import _pass
from comitia.exceptions import ComitiaError
from tests.fixtures import X6

BLOBS, TRUTH = make_blobs(60, centers=3, cluster_std=2.0, random_state=1)


def test_the_kernel_is_the_pass_with_the_nearest_unit():
    rng = np.random.RandomState(0)
    units, pull = rng.randn(4, 2), 0.3 * rng.rand(4, 4)
    order = rng.permutation(60)
    one, other = units.copy(), units.copy()
    train_pass(BLOBS, order, one, pull)
    _pass(BLOBS, order, other, pull, nearest_unit)
    assert_allclose(one, other)


def test_a_rule_of_ones_own_is_asked():
    plain = SelfOrganizingMap(3, n_rounds=15, random_state=0).fit(BLOBS)
    asked = SelfOrganizingMap(3, n_rounds=15, rule=nearest_unit, random_state=0)
    assert_array_equal(asked.fit_predict(BLOBS), plain.labels_)
    assert_allclose(asked.cluster_centers_, plain.cluster_centers_)
    fixed = SelfOrganizingMap(3, n_rounds=2, rule=lambda i, distance_of, labels: i % 3)
    assert_array_equal(fixed.fit_predict(BLOBS), np.arange(60) % 3)


def test_a_rule_is_told_when_a_pass_begins():
    class Counting:
        n_passes = 0

        def start(self):
            self.n_passes += 1

        def __call__(self, i, distance_of, labels):
            return nearest_unit(i, distance_of, labels)

    rule = Counting()
    SelfOrganizingMap(2, n_rounds=7, rule=rule, random_state=0).fit(X6)
    assert rule.n_passes == 8  # seven with moving units, one for the labels


@pytest.mark.parametrize("seed", range(3))
def test_constraints_hold_on_a_constrained_map(seed):
    pairs = random_constraints(TRUTH, 30, np.random.RandomState(seed))
    rule = ConstrainedPlacement(pairs, "displace")
    constrained = SelfOrganizingMap(3, n_rounds=10, rule=rule, random_state=0)
    assert pairs.n_violated(constrained.fit_predict(BLOBS)) == 0
    plain = SelfOrganizingMap(3, n_rounds=10, random_state=0).fit(BLOBS)
    assert pairs.n_violated(plain.labels_) > 0


def test_neighbors_on_the_map_are_neighbors_in_space():
    X = np.sort(np.random.RandomState(0).rand(300, 1), axis=0)
    units = SelfOrganizingMap(6, n_rounds=40, random_state=0).fit(X).cluster_centers_
    steps = np.diff(units[:, 0])
    assert (steps > 0).all() or (steps < 0).all()


def test_one_pass_by_hand():
    # One unit at 0, rate 1/2: 0 -> 0, then to 0.5, 1.25, 5.625, 8.3125, 10.15625.
    units = np.zeros((1, 1))
    _pass(X6, np.arange(6), units, np.full((1, 1), 0.5), nearest_unit)
    assert units[0, 0] == 10.15625


def test_shapes_and_schedules_are_checked():
    with pytest.raises(ComitiaError, match=r"shape=\(2, 2\) has 4 units; n_clusters"):
        SelfOrganizingMap(3, shape=(2, 2)).fit(X6)
    with pytest.raises(ComitiaError, match=r"learning_rate=.* must be two positive"):
        SelfOrganizingMap(3, learning_rate=(0.5, 0.0)).fit(X6)
    square = SelfOrganizingMap(4, shape=(2, 2), n_rounds=5, random_state=0).fit(X6)
    assert square.cluster_centers_.shape == (4, 1)
