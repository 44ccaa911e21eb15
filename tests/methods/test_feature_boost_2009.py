"""Boosting by feature weights: bad rounds move the draws to important features."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris, load_wine, make_blobs
from sklearn.metrics import adjusted_rand_score

from comitia.exceptions import ComitiaError
from comitia.generate.boosting import Round
from comitia.methods.fixed_features.feature_boost_2009 import (
    FeatureBoosting,
    by_importance,
    correlation_shares,
    variance_shares,
)

BLOBS, TRUTH = make_blobs(120, n_features=6, centers=4, random_state=3)


def moved(weights, importance, error):
    rounds = [Round(np.zeros(1, dtype=int), measures={"error": error})]
    return by_importance(np.asarray(weights), rounds, importance=np.array(importance))


def test_the_weights_are_those_of_the_catalogue():
    assert_allclose(moved([0.5, 0.5], [1, 0], 0.5), [2 / 3, 1 / 3])


def test_a_round_without_loss_leaves_the_weights():
    assert_allclose(moved([0.2, 0.3, 0.5], [4, 2, 1], 0.0), [0.2, 0.3, 0.5])


def test_weights_drift_to_the_importance():
    importance, weights = np.array([3.0, 1.0, 4.0]), np.full(3, 1 / 3)
    for _ in range(200):
        weights = moved(weights, importance, 0.1)
        assert_allclose(weights.sum(), 1.0)
    assert_allclose(weights, importance / importance.sum(), atol=1e-9)


@pytest.mark.parametrize("variant", ["minmax", "entropy"])
def test_every_round_obeys_its_formulas(variant):
    fitted = FeatureBoosting(4, n_rounds=5, variant=variant, random_state=0).fit(BLOBS)
    squares = np.corrcoef(BLOBS.T) ** 2 - np.eye(6)
    a = squares.sum(axis=1) / squares.sum()
    w, votes = np.full(6, 1 / 6), []
    rounds = fitted.generator_.rounds_
    for made in rounds:
        assert_allclose(made.weights, w)
        assert len(made.drawn.how) == 2  # the root of six features
        F = made.membership
        if variant == "minmax":
            Q = 1 - F.max(axis=1) + F.min(axis=1)
        else:
            Q = -(F * np.log(F)).sum(axis=1) / np.log(4)
        error = 0.5 * Q.mean()
        votes.append(np.log((1 - error) / error))
        w = (w + a * error) / (w + a * error).sum()
    assert_allclose(fitted.feature_weights_, w)
    assert_allclose(fitted.clustering_weights_, np.array(votes) / sum(votes))
    total = sum(v * made.membership for v, made in zip(votes, rounds, strict=True))
    assert adjusted_rand_score(total.argmax(axis=1), fitted.labels_) == 1.0


def test_importance_can_be_given():
    rng = np.random.RandomState(0)
    noise = 30 * rng.randn(120, 6)  # varies most and means nothing
    X = np.hstack([BLOBS, noise])
    known = np.r_[np.full(6, 100.0), np.zeros(6)]
    fitted = FeatureBoosting(4, importance=known, random_state=0).fit(X)
    assert fitted.feature_weights_[:6].sum() > 0.99
    by_variance = FeatureBoosting(4, importance="variance", random_state=0).fit(X)
    assert by_variance.feature_weights_[6:].sum() > 0.5
    score, other = (
        adjusted_rand_score(TRUTH, one.labels_) for one in (fitted, by_variance)
    )
    assert score > 0.9 > other


@pytest.mark.parametrize("importance", [[1.0], -np.ones(6), np.full(6, np.nan)])
def test_importance_must_fit_the_features(importance):
    with pytest.raises(ComitiaError, match="importance must be 6 finite numbers"):
        FeatureBoosting(4, importance=importance).fit(BLOBS)


def test_all_features_make_plain_clusterings():
    fitted = FeatureBoosting(4, feature_fraction=1.0, n_rounds=4, random_state=0)
    fitted.fit(BLOBS)
    for made in fitted.generator_.rounds_:
        assert list(made.drawn.how) == list(range(6))
    assert adjusted_rand_score(TRUTH, fitted.labels_) > 0.95


def test_blobs_are_found_and_counted():
    fitted = FeatureBoosting(random_state=0).fit(BLOBS)
    assert fitted.n_clusters_ == 4
    assert adjusted_rand_score(TRUTH, fitted.labels_) > 0.9
    assert np.mean(fitted.predict(BLOBS) == fitted.labels_) > 0.95


def test_shares_of_the_variance_are_their_definition():
    X = np.random.RandomState(0).randn(20, 5) * [1, 2, 3, 4, 0]
    variances = X.var(axis=0)
    assert_allclose(variance_shares(X), variances / variances.sum())
    assert_allclose(variance_shares(8.0 * X - 3.0), variance_shares(X))
    assert_allclose(variance_shares(np.ones((3, 4))), 0.25)


@pytest.mark.parametrize("load", [load_wine, load_iris])
def test_features_of_standardized_data_do_not_matter_alike(load):
    X, y = load(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    fitted = FeatureBoosting(3, random_state=0).fit(X)
    weights = fitted.feature_weights_
    assert weights.std() / weights.mean() > 0.05
    # The varieties differ most in the features that matter most.
    between = sum((y == c).mean() * X[y == c].mean(axis=0) ** 2 for c in range(3))
    assert np.corrcoef(weights, between)[0, 1] > 0.5


def test_features_that_vary_with_the_clusters_matter_more_than_noise():
    noise = np.random.RandomState(0).randn(120, 6)
    shares = correlation_shares(np.hstack([BLOBS, noise]))
    assert shares[:6].min() > 2 * shares[6:].max()


def test_shares_of_the_correlations_are_their_definition():
    X = np.random.RandomState(0).randn(20, 5) * [1, 2, 3, 4, 0]
    R2 = np.corrcoef(X[:, :4].T) ** 2 - np.eye(4)
    wanted = np.append(
        R2.sum(axis=1) / R2.sum(), 0.0
    )  # a constant feature tells nothing
    assert_allclose(correlation_shares(X), wanted)
    assert_allclose(correlation_shares(X * [9, 8, 7, 6, 5] - 3.0), wanted)
    assert_allclose(correlation_shares(np.ones((3, 4))), 0.25)
    assert_allclose(
        correlation_shares(np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])), 0.5
    )


def test_correlations_of_many_features_are_taken_in_parts():
    X = np.random.RandomState(0).randn(15, 1500)
    R2 = np.corrcoef(X.T) ** 2 - np.eye(1500)
    assert_allclose(correlation_shares(X), R2.sum(axis=1) / R2.sum())
