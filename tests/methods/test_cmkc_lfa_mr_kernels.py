"""Kernels, and their leading eigenvectors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from comitia.methods.variable_clusterings._cmkc_lfa_mr_kernels import (
    kernel_matrix,
    kernel_partitions,
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
    each, reference = kernel_partitions(X, 3, 4, kernel, np.random.RandomState(0))
    assert len(each) == 4
    for F in (*each, reference):
        assert_allclose(F.T @ F, np.eye(3), atol=1e-10)
