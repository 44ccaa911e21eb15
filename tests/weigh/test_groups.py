"""The variance of algorithms, against pairs counted one by one."""

import linecache
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from comitia import Ensemble
from comitia.exceptions import ComitiaError, ComitiaWarning
from comitia.weigh import Groups, decision_variance
from comitia.weigh.groups import floored_variance


def variance_by_pairs(labels):
    """The mean of a / (a - 1) h (1 - h) over the pairs of objects, by loops."""
    n, a = labels.shape
    values = []
    for i, j in combinations(range(n), 2):
        h = np.mean(labels[i] == labels[j])
        values.append(a / (a - 1) * h * (1 - h))
    return np.mean(values)


@pytest.mark.parametrize("seed", range(3))
def test_the_estimate_is_the_spread_of_the_pairs(seed):
    labels = np.random.RandomState(seed).randint(3, size=(15, 7))
    groups = ["b", "a", "b", "b", "a", "a", "a"]
    got = decision_variance(Ensemble(labels, groups=groups))
    expected = [variance_by_pairs(labels[:, [0, 2, 3]])]
    expected.append(variance_by_pairs(labels[:, [1, 4, 5, 6]]))
    assert_allclose(got, expected)


def test_the_estimate_is_right_for_independent_decisions():
    # Pairs (0, 1), (2, 3), … are joined with probability q, all others never.
    rng, q, n, a = np.random.RandomState(0), 0.8, 200, 400
    joined = rng.rand(n // 2, a) < q
    labels = np.empty((n, a), dtype=int)
    labels[::2] = 2 * np.arange(n // 2)[:, None]
    labels[1::2] = labels[::2] + ~joined
    share = (n / 2) / (n * (n - 1) / 2)
    got = decision_variance(Ensemble(labels))[0] / share
    assert_allclose(got, q * (1 - q), rtol=0.01)  # the mean of 100 estimates


def test_groups_are_in_the_order_of_their_appearance():
    groups = Groups.of(Ensemble(np.zeros((2, 4), int), groups=["z", "a", "z", "k"]))
    assert groups.names == ["z", "a", "k"]
    assert groups.codes.tolist() == [0, 1, 0, 2]
    assert groups.n_runs.tolist() == [2, 1, 1]
    assert Groups.of(Ensemble(np.zeros((2, 4), int))).n_runs.tolist() == [4]


def test_what_does_not_vary_gets_the_floor_with_a_warning():
    with pytest.warns(ComitiaWarning, match=r"1 algorithm\(s\) hardly vary"):
        got = floored_variance([0.0, 0.2, 0.0], [5, 5, 1])
    assert_allclose(got, [0.01, 0.2, 0.25])
    assert_allclose(floored_variance([0.0], [5]), [0.01])  # the only one: no matter


def test_given_accuracies_are_raised_only_where_they_are_certain():
    E = Ensemble(np.zeros((3, 3), int), groups=["a", "b", "c"])
    assert_allclose(decision_variance(E, [0.99, 0.5, 1.0]), [0.0099, 0.25, 0.25])
    by_name = decision_variance(E, {"c": 0.6, "a": 0.9, "b": 0.8})
    assert_allclose(by_name, [0.09, 0.16, 0.24])
    assert_allclose(decision_variance(E, 0.9), 0.09)


@pytest.mark.parametrize("wrong", [[0.9], [0.9, 0.9, 1.1], [np.nan, 0.5, 0.5], -0.5])
def test_accuracies_that_are_none_are_refused(wrong):
    E = Ensemble(np.zeros((3, 3), int), groups=["a", "b", "c"])
    with pytest.raises(ComitiaError, match=r"pair_accuracy.*each of the 3 algorithm"):
        decision_variance(E, wrong)
    with pytest.raises(ComitiaError, match="no entry for the algorithm 'b'"):
        decision_variance(E, {"a": 0.9, "c": 0.9})


def test_two_clusterings_without_groups_are_warned_of_and_one_is_not():
    with pytest.warns(ComitiaWarning, match="the ensemble has no groups"):
        assert Groups.of(Ensemble([[0, 0], [0, 1]]), warn=True).n_runs.tolist() == [2]
    assert Groups.of(Ensemble([[0], [1]]), warn=True).n_runs.tolist() == [1]


@pytest.mark.parametrize(
    "warning",
    [
        lambda: Groups.of(Ensemble([[0, 0], [0, 1]]), warn=True),
        lambda: floored_variance([0.0, 0.2], [5, 5]),
    ],
    ids=["groups", "variance"],
)
def test_warnings_point_at_who_called_the_method(warning):
    def method():
        warning()

    with pytest.warns(ComitiaWarning) as warned:
        method()
    line = linecache.getline(warned[0].filename, warned[0].lineno)
    assert line.strip() == "warning()"  # the lambda is what weighs
