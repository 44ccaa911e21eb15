"""Spanning trees and their cuts, against Kruskal's algorithm."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from comitia.exceptions import ComitiaError
from comitia.methods.selection._tang_liu_2018_tree import (
    cut_long_edges,
    spanning_tree,
    split_index,
)
from tests.fixtures import X6, same_partition


def kruskal(X, below=np.inf):
    """Lengths of the edges shorter than a bound, and what they join."""
    D = cdist(X, X)
    part = list(range(len(X)))
    lengths = []
    pairs = [(D[i, j], i, j) for i in range(len(X)) for j in range(i)]
    for length, i, j in sorted(pairs):
        if part[i] != part[j] and length < below:
            lengths.append(length)
            old, new = part[i], part[j]
            part = [new if p == old else p for p in part]
    return lengths, part


@pytest.mark.parametrize("seed", range(3))
def test_edges_and_parts_are_kruskals(seed):
    rng = np.random.RandomState(seed)
    X = np.vstack([rng.randn(15, 2), rng.randint(4, size=(10, 2))])  # with ties
    tree = spanning_tree(X)
    lengths, _ = kruskal(X)
    assert_allclose(tree[:, 2], lengths, atol=1e-12)
    middle = lengths[len(lengths) // 2]
    _, parts = kruskal(X, below=middle)
    assert same_partition(cut_long_edges(tree, middle - 1e-12), parts)


def test_x6_is_split_as_in_the_catalogue():
    tree = spanning_tree(X6)
    assert_allclose(tree[:, 2], [1, 1, 1, 1, 8])
    index, length = split_index(tree[:, 2])
    assert_allclose(index, 7 * (8 - 2.4) / 2.4)
    assert_allclose(index, 16.3333, atol=5e-5)  # printed
    assert length == 8
    assert_array_equal(cut_long_edges(tree, length), [0, 0, 0, 1, 1, 1])


def test_all_edges_beyond_the_jump_are_cut():
    X = np.array([[0.0], [1.0], [2.0], [12.0], [13.0], [24.0], [25.0]])
    tree = spanning_tree(X)
    _, length = split_index(tree[:, 2])
    assert length == 10
    assert same_partition(cut_long_edges(tree, length), [0, 0, 0, 1, 1, 2, 2])


def test_a_jump_among_short_edges_asks_for_no_cut():
    index, length = split_index([0.1, 1, 1.1, 1.2, 1.3])
    assert length == 1
    assert -0.5 < index < 1


def test_small_trees_are_not_split():
    assert len(spanning_tree(X6[:1])) == 0
    assert split_index([]) == (0.0, np.inf)
    assert split_index([3.0]) == (0.0, np.inf)
    assert_array_equal(cut_long_edges(spanning_tree(X6[:1]), 1.0), [0])


def test_edges_of_length_zero_are_refused():
    with pytest.raises(ComitiaError, match="lengths must be positive"):
        split_index([0.0, 1.0])
