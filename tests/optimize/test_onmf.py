"""Orthogonal tri-factorisation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse.linalg import aslinearoperator

from comitia.exceptions import ComitiaError
from comitia.optimize import indicator_start, orthogonal_nmf
from comitia.optimize.onmf import onmf_objective, update_core, update_orthogonal
from tests.fixtures import E6, planted, same_partition


def coassociation(labels):
    return (labels[:, None] == labels[None]).mean(axis=2)


def updates_by_loops(S, Q, D):
    """The two formulas of the catalogue, entry by entry."""
    n, k = Q.shape
    top, bottom = S @ Q @ D, Q @ Q.T @ S @ Q @ D
    new = np.empty_like(Q)
    for i in range(n):
        for r in range(k):
            new[i, r] = Q[i, r] * np.sqrt(top[i, r] / bottom[i, r])
    top, bottom = new.T @ S @ new, new.T @ new @ D @ new.T @ new
    core = np.array(
        [
            [D[r, s] * np.sqrt(top[r, s] / bottom[r, s]) for s in range(k)]
            for r in range(k)
        ]
    )
    return new, core


def test_one_sweep_is_that_of_the_catalogue():
    rng = np.random.RandomState(0)
    S = coassociation(rng.randint(0, 3, size=(9, 4)))
    Q, D = rng.uniform(0.1, 1, size=(9, 3)), np.diag(rng.uniform(5, 9, size=3))
    new = update_orthogonal(Q, S @ Q @ D)
    core = update_core(D, new.T @ S @ new, new.T @ new)
    wanted = updates_by_loops(S, Q, D)
    assert_allclose(new, wanted[0], rtol=1e-12)
    assert_allclose(core, wanted[1], rtol=1e-12)
    found = onmf_objective((S**2).sum(), core, new.T @ S @ new, new.T @ new)
    assert_allclose(found, ((S - new @ core @ new.T) ** 2).sum(), rtol=1e-12)


def test_a_perfect_partition_is_a_fixed_point_of_both_updates():
    labels = E6[:, 0]
    S = coassociation(labels[:, None])
    Q = np.eye(2)[labels] / np.sqrt(3)
    D = np.diag([3.0, 3.0])
    assert_allclose(update_orthogonal(Q, S @ Q @ D), Q, atol=1e-11)  # floor: 1e-12
    assert_allclose(update_core(D, Q.T @ S @ Q, Q.T @ Q), D, atol=1e-15)
    value = onmf_objective((S**2).sum(), D, Q.T @ S @ Q, Q.T @ Q)
    assert abs(value) < 1e-14


def test_columns_become_orthonormal():
    labels, _ = planted(60, 3, 10, 0.3, 1)
    S = coassociation(labels)
    Q = indicator_start(labels[:, 0], 3)
    D = np.diag(np.diag(Q.T @ S @ Q))
    before = np.abs(Q.T @ Q - np.eye(3)).max()
    for _ in range(300):
        Q = update_orthogonal(Q, S @ Q @ D)
        D = update_core(D, Q.T @ S @ Q, Q.T @ Q)
    assert before > 0.3
    # The multiplicative form holds the constraint approximately.
    assert np.abs(Q.T @ Q - np.eye(3)).max() < 0.1


def test_a_diagonal_core_stays_diagonal_and_a_full_one_symmetric():
    labels, _ = planted(50, 3, 8, 0.4, 2)
    S = coassociation(labels)
    start = indicator_start(labels[:, 0], 3)
    D = orthogonal_nmf(S, start, max_iter=30).D
    assert_allclose(D, np.diag(np.diag(D)), atol=0)
    D = orthogonal_nmf(S, start, max_iter=30, diagonal=False).D
    assert (D > 0).all()
    assert_allclose(D, D.T, rtol=1e-12)


@pytest.mark.parametrize("diagonal", [True, False])
def test_copies_of_an_object_may_be_counted(diagonal):
    rng = np.random.RandomState(3)
    labels = rng.randint(0, 3, size=(8, 5))
    counts = rng.randint(1, 5, size=8)
    start = rng.randint(0, 3, size=8)
    S = coassociation(labels)
    full = np.repeat(np.arange(8), counts)
    wanted = orthogonal_nmf(
        S[np.ix_(full, full)],
        indicator_start(start[full], 3),
        diagonal=diagonal,
        max_iter=40,
        tol=0.0,
    )
    got = orthogonal_nmf(
        S * counts,
        indicator_start(start, 3, weights=counts),
        diagonal=diagonal,
        weights=counts,
        squared_norm=(S**2 * np.outer(counts, counts)).sum(),
        max_iter=40,
        tol=0.0,
    )
    assert_allclose(got.objective, wanted.objective, rtol=1e-9)
    # The sweeps multiply rounding; forty of them leave about ten digits.
    assert_allclose(got.Q[full], wanted.Q, rtol=1e-8, atol=1e-11)


def test_products_alone_are_enough_when_the_norm_is_given():
    labels, _ = planted(40, 3, 8, 0.3, 0)
    S = coassociation(labels)
    start = indicator_start(labels[:, 0], 3)
    wanted = orthogonal_nmf(S, start, max_iter=20)
    got = orthogonal_nmf(
        aslinearoperator(S), start, squared_norm=(S**2).sum(), max_iter=20
    )
    assert_allclose(got.Q, wanted.Q, rtol=1e-9, atol=1e-12)
    with pytest.raises(ComitiaError, match="give squared_norm="):
        orthogonal_nmf(aslinearoperator(S), start)


def test_low_noise_is_seen_through():
    labels, truth = planted(300, 4, 30, 0.3, 5)
    S = coassociation(labels)
    factors = orthogonal_nmf(S, indicator_start(labels[:, 0], 4))
    assert same_partition(factors.Q.argmax(axis=1), truth)
    assert factors.converged
    assert factors.n_iter == len(factors.objective) - 1


def test_no_partition_of_a_few_objects_fits_better():
    labels, _ = planted(10, 2, 6, 0.2, 0)
    S = coassociation(labels)
    factors = orthogonal_nmf(S, indicator_start(labels[:, 0], 2))
    costs = []
    for bits in range(1, 2**9):
        U = np.eye(2)[[bits >> i & 1 for i in range(10)]]
        Q = U / np.sqrt(U.sum(axis=0))
        D = np.diag(np.diag(Q.T @ S @ Q))
        costs.append(((S - Q @ D @ Q.T) ** 2).sum())
    assert_allclose(factors.objective.min(), min(costs), rtol=1e-12)


def test_the_start_is_an_indicator_with_unit_columns():
    Q = indicator_start([0, 0, 1, 2], 4)
    assert_allclose(np.linalg.norm(Q, axis=0), 1.0)
    assert_allclose(Q[0, 0] / Q[2, 0], 6.0)  # (1 + 0.2) / 0.2
    with pytest.raises(ComitiaError, match="below n_clusters"):
        indicator_start([0, 3], 3)


def test_sweeps_end_when_enough_find_no_better_partition(monkeypatch):
    monkeypatch.setattr("comitia.optimize.onmf._IN_VAIN", 5)
    labels, _ = planted(300, 6, 12, noise=0.6, seed=1)
    S = (labels[:, None] == labels[None]).mean(axis=2)
    start = indicator_start(labels[:, 0], 6)
    objective = orthogonal_nmf(S, start).objective
    found = np.minimum.accumulate(objective)
    better = np.flatnonzero(np.diff(found) < -1e-9 * found[0]) + 1
    assert len(objective) - 1 - max(better, default=0) == 5


def test_counts_of_one_change_nothing():
    labels, _ = planted(60, 3, 6, noise=0.4, seed=0)
    S = (labels[:, None] == labels[None]).mean(axis=2)
    start = indicator_start(labels[:, 0], 3)
    wanted, got = (orthogonal_nmf(S, start, weights=w) for w in (None, np.ones(60)))
    assert_array_equal(got.Q, wanted.Q)


@pytest.mark.parametrize("diagonal", [True, False])
def test_factors_are_orthonormal_and_fit_their_partition(diagonal):
    rng = np.random.RandomState(0)
    labels = rng.randint(3, size=(30, 6))
    S = (labels[:, None] == labels[None]).mean(axis=2)
    start = indicator_start(labels[:, 0], 3)
    factors = orthogonal_nmf(S, start, diagonal=diagonal)
    Q, D = factors.Q, factors.D
    assert_allclose(Q.T @ Q, np.eye(3), atol=1e-12)
    assert ((Q > 0).sum(axis=1) == 1).all()
    assert_allclose(np.sum((S - Q @ D @ Q.T) ** 2), factors.objective.min())
    assert factors.objective.min() <= factors.objective[0]
    assert factors.converged
