"""CSPA weighted by one internal quality measure."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import davies_bouldin_score, silhouette_score

from comitia import Ensemble, method
from comitia.exceptions import ComitiaError
from tests.fixtures import E6, X6, planted, same_partition

Method = method("unlu_xanthopoulos_2017")


def test_worked_example_of_the_catalogue():
    fitted = Method(n_clusters=2).fit(X6, ensemble=Ensemble(E6))
    expected = [0.372764, 0.372764, 0.254472]
    assert_allclose(fitted.clustering_weights_, expected, atol=5e-7)  # six decimals
    assert same_partition(fitted.labels_, E6[:, 0])


@pytest.mark.parametrize("seed", range(3))
def test_weights_are_shares_of_turned_indices(seed):
    rng = np.random.RandomState(seed)
    X, labels = rng.randn(40, 3), rng.randint(4, size=(40, 6))
    by = {
        "silhouette": lambda c: (silhouette_score(X, c) + 1) / 2,
        "davies_bouldin": lambda c: 1 / (1 + davies_bouldin_score(X, c)),
    }
    for index, quality in by.items():
        got = Method(4, index=index).fit(X, ensemble=Ensemble(labels))
        q = np.array([quality(c) for c in labels.T])
        assert_allclose(got.clustering_weights_, q / q.sum())


def test_calinski_harabasz_counts_as_it_is():
    fitted = Method(2, index="calinski_harabasz").fit(X6, ensemble=Ensemble(E6))
    assert_allclose(fitted.clustering_weights_, np.array([150, 150, 5.5]) / 305.5)


def test_an_index_that_is_the_same_for_all_is_cspa():
    labels, _ = planted(60, 3, 8, noise=0.4, seed=2)
    fitted = Method(3, index=lambda X, c: 0.7, random_state=0).fit(
        np.zeros((60, 1)), ensemble=Ensemble(labels)
    )
    plain = method("cspa")(3, random_state=0).fit(Ensemble(labels))
    assert_array_equal(fitted.labels_, plain.labels_)


def test_a_good_clustering_outweighs_two_poor_ones():
    # Two copies of the poor clustering win the plain vote; the Dunn index knows better.
    labels = Ensemble(np.stack([[0, 0, 0, 1, 1, 1], *[[0, 1, 0, 1, 0, 1]] * 2], axis=1))
    weighted = Method(2, index="dunn").fit_predict(X6, ensemble=labels)
    assert same_partition(weighted, [0, 0, 0, 1, 1, 1])
    plain = method("cspa")(2).fit_predict(labels)
    assert same_partition(plain, [0, 1, 0, 1, 0, 1])


def test_a_clustering_of_one_cluster_weighs_nothing():
    labels = np.column_stack([E6, np.zeros(6, int)])
    fitted = Method(2).fit(X6, ensemble=Ensemble(labels))
    assert fitted.clustering_weights_[3] == 0
    assert same_partition(fitted.labels_, E6[:, 0])


def test_an_index_that_needs_neighbors_is_refused_in_words():
    with pytest.raises(ComitiaError, match="hartigan compares a clustering"):
        Method(2, index="hartigan").fit(X6, ensemble=Ensemble(E6))
