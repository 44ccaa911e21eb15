"""Fuzzy clusterings by three algorithms in turn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs

from comitia.generate import Bootstrap, FeatureSubset
from comitia.methods.fixed_clusterings._fuzzy_algorithms import (
    FuzzyAlgorithms,
    GaussianKernel,
    KernelFuzzyCMeans,
)

X, _ = make_blobs(60, 5, centers=3, random_state=0)


def test_kernel_distances_are_their_definition():
    kernel, centers = GaussianKernel(0.01), X[:3] + 0.5
    d = kernel.distances(X, centers)
    weights = np.random.RandomState(0).rand(60, 3)
    got = kernel.centers(X, weights)
    for r, c in enumerate(centers):
        K = np.array([np.exp(-0.01 * np.sum((x - c) ** 2)) for x in X])
        assert_allclose(d[:, r], 2 - 2 * K, atol=1e-12)
        assert_allclose(got[r], (weights[:, r] * K) @ X / (weights[:, r] @ K))


def test_the_result_of_kernel_fuzzy_c_means_is_a_fixed_point():
    found = KernelFuzzyCMeans(
        3, fuzziness=2.0, tol=1e-12, max_iter=2000, random_state=0
    ).fit(X)
    d = found.kernel_.distances(X, found.cluster_centers_)
    F = (1 / d) / (1 / d).sum(axis=1, keepdims=True)
    assert_allclose(found.membership_, F, atol=1e-9)
    assert_allclose(found.kernel_.centers(X, F**2), found.cluster_centers_, atol=1e-9)


@pytest.mark.parametrize("objects", [None, Bootstrap()])
def test_members_label_their_objects_again_as_they_were(objects):
    generator = FuzzyAlgorithms(
        6,
        n_clusters=3,
        features=FeatureSubset(0.6),
        objects=objects,
        extend=objects is not None,
        random_state=0,
    ).fit(X)
    assert generator.ensemble_.kind == "fuzzy"
    assert (generator.ensemble_.n_clusters_each == 3).all()
    assert_array_equal(generator.transform(X), generator.ensemble_.labels)
