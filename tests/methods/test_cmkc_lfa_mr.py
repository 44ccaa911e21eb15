"""CMKC-LFA-MR against its limits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import ortho_group
from sklearn.datasets import make_blobs, make_circles

from comitia.agreement import adjusted_rand
from comitia.exceptions import ComitiaError
from comitia.methods import LateFusionMultipleKernels
from comitia.methods.variable_clusterings._cmkc_lfa_mr_fusion import SoftPartitions
from tests.fixtures import same_partition


def orthonormal(n, k, rng):
    return np.linalg.qr(rng.randn(n, k))[0]


def run(votes, **parameters):
    method = LateFusionMultipleKernels(3, **parameters)
    w, consensus = method._start(votes, None)
    for _ in range(50):
        consensus = method._update_consensus(votes, w, consensus)
        w = method._update_weights(votes, consensus)
    return w, *consensus


def test_rotated_copies_of_one_partition_are_aligned_with_the_consensus():
    rng = np.random.RandomState(0)
    F0 = orthonormal(20, 3, rng)
    each = [F0 @ ortho_group.rvs(3, random_state=seed) for seed in range(4)]
    w, F, rotations = run(SoftPartitions(each, F0))
    assert_allclose(F @ F.T, F0 @ F0.T, atol=1e-8)
    for base, R in zip(each, rotations, strict=True):
        assert_allclose(base @ R, F, atol=1e-8)
    assert_allclose(w, 0.25, atol=1e-8)


def test_a_single_kernel_is_relaxed_kernel_kmeans():
    X, _ = make_blobs(60, centers=3, random_state=0, cluster_std=0.8)
    fitted = LateFusionMultipleKernels(3, n_clusterings=1, random_state=0).fit(X)
    assert_allclose(fitted.clustering_weights_, [1.0])
    assert same_partition(fitted.labels_, fitted.ensemble_.labels[:, 0])
    F = fitted.partitions_.each[0]
    assert_allclose(fitted.consensus_ @ fitted.consensus_.T, F @ F.T, atol=1e-8)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_blobs_are_found(kernel):
    X, truth = make_blobs(120, centers=[[0, 0], [6, 0], [0, 6], [6, 6]], random_state=0)
    fitted = LateFusionMultipleKernels(4, kernel=kernel, random_state=0).fit(X)
    assert adjusted_rand(fitted.labels_, truth) > 0.95
    assert (np.diff(fitted.objective_) <= 1e-10).all()
    assert fitted.converged_


def test_the_number_of_clusters_can_be_chosen():
    X, truth = make_blobs(90, centers=3, random_state=0, cluster_std=0.5)
    fitted = LateFusionMultipleKernels(random_state=0).fit(X)
    assert fitted.n_clusters_ == 3
    assert same_partition(fitted.labels_, truth)


def test_more_clusters_than_objects_are_refused():
    X, _ = make_circles(8, random_state=0)
    with pytest.raises(ComitiaError, match=r"n_clusters=9 is larger .* at most 8"):
        LateFusionMultipleKernels(9).fit(X)


def test_kernels_may_be_of_any_kind():
    X, truth = make_blobs(60, centers=[[0, 0], [7, 0], [0, 7]], random_state=0)
    votes = np.eye(3)[truth]
    K = X @ X.T
    kernels = ["rbf", "laplacian", "linear", lambda Z: (1 + Z @ Z.T) ** 2, K, votes]
    fitted = LateFusionMultipleKernels(3, kernel=kernels, random_state=0).fit(X)
    assert same_partition(fitted.labels_, truth)
    assert fitted.clustering_weights_.shape == (6,)
    assert fitted.ensemble_.n_clusterings == 6
    assert (np.diff(fitted.objective_) <= 1e-10).all()


def test_partitions_of_several_sizes_are_combined():
    X, truth = make_blobs(60, centers=[[0, 0], [7, 0], [0, 7]], random_state=0)
    coarse = np.eye(2)[(truth == 0).astype(int)]
    fine = np.eye(6)[2 * truth + np.arange(60) % 2]
    kernels = [coarse, fine, np.eye(3)[truth], np.eye(3)[truth]]
    fitted = LateFusionMultipleKernels(3, kernel=kernels, random_state=0).fit(X)
    assert same_partition(fitted.labels_, truth)


def test_units_do_not_matter():
    X, truth = make_blobs(60, centers=[[0, 0], [7, 0], [0, 7]], random_state=0)
    units = X * [1.0, 1e4]
    assert same_partition(
        LateFusionMultipleKernels(3, random_state=0).fit(units).labels_, truth
    )
    plain = LateFusionMultipleKernels(3, scale=None, random_state=0).fit(units)
    assert adjusted_rand(plain.labels_, truth) < 0.9


@pytest.mark.parametrize(
    ("kernels", "message"),
    [
        ([], "empty"),
        ([np.ones((5, 5))], r"shape \(5, 5\)"),
        ([np.arange(64.0).reshape(8, 8)], "not symmetric"),
        ([np.full((8, 8), np.nan)], "finite"),
    ],
)
def test_what_is_no_kernel_is_refused_in_words(kernels, message):
    with pytest.raises(ComitiaError, match=message):
        LateFusionMultipleKernels(2, kernel=kernels).fit(np.eye(8, 2))
