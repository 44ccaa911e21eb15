"""Your own mix of generator, selection, weighting and consensus."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

import comitia
from benchmarks.ensembles import planted_labels
from comitia import ConsensusClustering, Ensemble, method
from comitia.agreement import agreement
from comitia.cluster import ConstraintSet
from comitia.exceptions import ComitiaError, ComitiaWarning
from comitia.methods.composite._consensus_choices import cover_clusters
from comitia.partition import reassign
from comitia.partition.reassign import voters_of
from comitia.weigh import entropy_certainty
from comitia.weigh.cluster_silhouettes import silhouette_weights
from tests.fixtures import E6, planted, same_partition

LABELS, TRUTH = planted(90, 3, 12, noise=0.1, seed=0)
EASY = Ensemble(LABELS)


@pytest.mark.parametrize(
    "consensus", ["average", "complete", "ward", "tcut", "kmeans", "reassign"]
)
@pytest.mark.parametrize("weighting", ["auto", None, "crowd_agreement"])
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


def adjusted_rand(found, truth):
    return agreement(found, truth, "adjusted_rand")


# Fourteen of twenty clusterings are nine tenths noise.
JUNK, JUNK_TRUTH = planted_labels(
    500,
    5,
    20,
    np.repeat([0.9, 0.3], [14, 6]),
    sizes=2.0 ** -np.arange(5),
    seed=0,
)


def test_the_default_is_the_likelier_of_two_starts_after_reassignment():
    votes = Ensemble(JUNK)
    starts = [
        comitia.method(name)(n_clusters=5, random_state=0).fit(votes).labels_
        for name in ("lwea", "lwgp")
    ]
    found = [reassign(votes, labels) for labels in starts]
    # Here they differ: the choice is one.
    assert found[0].log_likelihood != found[1].log_likelihood
    likelier = max(found, key=lambda one: one.log_likelihood).labels
    fitted = ConsensusClustering(5, random_state=0).fit(votes)
    assert same_partition(fitted.labels_, likelier)
    assert_allclose(fitted.cluster_weights_, entropy_certainty(votes))


def test_the_default_is_not_led_astray_by_junk():
    votes = Ensemble(JUNK)
    scores = {
        name: adjusted_rand(
            comitia.method(name)(n_clusters=5, random_state=0).fit_predict(votes),
            JUNK_TRUTH,
        )
        for name in ("eac", "lwea", "weac", "lwgp", "kcc")
    }
    found = ConsensusClustering(5, random_state=0).fit_predict(votes)
    assert adjusted_rand(found, JUNK_TRUTH) > max(scores.values()) + 0.02


def test_weights_are_left_alone_when_the_consensus_is_chosen():
    fitted = ConsensusClustering(3, consensus="average").fit(EASY)
    assert_allclose(fitted.clustering_weights_, 1 / 12)
    assert not hasattr(fitted, "cluster_weights_")


def test_many_objects_start_from_the_graph_alone(monkeypatch):
    votes = Ensemble(JUNK)
    monkeypatch.setattr("comitia.sizes.MANY_FOR_TREES", 500)
    found = ConsensusClustering(5, random_state=0).fit_predict(votes)
    start = comitia.method("lwgp")(n_clusters=5, random_state=0).fit_predict(votes)
    assert same_partition(found, reassign(votes, start).labels)


def test_many_clusters_start_from_the_tree_alone(monkeypatch):
    votes = Ensemble(JUNK)
    monkeypatch.setattr("comitia.sizes.MANY_FOR_GRAPHS", 99)
    found = ConsensusClustering(5, random_state=0).fit_predict(votes)
    start = comitia.method("lwea")(n_clusters=5).fit_predict(votes)
    assert same_partition(found, reassign(votes, start).labels)


@pytest.mark.parametrize("many", [10**6, 1])
def test_the_default_finds_the_number_of_clusters(many, monkeypatch):
    monkeypatch.setattr("comitia.sizes.MANY_FOR_TREES", many)
    assert same_partition(ConsensusClustering(random_state=0).fit_predict(EASY), TRUTH)


def test_more_clusters_can_be_asked_for_than_the_clusterings_have():
    # The graph has four clusters and no five parts; the tree has.
    votes = Ensemble([[0, 0], [0, 0], [0, 1], [1, 0], [1, 1], [1, 1]])
    found = ConsensusClustering(5, random_state=0).fit(votes)
    assert found.n_clusters_ == 5


def test_clusters_of_equal_objects_are_told():
    with pytest.warns(ComitiaWarning, match="equal objects are in different"):
        ConsensusClustering(2, random_state=0).fit(np.ones((20, 3)))


@pytest.mark.parametrize("of", ["clusterings", "clusters"])
def test_what_weighs_nothing_does_not_vote(of):
    # Sixty that all put the first twenty objects into the wrong cluster.
    wrong = np.where(np.arange(len(TRUTH)) < 20, (TRUTH + 1) % 3, TRUTH)
    votes = Ensemble(np.column_stack([LABELS, *[wrong] * 60]))
    good = np.arange(72) < 12
    weights = (good if of == "clusterings" else good[votes.clustering_of]) * 1.0
    mix = ConsensusClustering(3, weighting=lambda *_: weights, random_state=0)
    assert same_partition(mix.fit_predict(votes), TRUTH)


def test_clusters_without_weight_are_missing_labels():
    mask = np.arange(EASY.n_clusters_total) % 3 > 0
    voters = voters_of(EASY, cluster_weights=mask * 0.5)
    assert_array_equal(voters.labels >= 0, EASY.labels > 0)
    assert voters.n_clusters_total == mask.sum()


class Best:
    def select(self, ensemble, X):
        return np.argsort(-ensemble.agreement().sum(axis=0))[:3]


def test_a_selection_keeps_what_it_says():
    mix = ConsensusClustering(n_clusters=3, weighting=None)
    fitted = clone(mix).set_params(selection=Best()).fit(EASY)
    assert fitted.selected_.sum() == 3
    assert fitted.ensemble_.n_clusterings == 12
    assert_allclose(fitted.clustering_weights_, fitted.selected_ / 3)
    alone = mix.fit(EASY.take(clusterings=fitted.selected_))
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
    fitted = ConsensusClustering(2, selection=Clusters(0, 1, 2, 3), weighting=None).fit(
        Ensemble(E6)
    )
    assert_array_equal(fitted.selected_, [1, 1, 1, 1, 0, 0, 0])
    assert_allclose(fitted.cluster_weights_, fitted.selected_)
    assert not hasattr(fitted, "clustering_weights_")
    assert_array_equal(fitted.labels_, [0, 0, 0, 1, 1, 1])
    assert_allclose(fitted.membership_.max(axis=1), 1.0)


@pytest.mark.parametrize(
    "consensus", ["average", "complete", "ward", "tcut", "reassign"]
)
def test_a_mask_of_clusters_is_a_weighting_of_ones_and_zeros(consensus):
    mask = np.random.RandomState(1).rand(EASY.n_clusters_total) < 0.7
    assert (EASY.membership @ mask > 0).all()
    parts = [
        {"selection": lambda ensemble, X: mask, "weighting": None},
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
        ("normalized_entropy_certainty", "cluster_weights_"),
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
    # Three of twelve clusterings, as two of the methods keep, err in some objects, and
    # a single one in as many as were planted, 5 %.
    least = 0.85 if own.selected_.sum() == 1 else 0.9
    assert agreement(mix.labels_, TRUTH, "adjusted_rand") > least


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


@pytest.mark.parametrize("seed", range(5))
def test_clusters_added_cover_what_was_left_out_and_no_more_than_needed(seed):
    rng = np.random.RandomState(seed)
    ensemble = Ensemble(rng.randint(0, 5, size=(30, 4)))
    chosen = rng.permutation(ensemble.n_clusters_total)[:3]
    covered = cover_clusters(ensemble, chosen)
    B = ensemble.membership.toarray() > 0
    assert set(chosen) <= set(covered)
    assert B[:, covered].any(axis=1).all()
    by_hand = list(chosen)
    while not (has := B[:, by_hand].any(axis=1)).all():
        by_hand.append(int(B[~has].sum(axis=0).argmax()))
    assert_array_equal(covered, np.sort(by_hand))


def test_the_weights_of_nwca_have_a_name():
    votes = Ensemble(E6)
    named = ConsensusClustering(
        2, weighting="normalized_entropy_certainty", consensus="average"
    ).fit(votes)
    lwea = comitia.method("lwea")(2, theta=0.09, normalized=True).fit(votes)
    assert_allclose(named.cluster_weights_, lwea.cluster_weights_)
    assert same_partition(named.labels_, lwea.labels_)


@pytest.mark.parametrize("id", ["trce", "lwea", "weac"])
def test_weights_may_be_those_of_another_method(id):
    labels, truth = planted(60, 3, 8, noise=0.1, seed=0)
    junk = np.random.RandomState(0).randint(0, 3, size=(60, 3))
    votes = Ensemble(np.hstack([labels, junk]))
    other = method(id)(3).fit(votes)
    mix = ConsensusClustering(3, weighting=method(id)(3), consensus="average").fit(
        votes
    )
    if id == "lwea":
        assert_allclose(mix.cluster_weights_, other.cluster_weights_)
    else:
        assert_allclose(mix.clustering_weights_, other.clustering_weights_)
    assert same_partition(mix.labels_, truth)


def neighbors_as_pairs(truth):
    """What is known of each object and the next one."""
    pairs = np.column_stack([np.arange(len(truth) - 1), np.arange(1, len(truth))])
    same = truth[:-1] == truth[1:]
    return ConstraintSet(len(truth), must_link=pairs[same], cannot_link=pairs[~same])


AFTER_THE_REVIEW = {
    "nwca": "normalized_entropy_certainty",
    "mdec": method("mdec")(3, random_state=0),
    "spce": method("spce")(3),
    "trce": method("trce")(3),
    "wecr": "silhouette_weights",
    "wecr, the method": method("wecr")(3),
    "wecr with pairs": partial(
        silhouette_weights,
        constraints=neighbors_as_pairs(planted(60, 3, 8, noise=0.1, seed=0)[1]),
    ),
}


@pytest.mark.parametrize("weighting", AFTER_THE_REVIEW.values(), ids=AFTER_THE_REVIEW)
def test_weights_of_methods_after_the_review_tell_junk(weighting):
    labels, truth = planted(60, 3, 8, noise=0.1, seed=0)
    rng = np.random.RandomState(0)
    junk = rng.randint(0, 3, size=(60, 4))
    X = 6.0 * np.eye(3)[truth] + rng.randn(60, 3)
    mix = ConsensusClustering(3, weighting=weighting, consensus="average")
    mix.fit(X, ensemble=Ensemble(np.hstack([labels, junk])))
    assert same_partition(mix.labels_, truth)
    if hasattr(mix, "cluster_weights_"):
        weights = mix.cluster_weights_.reshape(12, 3).mean(axis=1)
    else:
        weights = mix.clustering_weights_
    assert weights[8:].max() < weights[:8].min()


def test_silhouettes_as_weights_need_the_data():
    with pytest.raises(ComitiaError, match="silhouettes need the data"):
        ConsensusClustering(2, weighting="silhouette_weights").fit(Ensemble(E6))


def test_a_method_without_weights_of_its_own_cannot_weigh():
    with pytest.raises(ComitiaError, match="weighting=drec gives weights neither"):
        ConsensusClustering(2, weighting=method("drec")(2)).fit(Ensemble(E6))
