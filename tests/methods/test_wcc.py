"""Weighted consensus clustering against the catalogue, SciPy and its limits."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from comitia import Ensemble
from comitia.methods import NMFConsensus, WeightedConsensus
from comitia.methods._votes import Votes, gram_matrix
from comitia.methods.variable_clusterings.wcc import best_weights
from tests.fixtures import E6, planted, same_partition


def of_partition(labels):
    """The factors Q and D with Q D Q' = B B' for a partition."""
    B = np.eye(labels.max() + 1)[labels]
    return B / np.sqrt(B.sum(axis=0)), np.diag(B.sum(axis=0))


def on_micro(votes, Q):
    first = np.unique(votes.inverse, return_index=True)[1]
    return Q[first]


def test_products_of_e6_are_those_of_the_catalogue():
    G = gram_matrix(Ensemble(E6))
    assert_allclose(G, [[18, 18, 10], [18, 18, 10], [10, 10, 12]])


@pytest.mark.parametrize("fuzzy", [False, True])
def test_the_gram_matrix_is_its_definition(fuzzy):
    rng = np.random.RandomState(0)
    if fuzzy:
        votes = Ensemble.from_memberships([rng.dirichlet([1] * k, 9) for k in (2, 3)])
    else:
        votes = Ensemble(rng.randint(-1, 3, size=(30, 4)))
    B = votes.membership.toarray()
    S = [B[:, a:b] @ B[:, a:b].T for a, b in pairwise(votes.offsets)]
    wanted = [[np.vdot(one, other) for other in S] for one in S]
    assert_allclose(gram_matrix(votes), wanted, rtol=1e-12)


def test_weights_of_e6_are_those_of_the_catalogue():
    votes = Votes(Ensemble(E6), 2)
    Q, D = of_partition(E6[:, 0])
    w = best_weights(votes, on_micro(votes, Q), D)
    assert_allclose([w[0] + w[1], w[2]], [1.0, 0.0], atol=1e-9)
    cost = WeightedConsensus()._objective(votes, w, (on_micro(votes, Q), D))
    # Costs of less than 1e-9 of the squared norm, which is 18, count as that.
    assert cost == pytest.approx(18e-9, rel=1e-6)


@pytest.mark.parametrize("penalty", [0.0, 0.3])
@pytest.mark.parametrize("seed", range(3))
def test_weights_are_those_of_a_numerical_optimizer(seed, penalty):
    rng = np.random.RandomState(seed)
    # All rows differ: a row that occurs twice would need equal rows of Q.
    labels = rng.permutation(np.indices((3, 3, 3, 3)).reshape(4, -1).T)[:25]
    Q, D = rng.rand(25, 3) / 4, np.diag(rng.rand(3) * 8)
    S = (labels[:, None] == labels[None]).astype(float)
    votes = Votes(Ensemble(labels), 3)
    votes.penalty = penalty * np.diag(votes.gram).mean()

    def cost(w):
        return np.square(Q @ D @ Q.T - S @ w).sum() + votes.penalty * w @ w

    found = minimize(
        cost,
        np.full(4, 0.25),
        bounds=[(0, 1)] * 4,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        options={"ftol": 1e-14},
    )
    w = best_weights(votes, Q[np.argsort(votes.inverse)], D)
    assert_allclose(w, found.x, atol=1e-5)  # SLSQP stops there
    assert cost(w) <= found.fun + 1e-9


@pytest.mark.parametrize("penalty", [0.0, 0.1])
def test_the_objective_is_that_of_the_matrix_and_does_not_rise(penalty):
    labels, _ = planted(80, 3, 8, 0.4, 0)
    votes = Ensemble(np.repeat(labels, 2, axis=0))  # micro-objects with counts
    fitted = WeightedConsensus(3, weight_penalty=penalty, random_state=0).fit(votes)
    assert fitted.n_iter_ >= 2
    assert (np.diff(fitted.objective_) <= 1e-9 * fitted.objective_[0]).all()
    assert fitted.objective_[-1] < fitted.objective_[0]
    w = fitted.clustering_weights_
    assert_allclose(w.sum(), 1.0)
    assert (w >= 0).all()
    problem = Votes(votes, 3)
    problem.penalty = penalty * np.diag(problem.gram).mean()
    rng = np.random.RandomState(1)
    Q, D = rng.rand(len(problem.counts), 3), np.diag(rng.rand(3))
    S = votes.coassociation(clustering_weights=w, dtype=np.float64)
    wanted = np.square(S - (Q @ D @ Q.T)[problem.inverse][:, problem.inverse]).sum()
    wanted += problem.penalty * w @ w
    assert_allclose(fitted._objective(problem, w, (Q, D)), wanted, rtol=1e-9)


def test_the_objective_is_that_of_the_partition_returned():
    # Factors whose columns overlap would fit the noise that all clusters share.
    labels, _ = planted(120, 4, 12, 0.35, 0)
    votes = Ensemble(labels)
    fitted = WeightedConsensus(4, random_state=0).fit(votes)
    w = fitted.clustering_weights_
    S = votes.coassociation(clustering_weights=w, dtype=np.float64)
    Q, _ = of_partition(fitted.labels_)
    D = np.diag(np.diag(Q.T @ S @ Q))
    penalty = fitted.weight_penalty * np.diag(gram_matrix(votes)).mean()
    wanted = np.square(S - Q @ D @ Q.T).sum() + penalty * w @ w
    assert_allclose(fitted.objective_[-1], wanted, rtol=1e-9)


def test_a_large_penalty_makes_it_consensus_by_nmf():
    labels, _ = planted(150, 4, 10, 0.4, 1)
    votes = Ensemble(labels)
    fitted = WeightedConsensus(4, weight_penalty=1e6, random_state=0).fit(votes)
    plain = NMFConsensus(4, random_state=0).fit(votes)
    assert_allclose(fitted.clustering_weights_, 0.1, atol=1e-6)  # 1 / penalty
    assert same_partition(fitted.labels_, plain.labels_)


def test_two_of_three_clusterings_of_e6_win():
    # The printed objective: the trivial solution, found from equal weights.
    fitted = WeightedConsensus(2, weight_penalty=0.0, random_state=0).fit(Ensemble(E6))
    assert same_partition(fitted.labels_, E6[:, 0])
    assert fitted.clustering_weights_[2] < 1e-3
    assert_allclose(*fitted.clustering_weights_[:2], atol=1e-9)


def test_too_few_iterations_are_told():
    labels, _ = planted(80, 3, 8, 0.4, 0)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        WeightedConsensus(3, max_iter=1, random_state=0).fit(Ensemble(labels))


def test_a_negative_penalty_is_refused():
    with pytest.raises(ValueError, match="weight_penalty"):
        WeightedConsensus(2, weight_penalty=-1.0).fit(Ensemble(E6))
