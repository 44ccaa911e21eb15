"""Graphs of objects, clusters and neighbours."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array, issparse

from comitia import Ensemble
from comitia.exceptions import ComitiaError
from comitia.represent import (
    bipartite_graph,
    jaccard_clusters,
    knn_graph,
    laplacian,
)
from tests.fixtures import E6

# Clusters of E6 in order: a, b, a', b', c, d, e.
A, B, A2, B2, C, D, E = range(7)


def random_partial(seed, n=40, M=5, k=4):
    rng = np.random.RandomState(seed)
    labels = rng.randint(-1, k, size=(n, M))
    labels[:k] = np.arange(k)[:, None]
    return Ensemble(labels)


def test_jaccard_of_e6_is_that_of_the_catalogue():
    J = jaccard_clusters(Ensemble(E6)).toarray()
    assert_allclose(J[A, A2], 1)
    assert_allclose(J[A, C], 2 / 3)
    assert_allclose([J[A, D], J[B, D]], 1 / 4)
    assert J[C, D] == J[A, B] == J[A, E] == 0
    assert_array_equal(J.diagonal(), 1)


def test_object_weighted_jaccard_of_e6_is_that_of_the_catalogue():
    w = np.array([4, 4, 12, 12, 4, 4]) / 27
    J = jaccard_clusters(Ensemble(E6), object_weights=w).toarray()
    assert_allclose(J[A, C], 0.4)
    assert_allclose(J[A, D], 0.375)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("weighted", [False, True])
def test_jaccard_is_its_definition(seed, weighted):
    ensemble = random_partial(seed)
    w = np.random.RandomState(seed).rand(40) if weighted else np.ones(40)
    sets = [set(np.flatnonzero(b)) for b in ensemble.membership.toarray().T]
    m = ensemble.clustering_of
    expected = np.eye(len(sets))
    for c, one in enumerate(sets):
        for d, other in enumerate(sets):
            if m[c] != m[d]:
                shared = w[list(one & other)].sum()
                expected[c, d] = shared / w[list(one | other)].sum()
    got = jaccard_clusters(ensemble, w if weighted else None)
    assert_allclose(got.toarray(), expected, atol=1e-12)


def test_one_object_weight_for_all_changes_nothing():
    ensemble = random_partial(0)
    plain = jaccard_clusters(ensemble).toarray()
    assert_allclose(jaccard_clusters(ensemble, np.full(40, 0.3)).toarray(), plain)


def test_clusters_without_weight_are_like_themselves_alone():
    J = jaccard_clusters(Ensemble(E6), object_weights=[0, 0, 0, 1, 1, 1]).toarray()
    assert_array_equal(J[C], np.eye(7)[C])
    assert J[B, B2] == 1


def test_extended_jaccard_of_crisp_memberships_is_jaccard():
    crisp = [np.eye(3)[E6[:, m]] for m in range(3)]
    fuzzy = Ensemble.from_memberships(crisp)
    expected = jaccard_clusters(Ensemble(E6)).toarray()
    assert_allclose(jaccard_clusters(fuzzy).toarray(), expected)


def test_fuzzy_clusters_of_one_clustering_are_not_compared():
    F = np.array([[0.5, 0.5], [0.2, 0.8], [1.0, 0.0]])
    J = jaccard_clusters(Ensemble.from_memberships([F, F])).toarray()
    assert J[0, 1] == J[2, 3] == 0
    assert_allclose(J[0, 2], 1)


def test_empty_clusters_keep_their_unit_diagonal():
    (_, half) = next(Ensemble(E6).blocks(3))
    J = jaccard_clusters(half).toarray()
    assert_array_equal(J.diagonal(), 1)
    assert_array_equal(J[B], np.eye(7)[B])


@pytest.mark.parametrize("weights", [np.ones(5), -np.ones(6), np.full(6, np.nan)])
def test_bad_object_weights_are_refused(weights):
    with pytest.raises(ComitiaError, match="object_weights must"):
        jaccard_clusters(Ensemble(E6), weights)


def test_the_bipartite_graph_is_the_weighted_membership():
    ensemble = random_partial(1)
    w, v = np.arange(1, 6.0), np.linspace(0, 1, ensemble.n_clusters)
    graph = bipartite_graph(ensemble, clustering_weights=w, cluster_weights=v)
    expected = ensemble.membership.toarray() * (w[ensemble.clustering_of] * v)
    assert_allclose(graph.matrix().toarray(), expected)
    plain = bipartite_graph(ensemble)
    assert_array_equal(plain.weights, 1)  # not 1 / M
    assert_array_equal(plain.matrix().toarray(), ensemble.membership.toarray())


@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_cluster_edges_stand_below_the_objects(form):
    edges = jaccard_clusters(Ensemble(E6)).toarray()
    matrix = bipartite_graph(Ensemble(E6), cluster_edges=form(edges)).matrix()
    assert matrix.shape == (6 + 7, 7)
    assert_allclose(matrix.toarray()[6:], edges)


@pytest.mark.parametrize("joined", [False, True])
def test_the_adjacency_is_the_bipartite_matrix_both_ways(joined):
    ensemble = random_partial(2)
    K = ensemble.n_clusters
    C = jaccard_clusters(ensemble).toarray() if joined else np.zeros((K, K))
    graph = bipartite_graph(
        ensemble,
        cluster_weights=np.arange(1.0, K + 1),
        cluster_edges=C if joined else None,
    )
    counts = np.arange(1, 41)
    W = counts[:, None] * ensemble.membership.toarray() * np.arange(1, K + 1)
    expected = np.block([[C, W.T], [W, np.zeros((40, 40))]])
    assert_allclose(graph.adjacency(counts).toarray(), expected)
    W = graph.matrix().toarray()[:40]  # counting did not touch the graph
    assert_allclose(graph.adjacency().toarray()[-40:, :-40], W)


def test_bad_cluster_edges_are_refused():
    with pytest.raises(ComitiaError, match=r"cluster_edges must have .* \(7, 7\)"):
        bipartite_graph(Ensemble(E6), cluster_edges=np.ones((6, 7)))
    with pytest.raises(ComitiaError, match="cluster_edges must not be negative"):
        bipartite_graph(Ensemble(E6), cluster_edges=-np.ones((7, 7)))


def knn_by_sorting(X, k):
    D = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    np.fill_diagonal(D, np.inf)
    chosen = np.zeros_like(D, dtype=bool)
    for i, row in enumerate(D):
        chosen[i, np.argsort(row)[:k]] = True
    return chosen, D


@pytest.mark.parametrize("symmetric", ["union", "mutual", "mean", "none"])
@pytest.mark.parametrize("weights", ["binary", "heat", "exponential"])
def test_neighbors_are_those_found_by_sorting(symmetric, weights):
    X = np.random.RandomState(0).rand(30, 3)
    chosen, D = knn_by_sorting(X, 4)
    sigma = D[chosen].mean()
    D = np.where(np.isinf(D), 0.0, D)
    edges = {
        "binary": np.ones_like(D),
        "heat": np.exp(-(D**2) / (2 * sigma**2)),
        "exponential": np.exp(-D / sigma),
    }[weights]
    W = np.where(chosen, edges, 0.0)
    expected = {
        "union": np.maximum(W, W.T),
        "mutual": np.minimum(W, W.T),
        "mean": (W + W.T) / 2,
        "none": W,
    }[symmetric]
    got = knn_graph(X, 4, weights=weights, symmetric=symmetric)
    assert_allclose(got.toarray(), expected, atol=1e-12)


def test_a_point_and_its_copy_are_neighbors_but_not_of_themselves():
    W = knn_graph([[0.0], [0.0], [5.0], [5.0]], 1, weights="heat").toarray()
    assert_array_equal(W, np.kron(np.eye(2), [[0, 1], [1, 0]]))


def test_all_neighbors_make_the_complete_graph():
    W = knn_graph(np.random.RandomState(0).rand(7, 2), 6).toarray()
    assert_array_equal(W, 1 - np.eye(7))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_neighbors": 3}, r"n_neighbors=3 must lie in 1\.\.2 for 3 objects"),
        ({"n_neighbors": 0}, "n_neighbors=0"),
        ({"n_neighbors": 1, "weights": "cosine"}, "weights='cosine'"),
        ({"n_neighbors": 1, "symmetric": "both"}, "symmetric='both'"),
        ({"n_neighbors": 1, "width": 0.0}, r"width=0\.0 must be positive"),
    ],
)
def test_neighbors_that_cannot_be_are_refused(parameters, message):
    with pytest.raises(ComitiaError, match=message):
        knn_graph([[0.0], [1.0], [3.0]], **parameters)


W5 = np.array(
    [
        [0, 2, 1, 0, 0],
        [2, 0, 3, 0, 0],
        [1, 3, 0, 0, 0],
        [0, 0, 0, 0, 4],
        [0, 0, 0, 4, 0],
    ],
    dtype=float,
)


@pytest.mark.parametrize("kind", ["symmetric", "random_walk", "unnormalized"])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_a_laplacian_is_its_formula(kind, form):
    d = W5.sum(axis=1)
    expected = {
        "unnormalized": np.diag(d) - W5,
        "symmetric": np.eye(5) - W5 / np.sqrt(d[:, None] * d),
        "random_walk": np.eye(5) - W5 / d[:, None],
    }[kind]
    L = laplacian(form(W5), kind)
    assert issparse(L) == issparse(form(W5))
    L = L.toarray() if issparse(L) else L
    assert_allclose(L, expected, atol=1e-15)
    assert_array_equal(W5.diagonal(), 0)  # the graph itself is left alone


@pytest.mark.parametrize("kind", ["symmetric", "unnormalized"])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_zero_eigenvalues_count_components_and_isolated_vertices(kind, form):
    lonely = np.pad(W5, (0, 1))
    L = laplacian(form(lonely), kind)
    values = np.linalg.eigvalsh(L.toarray() if issparse(L) else L)
    assert (values < 1e-12).sum() == 3
    assert values[3] > 0.1


def test_graphs_without_a_laplacian_are_refused():
    with pytest.raises(ComitiaError, match="kind='normalized' is none of"):
        laplacian(W5, "normalized")
    with pytest.raises(ComitiaError, match="W must be square"):
        laplacian(W5[:3])
    with pytest.raises(ComitiaError, match="negative"):
        laplacian(-W5)
