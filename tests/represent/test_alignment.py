"""Renaming clusters after a reference, and counting votes in its names."""

from itertools import permutations, product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble
from comitia.exceptions import ComitiaError
from comitia.represent import align, align_clusters
from tests.fixtures import E6


def matched(labels, reference):
    """Objects on which two clusterings have the same label."""
    return int(((labels == reference) & (labels >= 0)).sum())


def best_match(labels, reference, k):
    """The most objects that any renaming with k names can match."""
    return max(
        matched(np.append(names, -1)[labels], reference)
        for names in permutations(range(k))
    )


@pytest.mark.parametrize("seed", range(6))
def test_hungarian_is_the_best_of_all_renamings(seed):
    rng = np.random.RandomState(seed)
    labels, reference = rng.randint(-1, 4, size=(2, 30))
    got, mapping = align(labels, reference)
    assert matched(got, reference) == best_match(labels, reference, 4)
    assert sorted(mapping) == [0, 1, 2, 3]
    assert_array_equal(got, np.append(mapping, -1)[labels])


def test_a_renamed_clustering_gets_its_names_back():
    reference = np.array([0, 0, 1, 2, 2, 2, 3])
    for method in ("hungarian", "greedy"):
        for names in permutations(range(4)):
            got = align(np.array(names)[reference], reference, method=method)
            assert_array_equal(got.labels, reference)


def test_greedy_takes_the_largest_overlap_first():
    # Overlaps [[5, 4], [4, 0]]: greedy takes the 5 and is left with 0; together the
    # two fours are more.
    labels = np.repeat([0, 0, 1], [5, 4, 4])
    reference = np.repeat([0, 1, 0], [5, 4, 4])
    assert align(labels, reference, method="greedy").mapping.tolist() == [0, 1]
    assert align(labels, reference, method="hungarian").mapping.tolist() == [1, 0]


def test_greedy_prefers_the_smaller_of_clusters_that_overlap_alike():
    labels = [0, 0, 0, 0, 1, 1]  # overlap 2 with reference 0, sizes 4 and 2
    reference = [0, 0, 1, -1, 0, 0]
    assert align(labels, reference, method="greedy").mapping.tolist() == [1, 0]


def test_surplus_clusters_get_fresh_labels():
    got, mapping = align([0, 1, 1, 2, 2, 2, 3], [1, 1, 1, 0, 0, 0, 0])
    assert mapping.tolist() == [2, 1, 0, 3]
    assert got.tolist() == [2, 1, 1, 0, 0, 0, 3]


def test_surplus_clusters_can_join_what_they_overlap():
    got, mapping = align([0, 1, 1, 2, 2, 2, 3], [1, 1, 1, 0, 0, 0, 0], surplus="merge")
    assert mapping.tolist() == [1, 1, 0, 0]
    assert got.tolist() == [1, 1, 1, 0, 0, 0, 0]


@pytest.mark.parametrize("seed", range(6))
def test_merging_is_the_best_of_all_maps_that_use_every_label(seed):
    rng = np.random.RandomState(seed)
    labels, reference = rng.randint(5, size=40), rng.randint(3, size=40)
    got = align(labels, reference, surplus="merge")
    assert set(got.mapping) == {0, 1, 2}
    best = max(
        matched(np.array(names)[labels], reference)
        for names in product(range(3), repeat=5)
        if len(set(names)) == 3
    )
    assert matched(got.labels, reference) == best


@pytest.mark.parametrize("method", ["hungarian", "greedy"])
@pytest.mark.parametrize("surplus", ["fresh", "merge"])
def test_a_coarser_clustering_leaves_labels_unused(method, surplus):
    got = align([0, 0, 0, 1, 1], [2, 2, 0, 1, 1], method=method, surplus=surplus)
    assert got.mapping.tolist() == [2, 1]


def test_missing_labels_stay_missing_and_do_not_count():
    got, mapping = align([0, 0, 0, 1, -1], [1, -1, -1, 0, 1])
    assert mapping.tolist() == [1, 0]
    assert got.tolist() == [1, 1, 1, 0, -1]


def test_centroids_match_what_is_nearest_together():
    # Nearest alone would give both to reference 0.
    got = align(
        [0, 1],
        [0, 1],
        method="centroids",
        centers=[[1.0, 0], [0.4, 0]],
        reference_centers=[[0.5, 0], [3.0, 0]],
    )
    assert got.mapping.tolist() == [1, 0]


@pytest.mark.parametrize("seed", range(4))
def test_centroids_minimize_the_summed_distance(seed):
    rng = np.random.RandomState(seed)
    one, other = rng.rand(2, 4, 2)
    cost = np.linalg.norm(one[:, None] - other, axis=2)
    mapping = align(
        np.arange(4),
        np.arange(4),
        method="centroids",
        centers=one,
        reference_centers=other,
    ).mapping
    least = min(cost[range(4), p].sum() for p in permutations(range(4)))
    assert_allclose(cost[range(4), mapping].sum(), least)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"method": "nearest"}, "method='nearest' is none of"),
        ({"surplus": "drop"}, "surplus='drop' is none of"),
        ({"method": "centroids"}, "needs centers and reference_centers"),
        (
            {"method": "centroids", "centers": [[0.0]], "reference_centers": [[0.0]]},
            "1 and 1 rows for 2 and 2 clusters",
        ),
    ],
)
def test_alignments_that_cannot_be_are_refused(parameters, message):
    with pytest.raises(ComitiaError, match=message):
        align([0, 1], [0, 1], **parameters)


def test_clusterings_of_other_lengths_are_refused():
    with pytest.raises(ComitiaError, match="reference must be one integer vector"):
        align([0, 1, 1], [0, 1])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("surplus", ["fresh", "merge"])
def test_all_clusterings_at_once_are_aligned_as_one_by_one(seed, surplus):
    rng = np.random.RandomState(seed)
    ensemble = Ensemble(rng.randint(-1, 5, size=(60, 4)))
    reference = rng.randint(-1, 3, size=60)
    targets = align_clusters(ensemble, reference, surplus=surplus)
    one_by_one = [
        align(column, reference, surplus=surplus).mapping
        for column in ensemble.labels.T
    ]
    assert_array_equal(targets, np.concatenate(one_by_one))


def test_an_ensemble_has_no_centers():
    with pytest.raises(ComitiaError, match="use align"):
        align_clusters(Ensemble(E6), E6[:, 0], method="centroids")
