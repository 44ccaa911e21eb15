"""Hidden Markov models: against enumeration, against hmmlearn, on planted sequences."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm
from sklearn.metrics import adjusted_rand_score

from comitia.cluster import GaussianHMM, HMMKModels
from comitia.cluster.hmm import HMMParameters, _expect, _update, log_likelihood
from comitia.cluster.sequences import Series
from comitia.exceptions import ComitiaError


def random_model(seed, n_states=2, n_channels=1):
    rng = np.random.RandomState(seed)
    return HMMParameters(
        rng.dirichlet(np.ones(n_states)),
        rng.dirichlet(np.ones(n_states), n_states),
        rng.randn(n_states, n_channels),
        rng.rand(n_states, n_channels) + 0.3,
    )


def draw(model, length, rng):
    """One sequence of a model, (n_channels, length)."""
    state = rng.choice(len(model.start), p=model.start)
    steps = []
    for _ in range(length):
        steps.append(rng.normal(model.means[state], np.sqrt(model.variances[state])))
        state = rng.choice(len(model.start), p=model.transitions[state])
    return np.array(steps).T


def paths(model, sequence):
    """Each path of states with its joint probability with the sequence."""
    length = sequence.shape[1]
    density = norm.pdf(sequence.T[:, None], model.means, np.sqrt(model.variances)).prod(
        axis=2
    )
    for path in product(range(len(model.start)), repeat=length):
        probability = model.start[path[0]] * density[0, path[0]]
        for t in range(1, length):
            probability *= model.transitions[path[t - 1], path[t]]
            probability *= density[t, path[t]]
        yield path, probability


@pytest.mark.parametrize("seed", range(4))
def test_the_likelihood_sums_over_all_paths(seed):
    rng = np.random.RandomState(seed)
    model = random_model(seed, n_states=3, n_channels=2)
    sequences = [draw(model, length, rng) for length in (1, 4, 2, 6)]
    expected = [np.log(sum(p for _, p in paths(model, s))) for s in sequences]
    assert_allclose(log_likelihood(model, Series.read(sequences)), expected)


@pytest.mark.parametrize("seed", range(3))
def test_expectations_average_over_all_paths(seed):
    rng = np.random.RandomState(seed)
    model = random_model(seed)
    sequences = [draw(model, length, rng) for length in (5, 1, 3)]
    got = _expect(model, Series.read(sequences))
    moves = np.zeros((2, 2))
    for i, sequence in enumerate(sequences):
        states = np.zeros((sequence.shape[1], 2))
        total = sum(p for _, p in paths(model, sequence))
        for path, p in paths(model, sequence):
            for t, s in enumerate(path):
                states[t, s] += p / total
                if t:
                    moves[path[t - 1], s] += p / total
        begin = sum(s.shape[1] for s in sequences[:i])
        assert_allclose(got.states[begin : begin + len(states)], states, atol=1e-12)
    assert_allclose(got.moves, moves, atol=1e-12)


def test_what_is_impossible_stays_impossible():
    # From left to right: the likely state of a step cannot be reached, and the only
    # path that can is less likely than the smallest number.
    model = HMMParameters(
        np.array([1.0, 0.0, 0.0]),
        np.array([[0.5, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        np.array([[0.0], [1.0], [60.0]]),
        np.full((3, 1), 1.0),
    )
    sequence = np.array([[0.0, 60.0, 60.0]])
    logs = norm.logpdf(sequence[0][:, None], model.means[:, 0], 1.0)
    ways = [
        logs[0, 0] + logs[1, s] + logs[2, r] + np.log(0.5) + np.log(p)
        for s, r, p in [(0, 0, 0.5), (0, 1, 0.5), (1, 1, 1.0)]
    ]
    got = _expect(model, Series.read([sequence]))
    assert_allclose(got.log_likelihood, np.logaddexp.reduce(ways))
    assert got.log_likelihood < -3000
    share = np.exp(np.array(ways) - np.logaddexp.reduce(ways))
    assert_allclose(got.states[:, 2], 0.0)
    assert_allclose(got.states[1, 0], share[0] + share[1])
    assert_allclose(got.moves[0, 1], share[1] + share[2])
    assert_allclose(got.moves.sum(), 2.0)


def test_hmmlearn_agrees():
    hmmlearn = pytest.importorskip("hmmlearn.hmm")
    rng = np.random.RandomState(0)
    model = random_model(1, n_states=3, n_channels=2)
    sequences = [draw(model, length, rng) for length in (30, 12, 25, 40)]
    series = Series.read(sequences)
    theirs = hmmlearn.GaussianHMM(
        3,
        covariance_type="diag",
        init_params="",
        covars_prior=0.0,
        covars_weight=0.0,
        min_covar=0.0,
        n_iter=3,
        tol=-np.inf,
        implementation="log",
    )
    theirs.startprob_, theirs.transmat_ = model.start, model.transitions
    theirs.means_, theirs.covars_ = model.means, model.variances
    steps = np.concatenate([s.T for s in sequences])
    each = [theirs.score(s.T) for s in sequences]
    assert_allclose(log_likelihood(model, series), each)
    theirs.fit(steps, [s.shape[1] for s in sequences])
    for _ in range(3):
        model = _update(model, series, _expect(model, series), 1e-12)
    assert_allclose(model.start, theirs.startprob_, atol=1e-9)
    assert_allclose(model.transitions, theirs.transmat_, atol=1e-9)
    assert_allclose(model.means, theirs.means_, atol=1e-9)
    diagonals = [np.diag(c) for c in theirs.covars_]
    assert_allclose(model.variances, diagonals, atol=1e-9)


def test_the_likelihood_never_falls_and_long_sequences_do_not_underflow():
    rng = np.random.RandomState(0)
    truth = random_model(3, n_states=2)
    sequences = [draw(truth, 900, rng), draw(truth, 300, rng)]
    model = GaussianHMM(2, max_iter=10, tol=1e-9, random_state=0)
    with pytest.warns(UserWarning, match="did not converge"):
        model.fit(sequences)
    assert np.isfinite(model.objective_).all()
    assert np.diff(model.objective_).max() <= 1e-12
    assert_allclose(model.transitions_.sum(axis=1), 1.0)
    assert_allclose(model.start_.sum(), 1.0)


def test_a_planted_model_is_found():
    rng = np.random.RandomState(0)
    truth = HMMParameters(
        np.array([1.0, 0.0]),
        np.array([[0.9, 0.1], [0.3, 0.7]]),
        np.array([[0.0], [4.0]]),
        np.array([[1.0], [0.25]]),
    )
    model = GaussianHMM(2, random_state=0).fit(
        [draw(truth, 400, rng) for _ in range(5)]
    )
    order = np.argsort(model.means_[:, 0])
    # Two thousand steps: standard errors of a few hundredths.
    assert_allclose(model.means_[order], truth.means, atol=0.1)
    assert_allclose(model.variances_[order], truth.variances, atol=0.15)
    assert_allclose(model.transitions_[order][:, order], truth.transitions, atol=0.05)


def test_dynamics_alone_tell_clusters_apart():
    rng = np.random.RandomState(0)
    means, variances = np.array([[-2.0], [2.0]]), np.full((2, 1), 0.25)
    start = np.array([0.5, 0.5])
    sticky = HMMParameters(start, np.array([[0.9, 0.1], [0.1, 0.9]]), means, variances)
    jumpy = HMMParameters(start, np.array([[0.1, 0.9], [0.9, 0.1]]), means, variances)
    truth = np.repeat([0, 1], 15)
    sequences = [
        draw(sticky if c == 0 else jumpy, rng.randint(30, 60), rng) for c in truth
    ]
    fitted = HMMKModels(2, n_states=2, random_state=0).fit(sequences)
    assert adjusted_rand_score(truth, fitted.labels_) == 1.0
    assert np.diff(fitted.objective_).max(initial=0.0) <= 1e-9
    # Per-step likelihoods are those of the models, and new sequences are labelled.
    by_hand = [log_likelihood(m, Series.read(sequences)) for m in fitted.models_]
    lengths = np.array([s.shape[1] for s in sequences])
    assert_allclose(fitted.log_likelihood_, np.transpose(by_hand / lengths))
    new = [draw(sticky, 80, rng), draw(jumpy, 25, rng)]
    assert_array_equal(fitted.predict(new), fitted.labels_[[0, -1]])


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_the_unit_of_the_data_does_not_matter(scale):
    rng = np.random.RandomState(1)
    # A state that is one value: the least variance is what it gets.
    still = HMMParameters(
        np.array([0.5, 0.5]),
        np.array([[0.8, 0.2], [0.2, 0.8]]),
        np.array([[0.0, 1.0], [3.0, 1.0]]),
        np.array([[1e-12, 0.3], [0.5, 0.3]]),
    )
    X = [draw(still, length, rng) for length in (40, 60)]
    one = GaussianHMM(2, random_state=0).fit(X)
    other = GaussianHMM(2, random_state=0).fit([scale * x for x in X])
    total = np.concatenate(X, axis=1).var(axis=1)
    assert_allclose(one.variances_[:, 0].min(), 1e-3 * total[0])
    assert_allclose(other.means_, scale * one.means_, rtol=1e-6, atol=1e-9 * scale)
    assert_allclose(other.variances_, scale**2 * one.variances_, rtol=1e-6)
    # A density has the unit 1 / data for each of two channels.
    shift = np.full(len(one.objective_), 2 * np.log(scale))
    assert_allclose(other.objective_, one.objective_ + shift)


def test_a_channel_that_does_not_vary_tells_nothing():
    X = (
        np.random.RandomState(0).randn(6, 1, 9)
        + 5 * np.repeat([0, 1], 3)[:, None, None]
    )
    plain = HMMKModels(2, n_states=1, random_state=0).fit(X)
    # The mean of 0.1 + 1e6 over all steps is not that number to the last digit.
    wide = np.concatenate([X, np.full_like(X, 0.1 + 1e6)], axis=1)
    assert_array_equal(
        HMMKModels(2, n_states=1, random_state=0).fit_predict(wide), plain.labels_
    )


def test_forms_of_input_agree():
    X = np.random.RandomState(0).randn(6, 1, 9)
    fits = [
        HMMKModels(2, n_states=1, random_state=0).fit(form)
        for form in (X, X[:, 0], list(X), X.tolist())
    ]
    for fitted in fits[1:]:
        assert_array_equal(fitted.labels_, fits[0].labels_)


@pytest.mark.parametrize(
    ("sequences", "message"),
    [
        ([np.zeros((2, 3)), np.zeros((1, 3))], "as many channels as the first"),
        ([np.zeros((1, 3)), np.full((1, 4), np.nan)], "sequence 1 contains NaN"),
        ([np.zeros((1, 3)), np.zeros((1, 0))], "and a time step"),
        ([np.array([["a", "b"]])], "must hold sequences of numbers"),
    ],
)
def test_bad_sequences_are_refused_in_words(sequences, message):
    with pytest.raises(ComitiaError, match=message):
        HMMKModels(1).fit(sequences)


def test_other_channels_than_those_fitted_are_refused():
    fitted = HMMKModels(2, n_states=1, random_state=0).fit(np.zeros((4, 2, 5)))
    with pytest.raises(ComitiaError, match=r"have 1 channels; .* fitted to 2"):
        fitted.predict(np.zeros((3, 1, 5)))


def test_constant_sequences_are_no_obstacle():
    fitted = HMMKModels(2, n_states=3, random_state=0).fit(np.ones((4, 1, 6)))
    assert np.isfinite(fitted.log_likelihood_).all()
    assert len(set(fitted.labels_)) == 2
