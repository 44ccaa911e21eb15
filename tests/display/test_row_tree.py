"""The tree above a heat map: its merges, its order, and whose tree it is."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import leaves_list

from comitia import Ensemble, method
from comitia.display.heat_maps import heat_map
from comitia.display.row_tree import row_tree
from tests.fixtures import planted


def planted_heat(n=60, seed=0, n_bins=None):
    labels, truth = planted(n, 3, 8, noise=0.3, seed=seed)
    return heat_map(Ensemble(labels), truth, n_bins), truth


def leaves_of(merges, v):
    n = len(merges) + 1
    if v < n:
        return [int(v)]
    a, b = merges[int(v) - n, :2]
    return leaves_of(merges, a) + leaves_of(merges, b)


@pytest.mark.parametrize("n_bins", [None, 13])
def test_heights_are_one_minus_the_mean_coassociation(n_bins):
    heat, truth = planted_heat(n_bins=n_bins)
    tree = row_tree(heat, truth)
    for a, b, height, size in tree.merges:
        left, right = leaves_of(tree.merges, a), leaves_of(tree.merges, b)
        assert_allclose(height, 1 - heat.values[np.ix_(left, right)].mean(), atol=1e-12)
        assert size == len(left) + len(right)


def test_clusters_are_branches_and_no_branches_cross():
    heat, truth = planted_heat()
    tree = row_tree(heat, truth)
    assert tree.n_between == 2
    turned = heat.taken(tree.order)
    assert (np.diff(truth[turned.order]) != 0).sum() == 2
    assert_array_equal(tree.order, leaves_list(tree.merges))
    assert_allclose(turned.values, heat.values[np.ix_(tree.order, tree.order)])
    assert_array_equal(tree.positions[tree.order], np.arange(len(truth)))


def test_a_tree_is_taken_only_where_the_clusters_are_its_branches():
    votes = Ensemble(planted(40, 3, 8, noise=0.3, seed=1)[0])
    fitted = method("eac")(n_clusters=3).fit(votes)
    heat = heat_map(votes, fitted.labels_)
    own = fitted.linkage_.copy()
    own[:, 2] *= 2
    tree = row_tree(heat, fitted.labels_, own)
    assert_allclose(tree.merges[:, 2], own[:, 2])
    for v in range(40, 79):
        objects = set(heat.order[leaves_of(tree.merges, v)])
        assert objects == set(leaves_of(own, v))
    torn = np.arange(40) % 3
    other = heat_map(votes, torn)
    assert_allclose(
        row_tree(other, torn, own).merges, row_tree(other, torn).merges, atol=1e-12
    )


def test_rows_of_many_objects_keep_all_of_them_when_they_are_turned():
    heat, truth = planted_heat(n_bins=7)
    turned = heat.taken(row_tree(heat, truth).order)
    assert_array_equal(np.sort(turned.order), np.arange(60))
    bins = np.split(turned.order, turned.edges[1:-1])
    assert {frozenset(one) for one in bins} == {
        frozenset(one) for one in np.split(heat.order, heat.edges[1:-1])
    }
