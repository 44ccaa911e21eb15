"""Columns, and distances, of data that are small or far from zero."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from comitia._scales import column_scales, off_centre, off_centre_of
from comitia.cluster._dissimilarity import dissimilarities, nearest_rows
from comitia.generate.base import NearestCentre

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
    some, all_of_them = off_centre_of(X[:5] + 1e6, X + 1e6)
    assert_allclose(all_of_them.mean(axis=0), 0.0, atol=1e-9)
    assert_array_equal(all_of_them[:5], some)
    alone, nobody = off_centre_of(X + 1e6, None)
    assert_array_equal(alone, off_centre(X + 1e6))
    assert_array_equal(alone, all_of_them)
    assert nobody is None


@pytest.mark.parametrize("metric", ["euclidean", "l2", "cityblock"])
def test_distances_far_from_zero_are_exact(metric):
    table = X * 1e-8 + 1e6
    exact = cdist(table, table, "euclidean" if metric == "l2" else metric)
    assert_allclose(dissimilarities(table, metric), exact, rtol=1e-3, atol=1e-15)
    near = dissimilarities(table[:5], metric, table[5:9])
    assert_allclose(near, exact[:5, 5:9], rtol=1e-3, atol=1e-15)


def test_new_objects_find_the_centre_they_are_nearest_to():
    table = X * 1e-8 + 1e6
    exact = cdist(table, table[:4]).argmin(axis=1)
    assert_array_equal(nearest_rows(table, table[:4]), exact)
    assert_array_equal(NearestCentre(table[:4]).predict(table), exact)
