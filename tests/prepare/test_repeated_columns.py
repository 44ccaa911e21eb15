"""Columns that say again what another says."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from comitia.prepare import TablePreparer

RNG = np.random.RandomState(5)
N = 60
HEIGHT = 150 + 40 * RNG.rand(N)
REGION = RNG.choice(["north", "south", "east"], N)


def kinds(columns):
    array = np.empty((N, len(columns)), dtype=object)
    for j, values in enumerate(columns):
        array[:, j] = values
    return [each["kind"] for each in TablePreparer().fit(array).columns_]


@pytest.mark.parametrize(
    "again",
    [HEIGHT, HEIGHT / 100, -HEIGHT, 1e9 * HEIGHT, 32 + 1.8 * HEIGHT, 1e-9 * HEIGHT],
)
def test_a_number_in_another_unit_counts_once(again):
    assert kinds([HEIGHT, RNG.rand(N), again]) == ["numeric", "numeric", "repeated"]


def test_a_category_under_other_names_counts_once():
    codes = {"north": "N", "south": "S", "east": "O"}
    again = [codes[each] for each in REGION]
    assert kinds([HEIGHT, REGION, again]) == ["numeric", "category", "repeated"]


def test_ten_copies_weigh_no_more_than_one():
    one = np.column_stack([HEIGHT, RNG.rand(N)])
    many = np.column_stack([one, *(k + k * HEIGHT for k in range(1, 11))])
    assert_array_equal(
        TablePreparer().fit_transform(many), TablePreparer().fit_transform(one)
    )


@pytest.mark.parametrize(
    "other",
    [
        HEIGHT + 0.01 * RNG.randn(N),  # measured twice
        np.where(np.arange(N) == 7, np.nan, HEIGHT),  # with a gap
        HEIGHT**2,
        HEIGHT[::-1],
    ],
)
def test_what_says_something_of_its_own_counts(other):
    assert kinds([HEIGHT, other]) == ["numeric", "numeric"]


def test_rare_answers_may_be_equal_by_chance():
    rare = np.where(np.arange(N) == 3, "yes", "no")
    assert kinds([HEIGHT, rare, rare]) == ["numeric", "boolean", "boolean"]


def test_a_declared_copy_counts():
    X = np.column_stack([HEIGHT, HEIGHT])
    assert TablePreparer(kinds={"x1": "numeric"}).fit_transform(X).shape == (N, 2)


def test_columns_of_gaps_in_the_same_rows_are_compared():
    gaps = np.where(np.arange(N) % 5 == 0, np.nan, HEIGHT)
    assert kinds([gaps, 2 * gaps, RNG.rand(N)]) == ["numeric", "repeated", "numeric"]
