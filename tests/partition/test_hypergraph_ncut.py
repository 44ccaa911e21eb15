"""The normalised cut of a hypergraph."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from comitia.exceptions import ComitiaError
from comitia.partition import hypergraph_ncut, ncut
from tests.fixtures import same_partition

BRIDGED = np.array(
    [[1, 0, 0], [1, 0, 0], [1, 0, 1], [0, 1, 1], [0, 1, 0], [0, 1, 0]], dtype=float
)


def test_a_bridge_is_cut():
    for H in (BRIDGED, csr_array(BRIDGED)):
        found = hypergraph_ncut(H, 2, np.random.RandomState(0))
        assert same_partition(found, [0, 0, 0, 1, 1, 1])


def test_weights_say_what_is_cut():
    found = hypergraph_ncut(
        BRIDGED[1:5], 3, np.random.RandomState(0), weights=[0.01, 0.01, 9.0]
    )
    assert same_partition(found, [0, 1, 1, 2])


@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_normalized_cut_of_the_shared_out_weights(seed):
    rng = np.random.RandomState(seed)
    H, w = (rng.rand(12, 9) < 0.4).astype(float), rng.rand(9)
    H[:, 0] = 1.0
    S = H @ np.diag(w / H.sum(axis=0)) @ H.T
    # The matrix of the paper has the same degrees: the weights at each vertex.
    assert_allclose(S.sum(axis=1), H @ w)
    found = hypergraph_ncut(H, 3, np.random.RandomState(0), weights=w)
    assert same_partition(found, ncut(S, 3, np.random.RandomState(0)))


def test_an_edge_of_two_is_an_edge():
    A = np.array([[0, 1, 0, 0], [1, 0, 0.1, 0], [0, 0.1, 0, 1], [0, 0, 1, 0]])
    i, j = np.nonzero(np.triu(A))
    H = np.zeros((4, len(i)))
    H[i, np.arange(len(i))] = H[j, np.arange(len(i))] = 1
    found = hypergraph_ncut(H, 2, np.random.RandomState(0), weights=A[i, j])
    assert same_partition(found, [0, 0, 1, 1])


def test_negative_weights_are_refused():
    with pytest.raises(ComitiaError, match="3 finite numbers"):
        hypergraph_ncut(BRIDGED, 2, np.random.RandomState(0), weights=[1, -1, 1])
