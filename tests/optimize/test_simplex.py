"""Projections and closed forms on the simplex."""

import itertools
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from comitia.exceptions import ComitiaError
from comitia.optimize import power_weights, project_simplex


def by_enumeration(v, total, cap):
    """Try every split into zero, free and capped; the feasible nearest one wins."""
    best, nearest = np.inf, None
    for split in itertools.product("0fc", repeat=len(v)):
        free = np.array([s == "f" for s in split])
        w = np.where([s == "c" for s in split], cap, 0.0)
        if free.any():
            w[free] = v[free] - (v[free].sum() + w[~free].sum() - total) / free.sum()
        feasible = (w >= -1e-12).all() and (w <= cap + 1e-12).all()
        if feasible and abs(w.sum() - total) < 1e-9 and ((w - v) ** 2).sum() < best:
            best, nearest = ((w - v) ** 2).sum(), w
    return nearest


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("cap", [None, 0.5, 0.8])
def test_projection_is_the_nearest_feasible_point(seed, cap):
    v = np.random.RandomState(seed).normal(size=5)
    got = project_simplex(v, total=1.5, cap=cap)
    wanted = by_enumeration(v, 1.5, np.full(5, 1.5 if cap is None else cap))
    assert_allclose(got, wanted, atol=1e-14)


@pytest.mark.parametrize("seed", range(10))
def test_each_weight_may_have_its_own_cap(seed):
    rng = np.random.RandomState(seed)
    v, cap = rng.normal(size=5), rng.uniform(0.0, 1.0, size=5) + 0.1
    assert_allclose(
        project_simplex(v, cap=cap), by_enumeration(v, 1.0, cap), atol=1e-14
    )


@pytest.mark.parametrize("cap", [None, 0.3])
def test_a_matrix_is_projected_row_by_row(cap):
    V = np.random.RandomState(0).normal(size=(30, 7))
    together = project_simplex(V, cap=cap)
    assert_allclose(together, [project_simplex(v, cap=cap) for v in V], atol=0)


@pytest.mark.parametrize("cap", [None, 0.4])
def test_a_point_of_the_simplex_stays_and_shifts_do_not_matter(cap):
    w = np.array([0.4, 0.3, 0.2, 0.1])
    assert_allclose(project_simplex(w, cap=cap), w, atol=1e-16)
    assert_allclose(project_simplex(w + 5.0, cap=cap), w, atol=1e-15)
    assert_allclose(project_simplex(w[::-1], cap=cap), w[::-1], atol=1e-16)


@pytest.mark.parametrize("cap", [None, 0.4])
def test_far_entries_do_not_round_the_near_ones(cap):
    v = np.array([0.35, 0.35, 0.3, -1e12])
    assert_allclose(project_simplex(v, cap=cap), [0.35, 0.35, 0.3, 0.0], atol=1e-15)


def test_entries_far_above_their_cap_do_not_round_the_others():
    # A rounding of 1e-4, as 1e12 has, would lose the smallest weight.
    for far in np.linspace(1e12, 2e12, 20):
        v = np.array([3e12, 0.3, 0.3 - 1e-6, 1e-6, -far])
        wanted = [0.4, 0.3, 0.3 - 1e-6, 1e-6, 0.0]
        assert_allclose(project_simplex(v, cap=0.4), wanted, atol=1e-15)


@pytest.mark.parametrize("cap", [None, 1e-3])
def test_many_weights_sum_to_the_total(cap):
    for seed in range(5):
        w = project_simplex(np.random.RandomState(seed).normal(size=20_000), cap=cap)
        assert abs(math.fsum(w) - 1) < 1e-14


def test_caps_of_one_nth_force_equal_weights_and_caps_of_one_none():
    for n in range(1, 60):  # n rounded nth parts may sum to less than one
        v = np.random.RandomState(n).normal(size=n)
        assert_allclose(project_simplex(v, cap=1 / n), 1 / n, atol=1e-15)
        assert_allclose(project_simplex(v, cap=1.0), project_simplex(v), atol=1e-15)


