import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.cluster.hierarchy import cophenet

from comitia import Ensemble, config, method
from comitia.exceptions import MemoryBudgetError
from comitia.methods._similarity_tree import similarity_tree
from comitia.methods.fixed_clusters.lce import (
    _between_all,
    approximate_simrank,
    simrank_clusters,
    triple_similarity,
)
from comitia.partition import hac
from tests.fixtures import E6, planted, same_partition

LCE = method("lce")
VARIANTS = ["cts", "srs", "asrs", "asrs_strict", "rm", "rm_all"]


def simrank_by_objects(labels, decay, n_steps):
    """SimRank on the graph of objects and clusters, with both matrices in full."""
    B = Ensemble(labels).membership.toarray()
    M, sizes = labels.shape[1], B.sum(axis=0)
    S, C = np.eye(len(B)), np.eye(B.shape[1])
    for _ in range(n_steps):
        S, C = decay / M**2 * B @ C @ B.T, decay * B.T @ S @ B / np.outer(sizes, sizes)
        np.fill_diagonal(S, 1.0)
        np.fill_diagonal(C, 1.0)
    return S


def test_triples_of_e6_are_those_worked_out_by_hand():
    # Clusters a, b of the first clustering share 1/4 with d, and c, d, e are linked
    # by the two equal clusterings.
    Z = triple_similarity(Ensemble(E6), 0.8)
    assert_allclose([Z[0, 1], Z[4, 5], Z[5, 6], Z[4, 6]], [0.4, 0.8, 0.8, 0.0])


def test_similarities_of_e6_are_those_of_the_catalogue():
    E = Ensemble(E6)
    tree = LCE(2).fit(E).linkage_
    assert_allclose(1 - tree[:4, 2], [1, 1, 14 / 15, 14 / 15])
    S = _between_all(E, simrank_clusters(E, 0.8, 4))
    printed = [0.507403, 0.391158, 0.180403, 0.009552]
    got = [S[0, 1], S[0, 2], S[2, 3], S[0, 4]]
    assert_allclose(got, printed, atol=5e-7)  # printed to six decimals
    S = _between_all(E, approximate_simrank(E, 0.8, strict=False))
    assert_allclose([S[0, 1], S[0, 2], S[2, 3]], [0.867901, 0.601235, 0.2], atol=5e-7)


@pytest.mark.parametrize(("within", "row"), [(True, 0.45), (False, 0.245455)])
def test_the_refined_matrix_of_e6_is_that_of_the_catalogue(within, row):
    E = Ensemble(E6)
    refined = E.membership @ triple_similarity(E, 0.9, within=within)
    expected = [1, row, 1, row, 1, 2 * row, 0]
    assert_allclose(refined[0], expected, atol=2e-6)  # printed to six decimals


@pytest.mark.parametrize("seed", range(3))
def test_simrank_of_clusters_is_that_of_objects(seed):
    labels, _ = planted(30, 3, 4, noise=0.4, seed=seed)
    E = Ensemble(labels)
    got = _between_all(E, simrank_clusters(E, 0.7, 4))
    expected = simrank_by_objects(labels, 0.7, 4)
    apart = ~np.eye(30, dtype=bool)
    assert_allclose(got[apart], expected[apart], atol=1e-12)


@pytest.mark.parametrize("variant", VARIANTS)
def test_two_clusters_of_e6_are_its_first_clustering(variant):
    found = LCE(2, variant=variant, random_state=0).fit_predict(Ensemble(E6))
    assert same_partition(found, E6[:, 0])


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_finds_clear_clusters(variant):
    labels, truth = planted(120, 4, 12, noise=0.15, seed=2)
    found = LCE(4, variant=variant, random_state=0).fit_predict(Ensemble(labels))
    assert same_partition(found, truth)


def test_without_links_it_is_eac():
    labels, _ = planted(60, 3, 6, noise=0.4, seed=1)
    E = Ensemble(labels)
    linked, plain = LCE(3, decay=0.0).fit(E), method("eac")(3).fit(E)
    assert_allclose(cophenet(linked.linkage_), cophenet(plain.linkage_), atol=1e-12)


def test_equal_objects_that_are_not_nearest_do_not_merge_first():
    # Two equal objects are less like each other than like the third.
    S = np.array([[0.3, 0.9], [0.9, 0.5]])
    tree = similarity_tree(S, np.array([2, 1]), np.array([0, 1, 0]), "average")
    distance = [[0, 0.1, 0.7], [0.1, 0, 0.1], [0.7, 0.1, 0]]
    assert_allclose(tree[:, 2], hac(distance)[:, 2])


def test_the_memory_budget_is_asked_first():
    labels, _ = planted(400, 3, 9, noise=0.4, seed=0)
    with config.limit("1 MB"), pytest.raises(MemoryBudgetError, match="each two"):
        LCE(3, variant="srs").fit(Ensemble(labels))
