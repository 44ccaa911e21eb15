import warnings
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning

from comitia import Ensemble, method
from comitia.config import limit
from comitia.exceptions import MemoryBudgetError
from comitia.methods.fixed_clusters.yang_2016 import (
    all_coincide,
    community_certainty,
    kept_at_random,
    median_run,
    overlap_shares,
)
from tests.fixtures import same_partition

Yang = method("yang_2016")

# Three communities in a row that share two vertices each, and a ring of four.
ROW = [np.arange(0, 12), np.arange(10, 22), np.arange(20, 32)]
RING = [np.append(np.arange(15 * r, 15 * r + 15), (15 * r + 15) % 60) for r in range(4)]


def network(communities, n, inside=0.9, noise=0.01, seed=1):
    rng = np.random.RandomState(seed)
    p = np.full((n, n), noise)
    for members in communities:
        p[np.ix_(members, members)] = inside
    links = np.triu(rng.rand(n, n) < p, 1)
    return (links + links.T).astype(float)


def fit(graph, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return Yang(random_state=0, **parameters).fit(graph)


def likeness(fitted, planted):
    """Mean Jaccard similarity of planted communities to the most similar found."""
    found = [set(np.flatnonzero(column)) for column in fitted.membership_.T]
    return np.mean(
        [max(len(f & set(p)) / len(f | set(p)) for f in found) for p in planted]
    )


def path(n):
    return csr_array(np.eye(n, k=1) + np.eye(n, k=-1))


@pytest.mark.parametrize(
    ("clusterings", "expected"),
    [
        # Both runs agree on both links: A is 1 and 0.
        ([[[0, 1], [2]], [[0, 1], [2]]], 1.0),
        # The link 0-1 is inside and certain, the link 1-2 leaves and is in one of two.
        ([[[0, 1], [2]], [[0, 1, 2]]], 0.5),
        # Each link is in one of two.
        ([[[0, 1], [2]], [[0], [1, 2]]], 0.0),
    ],
)
def test_weights_are_those_of_the_catalogue(clusterings, expected):
    got = community_certainty(Ensemble.from_clusters(clusterings, 3), path(3))
    assert_allclose(got[0], expected)


def certainty_by_loops(E, graph):
    B, A = E.membership.toarray() > 0, graph.toarray() > 0
    blocks = np.split(B, E.offsets[1:-1], axis=1)
    weights = []
    for c in range(E.n_clusters_total):
        terms = []
        for i in range(E.n_objects):
            for j in range(i):
                if A[i, j] and (B[i, c] or B[j, c]):
                    p = np.mean([(b[i] & b[j]).any() for b in blocks])
                    both = [q * np.log2(q) for q in (p, 1 - p) if q > 0]
                    terms.append(sum(both))
        weights.append(1 + np.mean(terms) if terms else 1.0)
    return weights


@pytest.mark.parametrize("seed", range(3))
def test_certainty_is_its_definition(seed):
    rng = np.random.RandomState(seed)
    cover = [[np.flatnonzero(rng.rand(20) < 0.4) for _ in range(3)] for _ in range(4)]
    E = Ensemble.from_clusters(cover, 20)
    graph = network([np.arange(20)], 20, inside=0.3, seed=seed)
    graph[0] = graph[:, 0] = 0
    E = Ensemble.from_clusters([*cover, [[0]]], 20)  # no link touches the last one
    got = community_certainty(E, csr_array(graph))
    assert_allclose(got, certainty_by_loops(E, csr_array(graph)), atol=1e-12)
    assert got[-1] == 1.0
    assert got.min() >= 0


@pytest.mark.parametrize("variant", ["minimum", "product"])
@pytest.mark.parametrize(("planted", "n"), [(ROW, 32), (RING, 60)])
def test_planted_communities_are_found(planted, n, variant):
    fitted = fit(network(planted, n), variant=variant)
    assert fitted.converged_
    assert 1 <= fitted.n_iter_ <= 20
    assert likeness(fitted, planted) > 0.85


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("planted", "n", "between"),
    [(ROW, 32, {10, 11, 20, 21}), (RING, 60, {0, 15, 30, 45})],
)
def test_vertices_that_most_runs_find_shared_stay_shared(planted, n, between, seed):
    fitted = fit(network(planted, n, seed=seed))
    E = fitted.ensemble_
    several = np.mean(
        [
            np.diff(E.take(clusterings=[m]).membership.indptr) > 1
            for m in range(E.n_clusterings)
        ],
        axis=0,
    )
    shared = set(np.flatnonzero((fitted.membership_ > 0).sum(axis=1) > 1))
    assert fitted.n_iter_ > 0
    assert shared <= between
    assert set(np.flatnonzero(several > 0.5)) <= shared


def test_some_overlaps_survive_the_rounds():
    found = [fit(network(RING, 60, seed=seed)).membership_ > 0 for seed in range(4)]
    assert sum((B.sum(axis=1) > 1).any() for B in found) >= 3


def shares_by_loops(E, B):
    shares = np.zeros((E.n_objects, B.shape[1]))
    M = E.membership.toarray() > 0
    for a, b in pairwise(E.offsets):
        for c in range(a, b):
            jaccard = [(M[:, c] & d).sum() / (M[:, c] | d).sum() for d in B.T]
            for i in np.flatnonzero(M[:, c]):
                if M[i, a:b].sum() > 1:
                    shares[i, np.argmax(jaccard)] += 1 / M[i, a:b].sum()
    return shares / E.n_clusterings


