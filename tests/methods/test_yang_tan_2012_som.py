"""Self-organising map: the kernel and its twin, rules, order on the map."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from comitia._kernels.cluster_som import train_pass
from comitia.cluster import random_constraints
from comitia.cluster.cop_kmeans import ConstrainedPlacement
from comitia.exceptions import ComitiaError
from comitia.methods.fixed_clusterings._yang_tan_2012_som import (
    _pass,
    nearest_unit,
    train_map,
)
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


def mapped(X, n_units, **options):
    return train_map(X, n_units, np.random.RandomState(0), **options)


def test_a_rule_of_ones_own_is_asked():
    labels, units = mapped(BLOBS, 3, n_rounds=15)
    again, moved = mapped(BLOBS, 3, n_rounds=15, rule=nearest_unit)
    assert_array_equal(again, labels)
    assert_allclose(moved, units)
    fixed, _ = mapped(BLOBS, 3, n_rounds=2, rule=lambda i, distance_of, labels: i % 3)
    assert_array_equal(fixed, np.arange(60) % 3)


def test_blobs_are_found():
    labels, _ = mapped(BLOBS, 3, n_rounds=20)
    assert adjusted_rand_score(TRUTH, labels) > 0.8


def test_a_rule_is_told_when_a_pass_begins():
    class Counting:
        n_passes = 0

        def start(self):
            self.n_passes += 1

        def __call__(self, i, distance_of, labels):
            return nearest_unit(i, distance_of, labels)

    rule = Counting()
    mapped(X6, 2, n_rounds=7, rule=rule)
    assert rule.n_passes == 8  # seven with moving units, one for the labels


@pytest.mark.parametrize("seed", range(3))
def test_constraints_hold_on_a_constrained_map(seed):
    pairs = random_constraints(TRUTH, 30, np.random.RandomState(seed))
    rule = ConstrainedPlacement(pairs, "displace")
    constrained, _ = mapped(BLOBS, 3, n_rounds=10, rule=rule)
    assert pairs.n_violated(constrained) == 0
    plain, _ = mapped(BLOBS, 3, n_rounds=10)
    assert pairs.n_violated(plain) > 0


def test_neighbors_on_the_map_are_neighbors_in_space():
    X = np.sort(np.random.RandomState(0).rand(300, 1), axis=0)
    steps = np.diff(mapped(X, 6, n_rounds=40)[1][:, 0])
    assert (steps > 0).all() or (steps < 0).all()


def test_one_pass_by_hand():
    # One unit at 0, rate 1/2: 0 -> 0, then to 0.5, 1.25, 5.625, 8.3125, 10.15625.
    units = np.zeros((1, 1))
    _pass(X6, np.arange(6), units, np.full((1, 1), 0.5), nearest_unit)
    assert units[0, 0] == 10.15625


def test_sizes_and_schedules_are_checked():
    with pytest.raises(ComitiaError, match=r"n_clusters=7 is larger .* at most 6"):
        mapped(X6, 7)
    with pytest.raises(ComitiaError, match=r"learning_rate=.* must be two positive"):
        mapped(X6, 3, learning_rate=(0.5, 0.0))
