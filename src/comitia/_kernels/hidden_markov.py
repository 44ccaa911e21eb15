"""Forward and backward passes of hidden Markov models, in logarithms."""

import math

import numpy as np

from comitia._kernels._njit import njit

__all__ = ["expected_states", "forward_likelihoods"]


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
def forward(log_start, log_moves, emissions, alpha):
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
def forward_likelihoods(log_start, log_moves, emissions, starts):
    """Log-likelihood of sequence i, the steps ``starts[i]:starts[i + 1]``."""
    n = len(starts) - 1
    alpha = np.empty(emissions.shape)
    likelihoods = np.empty(n)
    for i in range(n):
        steps = slice(starts[i], starts[i + 1])
        likelihoods[i] = forward(log_start, log_moves, emissions[steps], alpha[steps])
    return likelihoods


@njit(cache=True)
def expected_states(log_start, log_moves, emissions, starts):
    """Probability of each state at each step, expected moves, and likelihoods."""
    n = len(starts) - 1
    n_states = len(log_start)
    states = np.empty(emissions.shape)
    moves = np.zeros((n_states, n_states))
    likelihoods = np.empty(n)
    terms = np.empty(n_states)
    later = np.empty(n_states)
    beta = np.empty(n_states)
    for i in range(n):
        begin, end = starts[i], starts[i + 1]
        # A step's states hold its forward values until the backward pass comes by.
        alpha = states[begin:end]
        own = forward(log_start, log_moves, emissions[begin:end], alpha)
        likelihoods[i] = own
        beta[:] = 0.0
        for t in range(end - 1, begin - 1, -1):
            if t < end - 1:
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
    return states, moves, likelihoods
