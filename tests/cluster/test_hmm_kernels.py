"""Passes with scaled numbers, against those in logarithms, and where they give up."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia._kernels.hidden_markov import (
    backward_scaled,
    expected_in_logs,
    expected_states,
    forward_in_logs,
    forward_likelihoods,
    forward_scaled,
)


def in_logs(log_start, log_moves, emissions, starts):
    """Expected states, moves and likelihoods of all sequences, in logarithms."""
    states = np.empty(emissions.shape)
    moves = np.zeros(log_moves.shape)
    likelihoods = [
        # Fills the states of a sequence, and adds its moves.
        expected_in_logs(log_start, log_moves, emissions[i:j], states[i:j], moves)
        for i, j in pairwise(starts)
    ]
    return states, moves, np.array(likelihoods)


def scaled(start, moves, emissions):
    """Likelihood of one sequence, NaN when unsure; whether its states sum to one."""
    weights, alpha = np.empty(emissions.shape), np.empty(emissions.shape)
    scales, shares = np.empty(len(emissions)), np.empty(moves.shape)
    own = forward_scaled(start, moves, emissions, weights, alpha, scales)
    if np.isnan(own):
        return own, False
    return own, backward_scaled(moves, weights, alpha, scales, shares)


def logs_of(probabilities):
    with np.errstate(divide="ignore"):
        return np.log(probabilities)


@pytest.mark.parametrize("spread", [1.0, 30.0, 3000.0])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_all_passes_are_those_in_logarithms(seed, sparse, spread):
    rng = np.random.RandomState(seed)
    S = 4
    start, moves = rng.dirichlet(np.ones(S)), rng.dirichlet(np.ones(S), S)
    if sparse:
        # From left to right, in tiny steps: much is impossible, or nearly.
        moves = np.triu(moves) * np.where(np.eye(S), 1.0, 10.0 ** -rng.randint(0, 150))
        moves /= moves.sum(axis=1, keepdims=True)
        start[1:] = 0.0
        start[0] = 1.0
    emissions = -spread * rng.rand(90, S)
    starts = np.array([0, 1, 30, 90])
    given = logs_of(start), logs_of(moves), emissions, starts
    states, expected, likelihoods = in_logs(*given)
    got = expected_states(*given)
    assert_allclose(got[0], states, atol=1e-10)
    assert_allclose(got[1], expected, atol=1e-9)
    assert_allclose(got[2], likelihoods, rtol=1e-12)
    assert_array_equal(forward_likelihoods(*given), got[2])


def test_likely_states_need_no_logarithms():
    rng = np.random.RandomState(0)
    start, moves = rng.dirichlet(np.ones(3)), rng.dirichlet(np.ones(3), 3)
    # The second state fits nothing: its values underflow, and nothing else follows.
    emissions = -20 * rng.rand(500, 3) - [0.0, 5000.0, 0.0]
    own, sums_to_one = scaled(start, moves, emissions)
    alpha = np.empty(emissions.shape)
    assert_allclose(
        own, forward_in_logs(np.log(start), np.log(moves), emissions, alpha)
    )
    assert sums_to_one


def test_a_value_that_was_dropped_and_matters_is_noticed():
    # The third state can be reached through the second alone, which fits the second
    # step so badly that its value underflows; and then the third alone fits.
    start = np.array([0.5, 0.5, 0.0])
    moves = np.array([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5], [0.0, 0.0, 1.0]])
    emissions = np.array(
        [[0.0, 0.0, 0.0], [0.0, -900.0, -900.0], [-2000.0, -2000.0, 0]]
    )
    own, _ = scaled(start, moves, emissions)
    assert np.isnan(own)
    starts = np.array([0, 3])
    (got,) = forward_likelihoods(logs_of(start), logs_of(moves), emissions, starts)
    # Of all paths only 1 1 2 and 1 2 2 count: 0.5 (0.5 0.5 + 0.5 1) e^-900.
    assert_allclose(got, np.log(0.5 * 0.75) - 900.0)


def test_an_unlikely_start_can_win_in_the_end():
    # Which of two states it is, only the product of all steps tells.
    start, moves = np.array([1.0, 1e-200]), np.eye(2)
    emissions = np.array([[0.0, 0.0], [-250.0, 0.0], [-250.0, 0.0], [-250.0, 0.0]])
    starts = np.array([0, 4])
    given = logs_of(start), logs_of(moves), emissions, starts
    states, expected, likelihoods = in_logs(*given)
    got = expected_states(*given)
    assert_allclose(got[2], likelihoods)
    assert_allclose(got[0], states, atol=1e-10)
    assert_allclose(got[1], expected, atol=1e-10)
