"""Cuts at other numbers of clusters keep the names of the clusters they follow."""

import numpy as np
from numpy.testing import assert_array_equal

from comitia import Ensemble
from comitia.display.tracked_cuts import tracked_cuts, vote_tree
from comitia.partition import cut
from tests.fixtures import planted


def same_partition(a, b):
    pairs = {*zip(a.tolist(), b.tolist(), strict=True)}
    return len(pairs) == len({*a.tolist()}) == len({*b.tolist()})


def test_the_result_keeps_its_labels_and_the_rest_are_cuts_of_the_tree():
    labels, _ = planted(60, 4, 8, noise=0.2, seed=3)
    tree = vote_tree(Ensemble(labels), {})
    own = np.array([2, 0, 3, 1])[cut(tree, 4)]
    cuts = tracked_cuts(tree, own, 7)
    assert list(cuts) == [2, 3, 4, 5, 6, 7]
    assert_array_equal(cuts[4], own)
    for k, found in cuts.items():
        assert same_partition(found, cut(tree, k))
        assert {*found.tolist()} <= {*range(max(k, 4))}


def test_one_cluster_is_split_or_two_are_joined_from_step_to_step():
    labels, _ = planted(60, 4, 8, noise=0.2, seed=3)
    tree = vote_tree(Ensemble(labels), {})
    cuts = tracked_cuts(tree, cut(tree, 4), 7)
    for k in range(2, 7):
        moved = cuts[k] != cuts[k + 1]
        # What moves is one cluster of the finer of the two: the new name.
        assert len({*cuts[k + 1][moved].tolist()}) == 1


def test_without_a_tree_for_so_many_objects_there_are_no_cuts(monkeypatch):
    labels, _ = planted(60, 4, 8, noise=0.2, seed=3)
    monkeypatch.setattr("comitia.display.tracked_cuts._TREE_OBJECTS", 10)
    assert vote_tree(Ensemble(labels), {}) is None