def test_projection_has_the_numbers_of_the_catalogue():
    # lourenco_2013, quadratic: P(-e / (2 lambda)).
    e = np.array([0.0, 2.0, 4.0])
    assert_allclose(project_simplex(-e / 8), [7 / 12, 1 / 3, 1 / 12], rtol=1e-15)
    assert_allclose(project_simplex(-np.array([0, 0, 10]) / 20), [0.5, 0.5, 0.0])
    # wgnmf, and iwnmf at lambda = 0 and 1.
    assert_allclose(project_simplex([0.0, 0.0, -1.0]), [0.5, 0.5, 0.0])
    fitted = np.array([0.8, 0.1, 0.1])
    assert_allclose(project_simplex(fitted), fitted, rtol=1e-15)
    assert_allclose(project_simplex(fitted / 2), [17 / 30, 6.5 / 30, 6.5 / 30])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"v": [0.1, 0.2, 0.3], "cap": 0.3}, "cap is too small.*at least 0.333"),
        ({"v": [0.1, 0.2], "cap": [0.5, 0.5, 0.5]}, "one number or 2 numbers"),
        ({"v": [0.1, 0.2], "cap": [-1.0, 2.0]}, "cap must be non-negative"),
        ({"v": []}, "v is empty"),
        ({"v": [np.nan, 1.0]}, "NaN or infinity"),
        ({"v": [1.0], "total": 0.0}, "total=0.0 must be a positive"),
    ],
)
def test_bad_input_is_refused_in_words(arguments, message):
    with pytest.raises(ComitiaError, match=message):
        project_simplex(**arguments)


# SciPy 1.13 tells when its steps leave the bounds, and goes on from them.
@pytest.mark.filterwarnings("ignore:Values in x were outside bounds:RuntimeWarning")
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("power", [1.5, 2.0, 4.0])
def test_power_weights_minimize_their_objective(seed, power):
    t = np.random.RandomState(seed).uniform(0.5, 4.0, size=4)
    found = minimize(
        lambda w: (w**power) @ t,
        np.full(4, 0.25),
        bounds=[(1e-9, 1)] * 4,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        options={"ftol": 1e-15, "maxiter": 500},
    )
    got = power_weights(t, power)
    assert (got**power) @ t <= found.fun + 1e-12
    assert_allclose(got, found.x, atol=1e-5)  # the optimiser's own accuracy


def test_power_weights_have_the_numbers_of_the_catalogue():
    assert_allclose(power_weights([1, 4], 3), [2 / 3, 1 / 3], rtol=1e-15)
    assert_allclose(power_weights([1, 4], 2), [0.8, 0.2], rtol=1e-15)


def test_power_weights_have_their_limits():
    t = [3.0, 1.0, 2.0]
    assert_allclose(power_weights(t, 1.0), [0, 1, 0])
    assert_allclose(power_weights(t, 1 + 1e-9), [0, 1, 0])
    assert_allclose(power_weights(t, 1e12), 1 / 3, rtol=1e-11)  # 1 / weight_power
    assert_allclose(power_weights([0.0, 1.0, 0.0], 2.0), [0.5, 0, 0.5])
    assert_allclose(power_weights([1e-300, 1e300], 2.0), [1, 0])
    assert_allclose(power_weights([1.0, 1.0, 2.0], 1.0), [0.5, 0.5, 0])
    with pytest.raises(ComitiaError, match="at least 1"):
        power_weights(t, 0.5)
    with pytest.raises(ComitiaError, match="non-negative"):
        power_weights([-1.0, 1.0], 2.0)


@pytest.mark.parametrize("power", [1.0, 1.5, 3.0])
def test_power_weights_of_rows_are_those_of_each_row(power):
    t = np.random.RandomState(0).uniform(0, 4, size=(5, 4))
    t[1, 2] = t[3, 0] = t[3, 1] = 0.0
    got = power_weights(t, power)
    assert_allclose(got, [power_weights(row, power) for row in t], rtol=1e-15)
    with pytest.raises(ComitiaError, match="got shape"):
        power_weights(t[None], power)
