import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.cluster.hierarchy import cophenet
from scipy.spatial.distance import squareform

from comitia import Ensemble, config, method
from comitia.exceptions import ComitiaError, MemoryBudgetError
from comitia.methods.fixed_clusters._propagated import propagated_coassociation
from comitia.partition import hac
from comitia.represent import coassociation, jaccard_clusters, random_walk_similarity
from tests.fixtures import E6, planted, same_partition

ECPCSHC = method("ecpcs_hc")


def enhanced(E, n_steps):
    """The enhanced co-association, pair by pair."""
    Z = random_walk_similarity(jaccard_clusters(E), n_steps)
    S = np.zeros((E.n_objects, E.n_objects))
    for i, one in enumerate(E.labels):
        for j, other in enumerate(E.labels):
            for m in range(E.n_clusterings):
                if one[m] >= 0 and other[m] >= 0:
                    S[i, j] += Z[E.offsets[m] + one[m], E.offsets[m] + other[m]]
    return S / E.n_clusterings


@pytest.mark.parametrize("linkage", ["average", "complete"])
def test_the_tree_is_that_of_the_enhanced_coassociation(linkage):
    labels, _ = planted(40, 3, 4, noise=0.3, seed=1)
    E = Ensemble(labels)
    fitted = ECPCSHC(n_clusters=3, n_steps=5, linkage=linkage).fit(E)
    distance = squareform(1.0 - enhanced(E, 5), checks=False)
    expected = hac(np.maximum(distance, 0.0), linkage)
    assert_allclose(cophenet(fitted.linkage_), cophenet(expected), atol=1e-12)


def test_similarities_of_e6_with_one_step_follow_from_the_catalogue():
    # Objects 0 and 2 are parted by c and d alone, 2 and 3 by a and b (twice).
    S = enhanced(Ensemble(E6), 1)
    assert_allclose(S[0, 2], (2 + 1 / np.sqrt(2)) / 3)
    tree = ECPCSHC(n_clusters=2, n_steps=1).fit(Ensemble(E6)).linkage_
    assert_allclose(tree[:4, 2], [0, 0, 1 - S[0, 2], 1 - S[0, 2]], atol=1e-12)


def test_two_clusters_of_e6_are_its_first_clustering():
    assert same_partition(ECPCSHC(2).fit_predict(Ensemble(E6)), E6[:, 0])


def test_a_single_clustering_has_no_walks_and_becomes_eac():
    labels = np.array([[0], [0], [1], [1], [2]])
    fitted = ECPCSHC(3).fit(Ensemble(labels))
    plain = method("eac")(3).fit(Ensemble(labels))
    assert_allclose(fitted.linkage_[:, 2], plain.linkage_[:, 2])
    assert same_partition(fitted.labels_, labels.ravel())


def test_fuzzy_and_overlapping_clusterings_are_taken():
    rng = np.random.RandomState(0)
    truth = np.repeat([0, 1], 10)
    soft = [
        np.where(truth[:, None] == [0, 1], 0.8, 0.2) + 0.1 * rng.rand(20, 1) * [1, -1]
        for _ in range(4)
    ]
    assert same_partition(
        ECPCSHC(2).fit_predict(Ensemble.from_memberships(soft)), truth
    )
    cover = [[range(11), range(10, 20)], [range(10), range(9, 20)]]
    found = ECPCSHC(2).fit_predict(Ensemble.from_clusters(cover, 20))
    assert same_partition(np.delete(found, [9, 10]), np.delete(truth, [9, 10]))


def test_a_planted_partition_is_found_and_counted():
    labels, truth = planted(150, 4, 12, noise=0.3, seed=0)
    fitted = ECPCSHC().fit(Ensemble(labels))
    assert fitted.n_clusters_ == 4
    assert same_partition(fitted.labels_, truth)


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
    monkeypatch.setattr("comitia.methods.fixed_clusters._propagated._COLUMNS", 7)
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
