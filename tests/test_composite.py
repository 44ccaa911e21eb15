"""Your own mix of generator, selection, weighting and consensus."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import comitia
from comitia import ConsensusClustering, Ensemble
from comitia.agreement import agreement
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


class Clusters:
    """Keeps the clusters that it is told to keep."""

    def __init__(self, *kept):
        self.kept = kept

    def select_clusters(self, ensemble, X):
        return self.kept


def test_clusters_that_a_selection_drops_weigh_nothing():
    # The clusters 0 to 3 are the halves, twice; those of the third clustering go.
    fitted = ConsensusClustering(2, selection=Clusters(0, 1, 2, 3)).fit(Ensemble(E6))
    assert_array_equal(fitted.selected_, [1, 1, 1, 1, 0, 0, 0])
    assert_allclose(fitted.cluster_weights_, fitted.selected_)
    assert not hasattr(fitted, "clustering_weights_")
    assert_array_equal(fitted.labels_, [0, 0, 0, 1, 1, 1])
    assert_allclose(fitted.membership_.max(axis=1), 1.0)


@pytest.mark.parametrize("consensus", ["average", "complete", "ward", "tcut"])
def test_a_mask_of_clusters_is_a_weighting_of_ones_and_zeros(consensus):
    mask = np.random.RandomState(1).rand(EASY.n_clusters) < 0.7
    assert (EASY.membership @ mask > 0).all()
    parts = [
        {"selection": lambda ensemble, X: mask},
        {"weighting": lambda ensemble, X: mask.astype(float)},
    ]
    one, other = (
        ConsensusClustering(5, consensus=consensus, random_state=0, **part).fit(EASY)
        for part in parts
    )
    assert_array_equal(one.cluster_weights_, other.cluster_weights_)
    assert_array_equal(one.labels_, other.labels_)


@pytest.mark.parametrize(
    ("weighting", "expected"),
    [
        ("entropy_certainty", "cluster_weights_"),
        (lambda ensemble, X: [3.0, 2.0, 1.0], [1.5, 0, 1.0, 1.0, 0.5, 0.5, 0]),
    ],
)
def test_clusters_kept_weigh_what_they_weighed_before(weighting, expected):
    votes = Ensemble(E6)
    mix = ConsensusClustering(
        2, selection=Clusters(0, 2, 3, 4, 5), weighting=weighting
    ).fit(votes)
    if expected == "cluster_weights_":
        all_of_them = ConsensusClustering(2, weighting=weighting).fit(votes)
        expected = all_of_them.cluster_weights_ * mix.selected_
    assert_allclose(mix.cluster_weights_, expected)


def test_clusters_are_kept_until_every_object_is_in_one():
    # Objects 3 to 5 are left over, and cluster 1 is the first that has all of them.
    fitted = ConsensusClustering(2, selection=Clusters(0, 2)).fit(Ensemble(E6))
    assert_array_equal(fitted.selected_, [1, 1, 1, 0, 0, 0, 0])
    assert_array_equal(fitted.labels_, [0, 0, 0, 1, 1, 1])


SELECTIONS = [
    card.id for card in comitia.methods(approach="selection") if "labels" in card.needs
]


@pytest.mark.parametrize("id", SELECTIONS)
@pytest.mark.parametrize(
    ("weighting", "consensus"),
    [(None, "average"), ("entropy_certainty", "tcut")],
)
def test_every_published_selection_stands_in_front_of_a_consensus(
    id, weighting, consensus
):
    corners = np.array([[0, 0], [0, 20], [20, 0]])
    X = corners[TRUTH] + np.random.RandomState(0).randn(len(TRUTH), 2)
    selection = comitia.method(id)(n_clusters=3, random_state=0)
    mix = ConsensusClustering(
        3,
        selection=selection,
        weighting=weighting,
        consensus=consensus,
        random_state=0,
    ).fit(X, ensemble=EASY)
    own = selection.fit(X, ensemble=EASY)
    # Of clusters more may be kept, so that every object is in one.
    assert (mix.selected_ >= own.selected_).all()
    # Three of twelve clusterings, as two of the methods keep, err in some objects.
    assert agreement(mix.labels_, TRUTH, "adjusted_rand") > 0.9


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
        ({"selection": lambda E, X: np.zeros(7, dtype=bool)}, "keeps no cluster;"),
        ({"selection": Clusters()}, "keeps no cluster;"),
        ({"selection": Clusters(7)}, "indices of clusters"),
        ({"selection": Clusters(0), "consensus": "kmeans"}, "not of clusters"),
        ({"weighting": "entropy_certainty", "consensus": "kmeans"}, "not of clusters"),
        ({"consensus": "magic"}, "consensus"),
    ],
)
def test_parts_that_do_not_fit_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        ConsensusClustering(n_clusters=2, **parameters).fit(Ensemble(E6))
