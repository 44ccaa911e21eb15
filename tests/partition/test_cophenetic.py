"""Trees as distances."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import pdist, squareform

from comitia.partition import cophenetic, hac
from tests.fixtures import is_ultrametric

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


@pytest.mark.parametrize("linkage", ["single", "average", "complete", "ward"])
def test_heights_are_those_of_the_merges(linkage):
    tree = hac(pdist(X), linkage)
    D = squareform(cophenetic(tree))
    assert_allclose(D, heights_by_loops(tree))
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


@pytest.mark.parametrize("linkage", ["single", "average"])
def test_linkage_gives_an_ultrametric_back(linkage):
    D = cophenetic(hac(pdist(X), "complete"))
    assert_allclose(cophenetic(hac(D, linkage)), D)
