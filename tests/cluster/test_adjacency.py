"""Graphs of networkx, and agreement matrices, are read as what they are."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from comitia import method
from comitia.agreement import adjusted_rand
from comitia.cluster import Leiden
from comitia.cluster.adjacency import check_graph
from comitia.exceptions import ComitiaError
from comitia.generate import GraphGenerator


class Network:
    """What is used of networkx.Graph; the real one where it is installed."""

    def __init__(self, nodes, edges, directed=False):
        self.nodes, self._edges, self._directed = list(nodes), edges, directed

    def is_directed(self):
        return self._directed

    def edges(self, data, default):
        assert data == "weight"
        return [(u, v, about.get(data, default)) for u, v, about in self._edges]


def real(nodes, edges, directed=False):
    nx = pytest.importorskip("networkx")
    graph = nx.DiGraph() if directed else nx.Graph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from(edges)
    return graph


PEOPLE = ["ann", "bob", "cem", ("d", 4), "eve", "fay"]
LINKS = [
    ("ann", "bob", {}),
    ("bob", "cem", {"weight": 2}),
    ("ann", "cem", {}),
    ("cem", ("d", 4), {"weight": 0.5}),
    (("d", 4), "eve", {}),
    ("eve", "fay", {}),
    (("d", 4), "fay", {}),
    ("fay", "fay", {}),
]


@pytest.fixture(params=[Network, real], ids=["stand-in", "networkx"])
def make(request):
    return request.param


def test_a_network_is_its_adjacency_matrix(make):
    A = check_graph(make(PEOPLE, LINKS)).toarray()
    expected = np.zeros((6, 6))
    for i, j, w in [(0, 1, 1), (1, 2, 2), (0, 2, 1), (2, 3, 0.5)]:
        expected[i, j] = expected[j, i] = w
    for i, j in [(3, 4), (4, 5), (3, 5)]:
        expected[i, j] = expected[j, i] = 1
    assert_array_equal(A, expected)


def test_everything_that_takes_a_graph_takes_a_network(make):
    graph = make(PEOPLE, LINKS)
    truth = [0, 0, 0, 1, 1, 1]
    assert_array_equal(Leiden(random_state=0).fit_predict(graph), truth)
    fitted = method("ecg")(random_state=0).fit(graph)
    assert_array_equal(fitted.labels_, truth)
    assert fitted.ensemble_.object_names[3] == "('d', 4)"
    members = GraphGenerator(3, random_state=0).generate(graph)
    assert members.object_names[0] == "ann"
    # Members are matched by name where the vertices come in another order.
    turned = make(PEOPLE[::-1], LINKS)
    again = method("fast_ensemble")(random_state=0).fit(turned, ensemble=members)
    assert_array_equal(again.labels_, [0, 0, 0, 1, 1, 1])
    assert again.ensemble_.object_names[0] == "fay"


def test_networks_that_do_not_fit_are_refused_in_words(make):
    with pytest.raises(ComitiaError, match=r"graph.to_undirected\(\)"):
        check_graph(make(PEOPLE, LINKS, directed=True))
    with pytest.raises(ComitiaError, match="no vertices"):
        check_graph(make([], []))
    with pytest.raises(TypeError, match="numbers for the weights"):
        check_graph(make("ab", [("a", "b", {"weight": "much"})]))
    with pytest.raises(ComitiaError, match="none negative"):
        GraphGenerator(2).generate(make("ab", [("a", "b", {"weight": -1})]))
    with pytest.raises(ComitiaError, match="no edges"):
        method("ecg")().fit(make("ab", []))


def test_an_agreement_matrix_is_clustered_as_bctpy_does():
    # agreement(ci) / M of bctpy: how often vertices are together, no diagonal.
    rng = np.random.RandomState(0)
    truth = np.repeat([0, 1, 2], 15)
    runs = np.array(
        [
            np.where(rng.rand(45) < 0.3, rng.randint(3, size=45), truth)
            for _ in range(30)
        ]
    )
    D = (runs[:, :, None] == runs[:, None, :]).mean(axis=0)
    np.fill_diagonal(D, 0.0)
    fitted = method("lf_consensus")(threshold=0.4, random_state=0)
    fitted.fit(np.where(D >= 0.4, D, 0.0))
    assert adjusted_rand(fitted.labels_, truth) == 1.0
    assert fitted.converged_


@pytest.mark.parametrize("id", ["lwgp", "consensus_clustering"])
def test_bertopic_can_have_a_method_for_its_hdbscan_model(id):
    import comitia

    # The calls of BERTopic: fit with y, labels_, and predict for new documents.
    documents = (
        np.random.RandomState(0).randn(60, 5)
        + 8 * np.eye(3, 5)[np.repeat([0, 1, 2], 20)]
    )
    make = comitia.ConsensusClustering if id != "lwgp" else method(id)
    hdbscan_model = make(3, random_state=0)
    hdbscan_model.fit(documents.astype(np.float32), y=None)
    topics = hdbscan_model.labels_
    assert [topics.tolist().count(t) for t in range(3)] == [20, 20, 20]
    assert not hasattr(hdbscan_model, "probabilities_")
    assert_array_equal(hdbscan_model.predict(documents[::20] + 0.1), topics[::20])
