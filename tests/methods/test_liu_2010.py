"""Weighted hybrid clustering: views count by how much their clusterings agree."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score

from comitia import Ensemble
from comitia.agreement import agreement_matrix
from comitia.exceptions import ComitiaError
from comitia.generate import KMeansGenerator
from comitia.methods import WeightedHybridClustering
from comitia.methods.multiview.liu_2010 import kernel_of, unit_trace
from comitia.partition import kernel_kmeans
from tests.fixtures import E6, same_partition, settled
from tests.methods._views import confused_pair, without


class Given:
    """A generator that reads the clusterings off the view itself."""

    def __init__(self, n_clusterings=1):
        self.n_clusterings = n_clusterings

    def generate(self, X):
        return Ensemble(X[:, : self.n_clusterings].astype(int))

    def get_params(self, deep=True):
        return {"n_clusterings": self.n_clusterings}


def e6_as_views():
    return [column[:, None].astype(float) for column in E6.T]


@pytest.mark.parametrize("given", [Given()])
def test_e6_as_three_views_has_the_worked_weights(given):
    fitted = WeightedHybridClustering(2, generator=given).fit(e6_as_views())
    # Printed to six decimals.
    assert_allclose(fitted.view_weights_, [0.371413, 0.371413, 0.257173], atol=5e-7)
    assert_array_equal(fitted.view_labels_, E6)
    assert same_partition(fitted.labels_, E6[:, 0])


def test_weights_are_their_definition():
    rng = np.random.RandomState(0)
    views = [rng.randint(3, size=(40, 1)).astype(float) for _ in range(4)]
    views[1][:30] = views[0][:30]
    fitted = WeightedHybridClustering(3, generator=Given()).fit(views)
    phi = agreement_matrix(Ensemble(np.hstack(views).astype(int)), "nmi_sqrt")
    raw = [np.delete(row, m).mean() for m, row in enumerate(phi)]
    assert_allclose(fitted.view_weights_, raw / np.sum(raw))


def test_linkage_and_kernels_are_weighted(monkeypatch):
    from comitia.methods.multiview import liu_2010
    from comitia.partition import ensemble_linkage

    views = settled(confused_pair(junk=True)[0])
    tree = WeightedHybridClustering(3, random_state=0).fit(views)
    w = tree.view_weights_
    assert np.ptp(w) > 0.1
    expected = ensemble_linkage(tree.ensemble_, clustering_weights=w)
    assert_allclose(tree.linkage_, expected)
    seen = {}

    def watched(K, *args, **kwargs):
        seen["K"] = K
        return kernel_kmeans(K, *args, **kwargs)

    monkeypatch.setattr(liu_2010, "kernel_kmeans", watched)
    fused = WeightedHybridClustering(3, variant="kernel", kernel="rbf", random_state=0)
    assert_allclose(fused.fit(views).view_weights_, w)
    kernels = [kernel_of(X, "rbf") for X in views]
    by_hand = sum(w[m] * K / np.trace(K) for m, K in enumerate(kernels))
    assert_allclose(seen["K"], by_hand)


def test_a_generator_of_several_gives_a_view_their_sum():
    twice = [np.hstack([X, X]) for X in e6_as_views()]
    fitted = WeightedHybridClustering(2, generator=Given(2)).fit(twice)
    assert fitted.ensemble_.n_clusterings == 6
    assert_allclose(
        fitted.view_weights_, fitted.clustering_weights_.reshape(3, 2).sum(axis=1)
    )
    assert (
        fitted.ensemble_.groups.tolist()
        == ["view 0"] * 2 + ["view 1"] * 2 + ["view 2"] * 2
    )


@pytest.mark.parametrize("kernel", ["linear", "rbf", lambda X: (X @ X.T + 1.0) ** 2])
def test_identical_kernels_are_kernel_k_means_on_one(kernel):
    X = confused_pair(12, seed=1)[0][0] + 1.0
    fitted = WeightedHybridClustering(
        2, variant="kernel", kernel=kernel, random_state=0
    ).fit([X, X, X])
    K = kernel_of(X, kernel)
    alone = kernel_kmeans(K, 2, np.random.RandomState(0)).labels
    assert same_partition(fitted.labels_, alone)


def test_kernels_have_unit_trace_and_the_linear_one_unit_rows():
    X = np.array([[3.0, 4.0], [0.0, 0.0], [0.0, 2.0]])
    assert_allclose(kernel_of(X, "linear"), [[1, 0, 0.8], [0, 0, 0], [0.8, 0, 1]])
    assert_allclose(np.trace(unit_trace(kernel_of(X, "linear"))), 1.0)
    assert_array_equal(unit_trace(np.zeros((2, 2))), np.zeros((2, 2)))


@pytest.mark.parametrize("variant", ["ensemble", "kernel"])
def test_views_tell_together_what_none_tells_alone(variant):
    views, truth = confused_pair()
    fitted = WeightedHybridClustering(
        3,
        variant=variant,
        generator=KMeansGenerator(1, n_clusters=2, solver="lloyd"),
        random_state=0,
    ).fit(views)
    assert adjusted_rand_score(truth, fitted.labels_) > 0.95
    for labels in fitted.view_labels_.T:
        assert adjusted_rand_score(truth, labels) < 0.7


def test_a_view_of_noise_weighs_least():
    views, _ = confused_pair(junk=True)
    weights = WeightedHybridClustering(3, random_state=0).fit(views).view_weights_
    assert weights[2] < 0.5 * weights[:2].min()


def test_missing_objects_are_in_no_clustering_of_their_view():
    views, _ = confused_pair()
    partial = without(views, 0.2)
    fitted = WeightedHybridClustering(3, random_state=0).fit(partial)
    gone = np.stack([np.isnan(X[:, 0]) for X in partial], axis=1)
    assert_array_equal(fitted.view_labels_ < 0, gone)
    assert_array_equal(fitted.ensemble_.labels < 0, gone)
    kernel = WeightedHybridClustering(3, variant="kernel", random_state=0)
    assert kernel.fit(partial).n_clusters_ == 3


def test_one_view_has_all_the_weight():
    X = confused_pair()[0][0]
    fitted = WeightedHybridClustering(2, random_state=0).fit(X)
    assert_array_equal(fitted.view_weights_, [1.0])


def test_views_of_different_lengths_are_refused():
    views, _ = confused_pair()
    with pytest.raises(ComitiaError, match="views have 90, 80 rows"):
        WeightedHybridClustering(3).fit([views[0], views[1][:80]])