@pytest.mark.parametrize("seed", range(3))
def test_shares_of_overlaps_are_their_definition(seed):
    rng = np.random.RandomState(seed)
    cover = [[np.flatnonzero(rng.rand(12) < 0.6) for _ in range(3)] for _ in range(4)]
    E = Ensemble.from_clusters([*cover, [np.arange(12)]], 12)
    B = np.zeros((12, 3), dtype=bool)
    for d in range(3):
        B[cover[d][d], d] = True
    assert_allclose(overlap_shares(E, B), shares_by_loops(E, B))


def test_the_runs_find_shared_vertices_before_they_agree():
    fitted = fit(network(ROW, 32), max_iter=0)
    shared = np.flatnonzero((fitted.membership_ > 0).sum(axis=1) > 1)
    assert len(shared) > 0
    assert set(shared) <= {10, 11, 20, 21}
    assert_allclose(fitted.membership_[shared].max(axis=1), 0.5)
    assert likeness(fitted, ROW) > 0.9


def test_memberships_and_labels_belong_together():
    fitted = fit(network(RING, 60), max_iter=0)
    assert_allclose(fitted.membership_.sum(axis=1), 1.0)
    assert (fitted.membership_[np.arange(60), fitted.labels_] > 0).all()
    assert fitted.membership_.shape[1] >= fitted.n_clusters_
    assert fitted.cluster_weights_.shape == (fitted.ensemble_.n_clusters_total,)


def test_separate_cliques_are_found_at_once():
    truth = np.repeat([0, 1, 2], 8)
    clique = np.ones((8, 8)) - np.eye(8)
    fitted = fit(np.kron(np.eye(3), clique))
    assert same_partition(fitted.labels_, truth)
    assert_array_equal(fitted.cluster_weights_[:3], 1.0)


def test_runs_that_differ_at_the_end_bring_a_warning():
    with pytest.warns(ConvergenceWarning, match="max_iter=0"):
        fitted = Yang(random_state=0, max_iter=0).fit(network(ROW, 32))
    assert not fitted.converged_
    assert fitted.n_iter_ == 0


def test_the_median_run_is_the_most_like_the_others():
    one, other, odd = [[0, 1], [2, 3]], [[0, 1], [1, 2, 3]], [[0], [1, 2, 3]]
    E = Ensemble.from_clusters([odd, other, one], 4)
    assert median_run(E) == 1
    assert not all_coincide(E)
    assert all_coincide(Ensemble.from_clusters([other, other[::-1]], 4))
    inside = Ensemble.from_clusters([[[0, 1]], [[0, 1], [1, 2, 3]]], 4)
    assert not all_coincide(inside)


def test_links_are_kept_as_often_as_they_weigh():
    rng = np.random.RandomState(0)
    S = np.full((60, 60), 0.3)
    S[:10, :10] = 1.0
    graph = kept_at_random(S, rng).toarray()
    assert_array_equal(graph, graph.T)
    assert_array_equal(np.diag(graph), 0.0)
    assert_array_equal(graph[:10, :10][~np.eye(10, dtype=bool)], 1.0)
    rest = graph[10:, :10]
    assert set(np.unique(rest)) == {0.0, 0.3}
    assert abs((rest > 0).mean() - 0.3) < 0.1  # 500 draws: five standard deviations


def test_links_are_kept_as_if_all_pairs_were_drawn_at_once():
    S = np.random.RandomState(0).rand(40, 40)
    S = np.minimum(S, S.T)
    rows, columns = np.triu_indices(40, k=1)
    kept = S[rows, columns] > np.random.RandomState(1).random_sample(len(rows))
    wanted = np.zeros((40, 40))
    wanted[rows[kept], columns[kept]] = S[rows[kept], columns[kept]]
    graph = kept_at_random(S, np.random.RandomState(1))
    assert graph.has_canonical_format
    assert_array_equal(graph.toarray(), wanted + wanted.T)


def test_links_ask_for_memory_before_they_become_a_graph():
    n = 200
    with limit("100 kB"), pytest.raises(MemoryBudgetError, match="19900 links"):
        kept_at_random(np.ones((n, n)), np.random.RandomState(0))


def test_memberships_ask_for_memory_before_they_are_a_table():
    pairs = csr_array(np.kron(np.eye(200), [[0, 1], [1, 0]]))
    small = Yang(n_clusterings=2, max_iter=0, random_state=0)
    refused = pytest.raises(MemoryBudgetError, match=r"400 vertices in 200.*ecg")
    with limit("2 MB"), refused:
        small.fit(pairs)
    assert small.fit(pairs).n_clusters_ == 200


def test_the_same_seed_gives_the_same_communities():
    graph = network(ROW, 32)
    assert_array_equal(fit(graph).membership_, fit(graph).membership_)


def test_a_number_of_clusters_cannot_be_asked_for():
    with pytest.raises(ValueError, match="n_clusters"):
        Yang(n_clusters=3).fit(network(ROW, 32))
