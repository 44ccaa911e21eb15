"""Picks of clusterings, against their definitions."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from comitia import Ensemble
from comitia.exceptions import ComitiaError
from comitia.methods.selection._grouping import group_clusterings
from comitia.select import best_of_groups, cover, greedy_diverse, top
from tests.fixtures import E6, same_partition


def test_the_lowest_of_equals_is_kept_whatever_rounding_says():
    scores = np.array([0.3, 0.1 + 0.2, 0.3])  # 0.1 + 0.2 is a little more than 0.3
    assert top(scores, 2).tolist() == [0, 1]
    assert best_of_groups(scores, [0, 0, 0]).tolist() == [0]


@pytest.mark.parametrize("seed", range(5))
def test_the_best_of_each_group_is_its_largest(seed):
    rng = np.random.RandomState(seed)
    scores, groups = rng.rand(20), rng.randint(4, size=20)
    expected = [
        max(np.flatnonzero(groups == g), key=lambda m: scores[m])
        for g in np.unique(groups)
    ]
    assert_array_equal(best_of_groups(scores, groups), np.sort(expected))


def test_quality_alone_decides_between_clusterings_that_share_nothing():
    q = np.array([0.2, 0.5, 0.9, 0.7])
    assert greedy_diverse(np.eye(4), 4, quality=q).tolist() == [2, 3, 1, 0]


def test_nothing_is_picked_twice():
    # When all that is left equals what was picked, every gain is 0.
    assert greedy_diverse(np.ones((4, 4)), 3).tolist() == [0, 1, 2]


@pytest.mark.parametrize("n_select", [0, 4])
def test_only_as_many_as_there_are_can_be_kept(n_select):
    for pick in (
        lambda: top(np.ones(3), n_select),
        lambda: greedy_diverse(np.eye(3), n_select),
    ):
        with pytest.raises(ComitiaError, match=f"n_select={n_select} must be between"):
            pick()


def test_bad_quality_and_unknown_diversity_are_refused():
    with pytest.raises(ComitiaError, match="quality must be one number, 0 or more"):
        greedy_diverse(np.eye(3), 2, quality=[1.0, -1.0, 0.0])
    with pytest.raises(ComitiaError, match="none of"):
        greedy_diverse(np.eye(3), 2, towards="all")


def test_cover_adds_the_clustering_that_has_most_of_the_rest():
    missing = -1
    labels = np.zeros((6, 4), dtype=int)
    labels[2:, 0] = missing
    labels[[2, 3, 4], 1] = missing
    labels[5, 2] = missing
    labels[:4, 3] = missing
    ensemble = Ensemble(labels)
    # Of 2 to 5 the third clustering has three; the last object is in two others.
    assert cover(ensemble, [0]).tolist() == [0, 1, 2]
    assert (ensemble.take(clusterings=[0, 1, 2]).n_votes > 0).all()


def test_cover_of_overlapping_clusterings_looks_at_their_clusters():
    ensemble = Ensemble.from_clusters([[[0, 1], [1]], [[1, 2], [2]], [[0, 1, 2]]], 3)
    assert cover(ensemble, [0]).tolist() == [0, 1]
    assert cover(ensemble, [2]).tolist() == [2]


def test_without_missing_labels_cover_adds_nothing():
    assert cover(Ensemble(E6), [2, 0, 2]).tolist() == [0, 2]


@pytest.mark.parametrize("grouper", ["spectral", "average", "kmedoids"])
def test_equal_clusterings_are_never_parted(grouper):
    rng = np.random.RandomState(0)
    phi = Ensemble(np.repeat(E6, 3, axis=1)).agreement()
    for n_groups in (2, 3, 5):
        groups = group_clusterings(phi, n_groups, rng, grouper)
        assert same_partition(groups, np.repeat([0, 0, 1], 3))
    assert len(np.unique(group_clusterings(phi, 9, rng, grouper))) == 9
