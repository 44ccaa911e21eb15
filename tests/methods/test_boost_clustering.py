"""Boost-clustering: undecided objects are drawn more, decided rounds vote more."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist
from sklearn.datasets import load_wine, make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from comitia.generate.boosting import Round
from comitia.generate.boosting_votes import (
    by_pseudoloss,
    indecision,
    no_better_than_chance,
    pseudoloss,
)
from comitia.generate.nearest_models import NearestCenter
from comitia.methods.fixed_objects.boost_clustering import BoostClustering
from tests.fixtures import X6

BLOBS, _ = make_blobs(150, centers=3, random_state=0)


def measured(membership, weights=None, **kinds):
    n = len(membership)
    weights = np.full(n, 1 / n) if weights is None else weights
    made = Round(membership=np.asarray(membership, dtype=float), weights=weights)
    made.measures = pseudoloss(None, made, [], **kinds)
    return made


def test_numbers_of_x6_are_those_of_the_catalogue():
    F = NearestCenter(np.array([[1.0], [11.0]])).predict_membership(X6)
    made = measured(F)
    assert_allclose(made.measures["Q"], [1 / 6, 0, 1 / 5, 1 / 5, 0, 1 / 6], atol=1e-12)
    assert_allclose(made.measures["error"], 11 / 180)
    assert_allclose(
        by_pseudoloss(made.weights, [made]),
        [0.183178, 0.116178, 0.200643, 0.200643, 0.116178, 0.183178],
        atol=5e-7,  # printed to six decimals
    )


@pytest.mark.parametrize("variant", ["minmax", "entropy"])
def test_every_round_obeys_its_formulas(variant):
    fitted = BoostClustering(3, variant=variant, n_rounds=6, random_state=0).fit(BLOBS)
    rounds = fitted.generator_.rounds_
    votes = []
    for t, made in enumerate(rounds):
        F, w = made.membership, made.weights
        if variant == "minmax":
            Q = [1 - max(row) + min(row) for row in F]
        else:
            Q = [-sum(f * np.log(f) for f in row if f > 0) / np.log(3) for row in F]
        error = 0.5 * sum(a * b for a, b in zip(w, Q, strict=True))
        new = w * ((1 - error) / error) ** np.array(Q)
        after = rounds[t + 1].weights if t < 5 else fitted.object_weights_
        assert_allclose(after, new / new.sum(), rtol=1e-9)
        votes.append(np.log((1 - error) / error))
    assert_allclose(fitted.clustering_weights_, np.array(votes) / sum(votes))
    total = sum(v * made.membership for v, made in zip(votes, rounds, strict=True))
    elected = total.argmax(axis=1)
    assert adjusted_rand_score(elected, fitted.labels_) == 1.0


def test_the_printed_entropy_would_turn_votes_negative():
    even = np.full((5, 4), 0.25)
    printed = 0.5 * -np.log(0.25)  # without 1 / ln k
    assert_allclose(printed, 0.693, atol=5e-4)  # printed to three decimals
    assert np.log((1 - printed) / printed) < 0
    assert_allclose(measured(even, variant="entropy").measures["error"], 0.5)


def test_a_crisp_round_leaves_the_weights_and_votes_with_the_floor():
    weights = np.array([0.2, 0.3, 0.5])
    made = measured(np.eye(3), weights)
    assert made.measures["error"] == 1e-6
    assert_allclose(by_pseudoloss(weights, [made]), weights)
    assert np.isfinite(made.measures["vote"])


def test_the_loop_ends_when_nothing_is_decided_or_clusters_are_missing():
    sure, even = measured(np.eye(3)), measured(np.full((3, 3), 1 / 3))
    assert no_better_than_chance(even, [sure])
    assert not no_better_than_chance(sure, [sure])
    assert no_better_than_chance(measured(np.ones((3, 1))), [sure])


def test_without_doubt_all_rounds_are_plain_bootstraps():
    far = np.repeat([[0.0], [1e9]], 10, axis=0)
    fitted = BoostClustering(2, n_rounds=5, random_state=0).fit(far)
    for made in fitted.generator_.rounds_:
        assert_allclose(made.weights, 1 / 20)
    assert_allclose(fitted.clustering_weights_, 1 / 5)


def test_undecided_objects_gain_weight():
    X = np.r_[np.linspace(0, 3, 25), [5.0], np.linspace(7, 10, 25)][:, None]
    fitted = BoostClustering(2, n_rounds=3, random_state=0).fit(X)
    assert fitted.object_weights_.argmax() == 25
    # The middle is where a centre would be; it stays undecided in all rounds.
    assert indecision(fitted.generator_.rounds_[0].membership).argmax() == 25


def test_one_cluster_is_certain():
    fitted = BoostClustering(1, n_rounds=3, random_state=0).fit(X6)
    assert (fitted.labels_ == 0).all()
    assert_allclose(fitted.object_weights_, 1 / 6)


@pytest.mark.parametrize("fuzziness", [None, 1.2, 2.0, "auto"])
def test_memberships_are_shares_of_inverse_distances(fuzziness):
    X, _ = make_blobs(60, centers=3, n_features=8, random_state=0)
    fitted = BoostClustering(3, n_rounds=3, fuzziness=fuzziness, random_state=0).fit(X)
    for made in fitted.generator_.rounds_:
        closeness = 1 / cdist(X, made.model.centers)
        shares = closeness / closeness.sum(axis=1, keepdims=True)
        # The clusters of a round are renamed after the vote.
        assert_allclose(np.sort(made.membership), np.sort(shares), atol=1e-9)


def test_samples_do_not_end_on_the_borders():
    # Crisp memberships leave a fifth of the objects to draw from: 0.55 to 0.66.
    X, truth = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    fitted = BoostClustering(3, fuzziness="auto", random_state=0).fit(X)
    effective = 1 / np.sum(fitted.object_weights_**2)
    assert effective > 0.4 * len(X)
    assert adjusted_rand_score(truth, fitted.labels_) > 0.75
