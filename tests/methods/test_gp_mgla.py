import numpy as np
import pytest
from numpy.testing import assert_allclose

from comitia import Ensemble
from comitia.agreement import adjusted_rand
from comitia.methods.fixed_clusterings.gp_mgla import (
    GPMGLA,
    cluster_links,
    source_aware_triples,
)
from comitia.represent import jaccard_clusters
from tests.fixtures import E6, planted, same_partition

# The clusters of E6 in their order.
a, b, a2, b2, c, d, e = range(7)


def test_common_neighbors_of_e6_are_those_of_the_catalogue():
    sact = source_aware_triples(jaccard_clusters(Ensemble(E6)), np.ones(7))
    assert_allclose(sact[a, a2], 35 / 12)
    assert_allclose(sact.max(), 35 / 12)
    assert_allclose(sact[a, b], 0.25)
    assert_allclose(sact[a, c], 2.0)
    assert_allclose(sact[a, d], 0.75)
    assert_allclose(sact[c, d], 0.5)
    assert_allclose(sact[c, e], 0.0)


@pytest.mark.parametrize("seed", range(3))
def test_common_neighbors_are_their_definition(seed):
    rng = np.random.RandomState(seed)
    labels = rng.randint(0, 4, size=(30, 4))
    J = jaccard_clusters(Ensemble(labels))
    v = rng.rand(J.shape[0])
    dense = J.toarray()
    smaller = np.minimum(dense[:, :, None], dense[:, None, :])
    expected = (v[:, None, None] * smaller).sum(axis=0)
    assert_allclose(source_aware_triples(J, v), expected, atol=1e-12)


def test_links_between_clusters_are_scaled_by_the_largest():
    links = cluster_links(jaccard_clusters(Ensemble(E6)), np.ones(7))
    assert_allclose(np.diag(links), 1.0)
    assert_allclose(links[a, a2], 1.0)
    assert_allclose(links[a, c], 2 / (35 / 12))
    assert_allclose(links[a, b], 0.25 / (35 / 12))


def test_the_weights_of_e6_are_powers_of_the_agreement():
    fitted = GPMGLA(n_clusters=2, random_state=0).fit(Ensemble(E6))
    # NCAI = (1, 1, 0.592164) with the larger entropy, as for WEAC.
    assert_allclose(
        fitted.clustering_weights_, [1, 1, 0.592164**2], atol=1e-6
    )  # as printed
    plain = GPMGLA(n_clusters=2, weight_power=0, random_state=0).fit(Ensemble(E6))
    assert_allclose(plain.clustering_weights_, 1.0)


def test_two_clusters_of_e6_are_its_first_clustering():
    fitted = GPMGLA(n_clusters=2, random_state=0).fit(Ensemble(E6))
    assert same_partition(fitted.labels_, E6[:, 0])


def test_heavy_object_edges_forget_the_links_between_clusters():
    from comitia.partition import tcut
    from comitia.represent import bipartite_graph

    labels, _ = planted(200, 3, 6, noise=0.5, seed=1)
    E = Ensemble(labels)
    fitted = GPMGLA(n_clusters=3, object_edge_weight=1e9, random_state=0).fit(E)
    graph = bipartite_graph(E, clustering_weights=fitted.clustering_weights_)
    plain = tcut(graph, 3, np.random.RandomState(0))
    assert same_partition(fitted.labels_, plain)


def test_the_agreement_can_be_a_function():
    ensemble = Ensemble(planted(90, 3, 8, noise=0.3, seed=0)[0])
    named = GPMGLA(3, agreement="adjusted_rand", random_state=0).fit(ensemble)
    given = GPMGLA(3, agreement=adjusted_rand, random_state=0).fit(ensemble)
    assert_allclose(given.clustering_weights_, named.clustering_weights_)
    assert same_partition(given.labels_, named.labels_)
