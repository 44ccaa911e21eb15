from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from comitia import Ensemble
from comitia.exceptions import ComitiaError
from comitia.optimize.eigenpairs import largest_eigenpairs
from comitia.partition import choose_n_clusters, ncut, tcut
from comitia.partition.normalized_cut import eigengap
from comitia.represent import bipartite_graph
from tests.fixtures import planted, same_partition


def rng(seed=0):
    return np.random.RandomState(seed)


def blocks(sizes, inside=1.0, between=0.05, seed=0):
    """A similarity with planted blocks, and the blocks."""
    truth = np.repeat(np.arange(len(sizes)), sizes)
    random = rng(seed).uniform(0.5, 1.0, size=(len(truth), len(truth)))
    S = np.where(truth[:, None] == truth, inside, between) * (random + random.T)
    return S, truth


@pytest.mark.parametrize("discretize", ["kmeans", "rotation"])
@pytest.mark.parametrize("sparse", [False, True])
def test_planted_blocks_are_cut(discretize, sparse):
    S, truth = blocks([10, 20, 5])
    given = csr_array(S) if sparse else S
    assert same_partition(ncut(given, 3, rng(), discretize=discretize), truth)


@pytest.mark.parametrize("discretize", ["kmeans", "rotation"])
def test_a_clear_graph_gets_its_least_normalized_cut(discretize):
    S, _ = blocks([3, 5], between=0.2, seed=1)
    degrees = S.sum(axis=1)

    def cost(labels):
        return sum(
            S[labels == r][:, labels != r].sum() / degrees[labels == r].sum()
            for r in (0, 1)
        )

    every = [np.array((0, *rest)) for rest in product((0, 1), repeat=7)]
    least = min(cost(labels) for labels in every if labels.any())
    assert_allclose(cost(ncut(S, 2, rng(), discretize=discretize)), least)


@pytest.mark.parametrize("sparse", [False, True])
def test_an_offset_changes_diagonal_and_degrees(sparse, monkeypatch):
    S, _ = blocks([4, 5], seed=2)
    seen = []

    def eigenpairs(N, k, **options):
        seen.append(N if isinstance(N, np.ndarray) else N.toarray())
        return largest_eigenpairs(N, k, **options)

    monkeypatch.setattr(
        "comitia.partition.normalized_cut.largest_eigenpairs", eigenpairs
    )
    ncut(csr_array(S) if sparse else S, 2, rng(), offset=0.5)
    degrees = S.sum(axis=1) + 1.0
    expected = (S + 0.5 * np.eye(9)) / np.sqrt(np.outer(degrees, degrees))
    assert_allclose(seen[0], expected, atol=1e-14)


def test_an_offset_keeps_a_loose_vertex_from_being_a_part():
    S, truth = blocks([6, 6], between=0.15)
    S[0, 1:] *= 0.001
    S[1:, 0] *= 0.001
    S[0, 0] = 0.05
    assert not same_partition(ncut(S, 2, rng())[1:], truth[1:])
    assert same_partition(ncut(S, 2, rng(), offset=0.5)[1:], truth[1:])


def test_connected_components_are_parts():
    S = np.kron(np.diag([1.0, 1.0, 1.0]), np.ones((4, 4)))
    assert same_partition(ncut(S, 3, rng()), np.repeat([0, 1, 2], 4))


def test_vertices_without_edges_join_the_largest_part():
    S, truth = blocks([4, 6])
    padded = np.zeros((11, 11))
    padded[:10, :10] = S
    for given in (padded, csr_array(padded)):
        labels = ncut(given, 2, rng())
        assert same_partition(labels[:10], truth)
        assert labels[10] == labels[9]


def test_vertices_without_edges_are_parts_when_others_are_too_few():
    S = np.zeros((4, 4))
    S[:2, :2] = 1.0
    assert ncut(S, 3, rng()).tolist() == [0, 1, 2, 2]


def test_the_eigengap_chooses_when_no_number_is_given():
    S, truth = blocks([20, 30, 25])
    assert same_partition(ncut(S, None, rng()), truth)


@pytest.mark.parametrize(
    ("S", "message"),
    [
        (np.ones((2, 3)), "square"),
        ([[1.0, -0.5], [-0.5, 1.0]], "not be negative"),
        ([[1.0, 0.5], [0.1, 1.0]], "symmetric"),
        ([[np.nan, 1.0], [1.0, 1.0]], "finite"),
    ],
)
def test_bad_similarities_are_refused_in_words(S, message):
    with pytest.raises(ComitiaError, match=message):
        ncut(S, 1, rng())


def test_too_many_parts_are_refused():
    with pytest.raises(ComitiaError, match=r"n_clusters=3 must be between 1 and .* 2"):
        ncut(np.ones((2, 2)), 3, rng())


@pytest.mark.parametrize("n", [100, 300, 2200])
def test_eigenpairs_are_those_of_a_full_decomposition(n):
    # One size for each of the three ways in which they are computed.
    Q, _ = np.linalg.qr(rng(0).randn(n, 8))
    spectrum = np.array([1.0, 0.9, 0.7, 0.65, 0.3, 0.2, 0.1, 0.05])
    S = (Q * spectrum) @ Q.T
    values, vectors = largest_eigenpairs((S + S.T) / 2, 4)
    assert_allclose(values, spectrum[:4], atol=1e-10)
    assert_allclose(np.abs(vectors.T @ Q[:, :4]), np.eye(4), atol=1e-7)
    largest = np.abs(vectors).argmax(axis=0)
    assert (vectors[largest, np.arange(4)] > 0).all()


