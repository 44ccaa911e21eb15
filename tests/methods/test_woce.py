"""Wisdom of crowds: constraints choose the directions, evenness the weights."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import load_digits, load_iris, load_wine, make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from comitia import Ensemble
from comitia.cluster import random_constraints
from comitia.config import limit
from comitia.exceptions import ComitiaError, ComitiaWarning, MemoryBudgetError
from comitia.methods import EAC, WoCE
from comitia.methods.fixed_clusterings.woce import evenness
from tests.fixtures import E6, LWEA16, X6, same_partition

# Six objects in clusters of sizes (3, 3), (2, 2, 2) and (4, 2).
SIZES = np.array(
    [[0, 0, 0], [0, 0, 0], [0, 1, 0], [1, 1, 0], [1, 2, 1], [1, 2, 1]], dtype=np.int32
)


def printed_diversity(labels):
    """The measure as the review prints it, with its negative terms."""
    n, M = labels.shape
    b = [
        [size * np.log(size / n) for size in np.unique(column, return_counts=True)[1]]
        for column in labels.T
    ]
    largest = max(max(values) for values in b)
    return np.array([1 - 2 * min(b[m]) / (max(b[m]) + largest) for m in range(M)])


def test_weights_are_those_worked_out():
    # The printed measure is 1 - 2 * 2.079442 / (2.079442 + 1.621860) for sizes (3, 3).
    assert_allclose(printed_diversity(SIZES), [-0.12363, -0.15065, -0.35476], atol=1e-5)
    assert_allclose(evenness(Ensemble(SIZES)), [0.88998, 0.86907, 0.73814], atol=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_clusterings_rank_as_the_review_prints(seed):
    labels = np.random.RandomState(seed).randint(0, 5, size=(30, 6))
    for given in (labels, E6, SIZES, LWEA16):
        printed, got = printed_diversity(given), evenness(Ensemble(given))
        assert_allclose(got, 1 / (1 - printed))
        assert ((got > 0) & (got <= 1)).all()
        # The order is the printed one: rounding aside, no pair is turned round.
        swapped = np.subtract.outer(got, got) * np.subtract.outer(printed, printed)
        assert (swapped >= -1e-12).all()


def test_a_chained_clustering_weighs_less_than_an_even_one():
    # Single linkage leaves one object out; the others halve the objects.
    chain = np.r_[np.zeros(99, dtype=int), 1]
    halves = np.repeat([0, 1], 50)
    chained, even = evenness(Ensemble(np.column_stack([chain, halves])))
    assert even > 2 * chained


@pytest.mark.parametrize("load", [load_wine, load_iris])
def test_real_data_are_not_one_cluster_and_a_few_objects(load):
    X, y = load(return_X_y=True)
    for seed in range(2):
        found = WoCE(n_clusters=3, random_state=seed).fit_predict(X)
        assert adjusted_rand_score(y, found) > 0.5


def test_many_dimensions_are_not_one_cluster_and_a_few_objects():
    # Average linkage has one cluster of 579 of 599, which counts as even: 0.00.
    X, y = load_digits(return_X_y=True)
    X, y = StandardScaler().fit_transform(X[::4]), y[::4]
    fitted = WoCE(n_clusters=10, n_clusterings=16, random_state=0).fit(X)
    assert adjusted_rand_score(y, fitted.labels_) > 0.4
    assert np.bincount(fitted.labels_).max() < len(y) / 3


class Blobs:
    """Three clear clusters in two of twelve features, the others being noise."""

    rng = np.random.RandomState(0)
    signal, truth = make_blobs(
        90, centers=[[0, 0], [0, 8], [8, 0]], cluster_std=0.6, random_state=0
    )
    X = np.column_stack([signal, 50 * rng.rand(90, 10)])
    pairs = random_constraints(truth, 200, rng)
    links = {"must_link": pairs.must_link, "cannot_link": pairs.cannot_link}


def test_weights_follow_the_printed_diversity_of_the_clusterings():
    fitted = WoCE(n_clusters=3, random_state=0).fit(Blobs.signal)
    wanted = 1 / (1 - printed_diversity(fitted.ensemble_.labels))
    assert_allclose(fitted.clustering_weights_, wanted / wanted.sum())
    assert np.ptp(fitted.clustering_weights_) > 0.01
    assert adjusted_rand_score(Blobs.truth, fitted.labels_) > 0.95


def test_constraints_find_the_directions_among_noise():
    # Noise varies most; the clusters are in the two features that vary least.
    two = WoCE(n_clusters=3, n_components=2, random_state=0)
    plain = two.fit(Blobs.X).labels_
    bound = two.fit(Blobs.X, **Blobs.links).labels_
    assert adjusted_rand_score(Blobs.truth, plain) < 0.2
    assert adjusted_rand_score(Blobs.truth, bound) > 0.9


def test_units_of_the_features_do_not_matter():
    scaled = Blobs.X * np.repeat([1, 10, 100, 0.1], 3)
    one, other = (
        WoCE(n_clusters=3, random_state=0).fit_predict(X, **Blobs.links)
        for X in (Blobs.X, scaled)
    )
    assert same_partition(one, other)


def test_all_kinds_of_algorithms_take_turns():
    fitted = WoCE(n_clusters=3, n_clusterings=12, random_state=0).fit(Blobs.signal)
    kinds = ["KMeans", "ward", "SpectralClustering", "GaussianMixture"]
    assert fitted.ensemble_.groups.tolist() == kinds * 3
    each = fitted.ensemble_.n_clusters_each
    assert ((each >= 3) & (each <= 6)).all()


def test_other_algorithms_can_be_given():
    own = WoCE(
        n_clusters=3,
        n_clusterings=4,
        algorithms=[KMeans(n_init=1), AgglomerativeClustering(linkage="single")],
        random_state=0,
    ).fit(Blobs.signal)
    assert own.ensemble_.groups.tolist() == ["KMeans", "single"] * 2
    assert adjusted_rand_score(Blobs.truth, own.labels_) > 0.95


@pytest.mark.parametrize("n_components", [1, 2])
def test_the_number_of_directions_can_be_given(n_components):
    fitted = WoCE(n_clusters=3, n_components=n_components, random_state=0)
    for links in ({}, Blobs.links):
        directions = fitted.fit(Blobs.X, **links).generator_.features.directions
        assert directions.shape == (12, n_components)


def one_by_one(ensemble, X):
    """The consensus of a given ensemble, past the generator."""
    method = WoCE(n_clusters=2)
    labels = method._combine(ensemble, X, np.random.RandomState(0))
    return labels, method.clustering_weights_


def test_equal_diversity_is_evidence_accumulation():
    # Clusters of sizes 4 and 2 in every clustering.
    labels = np.array(
        [[0, 0, 1], [0, 0, 0], [0, 1, 0], [0, 0, 0], [1, 1, 0], [1, 0, 1]]
    )
    votes = Ensemble(labels)
    got, weights = one_by_one(votes, X6)
    assert_allclose(weights, 1 / 3)
    assert same_partition(got, EAC(n_clusters=2).fit_predict(votes))


def test_even_clusterings_all_weigh_the_same():
    even = Ensemble(np.array([[0, 0], [0, 1], [0, 0], [1, 1], [1, 0], [1, 1]]))
    _, weights = one_by_one(even, X6)
    assert_allclose(weights, 0.5)


def test_a_single_cluster_weighs_nothing():
    labels = np.column_stack([SIZES[:, 2], np.zeros(6, dtype=int)])
    got, weights = one_by_one(Ensemble(labels), X6)
    assert_allclose(weights, [1, 0])
    assert same_partition(got, SIZES[:, 2])
    beside = np.column_stack([SIZES, np.zeros(6, dtype=int)])
    assert_allclose(evenness(Ensemble(beside))[:3], evenness(Ensemble(SIZES)))


def test_every_object_can_be_a_cluster():
    found = WoCE(n_clusters=6, random_state=0).fit_predict(X6)
    assert len(set(found)) == 6


def test_contradictory_constraints_are_refused():
    with pytest.raises(ComitiaError, match=r"in cannot_link and in must_link"):
        WoCE(n_clusters=2).fit(X6, must_link=[(0, 1)], cannot_link=[(1, 0)])


def test_one_object_is_one_cluster():
    with pytest.warns(ComitiaWarning, match="uniform"):
        fitted = WoCE(random_state=0).fit([[1.0, 2.0]])
    assert fitted.labels_.tolist() == [0]
    assert fitted.predict([[9.0, 9.0]]).tolist() == [0]
    with pytest.raises(ComitiaError, match="n_clusters"):
        WoCE(n_clusters=2).fit([[1.0, 2.0]])


def test_only_the_algorithms_that_are_used_ask_for_memory():
    X = np.random.RandomState(0).rand(400, 2)
    k_means = WoCE(3, n_clusterings=1, random_state=0)  # the first of the crowd
    both = WoCE(3, n_clusterings=2, algorithms=[KMeans(), AgglomerativeClustering()])
    with limit(10**6):
        k_means.fit(X)
        with pytest.raises(MemoryBudgetError, match="400 objects"):
            both.fit(X)
    with limit(10**6), pytest.raises(MemoryBudgetError, match="400 objects"):
        WoCE(3).fit(X)  # Ward linkage compares all pairs
