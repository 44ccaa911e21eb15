"""Partition-level subspace clustering against the catalogue, SciPy and its limits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

import comitia
from comitia._arrays import to_numpy
from comitia._scales import unit_rows
from comitia.exceptions import MemoryBudgetError
from comitia.methods import PMSC
from comitia.methods.multiview._pmsc_subspace import (
    partition_consensus,
    partition_distance,
    partition_weights,
    ridge_inverse,
    self_representation,
    subspace_partitions,
    view_partition,
)
from comitia.methods.multiview._shared import standardized
from tests.fixtures import same_partition, settled
from tests.multiview import (
    each_library,
    each_precision,
    in_library,
)


def orthonormal(n, k, seed):
    return np.linalg.qr(np.random.RandomState(seed).randn(n, k))[0]


def graph(n, seed):
    Z = np.random.RandomState(seed).rand(n, n)
    return (Z + Z.T) / 2


def laplacian(Z):
    return np.diag(Z.sum(axis=1)) - Z


def subspaces(seed=0, n_each=30):
    """Three clusters, each on a plane through zero of its own, in two views."""
    rng = np.random.RandomState(seed)
    truth = np.repeat(np.arange(3), n_each)
    views = []
    for p in (9, 12):
        planes = rng.randn(3, 2, p)
        weights = rng.uniform(0.5, 1.5, size=(len(truth), 2))
        views.append(np.einsum("ia,iap->ip", weights, planes[truth]))
    return [X + 0.05 * rng.randn(*X.shape) for X in views], truth


def test_the_distance_is_its_definition_and_the_form_of_the_catalogue():
    F, G = orthonormal(9, 3, 0), orthonormal(9, 3, 1)
    got = partition_distance(F, G)
    assert_allclose(got, np.linalg.norm(F @ F.T - G @ G.T))
    assert_allclose(got**2, 2 * 3 - 2 * np.linalg.norm(F.T @ G) ** 2)


def test_orthogonal_subspaces_have_distance_2_and_weight_a_quarter():
    F, G = np.eye(4)[:, :2], np.eye(4)[:, 2:]
    assert partition_distance(F, G) == 2.0
    assert_array_equal(partition_weights(F, [G]), [0.25])


def test_nearer_partitions_weigh_more_and_equal_ones_no_more_than_they_may():
    F = orthonormal(12, 2, 0)
    near = np.linalg.qr(F + 0.1 * orthonormal(12, 2, 1))[0]
    far = np.linalg.qr(F + 1.0 * orthonormal(12, 2, 1))[0]
    weights = partition_weights(F, [far, near, F])
    assert weights[0] < weights[1] < weights[2]
    assert_allclose(weights[2], 0.5e8)


def test_columns_can_be_rotated():
    F, G = orthonormal(9, 3, 0), orthonormal(9, 3, 1)
    turn = orthonormal(3, 3, 2)
    assert_allclose(partition_distance(F @ turn, G), partition_distance(F, G))


@pytest.mark.parametrize("shape", [(7, 3), (5, 9)])
def test_the_inverse_is_the_inverse(shape):
    X = np.random.RandomState(0).randn(*shape)
    wanted = np.linalg.inv(X @ X.T + 2.5 * np.eye(shape[0]))
    assert_allclose(ridge_inverse(X, 2.5), wanted, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_the_representation_is_the_formula_column_by_column(seed):
    X = np.random.RandomState(seed).randn(8, 4)
    F, l1, l2 = orthonormal(8, 2, seed), 1.5, 0.7
    Z = np.empty((8, 8))
    for j in range(8):
        apart = [np.square(F[i] - F[j]).sum() for i in range(8)]
        right = X @ X[j] - l2 / 4 * np.array(apart)
        Z[:, j] = np.linalg.solve(X @ X.T + l1 * np.eye(8), right)
    Z = np.maximum(Z, 0)
    got = self_representation(ridge_inverse(X, l1), F, l1, l2)
    assert_allclose(got, (Z + Z.T) / 2, atol=1e-12)


def test_the_representation_is_where_an_optimizer_finds_the_minimum():
    # Where nothing is negative the truncated form is the minimiser.
    X = np.random.RandomState(1).rand(5, 3) + 1
    F, l1, l2 = orthonormal(5, 2, 1), 1.5, 0.02
    apart = np.square(F[:, None] - F).sum(axis=2)

    def cost(z):
        Z = z.reshape(5, 5)
        rough = l2 / 2 * (Z * apart).sum()  # l2 tr(F'LF) of the symmetric part
        return np.square(X.T - X.T @ Z).sum() + l1 * np.square(Z).sum() + rough

    Z = minimize(cost, np.zeros(25), tol=1e-10).x.reshape(5, 5)
    assert (Z > 0).all()
    S = (Z + Z.T) / 2
    assert_allclose(
        l2 * np.trace(F.T @ laplacian(S) @ F), l2 / 2 * (Z * apart).sum(), rtol=1e-9
    )
    got = self_representation(ridge_inverse(X, l1), F, l1, l2)
    assert_allclose(got, S, atol=1e-5)  # as far as the optimiser goes


@pytest.mark.parametrize("seed", range(3))
def test_the_partition_of_a_view_is_where_an_optimizer_finds_the_minimum(seed):
    Z, Y = graph(6, seed), orthonormal(6, 2, seed)
    l2, l3, w = 0.3, 0.2, 0.8

    def cost(F):
        rough = l2 * np.trace(F.T @ laplacian(Z) @ F)
        return rough + l3 * w * np.square(Y @ Y.T - F @ F.T).sum()

    starts = [np.random.RandomState(s).randn(12) for s in range(5)]
    best = min(
        minimize(lambda z: cost(np.linalg.qr(z.reshape(6, 2))[0]), z, tol=1e-10).fun
        for z in starts
    )
    F = view_partition(Z, Y, w, l2, l3)
    assert_allclose(F.T @ F, np.eye(2), atol=1e-12)
    assert_allclose(cost(F), best, rtol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_the_consensus_is_where_an_optimizer_finds_the_minimum(seed):
    parts = [orthonormal(6, 2, 10 * seed + s) for s in range(3)]
    weights = np.array([0.2, 1.0, 3.0])

    def cost(F):
        squares = [np.square(F @ F.T - G @ G.T).sum() for G in parts]
        return weights @ squares

    starts = [np.random.RandomState(s).randn(12) for s in range(5)]
    best = min(
        minimize(lambda z: cost(np.linalg.qr(z.reshape(6, 2))[0]), z, tol=1e-10).fun
        for z in starts
    )
    F = partition_consensus(parts, weights)
    assert_allclose(F.T @ F, np.eye(2), atol=1e-12)
    assert_allclose(cost(F), best, rtol=1e-6)


def test_the_consensus_of_one_partition_is_that_partition():
    F = orthonormal(9, 3, 0)
    found = partition_consensus([F], np.array([0.5e8]))
    assert partition_distance(F, found) < 1e-12


def test_the_objective_is_its_definition():
    views, _ = subspaces(n_each=6)
    views.append(np.random.RandomState(0).randn(18, 40))  # more features than objects
    start = [orthonormal(18, 3, s) for s in range(4)]
    run = subspace_partitions(views, start[0], start[1:], max_iter=1)
    total = 0.0
    for X, before, F in zip(views, start[1:], run.partitions, strict=True):
        Z = self_representation(ridge_inverse(X, 10.0), before, 10.0, 1e-3)
        total += np.square(X.T - X.T @ Z).sum() + 10 * np.square(Z).sum()
        total += 1e-3 * np.trace(F.T @ laplacian(Z) @ F)
        total += 1e-5 * np.linalg.norm(run.consensus @ run.consensus.T - F @ F.T)
    assert_allclose(run.objective, [total])
    assert_allclose(run.weights, partition_weights(run.consensus, run.partitions))


def test_the_last_sweep_is_the_result():
    # The first has the lowest objective here; its Z belongs to the random start.
    views, _ = subspaces()
    start = [orthonormal(90, 3, s) for s in range(3)]
    run = subspace_partitions(views, start[0], start[1:], max_iter=25, tol=0.0)
    assert run.objective.argmin() == 0
    later = subspace_partitions(
        views, run.consensus, run.partitions, max_iter=1, tol=0.0
    )
    # It comes to rest slowly; the first sweep is a thousand times farther away.
    assert partition_distance(run.consensus, later.consensus) < 1e-5
    assert_allclose(run.weights, partition_weights(run.consensus, run.partitions))
    assert_allclose(run.weights, later.weights, rtol=1e-3)  # it has come to rest


def test_one_view_is_spectral_clustering_of_its_representation():
    # Then the consensus is the view's own partition. Where partitions count for little
    # the graph is that of ridge regression.
    (X, _), _ = subspaces(n_each=10)
    fitted = PMSC(
        3, scale=None, graph_penalty=1e-9, view_penalty=0, random_state=0
    ).fit(X)
    Z = X @ np.linalg.solve(X.T @ X + 10 * np.eye(9), X.T)
    Z = np.maximum(Z, 0)
    F = np.linalg.eigh(laplacian((Z + Z.T) / 2))[1][:, :3]
    wanted = KMeans(3, n_init=20, random_state=0).fit_predict(F)
    assert same_partition(fitted.labels_, wanted)
    assert same_partition(fitted.view_labels_[:, 0], wanted)


def test_subspaces_are_found():
    views, truth = subspaces()
    fitted = PMSC(3, scale="unit", coefficient_penalty=0.1, random_state=0).fit(views)
    assert adjusted_rand_score(truth, fitted.labels_) > 0.9
    assert fitted.converged_
    assert fitted.objective_.shape == (fitted.n_iter_,)


def noisy_views(seed=0, junk=False):
    """Three clusters that none of four views shows clearly."""
    rng = np.random.RandomState(seed)
    truth = np.repeat(np.arange(3), 30)
    views = [2.0 * np.eye(3)[truth] + rng.randn(90, 3) for _ in range(4)]
    return views + [rng.randn(90, 3)] * junk, truth


@pytest.mark.parametrize("seed", range(3))
def test_views_together_show_what_none_of_them_does(seed):
    views, truth = noisy_views(seed)
    fitted = PMSC(3, random_state=0).fit(views)
    assert adjusted_rand_score(truth, fitted.labels_) > 0.9
    for labels in fitted.view_labels_.T:
        assert adjusted_rand_score(truth, labels) < 0.8


def test_a_view_of_noise_weighs_least():
    views, truth = noisy_views(junk=True)
    fitted = PMSC(3, random_state=0).fit(views)
    assert fitted.view_weights_.argmin() == 4
    assert adjusted_rand_score(truth, fitted.labels_) > 0.9


def two_answers(n=60):
    """Two views that show different clusters: a start follows one or the other."""
    rng = np.random.RandomState(0)
    clear, faint = np.arange(n) % 2, np.arange(n) // 2 % 2
    views = [6.0 * np.eye(2)[clear], 4.0 * np.eye(2)[faint]]
    return [X + rng.randn(*X.shape) for X in views]


def test_the_best_of_several_starts_is_kept():
    views = settled([unit_rows(standardized(X)) for X in two_answers()])
    rng, runs = np.random.RandomState(1), []
    for _ in range(10):
        first, *others = (np.linalg.qr(rng.randn(60, 2))[0] for _ in range(3))
        runs.append(subspace_partitions(views, first, others))
    best = min(runs, key=lambda run: run.partition_cost)
    assert best is not runs[0]
    assert max(partition_distance(best.consensus, run.consensus) for run in runs) > 1
    fitted = PMSC(2, scale=None, n_init=10, random_state=1).fit(views)
    assert_allclose(fitted.view_weights_, best.weights, rtol=1e-6)
    assert_allclose(fitted.objective_, best.objective)


def test_lengths_do_not_matter_once_they_are_one():
    views, _ = subspaces()
    one = PMSC(3, scale="unit", random_state=0).fit(views)
    long = [views[0] * np.arange(1, 91)[:, None], 50 * views[1]]
    other = PMSC(3, scale="unit", random_state=0).fit(long)
    assert_array_equal(one.labels_, other.labels_)
    raw = PMSC(3, scale=None, random_state=0).fit(views)
    assert raw.objective_[-1] != pytest.approx(one.objective_[-1])


@each_precision
@each_library
def test_every_library_computes_the_same(library, precision, atol):
    views, _ = subspaces(n_each=8)
    start = [orthonormal(24, 3, s) for s in range(3)]
    penalties = {"graph_penalty": 0.5, "view_penalty": 0.1, "coefficient_penalty": 0.5}
    wanted = subspace_partitions(views, start[0], start[1:], max_iter=4, **penalties)
    first, *others = in_library(start, library, precision)
    got = subspace_partitions(
        in_library(views, library, precision), first, others, max_iter=4, **penalties
    )
    Y, W = to_numpy(got.consensus), wanted.consensus
    assert str(got.consensus.dtype).endswith(precision)
    assert_allclose(Y @ Y.T, W @ W.T, atol=atol)
    assert_allclose(got.objective, wanted.objective, rtol=10 * atol)


def test_a_device_changes_no_label():
    pytest.importorskip("torch")
    views, _ = subspaces()
    one = PMSC(3, random_state=0).fit(views)
    other = PMSC(3, random_state=0).fit(views, device="torch")
    assert_array_equal(one.labels_, other.labels_)
    assert_allclose(one.view_weights_, other.view_weights_, rtol=1e-6)


def test_memory_is_asked_for():
    views, _ = subspaces()
    with comitia.config.limit("100 kB"), pytest.raises(MemoryBudgetError, match="mvcc"):
        PMSC(3).fit(views)


def test_an_early_end_is_said():
    views, _ = subspaces()
    with pytest.warns(ConvergenceWarning, match="PMSC did not converge"):
        assert not PMSC(3, max_iter=1, random_state=0).fit(views).converged_
