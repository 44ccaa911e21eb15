"""Quadratic programmes on a box, against SciPy and exhaustive search."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from comitia.exceptions import ComitiaError
from comitia.optimize import convex_concave, qp_box


@pytest.mark.parametrize("seed", range(4))
def test_the_convex_program_is_solved(seed):
    rng = np.random.RandomState(seed)
    A = rng.randn(4 if seed % 2 else 9, 6)  # of full rank, or not
    P, c = A.T @ A, 4 * rng.randn(6)
    x = qp_box(P, c)
    peer = minimize(
        lambda x: x @ P @ x + c @ x,
        np.full(6, 0.5),
        jac=lambda x: 2 * P @ x + c,
        bounds=[(0, 1)] * 6,
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-12, "maxiter": 10_000},
    )
    value = x @ P @ x + c @ x
    assert value <= peer.fun + 1e-9 * abs(peer.fun)
    # No direction inside the box leads down.
    slope = 2 * P @ x + c
    assert (slope[x == 0] >= -1e-8).all()
    assert (slope[x == 1] <= 1e-8).all()
    inside = (x > 0) & (x < 1)
    assert_allclose(slope[inside], 0, atol=1e-8)


def test_a_flat_coordinate_follows_its_slope():
    assert_array_equal(qp_box(np.zeros((3, 3)), [1.0, -1.0, 0.0]), [0, 1, 0.5])


@pytest.mark.parametrize("seed", range(5))
def test_the_objective_never_falls_and_ends_at_a_stationary_point(seed):
    rng = np.random.RandomState(seed)
    A = rng.randn(8, 8)
    Q, b = A + A.T, rng.randn(8)
    run = convex_concave(Q, b, start=rng.rand(8), max_iter=1000, tol=1e-14)
    assert run.converged
    assert (np.diff(run.objective) >= 0).all()
    assert_allclose(run.objective[-1], run.x @ Q @ run.x + b @ run.x)
    slope = 2 * Q @ run.x + b
    assert (slope[run.x < 1e-9] <= 1e-4).all()  # where the steps have become small
    assert (slope[run.x > 1 - 1e-9] >= -1e-4).all()


@pytest.mark.parametrize("seed", range(3))
def test_many_starts_find_the_best_corner(seed):
    # Convex without the diagonal: the maximum is in a corner of the box.
    rng = np.random.RandomState(seed)
    A = rng.randn(7, 7)
    Q = A @ A.T
    b = -Q.sum(axis=1) + rng.randn(7)
    best = max(
        float(x @ Q @ x + b @ x) for x in map(np.array, product([0, 1], repeat=7))
    )
    runs = [convex_concave(Q, b, start=rng.rand(7)) for _ in range(60)]
    assert_allclose(max(run.objective[-1] for run in runs), best)


def test_a_diagonal_in_the_linear_part_is_solved_exactly():
    b = np.array([0.9, 0.5, 0.1]) - 0.4
    assert_array_equal(convex_concave(np.zeros((3, 3)), b).x, [1, 1, 0])


def test_a_diagonal_in_the_quadratic_part_keeps_too_much():
    run = convex_concave(np.diag([0.9, 0.3, 0.1]), np.full(3, -0.4))
    assert_array_equal(run.x, [1, 1, 0])  # 0.3 is less than 0.4, and more than 0.2


def test_the_wrong_is_refused():
    with pytest.raises(ComitiaError, match="Q must be symmetric"):
        convex_concave([[0.0, 1.0], [0.0, 0.0]], [0.0, 0.0])
    with pytest.raises(ComitiaError, match="start must be 2 numbers"):
        convex_concave(np.eye(2), [0.0, 0.0], start=[0.0, 2.0])
