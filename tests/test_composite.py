"""Your own mix of generator, selection, weighting and consensus."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import comitia
from comitia import ConsensusClustering, Ensemble
from tests.fixtures import E6, planted, same_partition

LABELS, TRUTH = planted(90, 3, 12, noise=0.1, seed=0)
EASY = Ensemble(LABELS)


@pytest.mark.parametrize("consensus", ["average", "complete", "ward", "tcut", "kmeans"])
@pytest.mark.parametrize("weighting", [None, "crowd_agreement"])
def test_every_named_mix_finds_easy_clusters(consensus, weighting):
    mix = ConsensusClustering(
        n_clusters=3, weighting=weighting, consensus=consensus, random_state=0
    )
    assert same_partition(mix.fit_predict(EASY), TRUTH)


@pytest.mark.parametrize(
    ("published", "weighting", "consensus"),
    [
        ("eac", None, "average"),
        ("weac", "crowd_agreement", "average"),
        ("lwea", "entropy_certainty", "average"),
        ("lwgp", "entropy_certainty", "tcut"),
    ],
)
def test_a_published_method_is_a_mix(published, weighting, consensus):
    mix = ConsensusClustering(
        n_clusters=5, weighting=weighting, consensus=consensus, random_state=0
    ).fit(EASY)
    method = comitia.method(published)(n_clusters=5, random_state=0).fit(EASY)
    assert_array_equal(mix.labels_, method.labels_)


class Best:
    def select(self, ensemble, X):
        return np.argsort(-ensemble.agreement().sum(axis=0))[:3]


def test_a_selection_keeps_what_it_says():
    fitted = ConsensusClustering(n_clusters=3, selection=Best()).fit(EASY)
    assert fitted.selected_.sum() == 3
    assert fitted.ensemble_.n_clusterings == 12
    assert_allclose(fitted.clustering_weights_, fitted.selected_ / 3)
    alone = ConsensusClustering(n_clusters=3).fit(
        EASY.take(clusterings=fitted.selected_)
    )
    assert_array_equal(fitted.labels_, alone.labels_)


def test_clusters_that_were_not_selected_weigh_nothing():
    fitted = ConsensusClustering(
        n_clusters=2,
        selection=lambda ensemble, X: [0, 2],
        weighting="entropy_certainty",
    ).fit(Ensemble(E6))
    weights = fitted.cluster_weights_
    assert_array_equal(weights > 0, [1, 1, 0, 0, 1, 1, 1])
    assert_allclose(fitted.membership_.sum(axis=1), 1.0)


def test_weights_come_from_a_function():
    fitted = ConsensusClustering(
        n_clusters=2, weighting=lambda ensemble, X: [2.0, 2.0, 0.0]
    ).fit(Ensemble(E6))
    assert_allclose(fitted.clustering_weights_, [0.5, 0.5, 0.0])
    assert_array_equal(fitted.labels_, [0, 0, 0, 1, 1, 1])


def test_a_consensus_can_be_a_function():
    def first(ensemble, n_clusters, rng, **weights):
        return ensemble.labels[:, 2]

    found = ConsensusClustering(consensus=first).fit_predict(Ensemble(E6))
    assert_array_equal(found, [0, 0, 1, 1, 2, 2])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"weighting": lambda E, X: [1.0, 2.0]}, r"shape \(2,\)"),
        ({"weighting": lambda E, X: [-1.0] * 7}, "negative"),
        ({"selection": lambda E, X: []}, "keeps no clustering"),
        ({"selection": lambda E, X: [9]}, "indices of clusterings"),
        ({"weighting": "entropy_certainty", "consensus": "kmeans"}, "not of clusters"),
        ({"consensus": "magic"}, "consensus"),
    ],
)
def test_parts_that_do_not_fit_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        ConsensusClustering(n_clusters=2, **parameters).fit(Ensemble(E6))
