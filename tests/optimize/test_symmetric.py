"""Symmetric factorisation into memberships."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.sparse.linalg import aslinearoperator

from comitia.exceptions import ComitiaError
from comitia.optimize import project_simplex, symmetric_nmf_simplex
from tests.fixtures import E6, planted, same_partition


def coassociation(labels):
    return (labels[:, None] == labels[None]).mean(axis=2)


def loss(S, F):
    return ((S - F @ F.T) ** 2).sum()


def random_start(n, k, seed):
    return np.random.RandomState(seed).dirichlet(np.ones(k), size=n)


@pytest.mark.parametrize("seed", range(5))
def test_the_objective_is_its_definition_and_does_not_rise(seed):
    labels, _ = planted(40, 3, 6, 0.5, seed)
    S = coassociation(labels)
    start = random_start(40, 3, seed)
    got = symmetric_nmf_simplex(S, start)
    assert_allclose(got.objective[0], loss(S, start), rtol=1e-12)
    assert_allclose(got.objective[-1], loss(S, got.F), rtol=1e-9)
    assert np.max(np.diff(got.objective)) <= 0.0
    assert_allclose(got.F.sum(axis=1), 1.0, rtol=1e-14)
    assert (got.F >= 0).all()
    assert got.converged


@pytest.mark.parametrize("seed", range(5))
def test_the_result_is_stationary(seed):
    S = coassociation(planted(30, 3, 6, 0.5, seed)[0])
    F = symmetric_nmf_simplex(S, random_start(30, 3, seed), tol=1e-14, max_iter=3000).F
    gradient = 4 * (F @ F.T - S) @ F
    moved = project_simplex(F - 1e-3 * gradient) - F
    # The objective is flat to rounding within about the root of 1e-14.
    assert np.abs(moved).max() < 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_no_optimizer_finds_less_from_there(seed):
    S = coassociation(planted(8, 2, 5, 0.4, seed)[0])
    got = symmetric_nmf_simplex(S, random_start(8, 2, seed), tol=1e-14)

    def with_two_columns(x):
        return loss(S, np.column_stack([x, 1 - x]))

    found = minimize(
        with_two_columns,
        got.F[:, 0],
        bounds=[(0, 1)] * 8,
        method="SLSQP",
        options={"ftol": 1e-14},
    )
    assert got.objective[-1] <= found.fun + 1e-7 * (S**2).sum()


def test_identical_crisp_clusterings_are_found_through_their_similarity():
    # son_2016: exp(-||F_i - F_j||^2) is 1 inside and exp(-2) between clusters.
    labels = E6[:, 0]
    S = np.where(labels[:, None] == labels, 1.0, np.exp(-2.0))
    for seed in range(5):
        F = symmetric_nmf_simplex(S, random_start(6, 2, seed)).F
        assert same_partition(F.argmax(axis=1), labels)


def test_a_crisp_partition_is_kept():
    labels, _ = planted(30, 3, 1, 0.0, 0)
    S = coassociation(labels)
    crisp = np.eye(3)[labels[:, 0]]
    got = symmetric_nmf_simplex(S, crisp)
    assert_allclose(got.F, crisp, atol=0)
    assert got.objective[-1] == 0.0
    assert got.converged


def test_low_noise_is_seen_through():
    labels, truth = planted(200, 3, 25, 0.2, 1)
    start = 0.4 * np.eye(3)[labels[:, 0]] + 0.2
    got = symmetric_nmf_simplex(coassociation(labels), start)
    assert same_partition(got.F.argmax(axis=1), truth)


def test_sparse_matrices_and_products_alone_give_the_same():
    S = coassociation(planted(30, 3, 6, 0.4, 2)[0])
    start = random_start(30, 3, 0)
    wanted = symmetric_nmf_simplex(S, start, max_iter=15).F
    assert_allclose(
        symmetric_nmf_simplex(csr_array(S), start, max_iter=15).F, wanted, atol=1e-9
    )
    got = symmetric_nmf_simplex(
        aslinearoperator(S), start, squared_norm=(S**2).sum(), max_iter=15
    )
    assert_allclose(got.F, wanted, atol=1e-9)
    with pytest.raises(ComitiaError, match="give squared_norm="):
        symmetric_nmf_simplex(aslinearoperator(S), start)


def test_copies_of_an_object_may_be_counted():
    rng = np.random.RandomState(3)
    S = coassociation(rng.randint(0, 3, size=(8, 5)))
    counts = rng.randint(1, 5, size=8)
    full = np.repeat(np.arange(8), counts)
    start = random_start(8, 3, 1)
    wanted = symmetric_nmf_simplex(S[np.ix_(full, full)], start[full], max_iter=25)
    got = symmetric_nmf_simplex(
        S * counts,
        start,
        weights=counts,
        squared_norm=(S**2 * np.outer(counts, counts)).sum(),
        max_iter=25,
    )
    assert_allclose(got.F[full], wanted.F, atol=1e-8)
    assert_allclose(got.objective, wanted.objective, rtol=1e-9)
