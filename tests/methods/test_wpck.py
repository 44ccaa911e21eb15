"""Weighted partition consensus via kernels."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs

from comitia import Ensemble, method
from comitia.partition.median_search import set_partitions
from comitia.validity.centers import compactness
from comitia.validity.pairs import connectedness, dunn, silhouette
from comitia.weigh import maximum_relevance
from tests.fixtures import E6, X6, planted, same_partition
from tests.methods._partition_kernels import subset_kernel

Method = method("wpck")


def weights_by_loops(X, labels):
    """The formula, index by index and clustering by clustering."""
    total = np.zeros(labels.shape[1])
    for index, sign in (
        (dunn, 1),
        (silhouette, 1),
        (compactness, -1),
        (connectedness, -1),
    ):
        values = np.array([sign * index(X, column) for column in labels.T])
        spread = values.max() - values.min()
        scaled = (values - values.min()) / spread if spread else np.ones(len(values))
        for m, value in enumerate(scaled):
            total[m] += 1 - abs(value - max(scaled))
    return total / total.sum()


def blobs(seed, n=60):
    X, truth = make_blobs(n, centers=[[0, 0], [6, 0], [0, 6]], random_state=seed)
    return X, truth


def test_weights_of_the_catalogue():
    assert_allclose(maximum_relevance([0.2, 0.4, 0.6]), [0.6, 0.8, 1.0])


@pytest.mark.parametrize("seed", range(3))
def test_weights_are_their_formula(seed):
    X, _ = blobs(seed)
    labels = np.random.RandomState(seed).randint(0, 3, size=(60, 5))
    fitted = Method(max_iter=1, random_state=0).fit(X, ensemble=Ensemble(labels))
    assert_allclose(fitted.clustering_weights_, weights_by_loops(X, labels), rtol=1e-6)
    # Indices add distances in single precision; see comitia.validity.pairs.


def test_the_better_clusterings_of_e6_have_all_the_weight():
    fitted = Method().fit(X6, ensemble=Ensemble(E6))
    assert_allclose(fitted.clustering_weights_, [0.5, 0.5, 0.0])
    assert same_partition(fitted.labels_, E6[:, 0])
    assert_allclose(fitted.objective_[-1], 1.0)


@pytest.mark.parametrize("max_subset_size", [None, 2])
def test_small_ensembles_are_solved_exactly(max_subset_size):
    rng = np.random.RandomState(0)
    for _ in range(2):
        X, labels = rng.rand(6, 2), rng.randint(0, 3, size=(6, 4))
        fitted = Method(max_subset_size=max_subset_size)
        fitted.fit(X, ensemble=Ensemble(labels))
        values = [
            sum(
                w * subset_kernel(C, column, max_subset_size=max_subset_size)
                for w, column in zip(fitted.clustering_weights_, labels.T, strict=True)
            )
            for C in set_partitions(6)
        ]
        assert_allclose(fitted.objective_[-1], max(values), rtol=1e-10)
        best = set_partitions(6)[int(np.argmax(values))]
        assert same_partition(fitted.labels_, best)


def test_the_result_is_never_worse_than_the_best_clustering():
    X, _ = blobs(1, n=90)
    labels = np.random.RandomState(2).randint(0, 4, size=(90, 6))
    fitted = Method(max_iter=30, random_state=0).fit(X, ensemble=Ensemble(labels))
    w = fitted.clustering_weights_
    for m in range(6):
        base = sum(w[j] * subset_kernel(labels[:, m], labels[:, j]) for j in range(6))
        assert fitted.objective_[-1] >= base - 1e-12
    assert (np.diff(fitted.objective_) >= 0).all()


def test_pairs_find_what_large_subsets_cannot():
    # With all subsets the clustering of the largest weight has nearly all the say; the
    # kernel on pairs sees through 25 % of noise.
    X, truth = blobs(3, n=150)
    rng = np.random.RandomState(0)
    labels = np.column_stack(
        [np.where(rng.rand(150) < 0.25, rng.randint(3, size=150), truth)
         for _ in range(12)]
    )  # fmt: skip
    pairs = Method(3, max_subset_size=2, random_state=0)
    pairs.fit(X, ensemble=Ensemble(labels))
    assert (pairs.labels_[:, None] == pairs.labels_)[
        truth[:, None] == truth
    ].mean() > 0.97
    subsets = Method(3, random_state=0).fit(X, ensemble=Ensemble(labels))
    heaviest = labels[:, subsets.clustering_weights_.argmax()]
    assert subset_kernel(subsets.labels_, heaviest) > 0.1


def test_the_planted_partition_is_not_the_optimum_of_the_kernel_on_subsets():
    # Why the card exempts WPCK from recovering planted clusters: it finds better.
    labels, truth = planted(120, 4, 10, noise=0.15, seed=3)
    X = np.random.RandomState(0).rand(120, 2)
    for max_subset_size, better in ((None, True), (2, False)):
        fitted = Method(4, max_subset_size=max_subset_size, random_state=0)
        fitted.fit(X, ensemble=Ensemble(labels))
        planted_value = sum(
            w * subset_kernel(truth, column, max_subset_size=max_subset_size)
            for w, column in zip(fitted.clustering_weights_, labels.T, strict=True)
        )
        assert (fitted.objective_[-1] > 1.1 * planted_value) == better
        assert same_partition(fitted.labels_, truth) != better


def test_one_object_subsets_leave_the_number_of_clusters_to_the_sizes():
    # A single object counts 1 / (|c| |d|): partitions with small clusters win.
    labels, _ = planted(20, 2, 3, noise=0.3, seed=0)
    X = np.random.RandomState(0).rand(20, 2)
    fitted = Method(max_subset_size=1, random_state=0)
    fitted.fit(X, ensemble=Ensemble(labels))
    w = fitted.clustering_weights_
    expected = sum(
        w[m] * subset_kernel(fitted.labels_, labels[:, m], max_subset_size=1)
        for m in range(3)
    )
    assert_allclose(fitted.objective_[-1], expected, rtol=1e-10)


@pytest.mark.parametrize("n_clusters", [2, 3, 6])
def test_a_number_of_clusters_can_be_fixed(n_clusters):
    X, truth = blobs(4)
    labels = np.column_stack([truth, truth, np.arange(60) % 3])
    fitted = Method(n_clusters, max_iter=20, random_state=0)
    assert fitted.fit(X, ensemble=Ensemble(labels)).n_clusters_ == n_clusters


def test_a_clustering_of_one_cluster_is_judged_by_what_is_defined():
    labels = np.column_stack([E6, np.zeros(6, dtype=int)])
    fitted = Method().fit(X6, ensemble=Ensemble(labels))
    assert fitted.clustering_weights_[3] < fitted.clustering_weights_[0]
    assert_array_equal(fitted.labels_, [0, 0, 0, 1, 1, 1])


def test_unknown_indices_are_refused_in_words():
    with pytest.raises(ValueError, match="no validity index 'dun'"):
        Method(indices=["dun"]).fit(X6, ensemble=Ensemble(E6))
    with pytest.raises(ValueError, match="ensemble=E"):
        Method().fit(Ensemble(E6))
