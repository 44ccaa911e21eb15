"""Clusters that overlap, and clusters that overlap the same clusters."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from comitia import Ensemble
from comitia.exceptions import ComitiaError
from comitia.represent import coassociation, jaccard_clusters, profile_similarity
from comitia.represent.link_similarity import (
    link_similarity,
    refine_by_links,
    soft_jaccard,
)
from tests.fixtures import E6


def random_case(seed, n=30, M=4, k=3):
    rng = np.random.RandomState(seed)
    E = Ensemble(rng.randint(0, k, size=(n, M)))
    P = np.hstack([rng.dirichlet(np.ones(c), n) for c in E.n_clusters_each])
    return P, E


def links_by_loops(P, E):
    K, owner = E.n_clusters, E.clustering_of
    B = E.membership.toarray() > 0

    def between(c, d):
        return np.minimum(P[:, c], P[:, d]).sum() / np.maximum(P[:, c], P[:, d]).sum()

    N = [
        [d for d in range(K) if owner[d] != owner[c] and (B[:, c] & B[:, d]).any()]
        for c in range(K)
    ]
    s = np.zeros((K, K))
    for r in range(K):
        for v in range(K):
            if r != v and owner[r] == owner[v]:
                for T in set(N[r]) & set(N[v]):
                    total = sum(between(T, U) for U in N[T])
                    s[r, v] += (between(T, r) + between(T, v)) / total
    return s / s.max() + np.eye(K)


@pytest.mark.parametrize("seed", range(3))
def test_links_are_their_definition(seed):
    P, E = random_case(seed)
    assert_allclose(link_similarity(P, E), links_by_loops(P, E), atol=1e-12)


def test_links_are_symmetric_with_a_unit_diagonal_and_within_clusterings():
    P, E = random_case(5)
    s = link_similarity(P, E)
    assert_allclose(s, s.T)
    assert_allclose(np.diag(s), 1.0)
    assert s.max() == 1.0
    assert (s[E.clustering_of[:, None] != E.clustering_of] == 0).all()


def test_crisp_probabilities_give_the_jaccard_coefficient():
    E = Ensemble(E6)
    got = soft_jaccard(E.membership.toarray())
    assert_allclose(got, jaccard_clusters(E).toarray())


def test_without_common_neighbors_vectors_are_crisp_and_s_is_the_coassociation():
    rng = np.random.RandomState(0)
    labels = np.repeat([0, 1, 2], 5)
    E = Ensemble(np.column_stack([labels, (labels + 1) % 3]))
    # The own cluster is the most probable one.
    P = 0.6 * E.membership.toarray() + 0.1 + 0.05 * rng.rand(15, 6)
    s = link_similarity(P, E)
    assert_allclose(s, np.eye(6))
    refined = refine_by_links(P, E, s)
    assert_allclose(refined, P * E.membership.toarray())
    got = profile_similarity(refined, E, dtype=np.float64)
    assert_allclose(got, coassociation(E, dtype=np.float64), atol=1e-12)


def test_refinement_is_its_definition():
    P, E = random_case(1)
    s = link_similarity(P, E)
    got = refine_by_links(P, E, s)
    for i in range(len(P)):
        for m in range(E.n_clusterings):
            own = range(E.offsets[m], E.offsets[m + 1])
            star = max(own, key=lambda c: P[i, c])
            for r in own:
                assert got[i, r] == pytest.approx(P[i, star] * s[star, r])
            assert got[i, star] == P[i, star]


def test_wrong_shapes_and_negative_numbers_are_refused():
    P, E = random_case(0)
    with pytest.raises(ComitiaError, match="probabilities must have shape"):
        link_similarity(P[:, :3], E)
    with pytest.raises(ComitiaError, match="not negative"):
        soft_jaccard(-P)
