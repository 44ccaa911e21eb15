"""CMKC-LFA-MR against its limits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import ortho_group
from sklearn.datasets import make_blobs, make_circles

from comitia.agreement import adjusted_rand
from comitia.exceptions import ComitiaError
from comitia.methods import LateFusionMultipleKernels
from comitia.optimize import SoftPartitions
from tests.fixtures import same_partition


def orthonormal(n, k, rng):
    return np.linalg.qr(rng.randn(n, k))[0]


def run(votes, **parameters):
    method = LateFusionMultipleKernels(3, **parameters)
    w = np.full(votes.n_clusterings, 1 / votes.n_clusterings)
    consensus = method._begin(votes, None)
    for _ in range(50):
        consensus = method._refine(votes, w, consensus)
        w = method._weigh(votes, consensus)
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
