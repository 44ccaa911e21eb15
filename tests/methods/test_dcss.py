"""Mixtures that resemble the others are kept, and their components grouped."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import multivariate_normal
from sklearn.datasets import make_blobs

from comitia import method
from comitia.agreement import adjusted_rand
from comitia.exceptions import ComitiaError
from comitia.methods.selection._dcss_gaussians import bhattacharyya
from comitia.methods.selection.dcss import (
    _stacked,
    mixture_distances,
    neighbor_hyperedges,
)
from tests.fixtures import same_partition

DCSS = method("dcss")


def blobs(seed=0, n=90):
    return make_blobs(
        n, centers=[[0, 0], [0, 8], [8, 0]], random_state=seed, cluster_std=1.2
    )


def fitted(seed=0, **parameters):
    parameters = {"n_clusterings": 8, "random_state": 0} | parameters
    return DCSS(3, **parameters).fit(blobs(seed)[0])


def mixture(*means, shares=None):
    k = len(means)
    return SimpleNamespace(
        proportions_=np.full(k, 1 / k) if shares is None else np.array(shares),
        cluster_centers_=np.array(means, dtype=float)[:, None],
        covariances_=np.ones((k, 1, 1)),
    )


def test_an_outlying_mixture_has_the_lowest_score():
    weights, means, covariances, of = _stacked(
        [mixture(0, 4), mixture(0.1, 4), mixture(0, 4.1), mixture(20, 30)]
    )
    distance = mixture_distances(bhattacharyya(means, covariances), weights, of)
    mean = (distance.sum(axis=1) - distance.diagonal()) / 3
    assert mean.argmax() == 3
    assert mean[3] > 2 * mean[:3].max()


def test_the_distance_of_mixtures_is_that_of_their_components():
    weights, means, covariances, of = _stacked(
        [mixture(0, 2, shares=[0.25, 0.75]), mixture(2)]
    )
    D = bhattacharyya(means, covariances)
    distance = mixture_distances(D, weights, of, "raw")
    # N(0, 1) and N(2, 1) are 0.5 apart.
    assert_allclose(distance, [[2 * 0.25 * 0.75 * 0.5, 0.125], [0.125, 0]])
    # The quarter at 0 is 0.5 from the other; nothing of the other is from the first.
    matched = mixture_distances(D, weights, of)
    assert_allclose(matched, [[0, 0.0625], [0.0625, 0]])
    centered = mixture_distances(D, weights, of, "centered")
    assert_allclose(centered.diagonal(), 0)
    assert_allclose(centered[0, 1], 0.125 - 0.1875 / 2)


def test_a_mixture_with_all_components_on_one_place_is_not_the_best():
    # Three that agree on two clusters, and one with both in the middle.
    mixtures = [mixture(0, 8), mixture(0.2, 8), mixture(0, 8.2), mixture(4, 4.1)]
    weights, means, covariances, of = _stacked(mixtures)
    D = bhattacharyya(means, covariances)
    mean = {}
    for variant in ("matched", "raw"):
        distance = mixture_distances(D, weights, of, variant)
        mean[variant] = distance.sum(axis=1) - distance.diagonal()
    assert mean["matched"].argmax() == 3
    assert mean["raw"].argmin() == 3


@pytest.mark.parametrize("variant", ["matched", "raw", "centered"])
def test_scores_are_positive_and_finite_in_many_features(variant):
    rng = np.random.RandomState(0)
    X = np.vstack([rng.randn(40, 60) * s + 50 * s for s in (0.01, 1, 30)])
    got = DCSS(3, n_clusterings=8, variant=variant, random_state=0).fit(X)
    scores = got.clustering_weights_
    assert np.isfinite(scores).all()
    assert (scores > 0).all()
    assert scores.max() == 1


@pytest.mark.parametrize("variant", ["matched", "raw", "centered"])
def test_scores_are_their_definition(variant):
    got = fitted(variant=variant)
    parts = [
        [*zip(m.proportions_, m.cluster_centers_, m.covariances_, strict=True)]
        for m in (member.model for member in got.generator_.members_)
    ]

    def apart(a, b):
        return bhattacharyya([a[1], b[1]], [a[2], b[2]])[0, 1]

    def matched(one, other):
        there = sum(a[0] * min(apart(a, b) for b in other) for a in one)
        back = sum(b[0] * min(apart(a, b) for a in one) for b in other)
        return (there + back) / 2

    def raw(one, other):
        return sum(a[0] * b[0] * apart(a, b) for a in one for b in other)

    between = matched if variant == "matched" else raw
    dist = np.array([[between(a, b) for b in parts] for a in parts])
    if variant == "centered":
        own = dist.diagonal() / 2
        dist = dist - own - own[:, None]
    np.fill_diagonal(dist, 0)
    score = np.exp(-dist.sum(axis=1) / 7)
    assert_allclose(got.clustering_weights_, score / score.max(), rtol=1e-9)
    kept = np.argsort(-score)[:4]
    assert_array_equal(np.flatnonzero(got.selected_), np.sort(kept))


def test_hyperedges_have_the_nearest_and_their_mean_similarity():
    D = np.abs(np.subtract.outer([0.0, 1.0, 3.0, 7.0], [0.0, 1.0, 3.0, 7.0]))
    H, weights = neighbor_hyperedges(D, 2)
    assert_array_equal(
        H[:, :4].toarray().T, [[1, 1, 1, 0], [1, 1, 1, 0], [1, 1, 1, 0], [0, 1, 1, 1]]
    )
    first = (np.exp(-1) + np.exp(-2) + np.exp(-3)) / 3
    assert_allclose(weights[:3], first)
    assert_allclose(weights[3], (np.exp(-2) + np.exp(-4) + np.exp(-6)) / 3)
    # Behind them the faint edges of all six pairs.
    assert_array_equal(H[:, 4:].sum(axis=0), 2)
    assert_allclose(weights[4], 1e-6 * np.exp(-1))


def test_a_thousand_components_need_no_dense_table_of_their_pairs():
    # Ten mixtures of a hundred components: 499 500 pairs, 4 GB if each had a column.
    x = np.arange(1000.0)
    H, weights = neighbor_hyperedges(np.abs(np.subtract.outer(x, x)), 3)
    assert H.shape == (1000, 500_500)
    assert H.nnz == 1000 * 4 + 499_500 * 2
    assert len(weights) == 500_500


def test_membership_is_the_posterior_of_the_merged_mixture():
    X, _ = blobs()
    got = fitted()
    joint = np.column_stack(
        [
            share * multivariate_normal(mean, covariance).pdf(X)
            for share, mean, covariance in zip(
                got.proportions_, got.cluster_centers_, got.covariances_, strict=True
            )
        ]
    )
    assert_allclose(
        got.membership_, joint / joint.sum(axis=1, keepdims=True), atol=1e-9
    )
    assert_array_equal(got.labels_, got.membership_.argmax(axis=1))
    assert_allclose(got.proportions_.sum(), 1)


@pytest.mark.parametrize("seed", range(3))
def test_clear_clusters_are_found(seed):
    X, truth = blobs(seed)
    got = DCSS(3, random_state=0).fit(X)
    assert adjusted_rand(got.labels_, truth) > 0.97
    assert got.selected_.sum() == 10


def test_one_mixture_is_its_own_result():
    X, _ = blobs()
    got = DCSS(3, n_clusterings=1, random_state=0).fit(X)
    assert_array_equal(got.clustering_weights_, 1)
    assert same_partition(got.labels_, got.ensemble_.labels[:, 0])


def test_few_objects_of_many_features_have_diagonal_covariances():
    X = np.random.RandomState(0).randn(20, 3)
    assert DCSS(2, n_clusterings=4, random_state=0).fit(X).covariances_.shape == (2, 3)


def test_more_than_there_are_cannot_be_kept():
    with pytest.raises(ComitiaError, match="n_select=9"):
        fitted(n_select=9)


def test_given_clusterings_have_no_mixtures_to_select():
    got = fitted()
    with pytest.raises(ComitiaError, match="fits itself"):
        got.select(got.ensemble_, blobs()[0])
