"""Clusterings weighed by how average they are, combined by a path kernel."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_blobs

from comitia import Ensemble, method
from comitia.exceptions import ComitiaWarning
from comitia.partition.median_search import set_partitions
from comitia.validity.centers import (
    cluster_size_difference,
    inter_cluster_distance,
    intra_cluster_distance,
    mean_cluster_size,
)
from comitia.weigh import entropy_relevance
from tests.fixtures import E6, X6, same_partition
from tests.methods._partition_kernels import path_kernel

Method = method("vega_pons_2008")


def weights_by_loops(X, labels):
    M = labels.shape[1]
    total = np.zeros(M)
    for index in (
        inter_cluster_distance,
        intra_cluster_distance,
        mean_cluster_size,
        cluster_size_difference,
    ):
        values = np.array([index(X, column) for column in labels.T])
        spread = values.max() - values.min()
        I = (values - values.min()) / spread if spread else np.ones(M)  # noqa: E741
        p = [value / sum(I) for value in I]
        H = -sum(share * np.log(share) for share in p if share > 0)
        for m in range(M):
            total[m] += H * (1 - abs(I[m] - np.mean(I)))
    return total / total.sum()


def test_weights_of_the_catalogue():
    H = 1.011404
    got = entropy_relevance([0.2, 0.4, 0.6])
    assert_allclose(got, [0.809123, H, 0.809123], atol=5e-7)  # given to six decimals


def test_weights_on_e6_worked_by_hand():
    # Scaled to their ranges the properties of (C1, C2, C3) are: distance between (1, 1,
    # 0), distance within (0, 0, 1), mean size (1, 1, 0), difference of sizes (1, 1, 1).
    # Their entropies are ln 2, 0, ln 2 and ln 3.
    good = 2 * np.log(2) * 2 / 3 + np.log(3)
    poor = 2 * np.log(2) * 1 / 3 + np.log(3)
    fitted = Method().fit(X6, ensemble=Ensemble(E6))
    expected = np.array([good, good, poor]) / (2 * good + poor)
    assert_allclose(fitted.clustering_weights_, expected, rtol=1e-12)
    assert same_partition(fitted.labels_, E6[:, 0])
    # K(C1, C3) = 0.910391.
    assert_allclose(
        fitted.objective_[-1], 1 - expected[2] * (1 - path_kernel(E6[:, 0], E6[:, 2]))
    )


@pytest.mark.parametrize("seed", range(3))
def test_weights_are_their_formula(seed):
    rng = np.random.RandomState(seed)
    X, labels = rng.rand(40, 3), rng.randint(0, 4, size=(40, 6))
    labels[:, 0] %= 2
    fitted = Method(max_iter=1, random_state=0).fit(X, ensemble=Ensemble(labels))
    assert_allclose(fitted.clustering_weights_, weights_by_loops(X, labels))


@pytest.mark.parametrize("continuation", [0.2, 1.0])
def test_small_ensembles_are_solved_exactly(continuation):
    rng = np.random.RandomState(1)
    for _ in range(2):
        X, labels = rng.rand(6, 2), rng.randint(0, 3, size=(6, 4))
        fitted = Method(continuation=continuation).fit(X, ensemble=Ensemble(labels))
        values = [
            sum(
                w * path_kernel(C, column, continuation=continuation)
                for w, column in zip(fitted.clustering_weights_, labels.T, strict=True)
            )
            for C in set_partitions(6)
        ]
        assert_allclose(fitted.objective_[-1], max(values), rtol=1e-12)


def test_walks_that_never_go_on_cannot_tell_partitions_apart():
    fitted = Method(continuation=0.0, random_state=0)
    X = np.random.RandomState(0).rand(20, 2)
    labels = np.random.RandomState(0).randint(0, 3, size=(20, 4))
    fitted.fit(X, ensemble=Ensemble(labels))
    assert_allclose(fitted.objective_, 1.0)


def test_noisy_clusterings_are_seen_through():
    X, truth = make_blobs(150, centers=[[0, 0], [6, 0], [0, 6]], random_state=0)
    rng = np.random.RandomState(0)
    noisy = [
        np.where(rng.rand(150) < 0.25, rng.randint(3, size=150), truth)
        for _ in range(12)
    ]
    ensemble = Ensemble(np.column_stack(noisy))
    for n_clusters in (None, 3):
        fitted = Method(n_clusters, random_state=0).fit(X, ensemble=ensemble)
        assert same_partition(fitted.labels_, truth)
        assert (np.diff(fitted.objective_) >= 0).all()


def test_two_clusterings_that_differ_weigh_the_same():
    with pytest.warns(ComitiaWarning, match="uniform weights"):
        fitted = Method(indices=["inter_cluster_distance"]).fit(
            X6, ensemble=Ensemble(E6[:, 1:])
        )
    assert_allclose(fitted.clustering_weights_, 0.5)
    alone = Method().fit(X6, ensemble=Ensemble(E6[:, :1]))
    assert_allclose(alone.clustering_weights_, 1.0)


def test_singletons_have_paths_of_one_vertex():
    labels = np.column_stack([np.arange(6), np.arange(6), E6[:, 0]])
    fitted = Method(6).fit(X6, ensemble=Ensemble(labels))
    assert fitted.n_clusters_ == 6
    # Six paths of one vertex, of which C1 has the same six: 1/36 * 6 = 1/6, and
    # K(C1, C1) = (1/36) * 2 * (3 + 6/16 + 6/256).
    expected = (1 / 6) / np.sqrt((1 / 6) * (2 / 36) * (3 + 6 / 16 + 6 / 256))
    assert_allclose(path_kernel(labels[:, 0], E6[:, 0]), expected)
