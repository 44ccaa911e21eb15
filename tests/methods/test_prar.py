"""PRAr: unify, reduce, aggregate, combine."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score

from comitia import ConsensusClustering, Ensemble, method
from comitia.select import robust_rank
from comitia.validity import score_table, unify
from comitia.weigh import entropy_relevance, maximum_relevance
from tests.fixtures import E6, X6, planted, same_partition

PRAr = method("prar")
FEW = ["silhouette", "dunn", "davies_bouldin", "xie_beni", "sse"]


def votes(seed=0):
    """Data in three clear clusters, and clusterings from good to poor."""
    columns = [planted(45, 3, 1, noise=x, seed=seed + m) for m, x in enumerate(NOISE)]
    labels = np.hstack([column for column, _ in columns])
    truth = columns[0][1]
    X = 6.0 * np.eye(3)[truth] + np.random.RandomState(seed).randn(45, 3)
    return X, Ensemble(labels), truth


NOISE = [0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8, 1.0]


def test_one_index_unified_by_range_is_that_of_the_catalogue():
    fitted = PRAr(2, indices=["silhouette"], reduction="none").fit(
        X6, ensemble=Ensemble(E6)
    )
    assert_allclose(fitted.relevance_, [[1], [1], [0]])
    assert_allclose(fitted.clustering_weights_, [0.5, 0.5, 0])
    assert same_partition(fitted.labels_, E6[:, 0])


@pytest.mark.parametrize("unification", ["minmax", "range", "prob", "rank"])
def test_without_reduction_the_weights_are_aggregates_of_the_unified_table(unification):
    X, E, _ = votes()
    table = score_table(X, E, FEW)
    U = unify(table.values, table.directions, unification)
    unit = unify(U, "large", "range") if unification == "rank" else U
    rho = robust_rank(U)
    expected = {
        "mean": U.mean(axis=1),
        "min": U.min(axis=1),
        "entropy": entropy_relevance(unit),
        "maximum": maximum_relevance(unit),
        "robust": rho.min() + rho.max() - rho,
    }
    for aggregation, w in expected.items():
        fitted = PRAr(
            3,
            indices=FEW,
            unification=unification,
            reduction="none",
            aggregation=aggregation,
        ).fit(X, ensemble=E)
        assert_allclose(fitted.clustering_weights_, w / w.sum())
        assert fitted.indices_ == FEW


@pytest.mark.parametrize("unification", ["minmax", "range", "prob", "rank"])
@pytest.mark.parametrize(
    "reduction", ["none", "laplacian", "spectral", "kmedoids", "kmeans", "pca"]
)
def test_every_combination_finds_clear_clusters(unification, reduction):
    X, E, truth = votes()
    for aggregation in ["mean", "min", "entropy", "maximum", "robust"]:
        fitted = PRAr(
            3,
            indices=FEW,
            unification=unification,
            reduction=reduction,
            aggregation=aggregation,
            random_state=0,
        ).fit(X, ensemble=E)
        w = fitted.clustering_weights_
        assert_allclose(w.sum(), 1.0)
        assert adjusted_rand_score(truth, fitted.labels_) > 0.9
        # The entropy form prefers the average to the best, and the lesser principal
        # components are noise.
        if aggregation != "entropy" and reduction != "pca":
            assert w[:4].mean() > w[5:].mean()
            assert same_partition(fitted.labels_, truth)


@pytest.mark.parametrize(
    "reduction", ["none", "laplacian", "spectral", "kmedoids", "pca"]
)
def test_a_constant_index_changes_nothing(reduction):
    # In these clusterings of three clusters each, mean_cluster_size is always 15.
    X, E, _ = votes()
    one = PRAr(3, indices=FEW, reduction=reduction).fit(X, ensemble=E)
    more = [*FEW[:2], "mean_cluster_size", *FEW[2:]]
    other = PRAr(3, indices=more, reduction=reduction).fit(X, ensemble=E)
    assert_allclose(one.clustering_weights_, other.clustering_weights_)
    assert one.indices_ == other.indices_


@pytest.mark.parametrize("reduction", ["kmedoids", "kmeans", "pca"])
def test_a_repeated_index_changes_nothing_where_redundancy_is_removed(reduction):
    X, E, _ = votes()
    parameters = {"reduction": reduction, "random_state": 0}
    one = PRAr(3, indices=FEW, **parameters).fit(X, ensemble=E)
    other = PRAr(3, indices=[*FEW, FEW[1]], **parameters).fit(X, ensemble=E)
    assert_allclose(one.clustering_weights_, other.clustering_weights_)
    if reduction == "kmedoids":
        assert one.indices_ == other.indices_


def test_n_select_says_how_many_indices_are_left():
    X, E, _ = votes()
    fitted = PRAr(3, n_select=2, reduction="kmedoids").fit(X, ensemble=E)
    assert len(fitted.indices_) == 2
    assert fitted.relevance_.shape == (8, 2)


def test_properties_and_indices_of_several_clusterings_do_not_judge_unasked():
    X, E, _ = votes()
    judges = PRAr(3, reduction="none").fit(X, ensemble=E).indices_
    assert {"silhouette", "s_dbw", "point_symmetry"} <= set(judges)
    assert not {"mean_cluster_size", "hartigan", "simplified_silhouette"} & set(judges)


@pytest.mark.parametrize("consensus", ["single", "average", "complete", "ward", "cspa"])
def test_the_consensus_is_the_weighted_one(consensus):
    X, E, _ = votes(3)
    fitted = PRAr(3, indices=FEW, consensus=consensus, random_state=0)
    fitted.fit(X, ensemble=E)
    w = fitted.clustering_weights_
    if consensus == "cspa":
        other = method("cspa")(3, clustering_weights=w, random_state=0).fit(E)
        assert not hasattr(fitted, "linkage_")
    else:
        other = ConsensusClustering(3, weighting=lambda *_: w, consensus=consensus)
        other.fit(E)
    assert_array_equal(fitted.labels_, other.labels_)


def test_clusterings_that_nothing_tells_apart_weigh_the_same():
    labels = np.repeat(E6[:, :1], 4, axis=1)
    fitted = PRAr(2).fit(X6, ensemble=Ensemble(labels))
    assert_allclose(fitted.clustering_weights_, 0.25)
    assert fitted.indices_ == []
    assert same_partition(fitted.labels_, E6[:, 0])
