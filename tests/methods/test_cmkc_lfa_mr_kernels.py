"""Kernels, and their leading eigenvectors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from comitia.methods.variable_clusterings._cmkc_lfa_mr_kernels import (
    given_kernels,
    kernel_matrix,
    kernel_partitions,
    kernels_of_widths,
)

METRICS = {"rbf": "sqeuclidean", "laplacian": "cityblock"}


@pytest.mark.parametrize("device", [None, "array_api_strict"])
@pytest.mark.parametrize("shift", [0.0, 1e6])
@pytest.mark.parametrize("kernel", METRICS)
def test_a_kernel_is_its_definition_wherever_the_data_lie(kernel, shift, device):
    X = np.random.RandomState(0).randn(12, 3) + shift
    if device is not None:
        pytest.importorskip(device)
    K = np.asarray(kernel_matrix(X, kernel, 0.7, device))
    assert_allclose(K, np.exp(-0.7 * cdist(X, X, METRICS[kernel])), atol=1e-12)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_partitions_are_leading_eigenvectors(kernel):
    X = np.random.RandomState(0).randn(30, 2)
    kernels = kernels_of_widths(X, kernel, 4, np.random.RandomState(0))
    each, reference = kernel_partitions(X, 3, kernels, 4)
    assert len(each) == 4
    for F in (*each, reference):
        assert_allclose(F.T @ F, np.eye(3), atol=1e-10)


def test_kernels_that_are_given_are_taken_as_they_are():
    rng = np.random.RandomState(0)
    X, F = rng.randn(20, 3), np.eye(4)[np.arange(20) % 4]
    linear, product, own, partition = (
        make() for make in given_kernels(X, ["linear", X @ X.T, np.cov, F], rng)
    )
    assert_allclose(linear, X @ X.T)
    assert_allclose(product, linear)
    assert_allclose(own, np.cov(X))
    assert_allclose(partition, F)


def test_the_reference_is_that_of_kernels_of_one_size():
    rng = np.random.RandomState(0)
    A, B = (Z @ Z.T for Z in rng.randn(2, 15, 4))
    F = np.eye(3)[np.arange(15) % 3]
    kernels = given_kernels(A, [A, 1e6 * B, F], rng)
    each, reference = kernel_partitions(A, 3, kernels, 3)
    assert_allclose(each[2] @ each[2].T, F @ F.T / 5, atol=1e-12)
    mean = A / np.trace(A) + B / np.trace(B) + F @ F.T / 15
    leading = np.linalg.eigh(mean)[1][:, -3:]
    assert_allclose(reference @ reference.T, leading @ leading.T, atol=1e-8)
