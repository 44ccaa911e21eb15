"""Forward and backward passes of hidden Markov models.

A sequence is first passed with plain numbers, scaled at each step. What underflows on
the way is dropped, and where that could matter, the sequence is passed again in
logarithms, which take several times as long.
"""

import math

import numpy as np

from comitia._kernels._njit import njit

__all__ = ["expected_states", "forward_likelihoods"]

# After a step the largest forward value is 1; those below DROPPED may be wrong.
DROPPED = 1e-200
# A sum that is larger than this does not notice that such values are missing.
NOTICED = 1e-180
# What the scale of a step may be, or weights that underflow would be above DROPPED.
SMALLEST_SCALE = 1e-100
# How far the shares of the states, or of the moves, may sum to something else than 1.
MISSING = 1e-11


@njit(cache=True)
def log_sum(logs):
    """Logarithm of a sum; minus infinity when all terms are impossible."""
    largest = logs.max()
    if largest == -np.inf:
        return largest
    total = 0.0
    for value in logs:
        total += math.exp(value - largest)
    return largest + math.log(total)


@njit(cache=True)
def forward_in_logs(log_start, log_moves, emissions, alpha):
    """Fill alpha (T, S): what was seen so far and the state; return the likelihood."""
    n_steps, n_states = emissions.shape
    terms = np.empty(n_states)
    for s in range(n_states):
        alpha[0, s] = log_start[s] + emissions[0, s]
    for t in range(1, n_steps):
        for s in range(n_states):
            for r in range(n_states):
                terms[r] = alpha[t - 1, r] + log_moves[r, s]
            alpha[t, s] = log_sum(terms) + emissions[t, s]
    return log_sum(alpha[n_steps - 1])


@njit(cache=True)
def expected_in_logs(log_start, log_moves, emissions, states, moves):
    """Fill the states of a sequence (T, S), add its moves; return the likelihood."""
    n_steps, n_states = emissions.shape
    terms = np.empty(n_states)
    later = np.empty(n_states)
    beta = np.zeros(n_states)
    # A step's states hold its forward values until the backward pass comes by.
    own = forward_in_logs(log_start, log_moves, emissions, states)
    for t in range(n_steps - 1, -1, -1):
        if t < n_steps - 1:
            for s in range(n_states):
                later[s] = emissions[t + 1, s] + beta[s]
            for r in range(n_states):
                for s in range(n_states):
                    terms[s] = log_moves[r, s] + later[s]
                    # No more than 1, which rounding far out would make it.
                    moves[r, s] += math.exp(min(states[t, r] + terms[s] - own, 0.0))
                beta[r] = log_sum(terms)
        for s in range(n_states):
            terms[s] = states[t, s] + beta[s]
        # The likelihood again, with the same rounding as what it divides.
        whole = log_sum(terms)
        for s in range(n_states):
            states[t, s] = math.exp(terms[s] - whole)
    return own


@njit(cache=True)
def total_of(values):
    """Sum of a few numbers."""
    total = 0.0
    for value in values:
        total += value
    return total


@njit(cache=True)
def longest_of(starts):
    """Number of steps of the longest sequence."""
    longest = 0
    for i in range(len(starts) - 1):
        longest = max(longest, starts[i + 1] - starts[i])
    return longest


