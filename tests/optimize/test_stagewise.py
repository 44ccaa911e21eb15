"""Forward stagewise regression takes the steps of its definition."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import nnls

from comitia.exceptions import ComitiaError
from comitia.optimize import forward_stagewise


def stagewise_by_residuals(Y, T, step, n_steps):
    """The definition, with the residual carried along."""
    R, w, norms = Y.copy(), np.zeros(len(T)), []
    for _ in range(n_steps):
        inner = np.array([(R * t).sum() for t in T])
        size = np.array([np.sqrt((t * t).sum()) for t in T])
        best = np.argmax(inner / size)
        length = step * inner[best] / size[best] ** 2
        w[best] += length
        R = R - length * T[best]
        norms.append((R * R).sum())
    return w, norms


@pytest.mark.parametrize("seed", range(4))
def test_of_predictors_that_are_equal_but_for_rounding_the_first_counts(seed):
    rng = np.random.RandomState(seed)
    T = np.repeat(rng.randn(3, 40), 2, axis=0) * (1 + 1e-15 * rng.randn(6, 40))
    weights = forward_stagewise(T[0] + T[2] + T[4] + 0.1 * rng.randn(40), T).weights
    assert_array_equal(weights > 0, [True, False] * 3)


@pytest.mark.parametrize("seed", range(3))
def test_steps_are_those_of_the_definition(seed):
    rng = np.random.RandomState(seed)
    T = rng.rand(4, 9, 2)
    Y = T[0] + 0.5 * T[2] + 0.1 * rng.rand(9, 2)
    fit = forward_stagewise(Y, T, step=0.1, max_iter=25, tol=0.0)
    weights, norms = stagewise_by_residuals(Y, T, 0.1, 25)
    assert_allclose(fit.weights, weights)
    assert_allclose(fit.objective[1:], norms)
    assert (np.diff(fit.objective) < 0).all()


def test_a_predictor_that_is_the_response_takes_all():
    Y = np.array([1.0, -1.0, 2.0, -2.0])
    orthogonal = np.array([2.0, 2.0, -1.0, -1.0])
    fit = forward_stagewise(Y, [Y, orthogonal])
    assert fit.converged
    assert fit.weights[1] == 0.0
    # The steps are shares of what is left: the rest when they stop is tol / step.
    assert_allclose(fit.weights[0], 1.0, atol=0.01)


def test_opposite_and_empty_predictors_get_no_weight():
    Y = np.array([1.0, 2.0])
    fit = forward_stagewise(Y, [-Y, 0 * Y])
    assert_array_equal(fit.weights, 0.0)
    assert fit.converged


def test_small_steps_reach_the_non_negative_least_squares():
    rng = np.random.RandomState(0)
    T = rng.rand(3, 30) - 0.3
    Y = T[0] + 0.3 * T[1] + 0.05 * rng.randn(30)
    fit = forward_stagewise(Y, T, step=0.02, max_iter=200_000, tol=1e-12)
    exact, residual = nnls(T.T, Y)
    # Steps never go back, so a weight that overshot stays a little too large.
    assert_allclose(fit.weights, exact, atol=0.02)
    assert_allclose(fit.objective[-1], residual**2, rtol=0.02)


def test_shapes_and_steps_out_of_range_are_refused():
    with pytest.raises(ComitiaError, match="shape of the response"):
        forward_stagewise([1.0, 2.0], [[1.0]])
    with pytest.raises(ComitiaError, match="step=0"):
        forward_stagewise([1.0], [[1.0]], step=0)
