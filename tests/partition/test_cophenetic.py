"""Trees as distances."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import pdist, squareform

from comitia.exceptions import ComitiaError
from comitia.partition import (
    cophenetic,
    extended_cophenetic,
    hac,
    is_ultrametric,
    row_correlations,
)

X = np.random.RandomState(0).randn(15, 3)


def heights_by_loops(tree):
    """Walk the merges: two objects meet where their clusters merge."""
    n = len(tree) + 1
    members = {i: [i] for i in range(n)}
    D = np.zeros((n, n))
    for step, (a, b, height, _) in enumerate(tree):
        for i, j in itertools.product(members[int(a)], members[int(b)]):
            D[i, j] = D[j, i] = height
        members[n + step] = members[int(a)] + members[int(b)]
    return D


def ultrametric_by_loops(D, tol=1e-12):
    n = len(D)
    return all(
        D[i, j] <= max(D[i, k], D[j, k]) + tol
        for i, j, k in itertools.product(range(n), repeat=3)
    )


@pytest.mark.parametrize("linkage", ["single", "average", "complete", "ward"])
def test_heights_are_those_of_the_merges(linkage):
    tree = hac(pdist(X), linkage)
    D = squareform(cophenetic(tree))
    assert_allclose(D, heights_by_loops(tree))
    assert ultrametric_by_loops(D)
    assert is_ultrametric(D)
    assert is_ultrametric(squareform(D))


def test_heights_can_be_scaled():
    tree = hac(pdist(X))
    assert_allclose(cophenetic(tree, scale=True), cophenetic(tree) / tree[-1, 2])
    equal = hac(np.zeros(3))
    assert_allclose(cophenetic(equal, scale=True), 0.0)


def test_a_single_object_meets_nobody():
    assert len(cophenetic(np.empty((0, 4)))) == 0


def test_distances_are_no_ultrametric_in_general():
    assert not is_ultrametric(pdist(X))
    assert not ultrametric_by_loops(squareform(pdist(X)))


@pytest.mark.parametrize("linkage", ["single", "average"])
def test_linkage_gives_an_ultrametric_back(linkage):
    D = cophenetic(hac(pdist(X), "complete"))
    assert_allclose(cophenetic(hac(D, linkage)), D)


def test_objects_outside_are_next_to_their_leaf():
    tree = hac(pdist(X[:8]), "average")
    D = squareform(pdist(X))
    nearest, gap = D[:, :8].argmin(axis=1), D[:, :8].min(axis=1)
    got = squareform(extended_cophenetic(tree, nearest, gap))
    inside = heights_by_loops(tree)
    assert_allclose(got[:8, :8], inside)
    for i, j in itertools.combinations(range(15), 2):
        expected = max(inside[nearest[i], nearest[j]], gap[i], gap[j])
        assert_allclose(got[i, j], expected)
    for i in range(8, 15):
        assert_allclose(got[i, nearest[i]], gap[i])
    assert ultrametric_by_loops(got)


def test_everybody_can_be_next_to_one_leaf():
    got = extended_cophenetic(np.empty((0, 4)), [0, 0, 0], [0.0, 1.0, 3.0])
    assert_allclose(got, [1.0, 3.0, 3.0])


def test_correlations_are_those_of_the_rows_without_the_diagonal():
    one, other = pdist(X), cophenetic(hac(pdist(X)))
    got = row_correlations(one, other)
    A, B = squareform(one), squareform(other)
    for i in range(15):
        rest = np.arange(15) != i
        assert_allclose(got[i], np.corrcoef(A[i, rest], B[i, rest])[0, 1])


@pytest.mark.parametrize("level", [1.0, 1e-9, 1e9])
def test_a_constant_row_has_no_correlation(level):
    equal = np.full(10, level)
    assert_allclose(row_correlations(equal, np.arange(10.0)), 0.0)
    assert_allclose(row_correlations(np.arange(10.0), equal), 0.0)


def test_distances_of_other_objects_are_refused():
    with pytest.raises(ComitiaError, match="same objects"):
        row_correlations(np.ones(3), np.ones(6))
