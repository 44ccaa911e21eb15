"""WEA against the numbers of the catalogue and against its definition."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import fcluster
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import cdist, squareform

from comitia import Ensemble, method
from comitia.agreement import adjusted_rand
from comitia.exceptions import ComitiaError
from comitia.represent import coassociation
from tests.fixtures import E6, X6, planted, same_partition

WEA = method("wea")
LINKAGES = ["single", "complete", "average", "ward"]


def association(labels, similarities=None):
    """R by its definition, raw."""
    n, M = labels.shape
    R = np.zeros((n, n))
    for m in range(M):
        k = len(set(labels[:, m]))
        for i in range(n):
            for j in range(n):
                if labels[i, m] == labels[j, m] and i != j:
                    size = np.sum(labels[:, m] == labels[i, m])
                    sim = 1.0 if similarities is None else similarities[m][i, j]
                    R[i, j] += k / size * sim
    return R


def tree_of(R, linkage):
    return scipy_linkage(squareform(R.max() - R, checks=False), linkage)


def test_associations_of_e6_are_those_of_the_catalogue():
    E = Ensemble(E6)
    weights = WEA(2, variant="raw").fit(E).cluster_weights_
    assert_allclose(weights, [2 / 3] * 4 + [3 / 2] * 3)
    R = coassociation(E, clustering_weights=np.ones(3), cluster_weights=weights)
    got = [R[0, 1], R[0, 2], R[2, 3], R[4, 5], R[0, 3]]
    assert_allclose(got, [17 / 6, 4 / 3, 3 / 2, 17 / 6, 0], rtol=1e-6)  # float32


def test_e6_splits_where_single_linkage_says():
    # R_23 = 3/2 is larger than R_02 = 4/3: objects 2 and 3 are joined before.
    tree = WEA(linkage="single", variant="raw").fit(Ensemble(E6)).linkage_
    expected = [0, 0, 17 / 6 - 3 / 2, 17 / 6 - 4 / 3, 17 / 6 - 4 / 3]
    assert_allclose(tree[:, 2], expected)


def votes_without_ties(metric, seed):
    """Data, labels and similarities such that no two associations are equal."""
    rng = np.random.RandomState(seed)
    X, labels = rng.randn(10, 2), rng.randint(3, size=(10, 30))
    sim = np.ones((10, 10)) if metric is None else 1 / (1 + cdist(X, X, metric))
    R = association(labels, [sim] * 30)
    assert len(np.unique(squareform(R).round(9))) == 45
    return X, labels, R


@pytest.mark.parametrize("linkage", LINKAGES)
@pytest.mark.parametrize("metric", [None, "euclidean", "cityblock"])
@pytest.mark.parametrize("seed", [1, 11])
def test_the_tree_is_that_of_the_definition(linkage, metric, seed):
    X, labels, R = votes_without_ties(metric, seed)
    fitted = WEA(3, metric=metric, linkage=linkage, variant="raw")
    fitted.fit(X, ensemble=Ensemble(labels))
    expected = tree_of(R, linkage)
    assert_allclose(fitted.linkage_[:, 2], expected[:, 2], atol=1e-9)
    assert same_partition(fitted.labels_, fcluster(expected, 3, "maxclust"))


def test_each_clustering_can_have_its_own_similarity():
    rng = np.random.RandomState(0)
    X, labels = rng.randn(15, 2), rng.randint(3, size=(15, 3))
    own = rng.rand(15, 15)
    own = own + own.T
    sims = [1 / (1 + cdist(X, X)), own, np.ones((15, 15))]
    for variant, scale in [("raw", 1.0), ("normalized", None)]:
        fitted = WEA(3, metric=["euclidean", own, None], variant=variant)
        fitted.fit(X, ensemble=Ensemble(labels))
        R = association(labels, sims)
        if scale is None:
            largest = max(np.bincount(labels[:, m]).max() for m in range(3))
            R = R * largest / 3 / own.max()
        assert_allclose(fitted.linkage_[:, 2], tree_of(R, "average")[:, 2], atol=1e-9)


@pytest.mark.parametrize("linkage", LINKAGES)
def test_normalizing_changes_heights_only(linkage):
    labels, _ = planted(50, 3, 6, noise=0.3, seed=4)
    X = np.random.RandomState(0).randn(50, 2)
    one = WEA(3, linkage=linkage).fit(X, ensemble=Ensemble(labels))
    other = WEA(3, linkage=linkage, variant="raw").fit(X, ensemble=Ensemble(labels))
    assert_array_equal(one.labels_, other.labels_)
    assert_array_equal(one.linkage_[:, [0, 1, 3]], other.linkage_[:, [0, 1, 3]])
    ratio = one.linkage_[1:, 2] / other.linkage_[1:, 2]
    largest = max(np.bincount(c).max() for c in labels.T)
    assert_allclose(ratio, largest / 3)


def test_equal_clusters_are_evidence_accumulation():
    # With clusters of one size and no data, every factor is the same.
    rng = np.random.RandomState(0)
    labels = np.stack([rng.permutation(np.repeat([0, 1, 2], 6)) for _ in range(9)], 1)
    fitted = WEA(3, linkage="average").fit(Ensemble(labels))
    plain = method("eac")(3).fit(Ensemble(labels))
    assert_allclose(fitted.cluster_weights_, 1.0)
    assert_array_equal(fitted.labels_, plain.labels_)


def test_data_decide_where_labels_are_undecided():
    one_cluster = Ensemble(np.zeros((6, 1), dtype=int))
    assert same_partition(WEA(2).fit_predict(X6, ensemble=one_cluster), E6[:, 0])
    assert_allclose(WEA().fit(one_cluster).linkage_[:, 2], 0.0)


def test_fuzzy_memberships_count_by_their_products():
    F = [np.array([[1, 0], [0.5, 0.5], [0, 1.0]])]
    fitted = WEA(2, linkage="average", variant="raw").fit(Ensemble.from_memberships(F))
    assert_allclose(fitted.cluster_weights_, 2 / 1.5)
    # R_01 = R_12 = 2 / 1.5 / 2 and R_02 = 0.
    assert_allclose(fitted.linkage_[:, 2], [0, 1 / 3], atol=1e-12)


def test_a_planted_partition_is_found_on_its_data():
    labels, truth = planted(90, 3, 10, noise=0.3, seed=0)
    X = 9.0 * truth[:, None] + np.random.RandomState(0).randn(90, 2)
    assert same_partition(WEA(3).fit_predict(X, ensemble=Ensemble(labels)), truth)


def test_wrong_lists_of_metrics_are_refused():
    with pytest.raises(ComitiaError, match="2 entries for 3 clusterings"):
        WEA(2, metric=["euclidean", None]).fit(Ensemble(E6))
    with pytest.raises(ComitiaError, match=r"shape \(6, 6\); got shape \(5, 6\)"):
        WEA(2, metric=[np.ones((5, 6))] * 3).fit(Ensemble(E6))


def test_more_objects_do_not_chain_the_clusters():
    # With single linkage 1.00, .78 and .21 for 500, 2 000 and 20 000 objects.
    labels, truth = planted(2000, 5, 20, noise=0.3, seed=0)
    assert adjusted_rand(truth, WEA(5).fit(Ensemble(labels)).labels_) > 0.99
