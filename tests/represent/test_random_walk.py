import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from comitia import Ensemble, config
from comitia.exceptions import ComitiaError, MemoryBudgetError
from comitia.represent import (
    coassociation,
    jaccard_clusters,
    propagated_coassociation,
    random_walk_similarity,
)
from tests.fixtures import E6, planted


def by_trajectories(W, n_steps):
    """Stack the positions after each step, and take the cosines."""
    W = W * (1 - np.eye(len(W)))
    degrees = W.sum(axis=1)
    P = np.array([row / d if d else row for row, d in zip(W, degrees, strict=True)])
    stacked = np.hstack([np.linalg.matrix_power(P, u) for u in range(1, n_steps + 1)])
    Z = np.eye(len(W))
    for r in range(len(W)):
        for s in range(len(W)):
            if r != s and degrees[r] and degrees[s]:
                one, other = stacked[r], stacked[s]
                Z[r, s] = one @ other / np.sqrt((one @ one) * (other @ other))
    return Z


def random_graph(n, seed, density=0.3):
    rng = np.random.RandomState(seed)
    W = np.triu(rng.rand(n, n) * (rng.rand(n, n) < density), 1)
    return W + W.T


@pytest.mark.parametrize("n_steps", [1, 2, 3, 5, 7, 20, 23])
@pytest.mark.parametrize("seed", range(3))
def test_similarity_is_the_cosine_of_the_trajectories(n_steps, seed):
    W = random_graph(15, seed)
    W[4] = W[:, 4] = 0.0  # a vertex without edges
    got = random_walk_similarity(W, n_steps)
    assert_allclose(got, by_trajectories(W, n_steps), atol=1e-12)
    assert_array_equal(got, got.T)
    assert got.min() >= 0
    assert got.max() <= 1


def test_similarities_of_the_clusters_of_e6_are_those_of_the_catalogue():
    Z = random_walk_similarity(jaccard_clusters(Ensemble(E6)), n_steps=1)
    a, _, a2, _, c, d, e = range(7)
    expected = [0.336406, 0.576018, 1 / np.sqrt(2), 0]
    got = [Z[a, a2], Z[a, c], Z[c, d], Z[c, e]]
    assert_allclose(got, expected, atol=5e-7)  # printed to six decimals


def test_vertices_that_walks_cannot_join_are_not_similar_at_all():
    apart = np.kron(np.eye(2), random_graph(6, 0, density=1.0))
    Z = random_walk_similarity(apart)
    assert_array_equal(Z[:6, 6:], 0.0)
    assert (Z[:6, :6] > 0).all()


def test_the_diagonal_and_the_form_of_the_graph_do_not_matter():
    W = random_graph(10, 1)
    one = random_walk_similarity(W, 4)
    assert_array_equal(one, random_walk_similarity(csr_array(W + 3 * np.eye(10)), 4))


def test_a_graph_without_edges_gives_the_identity():
    assert_array_equal(random_walk_similarity(np.eye(3)), np.eye(3))


@pytest.mark.parametrize(
    ("graph", "n_steps", "message"),
    [
        (np.ones((2, 3)), 1, "square"),
        (-np.ones((2, 2)), 1, "none negative"),
        (np.full((2, 2), np.nan), 1, "finite"),
        (np.ones((2, 2)), 0, "n_steps=0 must be at least 1"),
    ],
)
def test_bad_input_is_refused_in_words(graph, n_steps, message):
    with pytest.raises(ComitiaError, match=message):
        random_walk_similarity(graph, n_steps)


def coassociation_by_loops(ensemble, Z):
    B = ensemble.membership.toarray()
    S = np.zeros((len(B), len(B)))
    for i in range(len(B)):
        for j in range(len(B)):
            values = []
            for m in range(ensemble.n_clusterings):
                own = slice(ensemble.offsets[m], ensemble.offsets[m + 1])
                if B[i, own].any() and B[j, own].any():
                    values.append(B[i, own] @ Z[own, own] @ B[j, own])
            S[i, j] = np.mean(values) if values else 0.0
    return S


def ensemble_of(kind):
    labels, _ = planted(25, 3, 4, noise=0.4, seed=0)
    if kind == "partial":
        labels[np.random.RandomState(0).rand(*labels.shape) < 0.2] = -1
    if kind == "fuzzy":
        rng = np.random.RandomState(0)
        return Ensemble.from_memberships(rng.dirichlet(np.ones(3), size=(4, 25)))
    return Ensemble(labels)


@pytest.mark.parametrize("kind", ["hard", "partial", "fuzzy"])
def test_the_propagated_coassociation_is_its_definition(kind, monkeypatch):
    monkeypatch.setattr("comitia.represent.random_walk._COLUMNS", 7)
    E = ensemble_of(kind)
    Z = np.random.RandomState(0).rand(E.n_clusters_total, E.n_clusters_total)
    Z = (Z + Z.T) / 2
    got = propagated_coassociation(E, Z)
    assert_allclose(got, coassociation_by_loops(E, Z), atol=1e-12)


def test_clusters_that_are_not_alike_leave_the_plain_coassociation():
    E = ensemble_of("hard")
    got = propagated_coassociation(E, np.eye(E.n_clusters_total))
    assert_allclose(got, coassociation(E, dtype=np.float64), atol=1e-15)


def test_the_memory_budget_is_asked_first():
    labels, _ = planted(400, 3, 3, noise=0.4, seed=0)
    with config.limit("1 MB"), pytest.raises(MemoryBudgetError, match="ecpcs_mc"):
        propagated_coassociation(Ensemble(labels), np.eye(9))
    with config.limit("1 kB"), pytest.raises(MemoryBudgetError, match="20 vertices"):
        random_walk_similarity(np.ones((20, 20)))


def test_a_similarity_of_another_size_is_refused():
    with pytest.raises(ComitiaError, match=r"\(7, 7\); got shape \(3, 3\)"):
        propagated_coassociation(Ensemble(E6), np.eye(3))
