"""Mean ranks against scipy's Friedman test and the published tables."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import friedmanchisquare, rankdata

from comitia.evaluate import mean_ranks
from comitia.exceptions import ComitiaError


@pytest.mark.parametrize(("m", "q"), [(2, 1.960), (3, 2.343), (5, 2.728), (10, 3.164)])
def test_the_critical_difference_is_that_of_demsars_table(m, q):
    ranks = mean_ranks(np.random.RandomState(0).rand(12, m))
    expected = q * np.sqrt(m * (m + 1) / (6 * 12))
    # The table has three decimals.
    assert_allclose(ranks.critical_difference, expected, rtol=5e-4)


@pytest.mark.parametrize("ties", [False, True])
def test_the_p_value_is_that_of_scipy(ties):
    scores = np.random.RandomState(1).rand(9, 4) + [0, 0.1, 0.2, 0.4]
    scores = np.round(scores, 1) if ties else scores
    assert_allclose(mean_ranks(scores).p_value, friedmanchisquare(*scores.T).pvalue)


def test_ranks_are_those_of_scipy_and_nan_is_the_worst():
    scores = np.array([[0.3, 0.3, 0.9], [np.nan, 0.1, 0.2]])
    expected = rankdata([[-0.3, -0.3, -0.9], [9.0, -0.1, -0.2]], axis=1)
    assert_allclose(mean_ranks(scores).means, expected.mean(axis=0))


def test_equal_methods_are_one_group():
    ranks = mean_ranks(np.ones((10, 4)))
    assert ranks.p_value == 1.0
    assert ranks.groups == [[0, 1, 2, 3]]


def test_clear_differences_make_groups_in_order():
    scores = np.tile([0.1, 0.2, 0.8, 0.9], (100, 1))
    assert mean_ranks(scores).groups == [[3], [2], [1], [0]]


def test_noise_is_told_apart_one_time_in_twenty():
    rng = np.random.RandomState(0)
    wrong = sum(len(mean_ranks(rng.rand(10, 4)).groups) > 1 for _ in range(200))
    # 5 % of 200, and three standard deviations; Nemenyi asks for more than Friedman.
    assert wrong <= 10 + 3 * 3.1


def test_a_vector_is_refused():
    with pytest.raises(ComitiaError, match="row for each repetition"):
        mean_ranks([1, 2, 3])


def test_a_pair_is_not_told_apart_where_friedman_sees_no_difference():
    # The extreme two of these random scores differ by more than is critical.
    ranks = mean_ranks(np.random.RandomState(166).rand(10, 6))
    assert np.ptp(ranks.means) > ranks.critical_difference
    assert ranks.p_value > 0.05
    assert len(ranks.groups) == 1
