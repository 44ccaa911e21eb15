"""Quadratic programmes on the simplex."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from comitia.exceptions import ComitiaError
from comitia.optimize import project_simplex, qp_gap, qp_simplex


def program(seed, n=8, rank=8):
    rng = np.random.RandomState(seed)
    A = rng.normal(size=(n, rank))
    return A @ A.T, 3 * rng.normal(size=n)


def value(Q, c, w):
    return 0.5 * w @ Q @ w + c @ w


def by_slsqp(Q, c, cap):
    n = len(c)
    found = minimize(
        lambda w: value(Q, c, w),
        np.full(n, 1 / n),
        jac=lambda w: Q @ w + c,
        bounds=[(0, cap)] * n,
        constraints={
            "type": "eq",
            "fun": lambda w: w.sum() - 1,
            "jac": lambda w: np.ones(n),
        },
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    return project_simplex(found.x, cap=cap)


@pytest.mark.parametrize("cap", [1.0, 0.3])
@pytest.mark.parametrize("rank", [0, 2, 8])
@pytest.mark.parametrize("seed", range(8))
def test_no_other_optimizer_finds_less(seed, rank, cap):
    Q, c = program(seed, rank=rank)
    got = qp_simplex(Q, c, cap=cap)
    peer = by_slsqp(Q, c, cap)
    assert value(Q, c, got) <= value(Q, c, peer) + 1e-9
    if rank == 8:  # only then there is one minimiser
        assert_allclose(got, peer, atol=1e-5)  # the peer's own accuracy


@pytest.mark.parametrize("cap", [None, 0.3])
@pytest.mark.parametrize("rank", [0, 1, 5, 20])
@pytest.mark.parametrize("seed", range(5))
def test_the_conditions_of_karush_kuhn_and_tucker_hold(seed, rank, cap):
    Q, c = program(seed, n=20, rank=rank)
    w = qp_simplex(Q, c, cap=cap)
    assert abs(w.sum() - 1) < 1e-14
    gradient = Q @ w + c
    upper = 1.0 if cap is None else cap
    assert (w >= 0).all()
    assert (w <= upper).all()
    # One multiplier: nothing below it has room left, nothing above it has weight.
    tiny = 1e-8
    multiplier = gradient[w > 0].max() if (w < upper)[w > 0].all() else None
    if multiplier is None:
        assert gradient[w > 0].max() <= gradient[w < upper].min() + tiny
    else:
        assert_allclose(gradient[w > 0], multiplier, atol=tiny)
        assert (gradient >= multiplier - tiny).all()
    assert qp_gap(Q, c, w, cap=cap) <= 1e-9


def test_the_gap_bounds_what_can_be_gained():
    Q, c = program(3)
    best = value(Q, c, qp_simplex(Q, c))
    for seed in range(20):
        w = project_simplex(np.random.RandomState(seed).normal(size=8))
        assert value(Q, c, w) - best <= qp_gap(Q, c, w) + 1e-12


def test_the_gap_of_a_capped_program_is_that_of_its_best_vertex():
    w = np.array([0.25, 0.25, 0.25, 0.25])
    # Gradient (3, 1, 2, 0): the cheapest weights under the cap are (0, .4, .2, .4).
    got = qp_gap(np.zeros((4, 4)), [3.0, 1.0, 2.0, 0.0], w, cap=0.4)
    assert_allclose(got, 1.5 - 0.8, rtol=1e-14)


def test_identity_is_the_projection():
    v = np.random.RandomState(1).normal(size=9)
    assert_allclose(qp_simplex(np.eye(9), -v), project_simplex(v), atol=1e-12)
    assert_allclose(
        qp_simplex(np.eye(9), -v, cap=0.2), project_simplex(v, cap=0.2), atol=1e-12
    )


def test_without_curvature_the_cheapest_are_filled_first():
    # lourenco_2013, capped: e = (0, 2, 4), lambda = 0.4.
    got = qp_simplex(np.zeros((3, 3)), [0.0, 2.0, 4.0], cap=0.4)
    assert_allclose(got, [0.4, 0.4, 0.2], rtol=1e-15)


def test_weighted_consensus_clustering_has_the_numbers_of_the_catalogue():
    # wcc on E6 with B* = C1: w'Gw - 2h'w + 18 is zero at w1 + w2 = 1.
    G = np.array([[18.0, 18, 10], [18, 18, 10], [10, 10, 12]])
    h = np.array([18.0, 18, 10])
    w = qp_simplex(G, -h)
    assert_allclose(w, [0.5, 0.5, 0.0], atol=1e-12)
    assert abs(2 * value(G, -h, w) + 18) < 1e-12


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_units_do_not_matter(scale):
    Q, c = program(5, n=12, rank=12)
    assert_allclose(qp_simplex(scale * Q, scale * c), qp_simplex(Q, c), atol=1e-10)


def test_badly_scaled_programs_are_solved():
    rng = np.random.RandomState(0)
    for _ in range(50):
        n = rng.randint(2, 30)
        A = rng.normal(size=(n, n)) * 10 ** rng.uniform(-3, 3, size=n)
        Q, c = A @ A.T, rng.normal(size=n) * 10 ** rng.uniform(-3, 3)
        w = qp_simplex(Q, c)  # a ConvergenceWarning would be an error
        assert abs(w.sum() - 1) < 1e-13
        assert qp_gap(Q, c, w) <= 1e-10 * (np.abs(Q).max() + np.ptp(c))


def test_one_weight_and_nothing_to_minimize():
    assert_allclose(qp_simplex([[2.0]]), [1.0])
    assert_allclose(qp_simplex(np.zeros((4, 4))), 0.25)
    assert_allclose(qp_simplex(np.ones((4, 4)), np.full(4, 7.0)), 0.25)


def test_bad_input_is_refused_in_words():
    with pytest.raises(ComitiaError, match=r"positive semi-definite.*-1"):
        qp_simplex([[1.0, 0.0], [0.0, -1.0]])
    with pytest.raises(ComitiaError, match="symmetric"):
        qp_simplex([[1.0, 0.5], [0.0, 1.0]])
    with pytest.raises(ComitiaError, match="square"):
        qp_simplex([1.0, 2.0])
    with pytest.raises(ComitiaError, match="one number for each row of Q, 2"):
        qp_simplex(np.eye(2), [1.0])
    with pytest.raises(ComitiaError, match="finite"):
        qp_simplex(np.eye(2), [np.nan, 1.0])
    with pytest.raises(ComitiaError, match="cap is too small"):
        qp_simplex(np.eye(2), cap=0.4)


def test_rounding_below_zero_is_no_reason_to_refuse():
    A = np.random.RandomState(0).normal(size=(30, 3)) * 1e3
    assert np.linalg.eigvalsh(A @ A.T)[0] < 0
    qp_simplex(A @ A.T)


def test_steps_that_do_not_do_are_reported():
    Q, c = program(0)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        qp_simplex(Q, c, max_iter=1, tol=0.0)