@pytest.mark.parametrize(
    ("values", "most", "k"),
    [
        ([1.0, 0.9, 0.8, 0.2, 0.1], None, 3),
        ([1.0, 1.0, 1.0, 1.0, 0.0], None, 4),
        ([1.0, 0.1, 0.05, 0.0], None, 2),  # never one cluster where two are possible
        ([1.0, 0.9, 0.2, 0.19], 1, 1),
        ([1.0, 0.9, 0.9, 0.9], 4, 4),  # nothing follows the last value
        ([1.0], None, 1),
        ([1.0, 0.8, 0.6, 0.4], None, 2),  # the gaps of squares fall
    ],
)
def test_the_eigengap_is_at_the_largest_fall(values, most, k):
    assert eigengap(values, most) == k


def test_more_steps_see_coarser_clusters():
    values = [1.0, 0.9, 0.6, 0.25, 0.2]  # falls of 0.3 and 0.35; of squares 0.45, 0.30
    assert eigengap(values, n_steps=1) == 3
    assert eigengap(values) == 2


def test_equal_gaps_give_the_smaller_number():
    assert eigengap([1.0, 0.75, 0.5, 0.25, 0.0], n_steps=1) == 2


@pytest.mark.parametrize("noise", [0.1, 0.3, 0.5])
@pytest.mark.parametrize("k", [2, 3, 5, 10])
def test_planted_clusters_are_counted_though_clusterings_are_finer(noise, k):
    labels, _ = planted(1000, k, 20, noise=noise, seed=1)
    random = rng(k)
    for m in range(20):  # each clustering halves some of its clusters
        for _ in range(random.randint(2 * k)):
            column = labels[:, m]
            members = np.flatnonzero(column == random.randint(column.max() + 1))
            column[members[random.rand(len(members)) < 0.5]] = column.max() + 1
    E = Ensemble(labels)
    assert E.n_clusters_each.max() > k
    assert choose_n_clusters(E) == k


@pytest.mark.parametrize("k", [3, 5, 8])
def test_clusters_of_k_means_ensembles_with_random_k_are_counted(k):
    from sklearn.cluster import KMeans
    from sklearn.datasets import make_blobs

    X, _ = make_blobs(600, centers=k, n_features=4, random_state=1)
    random = rng(0)
    labels = [
        KMeans(random.randint(2, 25), n_init=1, random_state=random).fit_predict(X)
        for _ in range(20)
    ]
    assert choose_n_clusters(Ensemble(labels)) == k


def test_weights_decide_between_clusterings():
    coarse = np.repeat([0, 1], 30)[:, None]
    fine = np.repeat(np.arange(4), 15)[:, None]
    E = Ensemble(np.hstack([coarse] * 3 + [fine] * 3))
    assert choose_n_clusters(E, clustering_weights=[1, 1, 1, 0, 0, 0]) == 2
    assert choose_n_clusters(E, clustering_weights=[0, 0, 0, 1, 1, 1]) == 4


def test_one_cluster_is_chosen_only_when_there_is_nothing_else():
    assert choose_n_clusters(Ensemble(np.zeros((5, 3), dtype=int))) == 1
    assert choose_n_clusters(Ensemble(np.array([[0, 0], [0, 0], [0, 1]]))) == 2


def test_no_number_near_the_number_of_objects_is_chosen():
    pairs = Ensemble(np.column_stack([np.arange(100) // 2] * 4))
    assert choose_n_clusters(pairs, max_clusters=50) == 50
    assert choose_n_clusters(pairs) <= 11
    graph = bipartite_graph(pairs)
    assert len(np.unique(tcut(graph, None, rng()))) <= 11


@pytest.mark.parametrize("gives_up", [1, 2])
def test_eigenvectors_are_found_where_arpack_gives_up(gives_up, monkeypatch):
    from scipy.sparse import linalg

    from comitia.optimize import eigenpairs as _eigen

    rng = np.random.RandomState(0)
    Q = np.linalg.qr(rng.normal(size=(40, 40)))[0]
    S = (Q * np.r_[np.ones(5), np.linspace(0.5, 0.0, 35)]) @ Q.T
    called = []

    def eigsh(*args, **kwargs):
        called.append(kwargs["ncv"])
        if len(called) <= gives_up:
            raise linalg.ArpackError(3)
        return solve(*args, **kwargs)

    solve = linalg.eigsh
    monkeypatch.setattr(linalg, "eigsh", eigsh)
    monkeypatch.setattr("comitia.sizes.DENSE_MATRIX", 10)
    for given in (S, csr_array(S)):
        called.clear()
        values, vectors = _eigen.largest_eigenpairs(given, 3)
        assert called == [None, 32]
        assert_allclose(values, 1.0)
        assert_allclose(S @ vectors, vectors, atol=1e-9)
