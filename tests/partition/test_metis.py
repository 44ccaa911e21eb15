"""METIS: balanced cuts of weighted graphs."""

import ctypes
import sys
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

from comitia.exceptions import ComitiaError
from comitia.partition import metis_partition
from comitia.partition.metis import _reordered
from tests.fixtures import E6, planted, same_partition


def cut(W, labels):
    """Weight of the edges between parts."""
    return W[labels[:, None] != labels[None, :]].sum() / 2


def least_balanced_cut(W):
    n = len(W)
    cuts = []
    for half in combinations(range(n), n // 2):
        labels = np.zeros(n, dtype=int)
        labels[list(half)] = 1
        cuts.append(cut(W, labels))
    return min(cuts)


def ring(sizes, strong=1.0, weak=0.01):
    """Cliques, each joined to the next by one weak edge."""
    truth = np.repeat(np.arange(len(sizes)), sizes)
    W = strong * (truth[:, None] == truth)
    ends = np.cumsum(sizes)
    for end in ends:
        W[end - 1, end % len(W)] = W[end % len(W), end - 1] = weak
    np.fill_diagonal(W, 0)
    return W, truth


@pytest.mark.parametrize("seed", range(5))
def test_a_small_graph_is_halved_at_least_cost(seed):
    rng = np.random.RandomState(seed)
    W = np.triu(rng.rand(8, 8), 1)
    W += W.T
    labels = metis_partition(W, 2, imbalance=0.0, n_init=20)
    assert np.bincount(labels).tolist() == [4, 4]
    # METIS is a heuristic, but on eight vertices and twenty tries it finds the best.
    assert cut(W, labels) == pytest.approx(least_balanced_cut(W))


@pytest.mark.parametrize("recursive", [False, True])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_cliques_are_found(recursive, form):
    W, truth = ring([10] * 12)
    labels = metis_partition(form(W), 12, recursive=recursive)
    assert same_partition(labels, truth)


def test_sparse_and_dense_graphs_are_cut_alike():
    labels, _ = planted(80, 4, 6, 0.3, 0)
    S = (labels[:, None] == labels[None]).mean(axis=2)
    for k in (2, 5):
        assert_array_equal(metis_partition(S, k), metis_partition(csr_array(S), k))


def test_the_diagonal_and_the_unit_of_weight_do_not_matter():
    W, _ = ring([5, 5, 5])
    expected = metis_partition(W, 3)
    assert_array_equal(metis_partition(W + 7 * np.eye(15), 3), expected)
    assert_array_equal(metis_partition(W * 1e-9, 3), expected)
    assert_array_equal(metis_partition(W.astype(np.float32), 3), expected)


@pytest.mark.parametrize("light", [0, 1])
def test_small_differences_of_weight_survive_the_rounding(light):
    # A ring of four: two opposite edges are lighter by one part in ten thousand.
    W = np.zeros((4, 4))
    for i in range(4):
        j = (i + 1) % 4
        W[i, j] = W[j, i] = 0.9999 if i % 2 == light else 1.0
    halves = [[0, 1, 1, 0], [0, 0, 1, 1]][light]
    assert same_partition(metis_partition(W, 2, n_init=20), halves)


def test_vertex_weights_are_balanced():
    W = np.ones((9, 9))
    weights = np.array([8, 1, 1, 1, 1, 1, 1, 1, 1])
    labels = metis_partition(W, 2, vertex_weights=weights, imbalance=0.0)
    assert np.bincount(labels, weights).tolist() == [8, 8]


def test_equal_parts_are_kept_unless_imbalance_allows_more():
    W, truth = ring([30, 10])
    labels = metis_partition(W, 2, imbalance=0.05)
    assert np.bincount(labels).max() <= 21
    assert same_partition(metis_partition(W, 2, imbalance=0.6), truth)


@pytest.mark.parametrize("sizes", [[4, 4], [4, 4, 4]])
def test_disconnected_graphs_fall_apart(sizes):
    W, truth = ring(sizes, weak=0.0)
    assert same_partition(metis_partition(W, len(sizes)), truth)


def test_isolated_vertices_get_a_part():
    W = np.zeros((9, 9))
    W[:6, :6] = ring([3, 3])[0]
    labels = metis_partition(W, 3, imbalance=0.0)
    assert np.bincount(labels).tolist() == [3, 3, 3]
    assert same_partition(labels[:6], [0, 0, 0, 1, 1, 1])


def test_without_edges_only_the_balance_counts():
    labels = metis_partition(np.zeros((6, 6)), 3)
    assert np.bincount(labels).tolist() == [2, 2, 2]
    heavy = metis_partition(np.eye(4), 2, vertex_weights=[3, 1, 1, 1])
    assert np.bincount(heavy, [3, 1, 1, 1]).tolist() == [3, 3]


def test_one_part_and_as_many_parts_as_vertices():
    S = (E6[:, None] == E6[None]).mean(axis=2)
    assert metis_partition(S, 1).tolist() == [0] * 6
    assert metis_partition(S, 6).tolist() == [0, 1, 2, 3, 4, 5]
    assert metis_partition(S, 9).tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("k", [3, 10, 20])
def test_no_part_stays_empty(k):
    labels, _ = planted(60, 5, 8, 0.4, 1)
    S = (labels[:, None] == labels[None]).mean(axis=2)
    assert set(metis_partition(S, k)) == set(range(k))


@pytest.mark.parametrize("recursive", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_whatever_the_weights_no_part_stays_empty_and_nothing_is_printed(
    recursive, seed, capfd
):
    """Heavy vertices, vertices without weight, nearly as many parts as vertices."""
    rng = np.random.RandomState(seed)
    for _ in range(10):
        n = rng.randint(4, 25)
        k = rng.randint(2, n)
        W = np.triu(rng.choice([0, 1, 5], size=(n, n)) * (rng.rand(n, n) < 0.4), 1)
        weights = rng.choice([0, 1, 2, 50], size=n)
        weights[rng.randint(n)] = 1
        labels = metis_partition(
            W + W.T, k, vertex_weights=weights, recursive=recursive, rng=rng
        )
        assert set(labels) == set(range(k))
    # What METIS says waits in a buffer of the C library.
    ctypes.CDLL(None).fflush(None)
    assert capfd.readouterr().out == ""


def test_a_vertex_that_outweighs_a_part_does_not_keep_parts_from_others():
    W, truth = ring([1, 6, 6, 6, 6], weak=0.1)
    weights = np.where(truth == 0, 1000, 1)
    labels = metis_partition(W, 5, vertex_weights=weights)
    assert same_partition(labels, truth)


@pytest.mark.parametrize("recursive", [False, True])
def test_the_same_seed_cuts_alike(recursive):
    labels, _ = planted(600, 5, 8, 0.6, 0)
    S = csr_array((labels[:, None] == labels[None]).mean(axis=2))
    seeds = np.random.RandomState
    cuts = [
        metis_partition(S, 5, recursive=recursive, rng=seeds(seed)).tobytes()
        for seed in (0, 1, 2, 3, 0)
    ]
    assert cuts[0] == cuts[4]
    assert len(set(cuts)) > 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"graph": np.ones((2, 3))}, "graph must be square"),
        ({"graph": csr_array(np.ones((2, 3)))}, "graph must be square"),
        ({"graph": -np.ones((4, 4))}, "not negative"),
        ({"graph": np.full((4, 4), np.inf)}, "finite edge weights"),
        ({"n_clusters": 0}, "n_clusters=0 must be at least 1"),
        ({"imbalance": -0.1}, r"imbalance=-0\.1 must not be negative"),
        ({"vertex_weights": [1, 2]}, "vertex_weights must have one entry per vertex"),
        ({"vertex_weights": [0, 0, 0, 0]}, "not all zero"),
    ],
)
def test_what_cannot_be_cut_is_refused(parameters, message):
    with pytest.raises(ComitiaError, match=message):
        metis_partition(**({"graph": np.ones((4, 4)), "n_clusters": 2} | parameters))


