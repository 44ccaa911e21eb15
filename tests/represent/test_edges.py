"""The co-association on links is the co-association where there are links."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from comitia import Ensemble
from comitia.cluster.adjacency import check_graph
from comitia.exceptions import ComitiaError, ComitiaWarning
from comitia.represent import coassociation, edge_coassociation
from tests.fixtures import E6

PATH = csr_array(np.eye(6, k=1) + np.eye(6, k=-1))


def links(n=30, p=0.2, seed=0):
    upper = np.triu(np.random.RandomState(seed).rand(n, n) < p, 1)
    return csr_array((upper + upper.T).astype(float))


def labels_of(seed, missing=0.0):
    rng = np.random.RandomState(seed)
    labels = rng.randint(0, 4, size=(30, 7))
    labels[rng.rand(30, 7) < missing] = -1
    labels[labels.max(axis=1) < 0, 0] = 0
    return labels


def on_links(dense, graph):
    return np.where(graph.toarray() > 0, dense, 0.0)


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("co_sampled", [True, False])
@pytest.mark.parametrize("seed", range(2))
def test_it_is_the_co_association_where_there_are_links(missing, co_sampled, seed):
    ensemble, graph = Ensemble(labels_of(seed, missing)), links(seed=seed)
    rng = np.random.RandomState(seed)
    weights = {
        "clustering_weights": rng.rand(7),
        "cluster_weights": rng.rand(ensemble.n_clusters_total),
    }
    for given in ({}, weights):
        full = coassociation(ensemble, co_sampled=co_sampled, dtype=np.float64, **given)
        found = edge_coassociation(ensemble, graph, co_sampled=co_sampled, **given)
        assert found.nnz == graph.nnz
        assert_allclose(found.toarray(), on_links(full, graph), atol=1e-12)


def test_fuzzy_and_overlapping_clusterings():
    rng, graph = np.random.RandomState(0), links()
    fuzzy = Ensemble.from_memberships([rng.dirichlet(np.ones(3), 30) for _ in "abc"])
    overlapping = Ensemble.from_clusters(
        [[range(20), range(15, 30)], [range(11), range(10, 30)]], 30
    )
    for ensemble in (fuzzy, overlapping):
        full = coassociation(ensemble, dtype=np.float64)
        found = edge_coassociation(ensemble, graph)
        # Fuzzy sums are added in another order.
        assert_allclose(found.toarray(), on_links(full, graph), atol=1e-12)


def test_votes_of_e6_on_a_path():
    found = edge_coassociation(Ensemble(E6), PATH).toarray()
    assert_allclose(np.diag(found, 1), [1, 2 / 3, 1 / 3, 2 / 3, 1])


def test_links_that_no_clustering_has_are_told():
    apart = Ensemble([[0, -1], [0, -1], [-1, 0], [-1, 0]])
    with pytest.warns(ComitiaWarning, match="no clustering has both ends"):
        found = edge_coassociation(apart, PATH[:4, :4])
    assert_allclose(np.diag(found.toarray(), 1), [1, 0, 1])


def test_graph_and_ensemble_must_be_of_the_same_objects():
    with pytest.raises(ComitiaError, match="graph has 6 vertices and ensemble has 30"):
        edge_coassociation(Ensemble(labels_of(0)), PATH)
    with pytest.raises(ComitiaError, match="symmetric"):
        edge_coassociation(Ensemble(E6), np.eye(6, k=1))
    assert check_graph(PATH).nnz == 10
