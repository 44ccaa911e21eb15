"""What is read of a fitted method: weights and objectives."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from comitia.display.consensus_view import objective_columns, remaining_way, weights_of


def test_weights_are_those_that_the_method_has_and_those_of_views_stand_in_a_row():
    fitted = SimpleNamespace(
        clustering_weights_=[0.25, 0.75],
        feature_weights_=[np.array([1.0, 2.0]), np.array([3.0])],
        selected_=[1, 0],
        object_weights_=None,
    )
    weights = weights_of(fitted)
    assert list(weights) == ["clustering_weights", "feature_weights", "selected"]
    assert_array_equal(weights["feature_weights"], [1.0, 2.0, 3.0])
    assert weights["selected"].dtype == bool


@pytest.mark.parametrize(
    ("objective", "columns"),
    [
        (np.array([3.0, 2.0]), [[[3.0], [2.0]]]),
        ([3.0, 2.0], [[[3.0], [2.0]]]),
        ([np.array([3.0, 2.0]), np.array([5.0])], [[[3.0], [2.0]], [[5.0]]]),
        (np.array([[3.0, 9.0], [2.0, 8.0]]), [[[3.0, 9.0], [2.0, 8.0]]]),
        (None, []),
    ],
)
def test_an_objective_is_one_table_for_each_optimization(objective, columns):
    found = objective_columns(SimpleNamespace(objective_=objective))
    assert [run.tolist() for run in found] == columns


def test_the_way_that_is_left_runs_from_one_to_zero_up_or_down():
    assert_array_equal(remaining_way(np.array([8.0, 2.0, 0.0])), [1.0, 0.25, 0.0])
    assert_array_equal(remaining_way(np.array([0.0, 3.0, 4.0])), [1.0, 0.25, 0.0])
    assert_array_equal(remaining_way(np.array([2.0, 2.0])), [0.0, 0.0])
    assert_array_equal(remaining_way(np.array([np.nan, 4.0, 2.0])), [np.nan, 1.0, 0.0])
    assert np.isnan(remaining_way(np.full(2, np.nan))).all()
