import numpy as np
import pytest
import scipy.linalg
from numpy.testing import assert_allclose

from comitia.optimize.eigenpairs import (
    eigenpairs_beside,
    largest_eigenpairs,
    smallest_eigenpairs,
)


def parts(sizes):
    """A matrix whose largest eigenvalue, 1, has one eigenvector for each part."""
    part = np.repeat(np.arange(len(sizes)), sizes)
    return (part[:, None] == part) / np.array(sizes)[part]


@pytest.mark.parametrize("n_pairs", [1, 2, 3, 4])
def test_eigenvalues_that_equal_the_last_one_come_together(n_pairs):
    S = parts([5, 3, 2, 4])
    values, vectors = largest_eigenpairs(S, n_pairs, ties=True)
    assert_allclose(values, np.ones(4))
    # Whatever its basis is, the space they span is that of the four parts.
    assert_allclose(vectors @ vectors.T, S, atol=1e-12)


def test_without_equals_there_are_as_many_as_asked_for():
    rng = np.random.RandomState(0)
    A = rng.randn(30, 30)
    for ties in (False, True):
        values, vectors = largest_eigenpairs(A + A.T, 7, ties=ties)
        assert_allclose(values, np.linalg.eigvalsh(A + A.T)[:-8:-1])
        assert_allclose((A + A.T) @ vectors, vectors * values, atol=1e-10)


def test_a_matrix_with_equal_eigenvalues_only_gives_all_of_them():
    assert len(largest_eigenpairs(np.eye(6), 2, ties=True)[0]) == 6


def test_eigenvectors_of_nothing_are_not_looked_for():
    values, _ = largest_eigenpairs(parts([5, 3, 2, 4]), 6, ties=True)
    assert_allclose(values, [1, 1, 1, 1, 0, 0], atol=1e-12)


def test_eigenvalues_that_lapack_loses_are_found_another_way(monkeypatch):
    whole = scipy.linalg.eigh

    def loses_two(S, subset_by_index=None, **more):
        values, vectors = whole(S, subset_by_index=subset_by_index, **more)
        lost = 0 if subset_by_index is None else 2
        return values[lost:], vectors[:, lost:]

    monkeypatch.setattr(scipy.linalg, "eigh", loses_two)
    monkeypatch.setattr("comitia.sizes.SMALL_MATRIX", 8)
    A = np.random.RandomState(0).randn(30, 30)
    values, vectors = largest_eigenpairs(A + A.T, 7)
    assert_allclose(values, np.linalg.eigvalsh(A + A.T)[:-8:-1])
    assert_allclose((A + A.T) @ vectors, vectors * values, atol=1e-10)


@pytest.mark.parametrize("size", [4, 80])  # all eigenvectors are taken, or those asked
def test_the_smallest_are_there_as_often_as_a_graph_has_parts(size):
    S = parts([size, 2 * size, size, 3])
    values, vectors = smallest_eigenpairs(np.eye(len(S)) - S, 5)
    assert_allclose(values, [0, 0, 0, 0, 1], atol=1e-12)
    assert_allclose(vectors[:, :4] @ vectors[:, :4].T, S, atol=1e-12)


def laplacian(part, rng, between=0.01):
    """Of a random graph, heavy within parts, light between all but the last two."""
    n = len(part)
    S = rng.rand(n, n) * np.where(part[:, None] == part, 1.0, between)
    alone = part == part.max()
    S[np.ix_(alone, ~alone)] = S[np.ix_(~alone, alone)] = 0.0
    S += S.T
    return np.diag(S.sum(axis=1)) - S, np.column_stack([alone, ~alone])


@pytest.mark.parametrize("n_pairs", [0, 2, 3])
def test_eigenpairs_beside_the_known_ones_are_those_of_a_dense_decomposition(n_pairs):
    part = np.repeat(np.arange(5), 40)
    L, known = laplacian(part, np.random.RandomState(n_pairs))
    known = known / np.linalg.norm(known, axis=0)
    values, vectors = eigenpairs_beside(L, known, n_pairs, np.diagonal(L).max())
    expected, all_vectors = np.linalg.eigh(L)
    last = n_pairs + 2
    assert_allclose(values[:-1], expected[2:last], rtol=1e-10)
    assert values[-1] >= expected[last] * (1 - 1e-10)
    space = all_vectors[:, 2:last] @ all_vectors[:, 2:last].T
    assert_allclose(vectors @ vectors.T, space, atol=1e-11)


def test_eigenpairs_beside_the_known_ones_are_refused_where_the_next_is_equal():
    # Complete graphs: all eigenvalues but those that are 0 equal the order.
    L = 60.0 * np.eye(60) - np.ones((60, 60))
    assert eigenpairs_beside(L, np.full((60, 1), 60**-0.5), 2, 60.0) is None
