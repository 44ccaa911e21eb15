"""Adaptive clustering ensembles: objects that change their label are drawn more."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from comitia.generate.boosting import Round
from comitia.methods.fixed_objects.topchy_2004 import (
    AdaptiveClusteringEnsemble,
    by_inconsistency,
)
from comitia.partition import cut, hac

# Two clusters, and a bridge of objects that may go either way.
X = np.r_[np.linspace(0, 3, 25), np.linspace(4, 6, 6), np.linspace(7, 10, 25)][:, None]
BRIDGE = slice(25, 31)


def rounds_of(labels):
    return [Round(column) for column in np.transpose(labels)]


def weights_by_loops(weights, labels, alpha):
    numerators = []
    for w, row in zip(weights, labels, strict=True):
        drawn = row[row >= 0]
        best = max((np.mean(drawn == r) for r in set(drawn)), default=0.0)
        numerators.append(alpha * w + 1 - best)
    return np.array(numerators) / np.sum(numerators)


def test_weights_are_those_of_the_catalogue():
    # Consistencies 1, 1 and 1/2; numerators 0.1, 0.1 and 0.6.
    rounds = rounds_of([[0, 0], [1, 1], [0, 1]])
    got = by_inconsistency(np.full(3, 1 / 3), rounds, retention=0.3)
    assert_allclose(got, [0.125, 0.125, 0.75])


@pytest.mark.parametrize("seed", range(5))
def test_weights_are_their_definition(seed):
    rng = np.random.RandomState(seed)
    labels = rng.randint(0, 3, size=(30, 8))
    labels[:5] = 1
    weights = np.full(30, 1 / 30)
    for m in range(1, 9):
        expected = weights_by_loops(weights, labels[:, :m], 0.4)
        weights = by_inconsistency(weights, rounds_of(labels[:, :m]), retention=0.4)
        assert_allclose(weights, expected, atol=1e-12)
    assert_allclose(weights.sum(), 1.0)


def test_objects_that_were_not_drawn_come_first():
    labels = np.array([[0, 0], [1, -1], [-1, -1], [0, 1]])
    weights = by_inconsistency(np.full(4, 0.25), rounds_of(labels))
    assert weights.argmax() == 2
    assert_allclose(weights, weights_by_loops(np.full(4, 0.25), labels, 0.3))


def test_the_priority_of_those_drawn_late_is_forgotten():
    first = by_inconsistency(np.full(4, 0.25), rounds_of([[0], [1], [-1], [-1]]))
    assert first[2] > 10 * first[0]
    labels = [[0, -1, 0], [1, -1, 1], [-1, 0, 0], [-1, 1, 0]]
    second = by_inconsistency(first, rounds_of(np.array(labels)[:, :2]))
    assert_allclose(second, 0.25)
    third = by_inconsistency(second, rounds_of(labels))
    # Only the last object has changed its label; the others are equal.
    assert_allclose(third[:3], third[0])
    assert third[3] > third[0]


def test_without_memory_and_doubt_weights_are_uniform():
    rounds = rounds_of([[0, 0], [1, 1], [1, 1]])
    weights = by_inconsistency(np.array([0.2, 0.2, 0.6]), rounds, retention=0.0)
    assert_allclose(weights, 1 / 3)


def test_the_bridge_is_drawn_most():
    fitted = AdaptiveClusteringEnsemble(2, random_state=0).fit(X)
    weights = fitted.object_weights_
    assert_allclose(weights.sum(), 1.0)
    assert weights[BRIDGE].sum() > 0.9
    drawn = (fitted.ensemble_.labels >= 0).mean(axis=1)
    assert drawn[BRIDGE].max() > drawn[:20].max()


def test_a_round_draws_its_share_of_different_objects():
    fitted = AdaptiveClusteringEnsemble(2, object_fraction=0.25, random_state=0)
    fitted.fit(X)
    assert ((fitted.ensemble_.labels >= 0).sum(axis=0) == 14).all()


def test_the_tree_counts_only_rounds_that_drew_both():
    fitted = AdaptiveClusteringEnsemble(2, n_rounds=60, random_state=1).fit(X)
    labels = fitted.ensemble_.labels
    both = (labels[:, None] >= 0) & (labels[None] >= 0)
    together = (both & (labels[:, None] == labels[None])).sum(axis=2)
    S = together / np.maximum(both.sum(axis=2), 1)
    expected = hac(1.0 - S)
    # Similarities are single precision.
    assert_allclose(fitted.linkage_[:, 2], expected[:, 2], atol=1e-6)
    assert adjusted_rand_score(fitted.labels_, cut(expected, 2)) == 1.0


@pytest.mark.parametrize("linkage", ["average", "single", "complete", "ward"])
def test_blobs_are_found_and_counted(linkage):
    blobs, truth = make_blobs(120, centers=4, random_state=3)
    fitted = AdaptiveClusteringEnsemble(linkage=linkage, random_state=0).fit(blobs)
    assert adjusted_rand_score(truth, fitted.labels_) > 0.95
    new = fitted.predict(blobs + 0.01)
    assert np.mean(new == fitted.labels_) > 0.95
