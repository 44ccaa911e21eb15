"""Instance-wise weighted NMF against the catalogue, SciPy and its limits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from sklearn.decomposition import NMF

from comitia import Ensemble
from comitia.exceptions import ComitiaError
from comitia.methods import IWNMF
from comitia.methods._alternating import Votes
from comitia.methods.variable_clusters.iwnmf import (
    fitted_values,
    labeled,
    project_rows,
    weighted_membership,
)
from tests.fixtures import E6, planted, same_partition


def random_problem(seed):
    """Objects that occur twice, some without a label, and factors."""
    rng = np.random.RandomState(seed)
    labels = np.repeat(rng.randint(-1, 3, size=(20, 4)), 2, axis=0)
    labels[:, 0] = np.repeat(rng.randint(3, size=20), 2)
    votes = Votes(Ensemble(labels), 3)
    F = rng.rand(len(votes.counts), 3)
    P = rng.rand(votes.ensemble.n_clusters, 3)
    return votes, F, P


def brute(votes, w, F, P, penalty):
    """The objective from dense matrices over all objects, copies apart."""
    E = votes.ensemble
    V = np.zeros((E.n_objects, E.n_clusters))
    for i in range(E.n_objects):
        for m in range(E.n_clusterings):
            if E.labels[i, m] >= 0:
                V[i, E.offsets[m] + E.labels[i, m]] = w[votes.inverse[i], m]
    BV = E.membership.toarray() * V
    loss = np.square(BV - F[votes.inverse] @ P.T).sum()
    return loss + penalty * np.square(V).sum(), BV


def test_weights_are_those_of_the_catalogue():
    values, known = np.array([[0.8, 0.1, 0.1]]), np.ones((1, 3), dtype=bool)
    assert_allclose(project_rows(values, known, 0.0), values)
    got = project_rows(values, known, 1.0)
    assert_allclose(got, [[0.566667, 0.216667, 0.216667]], atol=5e-7)  # six decimals


@pytest.mark.parametrize("seed", range(3))
def test_the_objective_is_its_definition(seed):
    votes, F, P = random_problem(seed)
    votes.penalty = 0.7
    w = IWNMF()._first_weights(votes)
    wanted, BV = brute(votes, w, F, P, 0.7)
    assert_allclose(IWNMF()._cost(votes, w, (F, P)), wanted, rtol=1e-10)
    got = weighted_membership(votes, w).toarray()[votes.inverse]
    assert_allclose(got, BV)
    assert_allclose(BV.sum(axis=1), 1.0)


@pytest.mark.parametrize("penalty", [0.0, 0.5, 3.0])
def test_weights_are_those_of_a_numerical_optimizer(penalty):
    votes, F, P = random_problem(3)
    votes.penalty = penalty
    w, known = IWNMF()._weigh(votes, (F, P)), labeled(votes)
    assert not known.all()
    values = fitted_values(votes, F, P)
    for i in range(8):
        f = values[i, known[i]]
        found = minimize(
            lambda x, f=f: np.square(x - f).sum() + penalty * x @ x,
            np.full(len(f), 1 / len(f)),
            bounds=[(0, 1)] * len(f),
            constraints={"type": "eq", "fun": lambda x: x.sum() - 1},
            options={"ftol": 1e-15},
        )
        assert_allclose(w[i, known[i]], found.x, atol=1e-5)  # SLSQP stops there
    assert_allclose(w[~known], 0.0)
    assert_allclose(w.sum(axis=1), 1.0)


@pytest.mark.parametrize("seed", range(3))
def test_every_step_lowers_the_objective(seed):
    votes, F, P = random_problem(seed)
    votes.penalty = 0.3
    method, w = IWNMF(), IWNMF()._first_weights(votes)
    costs = [brute(votes, w, F, P, 0.3)[0]]
    for _ in range(20):
        F, P = method._refine(votes, w, (F, P))
        costs.append(brute(votes, w, F, P, 0.3)[0])
        w = method._weigh(votes, (F, P))
        costs.append(brute(votes, w, F, P, 0.3)[0])
    assert (np.diff(costs) <= 1e-10).all()
    assert costs[-1] < 0.5 * costs[0]


@pytest.mark.parametrize("penalty", [0.1, 1.0])
def test_the_objective_does_not_rise(penalty):
    labels, _ = planted(120, 3, 8, 0.4, 0)
    fitted = IWNMF(3, weight_penalty=penalty, random_state=0).fit(Ensemble(labels))
    assert fitted.n_iter_ >= 2
    assert (np.diff(fitted.objective_) <= 1e-10 * fitted.objective_[0]).all()
    w = fitted.instance_weights_
    assert_allclose(w.sum(axis=1), 1.0)
    assert (w >= 0).all()
    means = [w[labels[:, m] == c, m].mean() for m in range(8) for c in range(3)]
    assert_allclose(fitted.cluster_weights_, means, rtol=1e-10)


def test_a_large_penalty_makes_it_plain_nmf_of_the_memberships():
    labels, _ = planted(120, 3, 8, 0.2, 1)
    votes = Ensemble(labels)
    # Of an objective of 1e6 times 15, a share of 1e-13 shows in the loss.
    fitted = IWNMF(3, weight_penalty=1e6, tol=1e-13, max_iter=3000, random_state=0).fit(
        votes
    )
    assert_allclose(fitted.instance_weights_, 1 / 8, atol=1e-6)  # 1 / penalty
    B = votes.membership.toarray() / 8
    plain = NMF(3, init="nndsvda", max_iter=2000, tol=1e-8, random_state=0).fit(B)
    lengths = np.linalg.norm(plain.components_, axis=1)
    same = (plain.transform(B) * lengths).argmax(axis=1)
    assert same_partition(fitted.labels_, same)
    loss = fitted.objective_[-1] - 1e6 * 120 / 8
    # Two local searches of one problem: they meet to a thousandth.
    assert_allclose(loss, plain.reconstruction_err_**2, rtol=1e-3)


def test_objects_trust_the_clusterings_that_are_right_about_them():
    # Half of the objects is noise in clusterings 0 and 1, the other half in 6 and 7.
    labels, truth = planted(200, 4, 8, 0.05, 2)
    rng = np.random.RandomState(0)
    first = truth < 2
    labels[np.ix_(first, range(2))] = rng.randint(4, size=(first.sum(), 2))
    labels[np.ix_(~first, range(6, 8))] = rng.randint(4, size=((~first).sum(), 2))
    fitted = IWNMF(4, weight_penalty=0.2, random_state=0).fit(Ensemble(labels))
    assert same_partition(fitted.labels_, truth)
    w = fitted.instance_weights_
    assert w[first, :2].mean() < 0.6 * w[first, 6:].mean()
    assert w[~first, 6:].mean() < 0.6 * w[~first, :2].mean()


def test_two_of_three_clusterings_of_e6_win():
    fitted = IWNMF(2, random_state=0).fit(Ensemble(E6))
    assert same_partition(fitted.labels_, E6[:, 0])


def test_fuzzy_clusterings_are_refused_in_words():
    fuzzy = Ensemble.from_memberships([np.full((6, 2), 0.5)])
    with pytest.raises(ComitiaError, match="ensemble is fuzzy"):
        IWNMF(2).fit(fuzzy)
