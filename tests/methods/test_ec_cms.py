import numpy as np
import pytest
from numpy.testing import assert_allclose

from comitia import Ensemble, method
from comitia.methods._twins import TwinMatrix, TwinSolver
from comitia.partition import hac
from comitia.represent import coassociation
from comitia.weigh import entropy_certainty
from tests.fixtures import E6, planted, same_partition

ECCMS = method("ec_cms")


def whole(matrix, counts):
    """A TwinMatrix as the matrix of all objects."""
    inverse = np.repeat(np.arange(len(counts)), counts)
    full = matrix.pairs[np.ix_(inverse, inverse)]
    np.fill_diagonal(full, matrix.own[inverse])
    return full


def random_twins(rng, n_micro=5):
    half = rng.rand(n_micro, n_micro)
    return TwinMatrix((half + half.T) / 2, rng.rand(n_micro)), rng.randint(
        1, 4, n_micro
    )


def enhanced_by_objects(labels, threshold=0.75, penalty=0.01, theta=0.4):
    """The rounds on the n x n matrices of the paper."""
    E = Ensemble(labels)
    w = entropy_certainty(E, theta)
    T = coassociation(E, cluster_weights=w, dtype=np.float64)
    np.fill_diagonal(T, 1.0)
    A = coassociation(E, dtype=np.float64)
    H = np.where(threshold - 1e-9 <= A, A, 0.0)
    np.fill_diagonal(H, 0.0)
    inverse = np.linalg.inv(2 * (np.diag(H.sum(axis=1)) - H) + 2 * np.eye(len(A)))
    C = N = F = Y2 = np.zeros_like(T)
    Y1, norm = T, np.linalg.norm
    n_iter, done = 0, False
    while not done:
        n_iter += 1
        before = C, N, F
        C = inverse @ ((T - N + Y1) + (F - Y2))
        N = (T - C + Y1) / (penalty + 1)
        N[H > 0] = 0.0
        F = np.clip((C + Y2 + (C + Y2).T) / 2, 0, 1)
        gaps = T - C - N, C - F
        Y1, Y2 = Y1 + gaps[0], Y2 + gaps[1]
        pairs = [(new - old, old) for new, old in zip((C, N, F), before, strict=True)]
        pairs += [(gaps[0], Y1), (gaps[1], Y2)]
        least = 1e-3 * norm(T)
        done = all(norm(one) <= 1e-2 * max(norm(two), least) for one, two in pairs)
    return F, n_iter


def test_the_matrix_of_e6_is_that_of_the_catalogue():
    fitted = ECCMS(2).fit(Ensemble(E6))
    assert fitted.n_iter_ == 27
    heights = 1 - fitted.linkage_[:4, 2]
    assert_allclose(heights, [0.643473, 0.643473, 0.175289, 0.175289], atol=5e-7)
    assert same_partition(fitted.labels_, E6[:, 0])


def test_without_sure_pairs_the_matrix_of_e6_is_a_share_of_that_of_lwea():
    fitted = ECCMS(2, threshold=1.01).fit(Ensemble(E6))
    assert fitted.n_iter_ == 3
    expected = 0.509901 * np.array([0.643479, 0.643479, 0.310146, 0.310146])
    assert_allclose(1 - fitted.linkage_[:4, 2], expected, atol=1e-6)  # six decimals


@pytest.mark.parametrize("seed", range(3))
def test_rounds_on_label_rows_are_those_on_objects(seed):
    labels, _ = planted(40, 3, 4, noise=0.3, seed=seed)
    F, n_iter = enhanced_by_objects(labels)
    fitted = ECCMS(3).fit(Ensemble(labels))
    assert fitted.n_iter_ == n_iter
    expected = hac(np.maximum(1 - F, 0.0) * (1 - np.eye(len(F))))
    assert_allclose(fitted.linkage_[:, 2], expected[:, 2], atol=1e-10)


def test_where_nothing_is_trusted_the_tree_is_that_of_lwea():
    labels, _ = planted(60, 3, 6, noise=0.4, seed=0)
    E = Ensemble(labels)
    plain = ECCMS(3, threshold=1.01).fit(E)
    assert plain.n_iter_ == 3
    assert same_partition(plain.labels_, method("lwea")(3).fit(E).labels_)


@pytest.mark.parametrize("seed", range(4))
def test_twin_matrices_are_solved_and_measured_as_all_objects_are(seed):
    rng = np.random.RandomState(seed)
    left, counts = random_twins(rng)
    left = TwinMatrix(left.pairs, left.own + 30.0)
    right = TwinMatrix(rng.rand(5, 5), rng.rand(5))
    solved = TwinSolver(left, counts).solve(right)
    expected = np.linalg.solve(whole(left, counts), whole(right, counts))
    assert_allclose(whole(solved, counts), expected, atol=1e-12)
    assert_allclose(left.norm(counts), np.linalg.norm(whole(left, counts)))
    squared = whole(left, counts) @ whole(left, counts)
    assert_allclose(whole(left.squared(counts), counts), squared)
    none = TwinMatrix(np.zeros((5, 5)), left.own)
    product = whole(none, counts) @ whole(right, counts)
    assert_allclose(whole(none.product(right, counts), counts), product)
    sums = np.repeat(left.row_sums(counts), counts)
    assert_allclose(sums, whole(left, counts).sum(axis=1))
    full = whole(left, counts)
    np.fill_diagonal(full, 0.0)
    laplacian = np.diag(full.sum(axis=1)) - full
    assert_allclose(whole(left.laplacian(counts), counts), laplacian, atol=1e-12)
