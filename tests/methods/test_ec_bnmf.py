"""EC-BNMF against the catalogue, SciPy and its limits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize, minimize_scalar

from comitia import Ensemble
from comitia.exceptions import ComitiaError
from comitia.methods import ECBNMF
from comitia.methods._alternating import Votes
from comitia.methods.variable_clusterings.ec_bnmf import (
    scores,
    softmax,
    update_memberships,
    variances,
)
from tests.fixtures import E6, planted, same_partition


def random_problem(seed):
    """Objects that occur twice, some without a label, and memberships."""
    rng = np.random.RandomState(seed)
    labels = np.repeat(rng.randint(-1, 3, size=(15, 4)), 2, axis=0)
    labels[:, 0] = np.repeat(rng.randint(3, size=15), 2)
    votes = Votes(Ensemble(labels), 3)
    return labels, votes, rng.dirichlet([1, 1, 1], len(votes.counts))


def together(labels):
    return [((c[:, None] == c) & (c >= 0)).astype(float) for c in labels.T]


def brute(labels, F, w, beta, a, b, penalty):
    """The objective from n x n matrices."""
    S = sum(x * s for x, s in zip(w, together(labels), strict=True))
    fit = F @ F.T
    entropy = -(w * np.log(w)).sum()
    half = len(F) / 2 + a + 1
    prior = (np.square(F).sum(axis=0) + 2 * b) / (2 * beta) + half * np.log(beta)
    return (fit - S * np.log(fit)).sum() + prior.sum() - penalty * entropy


def test_weights_are_those_of_the_catalogue():
    got = softmax(np.array([-1.0, -2.0]))
    assert_allclose(got, [0.731059, 0.268941], atol=5e-7)  # printed to six decimals


@pytest.mark.parametrize("seed", range(3))
def test_scores_and_objective_are_their_definitions(seed):
    labels, votes, F = random_problem(seed)
    full = F[votes.inverse]
    wanted = [(s * np.log(full @ full.T)).sum() for s in together(labels)]
    assert_allclose(scores(votes, F), wanted, rtol=1e-10)
    votes.penalty, w = 7.0, np.array([0.4, 0.3, 0.2, 0.1])
    beta = variances(votes, F, 2.0, 1.0)
    wanted = brute(labels, full, w, beta, 2.0, 1.0, 7.0)
    assert_allclose(ECBNMF()._cost(votes, w, F), wanted, rtol=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_weights_are_those_of_a_numerical_optimizer(seed):
    _, votes, F = random_problem(seed)
    votes.penalty = 20.0
    g = scores(votes, F)

    def cost(w):
        w = np.maximum(w, 1e-12)
        return (-w @ g + 20.0 * w @ np.log(w)) / 20.0

    found = minimize(
        cost,
        np.full(4, 0.25),
        bounds=[(0, 1)] * 4,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        options={"ftol": 1e-14},
    )
    got = ECBNMF()._weigh(votes, F)
    assert_allclose(got, found.x, atol=1e-4)  # SLSQP stops there
    assert cost(got) <= found.fun + 1e-12


def test_variances_are_those_of_a_numerical_optimizer():
    _, votes, F = random_problem(3)
    full = F[votes.inverse]
    for v, got in enumerate(variances(votes, F, 2.0, 0.5)):
        squares = np.square(full[:, v]).sum()
        found = minimize_scalar(
            lambda t, s=squares: (s + 1.0) / (2 * np.exp(t)) + (15 + 3) * t,
            options={"xtol": 1e-12},
        )
        assert_allclose(got, np.exp(found.x), rtol=1e-6)  # a flat minimum


@pytest.mark.parametrize("seed", range(3))
def test_the_update_of_the_memberships_does_not_raise_the_objective(seed):
    labels, votes, F = random_problem(seed)
    w, costs = np.array([0.4, 0.3, 0.2, 0.1]), []
    for _ in range(30):
        beta = variances(votes, F, 2.0, 1.0)
        costs.append(brute(labels, F[votes.inverse], w, beta, 2.0, 1.0, 0.0))
        F = update_memberships(votes, w, F, beta)
        costs.append(brute(labels, F[votes.inverse], w, beta, 2.0, 1.0, 0.0))
    assert (np.diff(costs) <= 1e-9 * np.abs(costs[0])).all()
    assert costs[-1] < costs[0]


def test_the_update_of_the_memberships_is_the_one_of_the_notes():
    labels, votes, F = random_problem(4)
    full, w = F[votes.inverse], np.array([0.4, 0.3, 0.2, 0.1])
    S = sum(x * s for x, s in zip(w, together(labels), strict=True))
    beta = np.array([0.01, 0.1, 1.0])
    push = full.sum(axis=0) + full / (2 * beta)
    wanted = full * np.sqrt((S / (full @ full.T)) @ full / push)
    got = update_memberships(votes, w, F, beta)[votes.inverse]
    assert_allclose(got, wanted, rtol=1e-10)


def test_identical_clusterings_give_uniform_weights_and_their_own_memberships():
    labels, truth = planted(40, 3, 5, 0.0, 0, sizes=[1, 2, 3])
    fitted = ECBNMF(3, random_state=0).fit(Ensemble(labels))
    assert_allclose(fitted.clustering_weights_, 0.2)
    assert same_partition(fitted.labels_, truth)
    crisp = np.eye(3)[fitted.labels_]
    # The prior shrinks memberships a little; the iteration stops at 1e-6.
    assert_allclose(fitted.membership_, crisp, atol=1e-2)
    assert_array_equal(fitted.joined_, crisp.astype(bool))


def test_columns_that_are_not_needed_die_out():
    labels, truth = planted(60, 3, 6, 0.0, 1)
    fitted = ECBNMF(6, random_state=0, n_init=1, max_iter=2000)
    with pytest.warns(UserWarning, match="only 3 of n_clusters=6"):
        fitted.fit(Ensemble(labels))
    assert fitted.n_clusters_ == 3
    assert same_partition(fitted.labels_, truth)


def test_the_best_iterate_is_kept_and_weights_stay_on_the_simplex():
    labels, _ = planted(80, 3, 6, 0.3, 2)
    fitted = ECBNMF(3, random_state=0).fit(Ensemble(labels))
    assert fitted.objective_.min() < fitted.objective_[0]
    assert_allclose(fitted.clustering_weights_.sum(), 1.0)
    assert (fitted.clustering_weights_ > 0).all()
    assert_array_equal(fitted.membership_.argmax(axis=1), fitted.labels_)


def test_a_large_penalty_makes_the_weights_equal():
    labels, truth = planted(80, 3, 6, 0.1, 3)
    fitted = ECBNMF(3, weight_penalty=1e12, random_state=0).fit(Ensemble(labels))
    assert_allclose(fitted.clustering_weights_, 1 / 6, atol=1e-7)
    assert same_partition(fitted.labels_, truth)


def test_objects_between_two_clusters_join_both():
    # Three objects are with the first group in half of the clusterings.
    one, other = np.repeat([0, 1], [13, 10]), np.repeat([0, 1], [10, 13])
    votes = Ensemble(np.stack([one, other] * 3, axis=1))
    fitted = ECBNMF(2, threshold=0.3, random_state=0).fit(votes)
    between = fitted.joined_[10:13]
    assert between.all()
    assert (fitted.joined_[[0, 22]].sum(axis=1) == 1).all()


def test_two_of_three_clusterings_of_e6_win():
    fitted = ECBNMF(2, random_state=0).fit(Ensemble(E6))
    assert same_partition(fitted.labels_, E6[:, 0])
    assert fitted.clustering_weights_.argmin() == 2


@pytest.mark.parametrize("prior", [(1.0,), (0.0, 1.0), ("a", 1.0)])
def test_a_prior_that_is_none_is_refused(prior):
    with pytest.raises(ComitiaError, match=r"prior=.* pair of positive numbers"):
        ECBNMF(2, prior=prior).fit(Ensemble(E6))
