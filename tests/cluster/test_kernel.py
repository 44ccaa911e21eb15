"""Kernel k-means: k-means for linear kernels, curved clusters for others."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs, make_circles
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

from comitia.cluster import KernelKMeans
from comitia.exceptions import ComitiaError
from tests.fixtures import E6, X6, same_partition

BLOBS, TRUTH = make_blobs(60, centers=3, cluster_std=1.0, random_state=1)


def test_the_linear_kernel_is_kmeans():
    weights = np.random.RandomState(0).rand(60) + 0.1
    plain = KMeans(3, n_init=20, tol=0, random_state=0).fit(
        BLOBS, sample_weight=weights
    )
    ours = KernelKMeans(3, kernel="linear", n_init=20, random_state=0).fit(
        BLOBS, sample_weight=weights
    )
    assert same_partition(ours.labels_, plain.labels_)
    assert_allclose(ours.inertia_, plain.inertia_)
    new = np.random.RandomState(1).rand(40, 2) * 20 - 10
    both = np.r_[ours.labels_, ours.predict(new)]
    assert same_partition(both, np.r_[plain.labels_, plain.predict(new)])


def test_circles_are_found():
    X, truth = make_circles(200, factor=0.3, noise=0.05, random_state=0)
    fitted = KernelKMeans(2, kernel="rbf", gamma=8.0, random_state=0).fit(X)
    assert adjusted_rand_score(truth, KMeans(2, n_init=5).fit_predict(X)) < 0.1
    assert adjusted_rand_score(truth, fitted.labels_) > 0.95


def test_a_precomputed_kernel_is_the_kernel():
    K = rbf_kernel(BLOBS, gamma=0.1)
    one = KernelKMeans(3, gamma=0.1, random_state=0).fit(BLOBS)
    other = KernelKMeans(3, kernel="precomputed", random_state=0).fit(K)
    # Names may differ: the last digits of the kernel decide between equal starts.
    assert same_partition(
        np.r_[one.labels_, one.predict(BLOBS[:8])],
        np.r_[other.labels_, other.predict(K[:8])],
    )


def test_a_kernel_of_distances_does_not_see_where_the_data_lie():
    near = KernelKMeans(3, gamma=0.1, random_state=0).fit(BLOBS)
    far = KernelKMeans(3, gamma=0.1, random_state=0).fit(BLOBS + 1e7)
    assert same_partition(
        np.r_[near.labels_, near.predict(BLOBS)],
        np.r_[far.labels_, far.predict(BLOBS + 1e7)],
    )
    assert_allclose(far.inertia_, near.inertia_, rtol=1e-6)  # of 1e7 nine digits left


def test_an_indefinite_kernel_is_shifted():
    # 2 B B' - 1 of C3 on E6 has the eigenvalues (-2, 0, 0, 0, 4, 4).
    B = np.eye(3)[E6[:, 2]]
    K = 2 * B @ B.T - 1
    assert_allclose(np.linalg.eigvalsh(K), [-2, 0, 0, 0, 4, 4], atol=1e-12)
    fitted = KernelKMeans(3, kernel="precomputed", random_state=0).fit(K)
    assert same_partition(fitted.labels_, E6[:, 2])
    assert np.diff(fitted.objective_).max(initial=0.0) <= 1e-12


def test_objects_without_weight_shape_nothing():
    weights = np.ones(60)
    weights[40:] = 0.0
    all_of_them = KernelKMeans(3, random_state=0).fit(BLOBS, sample_weight=weights)
    without = KernelKMeans(3, random_state=0).fit(BLOBS[:40])
    assert_array_equal(all_of_them.labels_[:40], without.labels_)
    assert_array_equal(all_of_them.labels_[40:], without.predict(BLOBS[40:]))


def test_a_bad_kernel_matrix_is_refused_in_words():
    with pytest.raises(
        ComitiaError, match=r"square, symmetric matrix; got .* \(6, 1\)"
    ):
        KernelKMeans(2, kernel="precomputed").fit(X6)
    with pytest.raises(ComitiaError, match="square, symmetric matrix"):
        KernelKMeans(2, kernel="precomputed").fit(np.triu(np.ones((3, 3))))
