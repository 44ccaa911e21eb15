"""Clusters of a fuzzy consensus."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from comitia.methods._memberships import fuzzy_clusters, order_of_appearance


def test_columns_that_are_nobodys_largest_are_dropped():
    F = np.array([[0.1, 0.3, 0.6], [0.5, 0.4, 0.1], [0.2, 0.3, 0.5]])
    labels, order, membership = fuzzy_clusters(F)
    assert_array_equal(labels, [2, 0, 2])
    assert_array_equal(order, [2, 0])
    assert_allclose(membership, [[6 / 7, 1 / 7], [1 / 6, 5 / 6], [5 / 7, 2 / 7]])


def test_clusters_are_in_the_order_in_which_objects_meet_them():
    assert_array_equal(order_of_appearance(np.array([3, 1, 3, 0, 1])), [3, 1, 0])
