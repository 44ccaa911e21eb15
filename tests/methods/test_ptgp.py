import numpy as np
import pytest
from numpy.testing import assert_allclose

from comitia import Ensemble, method
from comitia.exceptions import ComitiaError
from comitia.methods.baselines._trajectories import trajectory_similarity
from comitia.partition import tcut
from comitia.partition.matrix_cut import matrix_cut
from comitia.represent import bipartite_graph
from tests.fixtures import E6, planted, same_partition

PTGP = method("ptgp")


@pytest.mark.filterwarnings("ignore:walks from objects that")
def test_edges_of_e6_are_those_of_the_catalogue():
    micro, counts, _ = Ensemble(E6).distinct()
    S = trajectory_similarity(micro, counts, 2, 2)
    B = micro.membership.toarray()
    edges = S @ B / B.sum(axis=0)
    expected = [0.5, 0.161066, 0.5, 0.161066, 1, 0.161066, 0]
    assert_allclose(edges[0], expected, atol=5e-7)  # printed to six decimals
    N = edges.T @ (edges / edges.sum(axis=1, keepdims=True))
    root = np.sqrt(N.sum(axis=1))
    values = np.linalg.eigvalsh(N / root / root[:, None])[::-1]
    printed = [1, 0.378090, 0.114124, 0.107873, 0, 0, 0]
    assert_allclose(values, printed, atol=5e-7)


@pytest.mark.parametrize("seed", range(3))
def test_the_cut_of_a_matrix_is_the_transfer_cut(seed):
    labels, _ = planted(80, 3, 6, noise=0.3, seed=seed)
    E = Ensemble(labels)
    micro, counts, inverse = E.distinct()
    edges = micro.membership.toarray()
    rng = np.random.RandomState(0)
    whole = tcut(bipartite_graph(E), 3, rng, n_init=20)
    found = matrix_cut(edges, 3, np.random.RandomState(0), counts=counts, n_init=20)
    assert same_partition(found[inverse], whole)


def test_a_planted_partition_is_found():
    labels, truth = planted(150, 4, 12, noise=0.3, seed=0)
    assert same_partition(PTGP(4, random_state=0).fit_predict(Ensemble(labels)), truth)


def test_more_parts_than_clusters_are_refused():
    with pytest.raises(ComitiaError, match="give at most 2"):
        matrix_cut(np.eye(4)[:, :2], 3, np.random.RandomState(0))