@njit(cache=True)
def forward_scaled(start, moves, emissions, weights, alpha, scales):
    """Fill densities, forward values (T, S) and scales; return the likelihood.

    NaN when something that underflowed could matter: a value that was dropped leads to
    a state that fits the next step far better than where the others lead.
    """
    n_steps, n_states = emissions.shape
    before = np.empty(n_states)
    for s in range(n_states):
        before[s] = start[s]
    likelihood = 0.0
    product = 1.0
    for t in range(n_steps):
        if t > 0:
            for s in range(n_states):
                before[s] = 0.0
                for r in range(n_states):
                    before[s] += alpha[t - 1, r] * moves[r, s]
        best = emissions[t, 0]
        for s in range(1, n_states):
            best = max(best, emissions[t, s])
        scale = 0.0
        for s in range(n_states):
            weights[t, s] = math.exp(emissions[t, s] - best)
            alpha[t, s] = before[s] * weights[t, s]
            scale = max(scale, alpha[t, s])
        if not scale >= SMALLEST_SCALE:
            return np.nan
        least = scale * (DROPPED / NOTICED)
        for s in range(n_states):
            if t > 0 and before[s] < NOTICED and weights[t, s] > least:
                return np.nan
            alpha[t, s] /= scale
        scales[t] = scale
        likelihood += best
        # One logarithm for many steps.
        product *= scale
        if product < SMALLEST_SCALE:
            likelihood += math.log(product)
            product = 1.0
    return likelihood + math.log(product * total_of(alpha[n_steps - 1]))


@njit(cache=True)
def backward_scaled(moves, weights, alpha, scales, shares):
    """Turn forward values into states and fill the shares of moves (S, S).

    False when the states of a step, or the moves from it, do not sum to 1: the dropped
    values are what is missing. All terms are positive, so nothing else can be.
    """
    n_steps, n_states = alpha.shape
    shares[:] = 0.0
    later = np.empty(n_states)
    beta = np.empty(n_states)
    beta[:] = 1.0 / total_of(alpha[n_steps - 1])
    for t in range(n_steps - 1, -1, -1):
        if t < n_steps - 1:
            for s in range(n_states):
                later[s] = weights[t + 1, s] * beta[s] / scales[t + 1]
            moved = 0.0
            for r in range(n_states):
                beta[r] = 0.0
                for s in range(n_states):
                    term = moves[r, s] * later[s]
                    beta[r] += term
                    term *= alpha[t, r]
                    shares[r, s] += term
                    moved += term
            if not abs(moved - 1.0) <= MISSING:
                return False
        whole = 0.0
        for s in range(n_states):
            alpha[t, s] *= beta[s]
            whole += alpha[t, s]
        if not abs(whole - 1.0) <= MISSING:
            return False
        for s in range(n_states):
            alpha[t, s] /= whole
    return True


@njit(cache=True)
def forward_likelihoods(log_start, log_moves, emissions, starts):
    """Log-likelihood of sequence i, the steps ``starts[i]:starts[i + 1]``."""
    n = len(starts) - 1
    start, moves = np.exp(log_start), np.exp(log_moves)
    longest = longest_of(starts)
    weights = np.empty((longest, len(log_start)))
    alpha = np.empty((longest, len(log_start)))
    scales = np.empty(longest)
    likelihoods = np.empty(n)
    for i in range(n):
        seen = emissions[starts[i] : starts[i + 1]]
        own = forward_scaled(start, moves, seen, weights, alpha, scales)
        if math.isnan(own):
            own = forward_in_logs(log_start, log_moves, seen, alpha)
        likelihoods[i] = own
    return likelihoods


@njit(cache=True)
def expected_states(log_start, log_moves, emissions, starts):
    """Probability of each state at each step, expected moves, and likelihoods."""
    n = len(starts) - 1
    n_states = len(log_start)
    start, moves = np.exp(log_start), np.exp(log_moves)
    longest = longest_of(starts)
    weights = np.empty((longest, n_states))
    scales = np.empty(longest)
    states = np.empty(emissions.shape)
    shares = np.empty((n_states, n_states))
    expected = np.zeros((n_states, n_states))
    likelihoods = np.empty(n)
    for i in range(n):
        seen = emissions[starts[i] : starts[i + 1]]
        own_states = states[starts[i] : starts[i + 1]]
        own = forward_scaled(start, moves, seen, weights, own_states, scales)
        if not math.isnan(own) and backward_scaled(
            moves, weights, own_states, scales, shares
        ):
            expected += shares
        else:
            own = expected_in_logs(log_start, log_moves, seen, own_states, expected)
        likelihoods[i] = own
    return states, expected, likelihoods
