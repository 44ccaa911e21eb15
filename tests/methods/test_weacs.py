"""WEACS: sixteen indices, and similarities where both objects were drawn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import squareform
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from comitia import Ensemble, method
from comitia.exceptions import ComitiaError, ComitiaWarning
from comitia.generate import KMeansGenerator, Subsample, TreeGenerator
from comitia.validity import score_table, unify
from comitia.validity.scatter import hartigan, krzanowski_lai, sse
from tests.fixtures import E6, X6, planted, same_partition, settled

WEACS = method("weacs")


def similarity(labels, w):
    """S by its definition; 0 where no clustering has both objects."""
    n, M = labels.shape
    S = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            both = [m for m in range(M) if labels[i, m] >= 0 and labels[j, m] >= 0]
            if both:
                together = [w[m] for m in both if labels[i, m] == labels[j, m]]
                S[i, j] = sum(together) / len(both)
    return S


def blobs(n=60):
    return make_blobs(n, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)


def test_worked_example_with_full_samples():
    fitted = WEACS(2, indices="dunn", consensus="single").fit(X6, ensemble=Ensemble(E6))
    w = fitted.clustering_weights_
    assert_allclose(w, [1, 1, 0.03125])
    # S_01 = (1 + 1 + 0.03125) / 3, S_02 = 2 / 3 and S_23 = 0.03125 / 3.
    heights = 1 - np.array([2.03125, 2.03125, 2, 2, 0.03125]) / 3
    assert_allclose(fitted.linkage_[:, 2], heights)
    assert same_partition(fitted.labels_, E6[:, 0])


def test_worked_example_with_an_object_missing():
    labels = E6.copy()
    labels[5, 2] = -1
    fitted = WEACS(2, indices="dunn", consensus="single").fit(
        X6, ensemble=Ensemble(labels)
    )
    assert_allclose(fitted.clustering_weights_, [1, 1, 0.03125])
    # Object 5 is always with 3 and 4 where it was drawn: both of two.
    heights = 1 - np.array([2 / 2, 2 / 2, 2.03125 / 3, 2 / 3, 0.03125 / 3])
    assert_allclose(fitted.linkage_[:, 2], heights, atol=1e-12)


@pytest.mark.parametrize("consensus", ["average", "single", "complete", "ward"])
@pytest.mark.parametrize("seed", range(2))
def test_the_tree_stands_on_the_similarities_of_the_definition(consensus, seed):
    rng = np.random.RandomState(seed)
    X, labels = rng.randn(16, 2), rng.randint(-1, 3, size=(16, 25))
    E = Ensemble(labels)
    fitted = WEACS(3, consensus=consensus).fit(X, ensemble=E)
    S = similarity(E.labels, fitted.clustering_weights_)
    expected = scipy_linkage(squareform(1 - S, checks=False), consensus)
    assert_allclose(fitted.linkage_[:, 2], expected[:, 2], atol=1e-9)


@pytest.mark.parametrize("unification", ["minmax", "range", "prob", "rank"])
def test_weights_are_means_of_unified_indices(unification):
    X, _ = blobs()
    labels, _ = planted(60, 3, 6, noise=0.3, seed=0)
    names = ["dunn", "sse", "silhouette"]
    E = Ensemble(labels)
    fitted = WEACS(3, indices=names, unification=unification).fit(X, ensemble=E)
    columns = [score_table(X, E, [name]).values[:, 0] for name in names]
    turned = [
        unify(column, direction, unification)
        for column, direction in zip(columns, ["large", "small", "large"], strict=True)
    ]
    assert_allclose(fitted.clustering_weights_, np.mean(turned, axis=0))


def test_its_own_clusterings_are_judged_by_sixteen_indices():
    X, truth = blobs()
    fitted = WEACS(3, random_state=0).fit(X)
    assert len(fitted.indices_) == 16
    assert fitted.ensemble_.kind == "partial"
    assert_array_equal((fitted.ensemble_.labels >= 0).sum(axis=0), 48)  # 80 per cent
    assert fitted.clustering_weights_.min() >= 0
    assert fitted.clustering_weights_.max() <= 1
    assert adjusted_rand_score(truth, fitted.labels_) == 1.0


@pytest.mark.parametrize("index", ["krzanowski_lai", "hartigan"])
def test_neighbors_in_k_are_made_on_the_same_subset(index):
    X = settled(blobs()[0])
    generator = KMeansGenerator(9, objects=Subsample(0.7), random_state=3)
    fitted = WEACS(3, indices=index, generator=generator).fit(X)
    values = []
    plans = generator.fit(X).plan(X, np.random.RandomState(3))
    for labels, plan in zip(fitted.ensemble_.labels.T, plans, strict=True):
        drawn = labels >= 0
        k = labels.max() + 1

        def scatter(k, rows=drawn, seed=plan["seed"]):
            run = KMeans(k, n_init=1, random_state=seed).fit(X[rows])
            return sse(X[rows], run.labels_)

        if index == "hartigan":
            value = hartigan(X[drawn], labels[drawn], sse_next=scatter(k + 1))
        else:
            value = krzanowski_lai(
                X[drawn],
                labels[drawn],
                sse_previous=scatter(k - 1),
                sse_next=scatter(k + 1),
            )
        values.append(value)
    assert_allclose(fitted.clustering_weights_, unify(values, "large", "minmax"))


def test_given_clusterings_are_judged_by_fourteen():
    X, _ = blobs()
    labels, _ = planted(60, 3, 6, noise=0.2, seed=0)
    fitted = WEACS(3).fit(X, ensemble=Ensemble(labels))
    assert len(fitted.indices_) == 14
    assert not {"hartigan", "krzanowski_lai"} & set(fitted.indices_)
    with pytest.raises(ComitiaError, match="hartigan compares a clustering"):
        WEACS(3, indices="hartigan").fit(X, ensemble=Ensemble(labels))


def test_a_generator_that_cannot_repeat_itself_is_judged_by_fourteen():
    X, _ = blobs()
    for generator in [
        TreeGenerator(5),
        KMeansGenerator(5, random_state=np.random.RandomState(0)),
    ]:
        fitted = WEACS(3, generator=generator, random_state=0).fit(X)
        assert len(fitted.indices_) == 14


def test_an_index_that_says_nothing_leaves_evidence_accumulation():
    X, _ = blobs()
    labels, _ = planted(60, 3, 9, noise=0.3, seed=1)
    # All clusterings have three clusters, hence the same mean size.
    fitted = WEACS(3, indices="mean_cluster_size").fit(X, ensemble=Ensemble(labels))
    plain = method("eac")(3).fit(Ensemble(labels))
    assert_array_equal(fitted.clustering_weights_, 1.0)
    assert_allclose(fitted.linkage_, plain.linkage_)


def test_k_means_on_the_rows_finds_clear_clusters():
    X, truth = blobs()
    fitted = WEACS(3, consensus="kmeans", random_state=0).fit(X)
    assert same_partition(fitted.labels_, truth)
    assert not hasattr(fitted, "linkage_")
    assert WEACS(consensus="kmeans", random_state=0).fit(X).n_clusters_ >= 2


def test_pairs_never_drawn_together_are_not_similar_and_warned_of():
    labels = [[0, -1], [0, -1], [-1, 0], [-1, 0], [0, 0], [1, 1]]
    with pytest.warns(ComitiaWarning, match="in no clustering together"):
        fitted = WEACS(2, indices="sse").fit(X6, ensemble=Ensemble(labels))
    S = similarity(np.array(labels), fitted.clustering_weights_)
    expected = scipy_linkage(squareform(1 - S, checks=False), "average")
    assert_allclose(fitted.linkage_[:, 2], expected[:, 2], atol=1e-9)


def test_clusterings_without_any_value_weigh_the_same_with_a_warning():
    one_cluster = Ensemble(np.zeros((6, 3), dtype=int))
    with pytest.warns(ComitiaWarning, match="uniform"):
        fitted = WEACS(2, indices="silhouette").fit(X6, ensemble=one_cluster)
    assert_allclose(fitted.clustering_weights_, 1 / 3)


def test_objects_that_share_several_clusters_are_the_more_similar():
    # Objects 0 and 1 meet in both clusters of the first clustering.
    E = Ensemble.from_clusters([[[0, 1, 2], [0, 1, 3]], [[0, 1], [2, 3]]], 4)
    fitted = WEACS(2, indices="mean_cluster_size", consensus="single")
    fitted.fit(X6[:4], ensemble=E)
    good, poor = fitted.clustering_weights_
    assert good >= poor > 0
    S = np.array([2 * good + poor, good, good]) / 2  # pairs 01, 02 and 03
    assert_allclose(fitted.linkage_[:, 2], max(1.0, S[0]) - S)
