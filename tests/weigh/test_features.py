"""Weights of features by their variance."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia.exceptions import ComitiaError
from comitia.weigh import variance_rank_weights, variance_shares


def with_variances(variances):
    """Two objects whose features have these variances."""
    return np.vstack([np.zeros(len(variances)), 2 * np.sqrt(variances)])


def alpha_of(weights):
    """The shift of the ranks, from the two largest weights."""
    largest = np.sort(weights)[::-1]
    ratio = largest[0] / largest[1]  # (2 + alpha) / (1 + alpha)
    return (2 - ratio) / (ratio - 1)


@pytest.mark.parametrize(("p", "alpha"), [(1000, 4.9200), (10000, 53.8144)])
def test_the_calibration_is_that_of_the_catalogue(p, alpha):
    weights = variance_rank_weights(with_variances(np.arange(p, 0, -1)))
    assert_allclose(alpha_of(weights), alpha, atol=5e-5)  # printed to four decimals
    assert_allclose(weights[: p // 100].sum(), 0.2)
    assert_allclose(weights.sum(), 1.0)
    expected = 1 / (np.arange(1, p + 1) + alpha)
    assert_allclose(weights, expected / expected.sum(), rtol=1e-4)  # of rounded alpha


def test_the_share_at_shift_zero_is_that_of_the_catalogue():
    inverse = 1 / np.arange(1, 1001)
    share = inverse[:10].sum() / inverse.sum()
    assert_allclose(share, 0.391, atol=5e-4)  # printed to three decimals
    X = with_variances(np.arange(1000, 0, -1))
    weights = variance_rank_weights(X, top_probability=share)
    assert_allclose(weights, inverse / inverse.sum(), rtol=1e-9)


def test_the_largest_variance_has_the_largest_weight():
    variances = np.array([3.0, 1.0, 9.0, 2.0, 5.0, 4.0, 8.0])
    weights = variance_rank_weights(with_variances(variances))
    assert_array_equal(np.argsort(weights), np.argsort(variances))
    assert_allclose(weights[2], 0.2)


def test_equal_variances_rank_by_index():
    weights = variance_rank_weights(with_variances(np.ones(6)))
    assert (np.diff(weights) < 0).all()


@pytest.mark.parametrize("p", [1, 2, 5])
def test_up_to_five_features_are_equal(p):
    assert_allclose(variance_rank_weights(with_variances(np.arange(p))), 1 / p)


def test_six_features_are_not():
    weights = variance_rank_weights(with_variances(np.arange(6)))
    assert_allclose(weights.max(), 0.2)


@pytest.mark.parametrize("share", [0.0, 1.0, -1.0])
def test_shares_outside_zero_and_one_are_refused(share):
    with pytest.raises(ComitiaError, match="top_fraction"):
        variance_rank_weights(np.eye(3), top_fraction=share)
    with pytest.raises(ComitiaError, match="top_probability"):
        variance_rank_weights(np.eye(3), top_probability=share)


def test_shares_of_the_variance_are_their_definition():
    X = np.random.RandomState(0).randn(20, 5) * [1, 2, 3, 4, 0]
    variances = X.var(axis=0)
    assert_allclose(variance_shares(X), variances / variances.sum())
    assert_allclose(variance_shares(8.0 * X - 3.0), variance_shares(X))
    assert_allclose(variance_shares(np.ones((3, 4))), 0.25)
