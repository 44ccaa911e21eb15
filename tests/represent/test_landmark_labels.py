"""Landmarks: a sample that stands for all objects."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.metrics import adjusted_rand_score

import comitia
from comitia import Ensemble
from comitia.exceptions import ComitiaError, MemoryBudgetError
from comitia.represent import landmark_labels as module
from comitia.represent.landmark_labels import Landmarks, draw_landmarks, extend_labels


def planted(n=3000, M=10, k=4, noise=0.3, seed=0):
    rng = np.random.RandomState(seed)
    truth = rng.randint(k, size=n)
    wrong = rng.uniform(size=(n, M)) < noise
    return np.where(wrong, rng.randint(k, size=(n, M)), truth[:, None]), truth


@pytest.mark.parametrize("name", ["cspa", "eac", "ecpcs_hc", "lwea", "weac"])
def test_landmarks_find_what_all_objects_find(name, monkeypatch):
    monkeypatch.setattr(module.draw_landmarks, "__defaults__", (400,))
    labels, truth = planted()
    made = comitia.method(name)(n_clusters=4, random_state=0)
    made.fit(Ensemble(labels), approximate="landmarks")
    assert made.landmarks_.shape == (400,)
    assert made.labels_.shape == (3000,)
    assert adjusted_rand_score(truth, made.labels_) > 0.85
    assert made.confidence_.shape == (3000,)
    if hasattr(made, "cluster_weights_"):
        assert made.cluster_weights_.shape == (40,)
    again = comitia.method(name)(n_clusters=4, random_state=0)
    again.fit(Ensemble(labels), approximate="landmarks")
    assert_array_equal(again.labels_, made.labels_)


def test_with_few_objects_all_of_them_are_landmarks():
    labels, _ = planted(n=200)
    votes = Ensemble(labels)
    exact = comitia.method("lwea")(n_clusters=4).fit(votes)
    made = comitia.method("lwea")(n_clusters=4).fit(votes, approximate="landmarks")
    assert_array_equal(made.labels_, exact.labels_)
    assert_array_equal(made.cluster_weights_, exact.cluster_weights_)


def test_clusters_without_landmarks_have_no_vote():
    votes = Ensemble([[0, 0], [0, 1], [1, 1], [1, 2], [2, 2]])
    objects = np.array([0, 2])
    drawn = Landmarks(objects, votes.take(objects=objects), np.array([0, 1, 3, 4]))
    got = extend_labels(votes, drawn, np.array([0, 1], dtype=np.int32))
    # Object 1 is torn between both, and goes to the first; 4 knows nobody.
    assert got.tolist() == [0, 0, 1, 1, 0]


def test_drawn_clusters_are_those_of_the_full_ensemble():
    labels, _ = planted(n=300, k=9)
    votes = Ensemble(labels)
    drawn = draw_landmarks(votes, np.random.RandomState(0), 12)
    small = drawn.ensemble
    for m in range(votes.n_clusterings):
        numbers = drawn.clusters[small.offsets[m] : small.offsets[m + 1]]
        own = numbers[small.labels[:, m]] - votes.offsets[m]
        assert_array_equal(own, votes.labels[drawn.objects, m])


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("lwea", "sketch", "is not known"),
        ("lwgp", "landmarks", "not approximated by landmarks"),
    ],
)
def test_what_cannot_be_approximated_is_refused(name, given, words):
    labels, _ = planted(n=50)
    with pytest.raises(ComitiaError, match=words):
        comitia.method(name)(n_clusters=2).fit(Ensemble(labels), approximate=given)


def test_fuzzy_clusterings_have_no_landmarks():
    fuzzy = Ensemble.from_memberships([np.full((6, 2), 0.5), np.eye(2)[[0, 0, 1] * 2]])
    with pytest.raises(ComitiaError, match="needs hard clusterings"):
        comitia.method("eac")(n_clusters=2).fit(fuzzy, approximate="landmarks")


def test_a_refusal_says_how_many_rows_differ():
    labels, _ = planted(n=2000, M=12, k=9, noise=0.9)
    votes = Ensemble(labels)
    n_rows = len(votes.distinct().counts)
    words = f"Of the 2000 objects {n_rows} differ .*landmarks"
    with comitia.config.limit("1 MB"), pytest.raises(MemoryBudgetError, match=words):
        comitia.method("cspa")(n_clusters=4).fit(votes)
