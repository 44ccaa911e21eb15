"""CMKC-LFA-MR against the catalogue, SciPy and its limits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.stats import ortho_group
from sklearn.datasets import make_blobs, make_circles

from comitia.agreement import adjusted_rand
from comitia.exceptions import ComitiaError
from comitia.methods import LateFusionMultipleKernels
from comitia.methods.variable_clusterings.cmkc_lfa_mr import (
    Partitions,
    best_weights,
    gram,
    kernel_partitions,
    procrustes,
    rotated,
    update,
)
from tests.fixtures import same_partition


def orthonormal(n, k, rng):
    return np.linalg.qr(rng.randn(n, k))[0]


def random_problem(seed, n=20, k=3, M=4):
    rng = np.random.RandomState(seed)
    each = [orthonormal(n, k, rng) for _ in range(M)]
    votes = Partitions(each, orthonormal(n, k, rng))
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
    method = LateFusionMultipleKernels(3, **strengths)
    values = [objective(votes, w, F, rotations, 0.7, weight_penalty)]
    assert_allclose(method._cost(votes, w, (F, rotations)), -values[0])
    for _ in range(10):
        w = best_weights(F, rotated(votes.each, rotations), weight_penalty)
        values.append(objective(votes, w, F, rotations, 0.7, weight_penalty))
        assert_allclose(w.sum(), 1.0)
        moved, rotations = update(votes, w, F, rotations, **strengths)
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
def test_weights_are_those_of_a_numerical_optimiser(seed):
    votes, F, rotations, _ = random_problem(seed)
    Y = rotated(votes.each, rotations)
    b = np.array([np.trace(F.T @ y) for y in Y])
    found = minimize(
        lambda w: 0.4 * w @ gram(Y) @ w - b @ w,
        np.full(4, 0.25),
        bounds=[(0, 1)] * 4,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        options={"ftol": 1e-15},
    )
    assert_allclose(best_weights(F, Y, 0.4), found.x, atol=1e-5)  # SLSQP stops there


def run(votes, **parameters):
    method = LateFusionMultipleKernels(3, **parameters)
    w = np.full(votes.n_clusterings, 1 / votes.n_clusterings)
    consensus = method._begin(votes, None)
    for _ in range(50):
        consensus = method._refine(votes, w, consensus)
        w = method._weigh(votes, consensus)
    return w, *consensus


def test_rotated_copies_of_one_partition_are_aligned_with_the_consensus():
    rng = np.random.RandomState(0)
    F0 = orthonormal(20, 3, rng)
    each = [F0 @ ortho_group.rvs(3, random_state=seed) for seed in range(4)]
    w, F, rotations = run(Partitions(each, F0))
    assert_allclose(F @ F.T, F0 @ F0.T, atol=1e-8)
    for base, R in zip(each, rotations, strict=True):
        assert_allclose(base @ R, F, atol=1e-8)
    assert_allclose(w, 0.25, atol=1e-8)


def test_a_penalty_above_one_half_undoes_the_alignment():
    # Why the default is not the 1 of the catalogue: T = F / 2 is better than T = F.
    rng = np.random.RandomState(1)
    F0, w = orthonormal(20, 2, rng), np.full(4, 0.25)
    votes = Partitions([F0] * 4, F0)
    aligned = objective(votes, w, F0, [np.eye(2)] * 4, 1.0, 1.0)
    turn = np.array([[0.5, -np.sqrt(0.75)], [np.sqrt(0.75), 0.5]])
    spread = objective(votes, w, F0, [turn, turn.T, turn, turn.T], 1.0, 1.0)
    assert_allclose([aligned, spread], [2.0, 2.5])


def test_with_a_penalty_of_one_half_it_is_a_least_squares_fit():
    votes, F, rotations, w = random_problem(5)
    T = np.tensordot(w, rotated(votes.each, rotations), axes=1)
    wanted = 3 / 2 - np.square(F - T).sum() / 2
    assert_allclose(objective(votes, w, F, rotations, 0.0, 0.5), wanted)


def test_a_single_kernel_is_relaxed_kernel_kmeans():
    X, _ = make_blobs(60, centers=3, random_state=0, cluster_std=0.8)
    fitted = LateFusionMultipleKernels(3, n_clusterings=1, random_state=0).fit(X)
    assert_allclose(fitted.clustering_weights_, [1.0])
    assert same_partition(fitted.labels_, fitted.ensemble_.labels[:, 0])
    F = fitted.partitions_.each[0]
    assert_allclose(fitted.consensus_ @ fitted.consensus_.T, F @ F.T, atol=1e-8)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_partitions_are_leading_eigenvectors(kernel):
    X = np.random.RandomState(0).randn(30, 2)
    made = kernel_partitions(X, 3, 4, kernel, np.random.RandomState(0))
    assert len(made.each) == 4
    for F in (*made.each, made.reference):
        assert_allclose(F.T @ F, np.eye(3), atol=1e-10)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_blobs_are_found(kernel):
    X, truth = make_blobs(120, centers=[[0, 0], [6, 0], [0, 6], [6, 6]], random_state=0)
    fitted = LateFusionMultipleKernels(4, kernel=kernel, random_state=0).fit(X)
    assert adjusted_rand(fitted.labels_, truth) > 0.95
    assert (np.diff(fitted.objective_) <= 1e-10).all()
    assert fitted.converged_


def test_the_number_of_clusters_can_be_chosen():
    X, truth = make_blobs(90, centers=3, random_state=0, cluster_std=0.5)
    fitted = LateFusionMultipleKernels(random_state=0).fit(X)
    assert fitted.n_clusters_ == 3
    assert same_partition(fitted.labels_, truth)


def test_more_clusters_than_objects_are_refused():
    X, _ = make_circles(8, random_state=0)
    with pytest.raises(ComitiaError, match=r"n_clusters=9 is larger .* at most 8"):
        LateFusionMultipleKernels(9).fit(X)
