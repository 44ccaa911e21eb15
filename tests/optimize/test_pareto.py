"""Fronts do not dominate themselves, crowding is NSGA-II's, the knee bends most."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia.exceptions import ComitiaError
from comitia.optimize import best_first, crowding_distances, knee, non_dominated_ranks


def ranks_by_loops(costs):
    left, ranks, rank = set(range(len(costs))), np.full(len(costs), -1), 0
    while left:
        front = {
            i
            for i in left
            if not any(
                (costs[j] <= costs[i]).all() and (costs[j] < costs[i]).any()
                for j in left
            )
        }
        ranks[list(front)] = rank
        left -= front
        rank += 1
    return ranks


@pytest.mark.parametrize("n_objectives", [1, 2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_ranks_are_their_definition(n_objectives, seed):
    # Few different values, so that there are ties.
    costs = np.random.RandomState(seed).randint(5, size=(40, n_objectives)) / 2
    assert_array_equal(non_dominated_ranks(costs), ranks_by_loops(costs))


def test_equal_individuals_share_a_front():
    assert non_dominated_ranks([[1.0, 1.0], [1.0, 1.0]]).tolist() == [0, 0]


def test_what_has_no_order_is_refused():
    with pytest.raises(ComitiaError, match="without NaN"):
        non_dominated_ranks([[1.0, np.nan]])


@pytest.mark.parametrize("seed", range(3))
def test_the_best_are_first_by_front_and_then_by_room(seed):
    costs = np.random.RandomState(seed).randint(6, size=(30, 2)) / 2
    ranks = ranks_by_loops(costs)
    room = np.empty(30)
    for rank in range(ranks.max() + 1):
        room[ranks == rank] = crowding_distances(costs[ranks == rank])
    expected = sorted(range(30), key=lambda i: (ranks[i], -room[i]))
    assert_array_equal(best_first(costs), expected)
    assert_array_equal(best_first(costs[:0]), [])


def test_crowding_is_that_of_nsga_ii():
    costs = [[0.0, 4.0], [1.0, 2.0], [3.0, 1.0], [4.0, 0.0]]
    # (3 - 0) / 4 + (4 - 1) / 4, and (4 - 1) / 4 + (2 - 0) / 4.
    assert_allclose(crowding_distances(costs), [np.inf, 1.5, 1.25, np.inf])
    nowhere = [[0.0, np.inf]] * 4
    assert_array_equal(crowding_distances(nowhere), [np.inf, 0, 0, np.inf])


def test_the_knee_bends_most():
    front = np.array([[0.0, 10.0], [1.0, 2.0], [2.0, 1.9], [9.0, 0.0]])
    assert knee(front) == 1
    assert knee(front * [100, 1]) == 1  # whatever the units
    assert knee(front[:1]) == 0
    assert knee([[1.0, np.inf], [2.0, 5.0]]) == 1
    assert knee([[1.0, np.inf]]) == 0
