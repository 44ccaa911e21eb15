"""Trees as distances."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import pdist, squareform

from comitia.partition import cophenetic, hac
from tests.fixtures import heights_by_loops, is_ultrametric

X = np.random.RandomState(0).randn(15, 3)


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
