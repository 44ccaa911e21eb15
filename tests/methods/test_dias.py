"""DIAS against the catalogue, SciPy and its limits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from sklearn.datasets import make_blobs
from sklearn.metrics import mutual_info_score

from comitia import Ensemble
from comitia.methods import DIAS, KCC
from comitia.methods._votes import ObjectVotes, penalized_weights
from comitia.methods.variable_clusterings.dias import (
    joint_counts,
    likeliest_clusters,
)
from comitia.methods.variable_clusterings.dias import utilities as utilities_of_counts
from tests.fixtures import E6, planted, same_partition


def random_problem(seed):
    rng = np.random.RandomState(seed)
    rows = rng.randint(3, size=(30, 4))
    votes = ObjectVotes(Ensemble(np.repeat(rows, 2, axis=0)), 3)
    labels = rng.randint(3, size=votes.ensemble.n_objects).astype(np.int32)
    return votes, labels


def utilities(votes, labels):
    return utilities_of_counts(votes, joint_counts(votes, labels))


def test_utilities_and_weights_of_e6_are_those_of_the_catalogue():
    votes = ObjectVotes(Ensemble(E6), 2)
    U = utilities(votes, votes.ensemble.labels[:, 0])
    assert_allclose(U, [0.693147, 0.693147, 0.462098], atol=5e-7)  # six decimals
    w = penalized_weights(-U, 1.0)
    assert_allclose(w, [0.371842, 0.371842, 0.256317], atol=1e-6)  # six decimals


@pytest.mark.parametrize("seed", range(3))
def test_utilities_are_mutual_information(seed):
    votes, labels = random_problem(seed)
    wanted = [mutual_info_score(labels, c) for c in votes.ensemble.labels.T]
    assert_allclose(utilities(votes, labels), wanted, rtol=1e-9)


def test_missing_labels_scale_the_information_by_their_share():
    labels = E6.copy()
    labels[[0, 5], 2] = -1
    votes = ObjectVotes(Ensemble(labels), 2)
    consensus = E6[:, 0]
    wanted = 4 / 6 * mutual_info_score(E6[1:5, 0], labels[1:5, 2])
    assert_allclose(utilities(votes, consensus)[2], wanted)


@pytest.mark.parametrize("seed", range(3))
def test_objects_go_where_the_printed_distance_is_least(seed):
    votes, labels = random_problem(seed)
    w = np.array([0.4, 0.3, 0.2, 0.1])
    distance = np.zeros((60, 3))
    for m, column in enumerate(votes.ensemble.labels.T):
        for r in range(3):
            p = np.bincount(column[labels == r], minlength=3) / (labels == r).sum()
            distance[:, r] -= w[m] * np.log(p[column] + 1e-6)
    got = likeliest_clusters(votes, w, joint_counts(votes, labels))
    assert_allclose(distance[np.arange(60), got], distance.min(axis=1))


@pytest.mark.parametrize("seed", range(3))
def test_weights_are_those_of_a_numerical_optimizer(seed):
    votes, labels = random_problem(seed)
    U = utilities(votes, labels) * 10
    found = minimize(
        lambda w: -w @ U + 0.8 * w @ w,
        np.full(4, 0.25),
        bounds=[(0, 1)] * 4,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        options={"ftol": 1e-15},
    )
    assert_allclose(penalized_weights(-U, 0.8), found.x, atol=1e-5)  # SLSQP


@pytest.mark.parametrize("variant", ["mutual_information", "normalized"])
@pytest.mark.parametrize("seed", range(3))
def test_the_objective_does_not_rise(seed, variant):
    labels, _ = planted(150, 4, 9, 0.6, seed)
    labels[:, 0] = np.random.RandomState(seed).randint(8, size=150)
    fitted = DIAS(4, variant=variant, n_init=1, random_state=0).fit(Ensemble(labels))
    assert (np.diff(fitted.objective_) <= 1e-12).all()
    assert fitted.objective_[-1] < fitted.objective_[0]
    w = fitted.clustering_weights_
    assert_allclose(w.sum(), 1.0)
    information = [mutual_info_score(fitted.labels_, c) for c in labels.T]
    if variant == "normalized":
        information = information / np.log(labels.max(axis=0) + 1)
    fitted_cost = fitted.objective_.min() + w @ information
    assert fitted_cost > 0  # what is left is the penalty
    assert_allclose(fitted_cost / (w @ w), penalty_of(labels, variant), rtol=1e-6)


def penalty_of(labels, variant):
    votes = ObjectVotes(Ensemble(labels), 4)
    method = DIAS(4, variant=variant, n_init=1)
    method._start(votes, np.random.RandomState(0))
    return votes.penalty


def test_first_weights_are_proportional_to_the_utilities():
    labels, _ = planted(100, 3, 6, 0.4, 1)
    votes = ObjectVotes(Ensemble(labels), 3)
    method = DIAS(3)
    _, start = method._start(votes, np.random.RandomState(0))
    U = utilities(votes, start.labels)
    assert_allclose(method._update_weights(votes, start), U / U.sum(), rtol=1e-9)


def test_a_large_penalty_makes_it_kmeans_based_consensus():
    labels, _ = planted(200, 4, 10, 0.2, 2)
    fitted = DIAS(4, weight_penalty=1e9, random_state=0).fit(Ensemble(labels))
    plain = KCC(4, utility="entropy", random_state=0).fit(Ensemble(labels))
    assert_allclose(fitted.clustering_weights_, 0.1)
    assert same_partition(fitted.labels_, plain.labels_)


def test_normalizing_takes_the_advantage_of_many_clusters_away():
    labels, truth = planted(120, 3, 6, 0.0, 3)
    fine = 4 * labels[:, :1] + np.random.RandomState(0).randint(4, size=(120, 1))
    votes = ObjectVotes(Ensemble(np.hstack([labels[:, 1:3], fine])), 3)
    plain = DIAS(3)._counted(votes, truth).utilities
    fair = DIAS(3, variant="normalized")._counted(votes, truth).utilities
    assert_allclose(plain, np.log(3))
    assert_allclose(fair, np.log(3) / np.log([3, 3, 12]))


def test_data_are_taken_apart_by_features():
    X, truth = make_blobs(90, n_features=20, centers=3, random_state=0)
    fitted = DIAS(3, random_state=0).fit(X)
    assert fitted.ensemble_.n_clusterings == 100
    assert same_partition(fitted.labels_, truth)
