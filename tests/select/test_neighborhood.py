"""Relative neighbourhood graphs and their communities."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist

from comitia.exceptions import ComitiaError
from comitia.select import multilayer_communities, relative_neighborhood
from comitia.select.neighborhood import seed_communities


def test_points_on_a_line_are_joined_to_the_next():
    x = np.array([[0.0], [1.0], [3.0]])
    edges = relative_neighborhood(cdist(x, x))
    assert_array_equal(edges, [[0, 1, 0], [1, 0, 1], [0, 1, 0]])


@pytest.mark.parametrize("seed", range(4))
def test_the_graph_is_its_definition_and_connected(seed):
    rng = np.random.RandomState(seed)
    X = rng.randn(12, 2) if seed % 2 else rng.randint(4, size=(12, 2))  # with ties
    d = cdist(X, X)
    expected = [
        [
            l != m and not any(max(d[l, t], d[m, t]) < d[l, m] for t in range(12))
            for m in range(12)
        ]
        for l in range(12)  # noqa: E741
    ]
    found = relative_neighborhood(d)
    assert_array_equal(found, expected)
    assert connected_components(found)[0] == 1


def test_copies_do_not_separate_each_other():
    x = np.array([[0.0], [0.0], [1.0]])
    assert_array_equal(relative_neighborhood(cdist(x, x)), 1 - np.eye(3))


def test_rounding_makes_no_one_closer():
    d = np.array([[0, 1e-17, 0.3], [1e-17, 0, 0.1 + 0.2], [0.3, 0.1 + 0.2, 0]])
    assert d[0, 2] < d[1, 2]  # by one bit
    assert_array_equal(relative_neighborhood(d), 1 - np.eye(3))


def test_distances_must_be_square():
    with pytest.raises(ComitiaError, match="square"):
        relative_neighborhood(np.zeros((2, 3)))


def two_cliques():
    A = np.kron(np.eye(2), np.ones((4, 4)))
    A[3, 4] = A[4, 3] = 1
    np.fill_diagonal(A, 0)
    return A


def test_both_ways_find_two_cliques():
    A = two_cliques()
    rng = np.random.RandomState(0)
    assert_array_equal(multilayer_communities([A, A], rng), [0, 0, 0, 0, 1, 1, 1, 1])
    # Seeds are who has most ties: the two at the ends of the bridge, joined by it.
    assert_array_equal(seed_communities(A), 0)
    A[3, 4] = A[4, 3] = 0
    assert_array_equal(seed_communities(A), [0, 0, 0, 0, 1, 1, 1, 1])


def test_layers_add_up():
    # Each layer alone is a path of one half and lonely items.
    one, other = two_cliques(), two_cliques()
    one[4:] = one[:, 4:] = 0
    other[:4] = other[:, :4] = 0
    found = multilayer_communities([one, other], np.random.RandomState(0))
    assert_array_equal(found, [0, 0, 0, 0, 1, 1, 1, 1])


def test_leaders_have_more_ties_and_the_others_follow():
    # A path: 1 and 4 have two ties and are first of equals where they stand.
    A = np.zeros((6, 6))
    for i, j in [(0, 1), (1, 2), (3, 4), (4, 5)]:
        A[i, j] = A[j, i] = 1
    assert_array_equal(seed_communities(A), [0, 0, 0, 1, 1, 1])
    A[2, 3] = A[3, 2] = 1  # four items of two ties: the first leads them all
    assert_array_equal(seed_communities(A), 0)


def test_lonely_items_lead_themselves():
    assert_array_equal(seed_communities(np.zeros((3, 3))), [0, 1, 2])


def test_of_equals_the_item_of_largest_priority_leads():
    # A path of four: the two in the middle have two ties each.
    path = np.eye(4, k=1) + np.eye(4, k=-1)
    assert_array_equal(seed_communities(path), [0, 0, 0, 0])
    # Two stars whose centres are no neighbours share an item, which follows the first.
    stars = np.zeros((5, 5))
    stars[[0, 0, 4, 4], [1, 2, 2, 3]] = 1.0
    stars += stars.T
    assert seed_communities(stars)[2] == seed_communities(stars)[0]
    found = seed_communities(stars, priority=[0.1, 0.0, 0.0, 0.0, 0.2])
    assert_array_equal(found, [1, 1, 0, 0, 0])


@pytest.mark.parametrize("seed", range(4))
def test_with_priorities_the_order_of_items_does_not_matter(seed):
    rng = np.random.RandomState(seed)
    graph = np.triu(rng.rand(20, 20) < 0.15, 1).astype(float)
    graph += graph.T
    priority, order = rng.rand(20), rng.permutation(20)
    one = seed_communities(graph, priority=priority)
    other = seed_communities(graph[np.ix_(order, order)], priority=priority[order])
    assert_array_equal(one[order], other)
