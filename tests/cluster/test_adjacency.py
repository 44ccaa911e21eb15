"""What a graph may be, wherever one is given: matrices, networks, agreement."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

import comitia
from comitia import method
from comitia.agreement import adjusted_rand
from comitia.cluster import Leiden
from comitia.cluster.adjacency import check_graph
from comitia.exceptions import ComitiaError
from comitia.generate import GraphGenerator

HALVES = np.kron(np.eye(2), np.ones((3, 3)) - np.eye(3))


def changed(value, *pairs):
    A = HALVES.copy()
    for pair in pairs:
        A[pair] = value
    return A


def labels_of(taker, graph):
    """The communities of a graph, by whatever takes one."""
    if taker == "Leiden":
        return Leiden(random_state=0).fit_predict(graph)
    if taker == "GraphGenerator":
        return GraphGenerator(2, random_state=0).generate(graph).labels[:, 0]
    return method(taker)(random_state=0).fit_predict(graph)


METHODS = ["ecg", "fast_ensemble", "lf_consensus", "yang_2016"]
takers = pytest.mark.parametrize("taker", ["Leiden", "GraphGenerator", *METHODS])


def test_all_methods_for_graphs_are_looked_at():
    of_graphs = {card.id for card in comitia.methods() if "graph" in card.needs}
    assert of_graphs == {*METHODS, "wu_2017"}  # which does not make its clusterings


@takers
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_loops_parts_and_lonely_vertices_are_no_trouble(taker, form):
    assert_array_equal(labels_of(taker, form(HALVES)), [0, 0, 0, 1, 1, 1])
    loops = form(HALVES + 5 * np.eye(6))
    assert_array_equal(labels_of(taker, loops), [0, 0, 0, 1, 1, 1])
    lonely = form(np.pad(HALVES, (0, 1)))
    assert_array_equal(labels_of(taker, lonely), [0, 0, 0, 1, 1, 1, 2])


@takers
@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize(
    ("graph", "words"),
    [
        (changed(1, (0, 3)), r"symmetric; give \(graph \+ graph.T\) / 2"),
        (changed(-2, (0, 1), (1, 0)), "none negative; got -2"),
        (changed(np.nan, (0, 1), (1, 0)), "finite weights, none negative; got nan"),
        (changed(np.inf, (0, 1), (1, 0)), "finite weights, none negative; got inf"),
        (np.zeros((0, 0)), "no vertices"),
    ],
    ids=["directed", "negative", "nan", "infinite", "empty"],
)
def test_what_is_no_graph_is_refused_in_words(taker, form, graph, words):
    with pytest.raises(ComitiaError, match=words):
        labels_of(taker, form(graph))


@pytest.mark.parametrize("graph", [np.zeros((4, 4)), np.eye(4)], ids=["none", "loops"])
def test_without_links_methods_refuse_and_vertices_are_alone(graph):
    for taker in METHODS:
        with pytest.raises(ComitiaError, match="no edges"):
            labels_of(taker, graph)
    assert_array_equal(labels_of("Leiden", graph), range(4))
    assert_array_equal(labels_of("GraphGenerator", graph), range(4))


def test_clusterings_of_other_vertices_are_refused():
    with pytest.raises(ComitiaError, match="6 rows and ensemble has 5 objects"):
        method("ecg")().fit(HALVES, ensemble=comitia.Ensemble([[0, 0]] * 5))
    names = list("abcdef")
    named = pd.DataFrame(HALVES, index=names, columns=names)
    others = comitia.Ensemble(pd.DataFrame([[0, 0]] * 6, index=list("abcdeX")))
    with pytest.raises(ComitiaError, match=r"different objects.*'X'"):
        method("ecg")().fit(named, ensemble=others)


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
