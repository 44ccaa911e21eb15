"""Adaptive evidence accumulation: the consensus so far says who is sure."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from comitia import Ensemble
from comitia.generate.boosting import Round
from comitia.methods.baselines.eac import EAC
from comitia.methods.fixed_objects.adaptive_eac import (
    AdaptiveEAC,
    assignment_confidence,
    by_confidence,
)
from comitia.partition import cut, ensemble_linkage
from tests.fixtures import E6, same_partition, settled

EVEN = np.random.RandomState(0).rand(80, 2)  # no clusters: rounds do not agree
BLOBS, TRUTH = settled(*make_blobs(120, centers=4, random_state=3))


def rounds_of(labels):
    return [Round(column) for column in np.transpose(labels)]


def confidence_by_loops(labels, consensus):
    n = len(labels)
    A = (labels[:, None] == labels[None]).mean(axis=2)
    conf = np.empty(n)
    for i in range(n):
        own = [A[i, j] for j in range(n) if consensus[j] == consensus[i] and j != i]
        others = [
            np.mean(A[i, consensus == v])
            for v in set(consensus.tolist()) - {consensus[i]}
        ]
        conf[i] = (np.mean(own) if own else 1.0) - max(others, default=0.0)
    return conf


def test_the_confidence_of_e6_is_that_of_the_catalogue():
    got = assignment_confidence(Ensemble(E6), E6[:, 0])
    assert_allclose(got, [5 / 6, 5 / 6, 5 / 9, 5 / 9, 5 / 6, 5 / 6])


@pytest.mark.parametrize("seed", range(5))
def test_the_confidence_is_its_definition(seed):
    rng = np.random.RandomState(seed)
    labels, consensus = rng.randint(0, 4, size=(30, 6)), rng.randint(0, 3, size=30)
    consensus[0] = 3  # alone
    got = assignment_confidence(Ensemble(labels), consensus)
    assert_allclose(got, confidence_by_loops(labels, consensus), atol=1e-12)


def test_a_single_cluster_has_nothing_to_be_mistaken_for():
    got = assignment_confidence(Ensemble(E6), np.zeros(6, dtype=int))
    assert_allclose(got, confidence_by_loops(E6, np.zeros(6, dtype=int)))


@pytest.mark.parametrize("variant", ["confident", "unconfident"])
def test_weights_of_e6_follow_its_confidence(variant):
    got = by_confidence(
        np.full(6, 1 / 6), rounds_of(E6), n_clusters=2, n_warmup=3, variant=variant
    )
    conf = np.array([5 / 6, 5 / 6, 5 / 9, 5 / 9, 5 / 6, 5 / 6])
    raw = conf if variant == "confident" else 1 - conf
    assert_allclose(got, raw / raw.sum())


def test_the_first_rounds_are_not_weighted():
    fitted = AdaptiveEAC(4, n_rounds=8, n_warmup=5, random_state=0).fit(EVEN)
    weights = [made.weights for made in fitted.generator_.rounds_]
    assert_allclose(weights[:5], 1 / 80)
    assert np.ptp(weights[5]) > 1e-3
    by_hand = by_confidence(
        weights[4],
        fitted.generator_.rounds_[:5],
        n_clusters=4,
        n_warmup=5,
        variant="confident",
    )
    assert_allclose(weights[5], by_hand)


def test_an_object_that_is_nearer_to_another_cluster_weighs_nothing():
    rounds = np.random.RandomState(0).randint(0, 4, size=(40, 5))
    got = by_confidence(
        np.full(40, 1 / 40),
        rounds_of(rounds),
        n_clusters=3,
        n_warmup=1,
        variant="confident",
    )
    labels = cut(ensemble_linkage(Ensemble(rounds)), 3)
    conf = confidence_by_loops(rounds, labels)
    assert (conf < -1e-9).any()
    raw = np.maximum(conf, 0.0)
    assert_allclose(got, raw / raw.sum(), atol=1e-12)


@pytest.mark.parametrize("variant", ["confident", "unconfident"])
def test_when_rounds_agree_weights_are_uniform(variant):
    rounds = rounds_of(np.repeat(E6[:, :1], 7, axis=1))
    got = by_confidence(
        np.full(6, 1 / 6), rounds, n_clusters=2, n_warmup=1, variant=variant
    )
    assert_allclose(got, 1 / 6)


def test_variants_weigh_the_borders_differently():
    # In the first weighted round both have seen the same: one is the other reversed,
    # but for objects that are more often with others than with their own.
    sure, unsure = (
        AdaptiveEAC(4, n_rounds=10, variant=variant, random_state=0)
        .fit(EVEN)
        .object_weights_
        for variant in ("confident", "unconfident")
    )
    assert_allclose([sure.sum(), unsure.sum()], 1.0)
    assert np.corrcoef(sure, unsure)[0, 1] < -0.99


def test_warm_up_alone_is_plain_evidence_accumulation():
    fitted = AdaptiveEAC(4, n_rounds=9, n_warmup=20, random_state=0).fit(BLOBS)
    assert_allclose(fitted.object_weights_, 1 / 120)
    plain = EAC(4).fit(fitted.ensemble_)
    assert_array_equal(fitted.labels_, plain.labels_)
    assert_array_equal(fitted.linkage_, plain.linkage_)


@pytest.mark.parametrize("variant", ["confident", "unconfident"])
@pytest.mark.parametrize("linkage", ["average", "single"])
def test_blobs_are_found_and_counted(variant, linkage):
    fitted = AdaptiveEAC(variant=variant, linkage=linkage, random_state=0).fit(BLOBS)
    assert same_partition(fitted.labels_, TRUTH)
    assert adjusted_rand_score(fitted.predict(BLOBS), TRUTH) > 0.95
