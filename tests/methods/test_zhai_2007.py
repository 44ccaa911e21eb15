"""Dual boosting: torn objects weigh more, and later rounds count more."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from comitia.cluster import FuzzyCMeans
from comitia.generate.boosting import Round
from comitia.generate.boosting_rounds import fuzzy_round
from comitia.methods.fixed_objects.zhai_2007 import (
    DualBoosting,
    by_entropy,
    membership_similarity,
)

BLOBS, TRUTH = make_blobs(120, centers=4, random_state=3)


def test_the_weights_are_those_of_the_catalogue():
    F = np.array([[1.0, 0.0], [0.5, 0.5], [0.75, 0.25]])
    got = by_entropy(None, [Round(membership=F)])
    assert_allclose(got, [1.0, 3.0, 2.469450], atol=5e-7)  # printed to six decimals


def test_weights_lie_between_one_and_three_for_any_number_of_clusters():
    F = np.vstack([np.eye(5), np.full((1, 5), 0.2)])
    got = by_entropy(None, [Round(membership=F)])
    assert_allclose(got, [1, 1, 1, 1, 1, 3])


def test_similarities_are_those_of_the_catalogue():
    F = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.25, 0.75]])
    S = membership_similarity(F)
    assert_allclose(np.diag(S), 1.0)
    assert S[0, 2] == 1.0
    assert S[0, 1] == 0.0


def test_similarities_are_their_definition():
    F = np.random.RandomState(0).dirichlet([1, 1, 1], size=12)
    S = membership_similarity(F)
    for i in range(12):
        for j in range(12):
            product = sum(F[i] * F[j])
            expected = product / (sum(F[i] ** 2) + sum(F[j] ** 2) - product)
            assert_allclose(S[i, j], expected)


def test_weights_act_inside_fuzzy_c_means():
    weights = np.random.RandomState(0).rand(120) + 1
    rng = np.random.RandomState(0)
    made = fuzzy_round(BLOBS, None, weights, rng, n_clusters=4)
    centers = made.model.centers
    peer = FuzzyCMeans(4, init=centers).fit(BLOBS, sample_weight=weights)
    # Both stop when no membership changes by more than 1e-5.
    assert_allclose(made.membership, peer.membership_, atol=1e-4)
    plain = FuzzyCMeans(4, init=centers).fit(BLOBS)
    assert abs(plain.cluster_centers_ - centers).max() > 1e-3


def test_every_round_weighs_by_the_last_one():
    fitted = DualBoosting(4, n_rounds=4, random_state=0).fit(BLOBS)
    rounds = fitted.generator_.rounds_
    assert_allclose(rounds[0].weights, 1.0)
    for t, made in enumerate(rounds):
        F = made.membership
        h = -(F * np.log(F)).sum(axis=1) / np.log(4)
        after = rounds[t + 1].weights if t < 3 else fitted.object_weights_
        assert_allclose(after, 1 + h * (1 + h))


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.9])
def test_shares_of_the_rounds_are_those_of_the_recursion(alpha):
    fitted = DualBoosting(4, n_rounds=5, retention=alpha, random_state=0).fit(BLOBS)
    S = None
    for made in fitted.generator_.rounds_:
        T = membership_similarity(made.membership)
        S = T if S is None else alpha * S + (1 - alpha) * T
    got = sum(
        v * membership_similarity(made.membership)
        for v, made in zip(
            fitted.clustering_weights_, fitted.generator_.rounds_, strict=True
        )
    )
    assert_allclose(got, S)
    assert_allclose(fitted.clustering_weights_.sum(), 1.0)


def test_without_retention_only_the_last_round_counts():
    fitted = DualBoosting(4, n_rounds=3, retention=0.0, random_state=0).fit(BLOBS)
    assert_allclose(fitted.clustering_weights_, [0, 0, 1])


def test_one_round_is_unweighted():
    fitted = DualBoosting(4, n_rounds=1, random_state=0).fit(BLOBS)
    assert_allclose(fitted.clustering_weights_, [1.0])


def test_imbalance_lets_clusters_differ_in_size():
    X, truth = make_blobs([60, 20], centers=[[0, 0], [9, 9]], random_state=0)
    even = DualBoosting(2, random_state=0).fit(X)
    assert np.bincount(even.labels_).max() <= 42
    free = DualBoosting(2, imbalance=0.6, random_state=0).fit(X)
    assert adjusted_rand_score(truth, free.labels_) == 1.0
