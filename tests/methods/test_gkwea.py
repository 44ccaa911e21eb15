"""Kernel median partition on the weighted-association representation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble, method
from comitia.methods.fixed_clusterings._weighted_association import weighted_association
from comitia.validity import score_table
from comitia.weigh import maximum_relevance
from tests.fixtures import E6, X6, planted, same_partition

Method = method("gkwea")
WPCK = method("wpck")


def example(seed, n=50):
    rng = np.random.RandomState(seed)
    labels, truth = planted(n, 3, 6, noise=0.3, seed=seed)
    return 4.0 * np.eye(3)[truth] + rng.randn(n, 3), labels


@pytest.mark.parametrize("max_subset_size", [None, 2])
def test_it_is_wpck_on_the_association_matrix(max_subset_size):
    X, labels = example(0)
    ensemble = Ensemble(labels)
    ours = Method(max_subset_size=max_subset_size, random_state=0)
    ours.fit(X, ensemble=ensemble)
    R = weighted_association(ensemble, X)
    wpck = WPCK(max_subset_size=max_subset_size, random_state=0)
    wpck.fit(R, ensemble=ensemble)
    assert_allclose(ours.clustering_weights_, wpck.clustering_weights_)
    assert_array_equal(ours.labels_, wpck.labels_)
    on_data = WPCK(random_state=0).fit(X, ensemble=ensemble)
    assert np.abs(ours.clustering_weights_ - on_data.clustering_weights_).max() > 1e-3


def test_weights_are_their_formula():
    X, labels = example(1)
    ensemble = Ensemble(labels)
    names = ["dunn", "silhouette", "compactness", "connectedness"]
    table = score_table(weighted_association(ensemble, X), ensemble, names)
    raw = maximum_relevance(table.unified("range"))
    fitted = Method(max_iter=1, random_state=0).fit(X, ensemble=ensemble)
    assert_allclose(fitted.clustering_weights_, raw / raw.sum())


def test_objects_that_are_always_together_are_one_point_to_the_indices():
    R = weighted_association(Ensemble(E6))
    assert_allclose(R[[0, 4]], R[[1, 5]])
    fitted = Method().fit(Ensemble(E6))
    w = fitted.clustering_weights_
    assert_allclose(w[0], w[1])
    assert same_partition(fitted.labels_, E6[:, 0])


def test_the_scale_of_the_association_does_not_matter():
    # Hence the normalisation of WEA, which divides its factors by their largest
    # values, is no option here.
    X, labels = example(2)
    ensemble = Ensemble(labels)
    R = weighted_association(ensemble, X)
    one = WPCK(max_iter=1, random_state=0).fit(R, ensemble=ensemble)
    other = WPCK(max_iter=1, random_state=0).fit(R / 7.3, ensemble=ensemble)
    # Indices add distances in single precision; see comitia.validity.pairs.
    assert_allclose(one.clustering_weights_, other.clustering_weights_, rtol=1e-6)


def test_similarities_can_be_given_for_each_clustering():
    X, labels = example(3, n=30)
    ensemble = Ensemble(labels[:, :3])
    given = np.exp(-np.square(X[:, None] - X).sum(axis=2))
    mixed = Method(metric=["euclidean", given, None], max_iter=1, random_state=0)
    mixed.fit(X, ensemble=ensemble)
    R = weighted_association(ensemble, X, ["euclidean", given, None])
    wpck = WPCK(max_iter=1, random_state=0).fit(R, ensemble=ensemble)
    assert_allclose(mixed.clustering_weights_, wpck.clustering_weights_)
    with pytest.raises(ValueError, match="2 entries for 3 clusterings"):
        Method(metric=["euclidean", None]).fit(X, ensemble=ensemble)


def test_labels_alone_are_similarities_of_one():
    alone = Method(max_iter=1, random_state=0).fit(Ensemble(E6))
    ones = Method(metric=np.ones((6, 6)), max_iter=1).fit(X6, ensemble=Ensemble(E6))
    none = Method(metric=None, max_iter=1).fit(X6, ensemble=Ensemble(E6))
    assert_allclose(alone.clustering_weights_, ones.clustering_weights_)
    assert_allclose(alone.clustering_weights_, none.clustering_weights_)


def test_pairs_find_planted_clusters():
    labels, truth = planted(90, 3, 10, noise=0.2, seed=4)
    X = 4.0 * np.eye(3)[truth] + np.random.RandomState(4).randn(90, 3)
    fitted = Method(3, max_subset_size=2, random_state=0)
    found = fitted.fit(X, ensemble=Ensemble(labels)).labels_
    right = (found[:, None] == found) == (truth[:, None] == truth)
    assert right.mean() > 0.95
