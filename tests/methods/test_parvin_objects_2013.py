"""Objects are weighted by how uncertain their companions are."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble
from comitia.generate.boosting import Round
from comitia.methods.fixed_objects.parvin_objects_2013 import (
    EntropySampledEnsemble,
    by_coassociation_entropy,
    coassociation_entropy,
)
from tests.fixtures import E6


def rounds_of(labels):
    return [Round(column) for column in np.transpose(labels)]


def uncertainty_by_loops(labels, variant):
    n = len(labels)
    u = np.zeros(n)
    for i in range(n):
        for j in range(n):
            both = (labels[i] >= 0) & (labels[j] >= 0)
            if not both.any():
                continue
            a = np.mean(labels[i][both] == labels[j][both])
            for p in (a,) if variant == "row" else (a, 1 - a):
                u[i] -= p * np.log(p) if p > 0 else 0.0
    return u


def test_the_uncertainty_of_e6_is_that_of_the_catalogue():
    got = coassociation_entropy(Ensemble(E6))
    expected = [0.270310, 0.270310, 0.906824, 0.906824, 0.270310, 0.270310]
    assert_allclose(got, expected, atol=5e-7)  # printed to six decimals


def test_the_weights_of_e6_are_those_of_the_catalogue():
    got = by_coassociation_entropy(np.full(6, 1 / 6), rounds_of(E6))
    expected = [0.130021, 0.130021, 0.239958, 0.239958, 0.130021, 0.130021]
    assert_allclose(got, expected, atol=5e-7)  # printed to six decimals
    assert_allclose(got.sum(), 1.0)


@pytest.mark.parametrize("variant", ["row", "binary"])
@pytest.mark.parametrize("seed", range(3))
def test_the_uncertainty_is_its_definition(seed, variant):
    rng = np.random.RandomState(seed)
    labels = rng.randint(0, 3, size=(20, 7))
    labels[rng.rand(20, 7) < 0.5] = -1
    labels[3] = 0
    got = coassociation_entropy(Ensemble(labels), variant)
    assert_allclose(got, uncertainty_by_loops(labels, variant), atol=1e-9)


def test_the_normalized_row_would_measure_the_size_of_clusters():
    certain = Ensemble(np.repeat([[0, 0, 0, 1, 1, 1, 1]], 3, axis=0).T)
    assert_array_equal(coassociation_entropy(certain), 0.0)
    A = certain.coassociation()
    p = A / A.sum(axis=1, keepdims=True)
    H = -(p * np.log(p, where=p > 0, out=np.zeros_like(p))).sum(axis=1)
    assert_allclose(H, np.log([3, 3, 3, 4, 4, 4, 4]), rtol=1e-6)  # single precision


@pytest.mark.parametrize("n_rounds", [1, 3, 7, 49])
def test_a_unanimous_ensemble_leaves_the_weights(n_rounds):
    weights = np.array([0.1, 0.2, 0.3, 0.4])
    rounds = rounds_of(np.repeat([[0], [0], [1], [1]], n_rounds, axis=1))
    assert_array_equal(by_coassociation_entropy(weights, rounds), weights)


def test_retention_is_the_share_of_the_old_weights():
    weights, rounds = np.full(6, 1 / 6), rounds_of(E6)
    assert_allclose(by_coassociation_entropy(weights, rounds, retention=1.0), weights)
    u = uncertainty_by_loops(E6, "row")
    new = by_coassociation_entropy(weights, rounds, retention=0.0)
    assert_allclose(new, u / u.sum())


def test_the_new_weights_are_their_definition():
    weights = np.array([0.3, 0.1, 0.1, 0.2, 0.05, 0.25])
    u = uncertainty_by_loops(E6, "row")
    new = by_coassociation_entropy(weights, rounds_of(E6), retention=0.2)
    expected = 0.2 * weights + 0.8 * weights * u / (weights * u).sum()
    assert_allclose(new, expected)
    assert_allclose(new.sum(), 1.0)


def test_objects_not_drawn_yet_count_as_most_uncertain():
    labels = np.vstack([E6, [-1, -1, -1]])
    new = by_coassociation_entropy(np.full(7, 1 / 7), rounds_of(labels))
    assert_allclose(new[6], new[2])
    assert new[6] > new[0]


def test_objects_between_the_clusters_gain_weight():
    X = np.r_[np.linspace(0, 3, 25), np.linspace(4, 6, 6), np.linspace(7, 10, 25)]
    fitted = EntropySampledEnsemble(2, random_state=0).fit(X[:, None])
    weights = fitted.object_weights_
    assert_allclose(weights.sum(), 1.0)
    assert weights[25:31].mean() > 5 * weights[:20].mean()
