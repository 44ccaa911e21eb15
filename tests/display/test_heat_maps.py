"""The picture of the co-association: its values, its rows, and room for names."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble
from comitia.display.heat_maps import binned_coassociation, heat_map, with_room
from comitia.display.seriation import seriated_order
from comitia.exceptions import ComitiaError
from comitia.represent import coassociation
from tests.display.ensembles import overlapping, random_labels, soft
from tests.fixtures import planted


def test_each_object_has_a_row_up_to_a_thousand_and_400_bins_have_beyond():
    for n, n_bins in ((1000, 1000), (1001, 400)):
        labels, truth = planted(n, 2, 3, 0.1, seed=0)
        picture = heat_map(Ensemble(labels), truth)
        assert picture.values.shape == (n_bins, n_bins)
        assert picture.edges[[0, -1]].tolist() == [0, n]
        assert_array_equal(picture.order, seriated_order(Ensemble(labels), truth))


def test_a_heat_map_has_weights_and_counts_pairs_that_were_sampled_together():
    votes = Ensemble([[0, 0, 0], [0, 1, -1], [1, 1, 0]])
    plain = heat_map(votes, [0, 0, 1])
    # Objects 0 and 1 are both in two clusterings, and together in one.
    place = np.argsort(plain.order)
    assert_allclose(plain.values[place[0], place[1]], 0.5)
    weighted = heat_map(votes, [0, 0, 1], clustering_weights=[1.0, 0.0, 0.0])
    assert weighted.values[place[0], place[1]] > 0.5


def test_names_stand_where_the_one_before_leaves_room():
    assert with_room([], 1.0) == []
    assert with_room([5.0, 5.5, 6.0, 9.0], 1.0) == [0, 2, 3]


def means_by_loops(S, order, n_bins):
    edges = [b * len(S) // n_bins for b in range(n_bins + 1)]
    bins = [order[lo:hi] for lo, hi in itertools.pairwise(edges)]
    return np.array([[S[np.ix_(p, q)].mean() for q in bins] for p in bins])


@pytest.mark.parametrize("n_bins", [1, 2, 7, 53])
@pytest.mark.parametrize("missing", [False, True])
def test_bins_hold_the_means_of_the_weighted_coassociation(n_bins, missing):
    ensemble = Ensemble(random_labels(n_bins, missing=missing))
    rng = np.random.RandomState(1)
    weights = {
        "clustering_weights": rng.rand(ensemble.n_clusterings),
        "cluster_weights": rng.rand(ensemble.n_clusters_total),
    }
    order = rng.permutation(ensemble.n_objects)
    S = coassociation(ensemble, co_sampled=False, dtype=np.float64, **weights)
    got = binned_coassociation(ensemble, order, n_bins, **weights)
    assert_allclose(got, means_by_loops(S, order, n_bins), atol=1e-12)
    assert_array_equal(got, got.T)


@pytest.mark.parametrize("ensemble", [soft(0), overlapping()], ids=lambda e: e.kind)
def test_bins_hold_the_means_where_clusters_are_soft(ensemble):
    order = np.random.RandomState(2).permutation(ensemble.n_objects)
    S = coassociation(ensemble, co_sampled=False, dtype=np.float64)
    got = binned_coassociation(ensemble, order, 3)
    assert_allclose(got, means_by_loops(S, order, 3), atol=1e-12)


def test_bins_of_one_object_are_the_co_sampled_coassociation():
    ensemble = Ensemble(random_labels(3, n=20, M=30, missing=True))
    order = np.arange(20)[::-1]
    S = coassociation(ensemble, co_sampled=True, dtype=np.float64)[::-1, ::-1]
    got = binned_coassociation(ensemble, order, 20, co_sampled=True)
    assert_allclose(got, S, atol=1e-12)


def test_co_sampled_bins_are_a_ratio_of_means():
    labels = random_labels(4, missing=True)
    ensemble, order = Ensemble(labels), np.arange(len(labels))
    S = coassociation(ensemble, co_sampled=False, dtype=np.float64)
    both = ((labels[:, None] >= 0) & (labels[None] >= 0)).mean(axis=2)
    expected = means_by_loops(S, order, 5) / means_by_loops(both, order, 5)
    got = binned_coassociation(ensemble, order, 5, co_sampled=True)
    assert_allclose(got, expected, atol=1e-12)


def test_bins_never_sampled_together_are_zero():
    ensemble = Ensemble([[0, -1], [0, -1], [-1, 0], [-1, 0]])
    got = binned_coassociation(ensemble, range(4), 2, co_sampled=True)
    assert_array_equal(got, np.eye(2))


@pytest.mark.parametrize(
    ("order", "n_bins", "said"),
    [
        ([0, 1, 1], 2, "order must hold each of 0..2 once"),
        ([0, 1], 2, "order must hold each of 0..2 once"),
        ([0, 1, 2], 0, "n_bins=0 must lie in 1..3"),
        ([0, 1, 2], 4, "n_bins=4 must lie in 1..3"),
    ],
)
def test_bins_that_cannot_be_are_refused(order, n_bins, said):
    with pytest.raises(ComitiaError, match=said):
        binned_coassociation(Ensemble([[0], [0], [1]]), order, n_bins)
