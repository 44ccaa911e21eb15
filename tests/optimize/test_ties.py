"""What differs by rounding alone is a tie, and the first one wins it."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia.cluster.clusterer import best_run
from comitia.optimize.ties import (
    first_lowest,
    is_lower,
    lowest_run,
    merged_ties,
    without_last_bits,
)


@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e150])
@pytest.mark.parametrize("seed", range(5))
def test_last_bits_do_not_decide(seed, scale):
    noise = 1 + 1e-13 * np.random.RandomState(seed).randn(4, 6)
    costs = scale * np.array([[5.0, 2.0, 3.0, 2.0, 2.0, 9.0]] * 4) * noise
    assert_array_equal(first_lowest(costs), 1)
    assert not is_lower(costs[:, 3], costs[:, 1]).any()
    assert is_lower(costs[:, 3], costs[:, 2]).all()


def test_negative_and_infinite_costs_are_compared_too():
    assert_array_equal(first_lowest(np.array([[np.inf, -2.0, -2.0 - 1e-15]])), 1)
    assert first_lowest(np.array([np.inf, np.inf])) == 0
    assert is_lower(np.float64(1.0), np.float64(np.inf))
    assert not is_lower(np.float64(-2.0 - 1e-15), np.float64(-2.0))


def test_values_without_last_bits_are_equal_when_they_differ_by_rounding():
    rng = np.random.RandomState(0)
    values = rng.randint(-99, 99, size=50) / 16 * 10.0 ** rng.randint(-9, 9, size=50)
    noisy = values * (1 + 1e-14 * rng.randn(50))
    assert_array_equal(without_last_bits(noisy), without_last_bits(values))
    assert_allclose(without_last_bits(values), values, rtol=2e-9)
    assert_array_equal(without_last_bits(np.array([np.inf, 0.0])), [np.inf, 0.0])


def test_the_first_of_equal_runs_is_kept():
    ends = [3.0, 1.0 + 1e-14, 2.0, 1.0, 1.0 - 1e-14]
    assert lowest_run(ends, float) == ends[1]
    runs = iter([SimpleNamespace(objective=[9.0, end]) for end in ends])
    assert best_run(len(ends), lambda: next(runs)).objective[-1] == ends[1]


def test_merged_ties_are_the_lowest_of_those_that_differ_by_rounding():
    values = np.array([0.7 + 1e-15, 0.2, 0.7, 0.7 + 1e-6, np.inf, 0.2 - 1e-16])
    merged = merged_ties(values)
    assert_array_equal(merged, [0.7, values[5], 0.7, 0.7 + 1e-6, np.inf, values[5]])
    assert merged_ties(np.zeros(0)).shape == (0,)