def test_without_pymetis_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pymetis", None)
    with pytest.raises(ImportError, match="pip install pymetis"):
        metis_partition(np.ones((4, 4)), 2)


@pytest.mark.parametrize("seed", range(3))
def test_by_content_the_order_of_vertices_does_not_matter(seed):
    rng = np.random.RandomState(seed)
    # Few different weights: many cuts are equally good.
    W = np.triu(rng.randint(3, size=(40, 40)), 1)
    W = W + W.T
    weights = rng.randint(1, 3, size=40)
    order = rng.permutation(40)
    one = metis_partition(W, 4, vertex_weights=weights, by_content=True)
    other = metis_partition(
        W[np.ix_(order, order)], 4, vertex_weights=weights[order], by_content=True
    )
    assert_array_equal(one[order], other)
    assert np.bincount(one, weights).max() <= 1.1 * weights.sum() / 4


@pytest.mark.parametrize("seed", range(3))
def test_reordered_is_indexing(seed):
    rng = np.random.RandomState(seed)
    W = rng.randint(1, 9, size=(30, 30)) * (rng.rand(30, 30) < 0.2)
    W = np.triu(W, 1) + np.triu(W, 1).T
    order = rng.permutation(30)
    found = _reordered(csr_array(W), order)
    assert found.format == "csr"
    assert found.has_sorted_indices
    assert_array_equal(found.toarray(), W[np.ix_(order, order)])
