"""What plots and reports show: the order, the binned matrix, the map, the profile."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble
from comitia.exceptions import ComitiaError
from comitia.represent import (
    binned_coassociation,
    cluster_profile,
    coassociation,
    consensus_order,
    embed_objects,
    seriated_order,
    summary,
)
from tests.fixtures import planted


def random_labels(seed, n=53, M=6, k=4, missing=False):
    rng = np.random.RandomState(seed)
    labels = rng.randint(-1 if missing else 0, k, size=(n, M))
    labels[:k] = np.arange(k)[:, None]
    return labels


def soft(seed, n=41):
    rng = np.random.RandomState(seed)
    memberships = [rng.dirichlet(np.ones(k), size=n) for k in (2, 3, 4)]
    return Ensemble.from_memberships(memberships)


def overlapping():
    return Ensemble.from_clusters([[[0, 1, 2], [2, 3]], [[0, 1], [2, 3, 4]]], 5)


# -- order -----------------------------------------------------------------------


def test_order_goes_by_cluster_then_by_falling_confidence():
    rng = np.random.RandomState(0)
    labels, confidence = rng.randint(-1, 4, size=60), rng.rand(60)
    order = consensus_order(labels, confidence)
    expected = sorted(
        range(60), key=lambda i: (labels[i] if labels[i] >= 0 else 9, -confidence[i])
    )
    assert_array_equal(order, expected)


def test_order_without_confidence_keeps_the_objects_of_a_cluster_in_their_order():
    assert_array_equal(consensus_order([1, 0, 1, 0]), [1, 3, 0, 2])


def test_order_refuses_a_confidence_of_another_length():
    with pytest.raises(ComitiaError, match="confidence must have one entry per object"):
        consensus_order([0, 1], [0.5])


@pytest.mark.parametrize("ensemble", [Ensemble(random_labels(9)), soft(9)])
def test_seriation_follows_the_first_coordinate_of_each_cluster_by_itself(ensemble):
    n = ensemble.n_objects
    labels = np.random.RandomState(3).randint(-1, 3, size=n)
    order = seriated_order(ensemble, labels)
    place = np.argsort(order)
    for c in range(3):
        inside = np.flatnonzero(labels == c)
        B = ensemble.membership.toarray()[inside]
        along = correspondence_by_svd(B[:, B.any(axis=0)])[:, 0]
        expected = inside[np.argsort(along)]
        got = inside[np.argsort(place[inside])]
        assert got.tolist() in (expected.tolist(), expected[::-1].tolist())
    assert_array_equal(np.where(labels < 0, 3, labels)[order], np.sort(labels % 4))


def test_seriation_puts_what_is_kept_together_next_to_each_other():
    # Two kinds of objects in one cluster, mixed in the order of the data.
    kinds = np.array([0, 1, 1, 0, 1, 0, 0, 1])
    ensemble = Ensemble(np.c_[kinds, kinds, np.zeros(8, int)])
    along = kinds[seriated_order(ensemble, np.zeros(8, int))]
    assert np.abs(np.diff(along)).sum() == 1


def test_seriation_of_equal_objects_keeps_their_order():
    ensemble = Ensemble(np.zeros((5, 2), int))
    assert_array_equal(seriated_order(ensemble, [1, 0, 1, 0, -1]), [1, 3, 0, 2, 4])


# -- binned co-association --------------------------------------------------------


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
        "cluster_weights": rng.rand(ensemble.n_clusters),
    }
    order = rng.permutation(ensemble.n_objects)
    S = coassociation(ensemble, dtype=np.float64, **weights)
    got = binned_coassociation(ensemble, order, n_bins, **weights)
    assert_allclose(got, means_by_loops(S, order, n_bins), atol=1e-12)
    assert_array_equal(got, got.T)


@pytest.mark.parametrize("ensemble", [soft(0), overlapping()], ids=lambda e: e.kind)
def test_bins_hold_the_means_where_clusters_are_soft(ensemble):
    order = np.random.RandomState(2).permutation(ensemble.n_objects)
    S = coassociation(ensemble, dtype=np.float64)
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
    S = coassociation(ensemble, dtype=np.float64)
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


# -- map --------------------------------------------------------------------------


def same_up_to_sign(got, expected, atol=1e-9):
    signs = np.sign((got * expected).sum(axis=0))
    assert_allclose(got, expected * signs, atol=atol)


def scores_by_svd(X):
    spread = X.std(axis=0)
    Z = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1)
    U, s, _ = np.linalg.svd(Z, full_matrices=False)
    return (U * s)[:, :2]


def correspondence_by_svd(B):
    """Textbook correspondence analysis of a table, row principal coordinates."""
    P = B / B.sum()
    r, c = P.sum(axis=1), P.sum(axis=0)
    residuals = (P - np.outer(r, c)) / np.sqrt(np.outer(r, c))
    U, s, _ = np.linalg.svd(residuals, full_matrices=False)
    return (U * s / np.sqrt(r)[:, None])[:, :2]


@pytest.mark.parametrize("shape", [(40, 5), (12, 30), (9, 9)])
def test_map_of_data_is_their_principal_components(shape):
    X = np.random.RandomState(0).randn(*shape) @ np.diag(np.arange(1, shape[1] + 1))
    X[:, 2] = 7.0  # a constant feature says nothing
    ensemble = Ensemble(np.zeros((shape[0], 1), dtype=int))
    same_up_to_sign(embed_objects(ensemble, X), scores_by_svd(X))


@pytest.mark.parametrize("missing", [False, True])
def test_map_without_data_is_a_correspondence_analysis(missing):
    ensemble = Ensemble(random_labels(5, missing=missing))
    expected = correspondence_by_svd(ensemble.membership.toarray())
    same_up_to_sign(embed_objects(ensemble), expected)


def test_map_of_fuzzy_clusterings_is_a_correspondence_analysis():
    ensemble = soft(6)
    expected = correspondence_by_svd(ensemble.membership.toarray())
    same_up_to_sign(embed_objects(ensemble), expected)


def test_map_of_many_clusters_or_features_is_the_same_by_iterations(monkeypatch):
    ensemble = Ensemble(random_labels(7))
    X = np.random.RandomState(0).randn(ensemble.n_objects, 6)
    dense = embed_objects(ensemble), embed_objects(ensemble, X)
    monkeypatch.setattr(summary, "_DENSE_UP_TO", 3)
    iterated = embed_objects(ensemble), embed_objects(ensemble, X)
    assert_allclose(iterated[0], dense[0], atol=1e-8)
    assert_allclose(iterated[1], dense[1], atol=1e-8)


def test_map_of_two_groups_that_no_clustering_joins_tells_them_apart():
    # The graph has two components: its second vector is as trivial as its first.
    labels = np.repeat([[0, 0], [1, 1]], 5, axis=0)
    x, y = embed_objects(Ensemble(labels)).T
    assert_allclose(np.abs(x), 1.0)
    assert np.sign(x[0]) != np.sign(x[-1])
    assert_array_equal(y, 0.0)


def test_map_is_not_given_away_to_a_vertex_without_edges():
    labels, _ = planted(60, 3, 12, 0.15, seed=0)
    alone = np.full((2, 12), [[7], [8]])  # each in a cluster of its own, every time
    everyone = np.concatenate([labels, alone])
    places = embed_objects(Ensemble(everyone))
    same_up_to_sign(places[:60], embed_objects(Ensemble(labels)))
    low, high = places[:60].min(axis=0), places[:60].max(axis=0)
    assert_allclose(places[60:, 1], low[1] - 0.2 * (high - low)[1])
    assert_allclose(places[60:, 0], low[0] + np.array([0.25, 0.75]) * (high - low)[0])


def test_map_of_small_groups_only_tells_them_apart():
    # Thirty groups of two: none is the picture to which the others could be put.
    labels = np.repeat(np.arange(30), 2)[:, None]
    places = embed_objects(Ensemble(np.repeat(labels, 3, axis=1)))
    assert np.ptp(places[:, 0]) > 0


def test_map_places_equal_objects_together_and_repeats_itself():
    labels, truth = planted(90, 3, 12, 0.15, seed=0)
    labels[4] = labels[3]
    first, second = (embed_objects(Ensemble(labels)) for _ in range(2))
    assert_array_equal(first, second)
    assert_array_equal(first[3], first[4])
    # Objects are nearer to the centre of their own group than to the others'.
    centers = np.array([first[truth == c].mean(axis=0) for c in range(3)])
    nearest = ((first[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    assert np.mean(nearest == truth) > 0.9


def test_map_has_two_columns_whatever_there_is_to_spread():
    one = Ensemble([[0], [0]])
    assert_array_equal(embed_objects(one), np.zeros((2, 2)))
    assert_array_equal(embed_objects(one, [[3.0], [3.0]]), np.zeros((2, 2)))
    assert_allclose(embed_objects(one, [[0.0], [4.0]]), [[-1, 0], [1, 0]])


def test_map_leaves_an_object_that_no_clustering_has_at_the_origin():
    ensemble = Ensemble([[0], [0], [1], [-1]])
    assert_array_equal(embed_objects(ensemble)[3], 0.0)


@pytest.mark.parametrize(
    ("X", "said"),
    [
        (np.zeros((3, 2)), "one row per object, 2"),
        ([["a"], ["b"]], "must be a table of numbers"),
        ([[np.nan], [0.0]], "must be finite"),
        (np.zeros((2, 0)), "at least one column"),
        (np.zeros((2, 3, 4)), r"got shape \(2, 3, 4\)"),
    ],
)
def test_data_that_are_no_table_are_refused(X, said):
    with pytest.raises(ComitiaError, match=said):
        embed_objects(Ensemble([[0], [1]]), X)
    with pytest.raises(ComitiaError, match=said):
        cluster_profile(X, [0, 1])


# -- profile ----------------------------------------------------------------------


def profile_by_loops(X, labels):
    k, p = labels.max() + 1, X.shape[1]
    means, differences, effects = np.empty((3, k, p))
    for c in range(k):
        inside, outside = X[labels == c], X[labels != c]
        means[c] = inside.mean(axis=0)
        differences[c] = (means[c] - X.mean(axis=0)) / X.std(axis=0)
        within = ((inside - means[c]) ** 2).sum(axis=0)
        within += ((outside - outside.mean(axis=0)) ** 2).sum(axis=0)
        pooled = np.sqrt(within / (len(X) - 2))
        effects[c] = (means[c] - outside.mean(axis=0)) / pooled
    return means, differences, effects


@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_profile_is_its_definition(shift):
    rng = np.random.RandomState(8)
    labels = rng.randint(0, 4, size=70)
    X = rng.randn(70, 5) + labels[:, None] * [0, 1, 2, -1, 5] + shift
    profile = cluster_profile(X, labels)
    means, differences, effects = profile_by_loops(X, labels)
    assert_allclose(profile.means, means)
    # A shift of 1e6 costs either way of adding up six digits.
    assert_allclose(profile.differences, differences, atol=1e-8)
    assert_allclose(profile.effects, effects, atol=1e-7)
    assert_array_equal(profile.sizes, np.bincount(labels))
    between = (np.bincount(labels)[:, None] * (means - X.mean(axis=0)) ** 2).sum(axis=0)
    assert_allclose(profile.explained, between / X.var(axis=0) / 70, rtol=1e-7)


def test_profile_of_a_feature_that_the_clusters_share_out_has_infinite_effects():
    profile = cluster_profile([[0.0, 0.1], [0.0, 0.1], [1.0, 0.1]], [0, 0, 1])
    assert_array_equal(profile.effects, [[-np.inf, 0], [np.inf, 0]])
    assert_array_equal(profile.explained, [1, 0])
    assert_array_equal(profile.differences[:, 1], 0)


def test_profile_of_one_cluster_differs_from_nothing():
    profile = cluster_profile([[0.0], [2.0]], [0, 0])
    assert_array_equal(profile.differences, [[0]])
    assert_array_equal(profile.effects, [[0]])


def test_profile_leaves_a_cluster_without_objects_open():
    profile = cluster_profile([[0.0], [2.0], [5.0]], [0, 0, 2])
    assert_array_equal(profile.sizes, [2, 0, 1])
    for part in (profile.means, profile.differences, profile.effects):
        assert np.isnan(part[1]).all()
        assert np.isfinite(part[[0, 2]]).all()


def test_profile_counts_objects_without_a_cluster_among_all():
    X = np.array([[0.0], [1.0], [4.0], [10.0]])
    profile = cluster_profile(X, [0, 0, 1, -1])
    assert_allclose(profile.differences[0, 0], (0.5 - X.mean()) / X.std())


def test_profile_needs_a_cluster():
    with pytest.raises(ComitiaError, match="no object into a cluster"):
        cluster_profile([[0.0], [1.0]], [-1, -1])
