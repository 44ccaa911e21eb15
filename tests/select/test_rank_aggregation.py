"""Rankings into one, against their definitions."""

from math import comb

import numpy as np
import pytest
from numpy.testing import assert_allclose

from comitia.exceptions import ComitiaError
from comitia.select import borda_points, robust_rank
from comitia.select.rank_aggregation import mid_ranks


def test_opposite_rankings_tie_in_borda():
    assert_allclose(borda_points([[3, 1], [2, 2], [1, 3]]), 2.0)


@pytest.mark.parametrize("seed", range(3))
def test_borda_counts_who_is_beaten(seed):
    scores = np.random.RandomState(seed).randint(5, size=(8, 4))
    expected = [
        sum(
            (scores[m, v] > scores[r, v]) + 0.5 * (scores[m, v] == scores[r, v])
            for v in range(4)
            for r in range(8)
            if r != m
        )
        for m in range(8)
    ]
    assert_allclose(borda_points(scores), expected)


@pytest.mark.parametrize("seed", range(3))
def test_robust_rank_is_its_definition(seed):
    scores = np.random.RandomState(seed).rand(9, 5)
    r = np.sort((scores[:, None] <= scores[None]).sum(axis=1) / 9, axis=1)
    expected = []
    for row in r:
        # At least k of 5 uniform numbers are below x: a binomial tail.
        tails = [
            sum(comb(5, s) * x**s * (1 - x) ** (5 - s) for s in range(k, 6))
            for k, x in enumerate(row, start=1)
        ]
        expected.append(min(1, 5 * min(tails)))
    assert_allclose(robust_rank(scores), expected)


def test_one_worthless_ranking_does_not_hide_the_best():
    # Item 0 is first five times and last once.
    scores = np.tile(np.arange(10.0, 0, -1)[:, None], 6)
    scores[:, 5] = scores[::-1, 5]
    assert np.argmin(robust_rank(scores)) == 0
    assert robust_rank(scores)[0] < 1e-3


def test_one_ranking_alone_is_itself():
    assert_allclose(robust_rank([3, 1, 2]), [1 / 3, 1, 2 / 3])


@pytest.mark.parametrize("wrong", [np.zeros((0, 2)), [[np.nan], [1.0]], 3.0])
def test_scores_that_are_no_table_are_refused(wrong):
    with pytest.raises(ComitiaError, match="one row per item"):
        mid_ranks(wrong)
