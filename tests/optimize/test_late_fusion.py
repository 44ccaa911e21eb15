"""Late fusion against its objective, SciPy and its limits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.stats import ortho_group

from comitia.optimize import (
    SoftPartitions,
    fusion_objective,
    fusion_step,
    fusion_weights,
    procrustes,
)


def orthonormal(n, k, rng):
    return np.linalg.qr(rng.randn(n, k))[0]


def random_problem(seed, n=20, k=3, M=4):
    rng = np.random.RandomState(seed)
    each = [orthonormal(n, k, rng) for _ in range(M)]
    votes = SoftPartitions(each, orthonormal(n, k, rng))
    rotations = [orthonormal(k, k, rng) for _ in range(M)]
    return votes, orthonormal(n, k, rng), rotations, rng.dirichlet(np.ones(M))


def objective(votes, w, F, rotations, reference_penalty, weight_penalty):
    """As the catalogue prints it, with max in place of min."""
    Y = [base @ R for base, R in zip(votes.each, rotations, strict=True)]
    total = sum(x * y for x, y in zip(w, Y, strict=True))
    value = np.trace(F.T @ total) + reference_penalty * np.trace(F.T @ votes.reference)
    for m, one in enumerate(Y):
        for x, other in zip(w, Y, strict=True):
            value -= weight_penalty * w[m] * x * np.trace(one.T @ other)
    return value


@pytest.mark.parametrize("weight_penalty", [0.5, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_no_step_lowers_the_objective(seed, weight_penalty):
    votes, F, rotations, w = random_problem(seed)
    strengths = {"weight_penalty": weight_penalty, "reference_penalty": 0.7}
    values = [objective(votes, w, F, rotations, 0.7, weight_penalty)]
    assert_allclose(fusion_objective(votes, w, F, rotations, **strengths), -values[0])
    for _ in range(10):
        w = fusion_weights(votes, F, rotations, weight_penalty)
        values.append(objective(votes, w, F, rotations, 0.7, weight_penalty))
        assert_allclose(w.sum(), 1.0)
        moved, rotations = fusion_step(votes, w, F, rotations, **strengths)
        values.append(objective(votes, w, F, rotations, 0.7, weight_penalty))
        F = moved
        values.append(objective(votes, w, F, rotations, 0.7, weight_penalty))
    assert (np.diff(values) >= -1e-10).all()
    assert values[-1] > values[0] + 0.1
    assert_allclose(F.T @ F, np.eye(3), atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_procrustes_beats_every_other_rotation(seed):
    A = np.random.RandomState(seed).randn(3, 3)
    best = np.vdot(procrustes(A), A)
    assert_allclose(best, np.linalg.svd(A, compute_uv=False).sum())
    others = ortho_group.rvs(3, size=500, random_state=seed)
    assert (np.einsum("sij,ij->s", others, A) <= best + 1e-12).all()


@pytest.mark.parametrize("seed", range(3))
def test_weights_are_those_of_a_numerical_optimizer(seed):
    votes, F, rotations, _ = random_problem(seed)
    Y = votes.rotated(rotations)
    M = np.einsum("mij,lij->ml", Y, Y)
    b = np.array([np.trace(F.T @ y) for y in Y])
    found = minimize(
        lambda w: 0.4 * w @ M @ w - b @ w,
        np.full(4, 0.25),
        bounds=[(0, 1)] * 4,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        options={"ftol": 1e-15},
    )
    # SLSQP stops there.
    assert_allclose(fusion_weights(votes, F, rotations, 0.4), found.x, atol=1e-5)


def test_a_penalty_above_one_half_undoes_the_alignment():
    # Why the default of the method is not the 1 of the catalogue: T = F / 2 is better.
    rng = np.random.RandomState(1)
    F0, w = orthonormal(20, 2, rng), np.full(4, 0.25)
    votes = SoftPartitions([F0] * 4, F0)
    aligned = objective(votes, w, F0, [np.eye(2)] * 4, 1.0, 1.0)
    turn = np.array([[0.5, -np.sqrt(0.75)], [np.sqrt(0.75), 0.5]])
    spread = objective(votes, w, F0, [turn, turn.T, turn, turn.T], 1.0, 1.0)
    assert_allclose([aligned, spread], [2.0, 2.5])


def test_with_a_penalty_of_one_half_it_is_a_least_squares_fit():
    votes, F, rotations, w = random_problem(5)
    T = np.tensordot(w, votes.rotated(rotations), axes=1)
    wanted = 3 / 2 - np.square(F - T).sum() / 2
    assert_allclose(objective(votes, w, F, rotations, 0.0, 0.5), wanted)
