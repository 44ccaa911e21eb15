"""Numbers that stand for no number, and numbers that would drown all others."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia.prepare import TablePreparer
from comitia.prepare.odd_numbers import (
    far_limits,
    has_long_tail,
    missing_code,
    only_negative,
)

RNG = np.random.RandomState(3)
TWO = np.repeat([0.0, 6.0], 30)


def two_groups(n_columns=3):
    """Sixty objects in two groups, in units of their own."""
    X = np.random.RandomState(7).randn(60, n_columns) + TWO[:, None]
    return X * 10.0 ** np.arange(n_columns)


@pytest.mark.parametrize("code", [99.0, -99.0, -999.0, 9999.0, 999.9, -99999.0])
@pytest.mark.parametrize("n", [2, 9])
def test_nines_far_outside_stand_for_missing_values(code, n):
    assert missing_code(np.array([*RNG.randn(30), *[code] * n])) == code


@pytest.mark.parametrize("code", [-1.0, -8.0, -9.0])
def test_the_only_negative_number_stands_for_missing_values_if_it_is_far(code):
    shares = np.linspace(0, 0.9, 20)
    assert missing_code(np.array([*shares, code, code])) == code
    assert missing_code(np.array([*(20 * shares), code, code])) is None
    assert missing_code(np.array([*(shares - 0.1), code, code])) is None
    assert missing_code(np.array([*shares, code])) is None
    assert missing_code(np.array([*shares, code + 0.1, code + 0.1])) is None


@pytest.mark.parametrize(
    "values",
    [
        [*RNG.randn(30), -999.0],  # once can be a slip, or meant
        [*RNG.randn(30), -998.0, -998.0],  # no nines
        [*RNG.uniform(0, 1000, 30), 999.0, 999.0],  # among the others
        [*range(18, 90, 3), 99.0, 99.0],  # ages
        [*range(1, 7), *range(1, 7), 9.0, 9.0],  # no two nines
        [*RNG.uniform(0, 6000, 30), 9999.0, 9999.0],  # no further than the others are
        [1.0, 2.0, 999.0, 999.0],  # hardly any others
        [np.nan, np.nan],
    ],
)
def test_other_numbers_are_meant(values):
    assert missing_code(np.array(values)) is None


@pytest.mark.parametrize("code", [-999.0, 9999.0])
def test_a_code_is_a_missing_value_by_another_name(code):
    X = two_groups()
    gaps = np.random.RandomState(1).rand(*X.shape) < 0.1
    X[:, 2] /= 1e3
    X[:, 1:] /= X[:, 1:].max()
    coded, blank = np.where(gaps, code, X), np.where(gaps, np.nan, X)
    prepare = TablePreparer().fit(coded)
    assert [each["n_missing"] for each in prepare.columns_] == gaps.sum(0).tolist()
    assert_array_equal(prepare.transform(coded), TablePreparer().fit_transform(blank))
    again = TablePreparer.from_dict(prepare.to_dict())
    assert_array_equal(again.transform(coded[:7]), prepare.transform(coded[:7]))


def test_a_declared_number_is_meant_whatever_it_is():
    X = two_groups(1)
    X[:3], kinds = -999.0, {"x0": "numeric"}
    got = TablePreparer(kinds=kinds).fit_transform(X)
    assert_allclose(got, (X - X.mean()) / X.std())


@pytest.mark.parametrize("wild", [1e6, -1e9, 1e15, 1e100])
def test_one_value_does_not_drown_a_column(wild):
    X = two_groups()
    X[4] = wild  # a row of slips, or the sums of a spreadsheet
    for column in TablePreparer().fit_transform(X).T:
        first, second = column[5:30], column[30:]
        assert second.mean() - first.mean() > 4 * second.std()


def test_values_far_out_stay_far_out_and_come_back_in_new_rows():
    X = two_groups(1)
    X[4] = 1e9
    prepare = TablePreparer().fit(X)
    got = prepare.transform(X)
    assert got[4] == got.max()
    again = TablePreparer.from_dict(prepare.to_dict())
    assert_array_equal(again.transform([[1e12], [X[0, 0]]]), [got[4], got[0]])
    assert prepare.in_units(X)[4] == 1e9


@pytest.mark.parametrize(
    "values",
    [
        RNG.randn(200),
        RNG.exponential(size=200),
        np.exp(RNG.randn(200)),
        np.where(RNG.rand(200) < 0.7, 0.0, RNG.exponential(size=200)),
        [*RNG.randn(100), *RNG.randn(12) + 100],  # a group of its own
        np.full(50, 2.0),
        [*np.zeros(99), 1.0],
        [1.0, 2.0, 3e9],
    ],
)
def test_a_spread_that_is_no_slip_is_left_alone(values):
    assert far_limits(np.array(values, dtype=float)) is None


@pytest.mark.parametrize(
    "values",
    [
        np.exp(RNG.randn(200)),
        np.where(RNG.rand(200) < 0.8, 0.0, RNG.poisson(9, 200)),
        RNG.standard_t(2, 200),
    ],
)
def test_one_slip_in_any_spread_is_seen_and_the_rest_kept(values):
    low, high = far_limits(np.array([*values, 1e9]))
    beyond = (values < low) | (values > high)
    assert high < 1e9
    assert beyond.mean() <= 0.05


def test_tables_prepared_by_column_are_prepared_alike():
    from comitia.prepare.table_columns import as_table_columns

    X = two_groups()
    X[4, 0], X[5:9, 1] = 1e9, -99999
    columns = as_table_columns(np.column_stack([X, 3 - 2 * X[:, 2]]))
    whole = TablePreparer(impute="median").fit_columns(columns)
    single = TablePreparer().fit_one_by_one(columns)
    assert [each["kind"] for each in single.columns_][3] == "repeated"
    assert single.columns_ == whole.columns_
    assert_allclose(
        single.transform_columns(columns)[0], whole.transform_columns(columns)[0]
    )


def test_a_preparation_from_before_there_were_limits_comes_back():
    prepare = TablePreparer().fit(two_groups())
    state = prepare.to_dict()
    for name in ("code", "limits"):
        del state["columns"][name]
    again = TablePreparer.from_dict(state)
    assert_array_equal(again.transform(two_groups()), prepare.transform(two_groups()))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([20.0, 31.5, 42.0, 80.0, -1.0, np.nan, -1.0], -1.0),
        ([0.0, 1.0, 2.0, 30.0, -9.0, -9.0, -9.0], -9.0),
        ([20.0, 31.5, 42.0, 80.0, -1.0], None),  # once
        ([20.0, 31.5, 42.0, -2.0, 80.0, -1.0, -1.0, -2.0], None),  # not the only one
        ([20.0, 31.5, 42.0, 80.0, -0.5, -0.5], None),
        ([1.0, 2.0, 3.0, -1.0, -1.0], None),  # a scale
        ([], None),
    ],
)
def test_one_negative_number_may_stand_for_a_missing_one(values, expected):
    assert only_negative(np.array(values)) == expected


def test_the_only_negative_number_is_told_unless_it_is_declared():
    X = np.abs(two_groups()).round(2)
    X[::6, 1] = -1.0
    about = TablePreparer().fit(X).columns_
    told = ["only negative" in each["reason"] for each in about]
    assert told == [False, True, False]
    about = TablePreparer(kinds={"x1": "numeric"}).fit(X).columns_
    assert not any("only negative" in each["reason"] for each in about)


def test_amounts_have_a_long_tail_and_their_logarithms_none():
    amounts = np.exp(2 * RNG.randn(400))
    assert has_long_tail(1000 * amounts)
    assert not has_long_tail(np.log1p(1000 * amounts))
    assert not has_long_tail(-amounts)


def test_an_exponential_distribution_has_no_long_tail():
    quantiles = -np.log1p(-(np.arange(500) + 0.5) / 500)
    assert not has_long_tail(quantiles)
    assert has_long_tail(quantiles**3)


def test_only_limits_that_something_lies_beyond_are_told():
    X = two_groups()
    X[0, 0], X[:2, 1] = 1e9, [-1e9, 1e9]
    X[2:4, 2] = -999.0
    X[4, 2] = 1e6
    first, second, third = TablePreparer().fit(X).columns_
    for about in (first, third):
        assert "values far out as " in about["action"]
        assert " or " not in about["action"]
        assert "as -" not in about["action"]
    assert " or " in second["action"]
