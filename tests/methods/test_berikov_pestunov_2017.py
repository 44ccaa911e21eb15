"""Average linkage on a co-association matrix weighted by validity."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble, method
from comitia.exceptions import ComitiaError
from tests.fixtures import E6, X6, planted, same_partition

Method = method("berikov_pestunov_2017")


def values(*gamma):
    """A function that judges the clusterings by these values, in turn."""
    given = iter(gamma)
    return lambda X, labels: next(given)


def constant(X, labels):
    return 0.7


@pytest.mark.parametrize("linkage", ["average", "single"])
@pytest.mark.parametrize("n_clusters", [None, 2, 3])
def test_constant_index_is_evidence_accumulation(linkage, n_clusters):
    labels, _ = planted(60, 3, 7, noise=0.3, seed=1)
    ours = Method(n_clusters, index=constant, linkage=linkage).fit(Ensemble(labels))
    eac = method("eac")(n_clusters, linkage=linkage).fit(Ensemble(labels))
    assert_array_equal(ours.labels_, eac.labels_)
    assert_allclose(ours.linkage_, eac.linkage_)
    assert_allclose(ours.clustering_weights_, 1 / 7)


def test_worked_example_of_the_catalogue():
    fitted = Method(2, index=values(1, 1, 0)).fit(X6, ensemble=Ensemble(E6))
    assert same_partition(fitted.labels_, E6[:, 0])
    assert_allclose(fitted.clustering_weights_, [0.5, 0.5, 0])
    S = Ensemble(E6).coassociation(clustering_weights=fitted.clustering_weights_)
    assert set(np.unique(S)) == {0.0, 1.0}


def test_silhouette_is_shifted_to_positive_weights():
    fitted = Method(2).fit(X6, ensemble=Ensemble(E6))
    # The numbers of unlu_xanthopoulos_2017, which the catalogue gives to six decimals.
    assert_allclose(
        fitted.clustering_weights_, [0.372764, 0.372764, 0.254472], atol=5e-7
    )
    assert same_partition(fitted.labels_, E6[:, 0])


def test_dunn_gives_the_weights_of_yang_chen_2011():
    fitted = Method(2, index="dunn").fit(X6, ensemble=Ensemble(E6))
    assert_allclose(fitted.clustering_weights_, np.array([4, 4, 0.125]) / 8.125)


def test_small_index_values_weigh_more_where_small_is_better():
    w = Method(2, index="davies_bouldin").fit(X6, ensemble=Ensemble(E6))
    good, same, poor = w.clustering_weights_
    assert good == same
    assert good > poor


def test_clustering_without_a_value_weighs_nothing():
    labels = np.column_stack([E6, np.zeros(6, int)])
    fitted = Method(2).fit(X6, ensemble=Ensemble(labels))
    assert fitted.clustering_weights_[3] == 0
    assert_allclose(fitted.clustering_weights_.sum(), 1)


def test_doubled_clusterings_act_as_doubled_weight():
    twice = Method(2, index=values(1, 1, 1)).fit(Ensemble(E6))
    weighted = Method(2, index=values(2, 1)).fit(Ensemble(E6[:, [0, 2]]))
    assert_allclose(twice.linkage_[:, 2], weighted.linkage_[:, 2])


def test_function_sees_the_data_and_missing_labels():
    seen = []

    def look(X, labels):
        seen.append((X, labels))
        return 1.0

    labels = E6.copy()
    labels[5, 2] = -1
    Method(2, index=look).fit(X6, ensemble=Ensemble(labels))
    assert_array_equal(seen[0][0], X6)
    assert_array_equal(seen[2][1], labels[:, 2])


def test_good_clusterings_outvote_many_poor_ones():
    rng = np.random.RandomState(0)
    truth = np.repeat([0, 1], 30)
    X = np.column_stack([10.0 * truth, np.zeros(60)]) + rng.randn(60, 2)
    poor = rng.randint(2, size=(60, 12))
    labels = np.column_stack([truth, truth, poor])
    index = "calinski_harabasz"
    fitted = Method(2, index=index).fit(X, ensemble=Ensemble(labels))
    assert same_partition(fitted.labels_, truth)
    assert fitted.clustering_weights_[:2].sum() > 0.9


def test_bad_input_is_refused_in_words():
    with pytest.raises(ComitiaError, match="ensemble=E"):
        Method(2).fit(Ensemble(E6))
    with pytest.raises(ComitiaError, match="returned -1 for clustering 1"):
        Method(2, index=values(1, -1, 1)).fit(Ensemble(E6))
    with pytest.raises(ValueError, match="'index' parameter"):
        Method(2, index="silhouet").fit(X6, ensemble=Ensemble(E6))
    with pytest.raises(ComitiaError, match="mean_cluster_size"):
        Method(2, index="mean_cluster_size").fit(X6, ensemble=Ensemble(E6))
    with pytest.raises(ComitiaError, match="sse_next"):
        Method(2, index="hartigan").fit(X6, ensemble=Ensemble(E6))
