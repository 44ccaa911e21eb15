"""Which iterate an iteration keeps, and when it has come to rest."""

import pytest

from comitia.optimize.loops import Kept, at_rest


def kept(*costs, feasible=None):
    """The place of the iterate that is kept, and its cost."""
    feasible = feasible or [True] * len(costs)
    run = Kept(costs[0], 0, feasible[0])
    for i in range(1, len(costs)):
        run.add(costs[i], i, feasible[i])
    return run.result(), run.cost()


def test_a_lower_iterate_is_kept():
    assert kept(5.0, 3.0, 4.0) == (1, 3.0)
    assert kept(-1.0, -2.0, -1.5) == (1, -2.0)


@pytest.mark.parametrize("size", [1.0, -1.0, 1e9])
def test_the_last_is_kept_where_the_objective_cannot_tell(size):
    costs = [size, size * (1 + 1e-9), size * (1 - 1e-8), size * (1 + 2e-7)]
    assert kept(*costs)[0] == 3


def test_small_steps_up_add_up():
    costs = [1.0 + 5e-7 * i for i in range(10)]
    assert kept(*costs)[0] == 0


def test_small_steps_down_add_up():
    costs = [1.0 - 5e-7 * i for i in range(10)]
    assert kept(*costs, 1.0)[0] > 7


def test_what_is_not_feasible_is_not_compared():
    assert kept(1.0, 3.0, 2.0, 4.0, feasible=[False, True, True, True])[0] == 2
    assert kept(1.0, 3.0, 2.0, 4.0, feasible=[True, True, True, False])[0] == 3
    assert kept(1.0, 3.0, feasible=[False, False])[0] == 1


def test_rest_is_ten_sweeps_without_a_change_up_or_down():
    assert at_rest([5.0] + [1.0] * 11, 1e-6, 1.0)
    assert not at_rest([1.0] * 10, 1e-6, 1.0)
    assert not at_rest([1.0 + 0.1 * i for i in range(20)], 1e-6, 1.0)
    assert not at_rest([1.0 - 0.01 * i for i in range(20)], 1e-6, 1.0)
