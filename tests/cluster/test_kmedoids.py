"""K-medoids: optimal where that can be checked, and never worse than its start."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia._kernels.cluster_medoids import build_medoids, swap_medoids
from comitia.cluster import KMedoids, around_medoids
from comitia.exceptions import ComitiaError
from tests.fixtures import E6


def cost(D, medoids, weights):
    return float(weights @ D[:, list(medoids)].min(axis=1))


def random_problem(seed, n=12):
    rng = np.random.RandomState(seed)
    X = rng.rand(n, 2)
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    return D, rng.rand(n) + 0.1


@pytest.mark.parametrize("seed", range(6))
def test_the_best_of_several_starts_is_the_optimum(seed):
    D, weights = random_problem(seed)
    least = min(cost(D, g, weights) for g in combinations(range(12), 3))
    run = around_medoids(
        D,
        3,
        np.random.RandomState(0),
        sample_weight=weights,
        init="random",
        n_init=20,
    )
    assert_allclose(run.objective[-1], least)
    assert_allclose(cost(D, run.medoids, weights), least)


@pytest.mark.parametrize("seed", range(6))
def test_no_single_swap_improves_the_result(seed):
    D, weights = random_problem(seed, n=25)
    run = around_medoids(D, 4, sample_weight=weights)
    reached = cost(D, run.medoids, weights)
    assert_allclose(run.objective[-1], reached)
    assert np.diff(run.objective).max() <= 0
    for r in range(4):
        for c in set(range(25)) - set(run.medoids.tolist()):
            swapped = [*np.delete(run.medoids, r), c]
            assert cost(D, swapped, weights) >= reached - 1e-12


@pytest.mark.parametrize("seed", range(3))
def test_the_greedy_start_is_its_definition(seed):
    D, weights = random_problem(seed)
    medoids = []
    for _ in range(4):
        left = [c for c in range(12) if c not in medoids]
        medoids.append(min(left, key=lambda c: cost(D, [*medoids, c], weights)))
    assert_array_equal(build_medoids(D, weights, 4), medoids)


def test_dissimilarities_need_not_be_symmetric():
    rng = np.random.RandomState(3)
    D = rng.rand(10, 10)
    np.fill_diagonal(D, 0.0)
    ones = np.ones(10)
    least = min(cost(D, g, ones) for g in combinations(range(10), 2))
    run = around_medoids(D, 2, np.random.RandomState(0), init="random", n_init=20)
    assert_allclose(run.objective[-1], least)


def test_three_dendrograms_of_the_catalogue():
    # zheng_2014: the overall medoid is tree 0, of the tie with tree 1.
    D = np.array([[0, 1, 4], [1, 0, 4], [4, 4, 0]])
    assert_array_equal(around_medoids(D, 1).medoids, [0])
    assert_array_equal(around_medoids(D, 2).medoids, [0, 2])
    assert_array_equal(around_medoids(D, 3).medoids, [0, 1, 2])


def test_two_groups_of_clusterings_of_the_catalogue():
    # mcas on E6: {C1, C2} and {C3}.
    from sklearn.metrics import normalized_mutual_info_score as nmi

    D = [[1 - nmi(a, b) for b in E6.T] for a in E6.T]
    assert_array_equal(around_medoids(np.maximum(D, 0), 2).labels, [0, 0, 1])


def test_copies_each_head_their_own_cluster():
    run = around_medoids(np.zeros((4, 4)), 3)
    assert len(set(run.labels.tolist())) == 3
    assert run.objective[-1] == 0


def test_max_iter_stops_the_swaps():
    D, weights = random_problem(0, n=40)
    medoids = np.arange(5)
    done, costs, converged = swap_medoids(D, weights, medoids, 1)
    assert not converged
    assert_allclose(costs[-1], cost(D, done, weights))


def test_precomputed_and_metric_agree():
    X = np.random.RandomState(0).rand(30, 3)
    D = np.abs(X[:, None] - X).sum(axis=2)
    one = KMedoids(4, metric="manhattan").fit(X)
    other = KMedoids(4, metric="precomputed").fit(D)
    assert_array_equal(one.medoid_indices_, other.medoid_indices_)
    assert_array_equal(one.predict(X[:9]), other.predict(D[:9]))
    assert_array_equal(one.cluster_centers_, X[one.medoid_indices_])


def test_bad_input_is_refused_in_words():
    with pytest.raises(ComitiaError, match='none of "build", "random"'):
        around_medoids(np.zeros((3, 3)), 2, init="heuristic")
    with pytest.raises(ComitiaError, match='rng is missing; init="random" draws'):
        around_medoids(np.zeros((3, 3)), 2, init="random")
