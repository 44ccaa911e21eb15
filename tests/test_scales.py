"""Columns, and distances, of data that are small or far from zero."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from comitia._scales import (
    column_scales,
    off_center,
    off_center_of,
    untied,
    untied_weights,
)
from comitia.cluster.dissimilarity import closest_rows, dissimilarities
from comitia.generate.nearest_models import NearestCenter

X = np.random.RandomState(0).randn(40, 3)


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_columns_that_vary_have_mean_zero_and_variance_one(scale):
    table = X * scale + 1e6
    mean, width, varies = column_scales(table)
    Z = (table - mean) / width
    assert varies.all()
    # At a scale of 1e-8 a step of float64 at 1e6 is a hundredth.
    assert_allclose(Z.mean(axis=0), 0.0, atol=0.05)
    assert_allclose(Z.std(axis=0), 1.0, atol=0.001)


@pytest.mark.parametrize("value", [0.0, 0.1, 1e6 + 0.1, -1e-9])
def test_a_constant_column_becomes_zero_whatever_its_mean_rounds_to(value):
    table = np.column_stack([X[:, 0], np.full(40, value)])
    mean, width, varies = column_scales(table)
    assert varies.tolist() == [True, False]
    assert_array_equal((table - mean)[:, 1], 0.0)
    assert width[1] == 1.0


def test_a_column_that_varies_in_its_last_digit_is_constant():
    almost = np.where(np.arange(40) % 2, 0.3, 0.1 + 0.2)
    assert np.ptp(almost) > 0
    assert not column_scales(almost[:, None])[2].any()


def test_tables_are_shifted_alike():
    some, all_of_them = off_center_of(X[:5] + 1e6, X + 1e6)
    assert_allclose(all_of_them.mean(axis=0), 0.0, atol=1e-9)
    assert_array_equal(all_of_them[:5], some)
    alone, nobody = off_center_of(X + 1e6, None)
    assert_array_equal(alone, off_center(X + 1e6))
    assert_array_equal(alone, all_of_them)
    assert nobody is None


@pytest.mark.parametrize("metric", ["euclidean", "l2", "cityblock"])
def test_distances_far_from_zero_are_exact(metric):
    table = X * 1e-8 + 1e6
    exact = cdist(table, table, "euclidean" if metric == "l2" else metric)
    assert_allclose(dissimilarities(table, metric), exact, rtol=1e-3, atol=1e-15)
    near = dissimilarities(table[:5], metric, table[5:9])
    assert_allclose(near, exact[:5, 5:9], rtol=1e-3, atol=1e-15)


def test_new_objects_find_the_center_they_are_nearest_to():
    table = X * 1e-8 + 1e6
    exact = cdist(table, table[:4]).argmin(axis=1)
    assert_array_equal(closest_rows(table, table[:4]), exact)
    assert_array_equal(NearestCenter(table[:4]).predict(table), exact)


@pytest.mark.parametrize("scale", [1e-150, 1 / 3, 1.0, 1e150])
def test_what_is_equal_by_chance_is_told_apart_and_copies_are_not(scale):
    table = np.random.RandomState(1).randint(0, 5, size=(60, 2)) * scale
    moved = untied(table)
    assert_allclose(moved, table, atol=5e-9 * scale)
    same = (table[:, None] == table).all(axis=2)
    assert_array_equal((moved[:, None] == moved).all(axis=2), same)
    # Of whole numbers few distances are different; now all are.
    rows = np.unique(moved, axis=0)
    apart = cdist(rows / scale, rows / scale)[np.triu_indices(len(rows), 1)]
    assert np.diff(np.sort(apart)).min() > 1e-14
    # Neither the order of the objects nor rounding matters.
    assert_array_equal(untied(table[::-1]), moved[::-1])
    noise = 1 + 1e-15 * np.random.RandomState(2).randn(*table.shape)
    assert_allclose(untied(table * noise), moved, rtol=1e-14, atol=1e-14 * scale)


def test_constant_columns_and_single_objects_stay():
    assert_array_equal(untied(np.full((4, 2), 0.1)), 0.1)
    assert_array_equal(untied(np.array([[3.0, -2.0]])), [[3.0, -2.0]])


def test_of_two_objects_that_are_each_others_nearest_one_is_the_better_center():
    # k-means++ gains the same by either, whatever their distance to the rest.
    X = np.r_[np.random.RandomState(0).rand(30, 2), [[50.0, 0.0], [50.0, 1.0]]]
    weights = untied_weights(X)
    assert weights.min() >= 1.0
    assert weights.max() <= 1.0 + 1.1e-9
    left_over = weights[[31, 30]]  # the distance counts by the one that is not chosen
    assert abs(np.diff(left_over)[0]) > 1e-13
    order = np.random.RandomState(1).permutation(32)
    assert_array_equal(untied_weights(X[order]), weights[order])
