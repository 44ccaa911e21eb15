import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import cophenet
from scipy.spatial.distance import squareform
from sklearn.datasets import make_blobs

from comitia import Ensemble, method
from comitia.partition import hac
from tests.fixtures import E6, planted, same_partition

Bagherinia = method("bagherinia_2021")
VARIANTS = ("hac", "bipartite")


def crisp(labels):
    """The same clusterings as memberships of 0 and 1."""
    E = Ensemble(labels)
    B = E.membership.toarray()
    return Ensemble.from_memberships(np.split(B, E.offsets[1:-1], axis=1))


def soft(n=40, seed=0, sharpness=2.0):
    """Memberships that grow with the nearness to one of two or three clusters."""
    rng = np.random.RandomState(seed)
    truth = np.repeat([0, 1], n // 2)
    memberships = []
    for k in (2, 3, 2):
        score = sharpness * (truth[:, None] == np.arange(k) % 2) + rng.rand(n, k)
        memberships.append(np.exp(score) / np.exp(score).sum(axis=1, keepdims=True))
    return memberships, truth


def reliability_by_loops(memberships, theta):
    F = np.hstack(memberships)
    values = []
    for c in range(F.shape[1]):
        bits = 0.0
        for G in memberships:
            similar = np.array([np.minimum(F[:, c], g).sum() for g in G.T])
            q = similar / similar.sum()
            bits -= sum(share * np.log2(share) for share in q if share > 0)
        values.append(np.exp(-bits / (theta * len(memberships))))
    return np.array(values)


@pytest.mark.parametrize("theta", [0.2, 0.4, 3.0])
def test_reliability_is_its_definition(theta):
    memberships, _ = soft()
    fitted = Bagherinia(2, theta=theta).fit(Ensemble.from_memberships(memberships))
    expected = reliability_by_loops(memberships, theta)
    assert_allclose(fitted.cluster_weights_, expected, rtol=1e-12)


def test_crisp_reliabilities_of_e6_are_those_of_the_catalogue():
    fitted = Bagherinia(2).fit(crisp(E6))
    expected = [0.465219] * 4 + [1, 0.188876, 1]
    assert_allclose(fitted.cluster_weights_, expected, atol=5e-7)  # six decimals
    assert same_partition(fitted.labels_, E6[:, 0])


def test_crisp_memberships_make_it_lwea_and_lwgp():
    labels, _ = planted(60, 3, 6, noise=0.3, seed=0)
    lwea = method("lwea")(3).fit(Ensemble(labels))
    fitted = Bagherinia(3).fit(crisp(labels))
    assert_allclose(fitted.cluster_weights_, lwea.cluster_weights_)
    assert same_partition(fitted.labels_, lwea.labels_)
    assert_array_equal(Bagherinia(3).fit(Ensemble(labels)).linkage_, lwea.linkage_)
    lwgp = method("lwgp")(3, random_state=0).fit(Ensemble(labels))
    graph = Bagherinia(3, variant="bipartite", random_state=0).fit(crisp(labels))
    assert same_partition(graph.labels_, lwgp.labels_)


def test_the_tree_is_that_of_the_weighted_products_of_memberships():
    memberships, _ = soft()
    fitted = Bagherinia(2).fit(Ensemble.from_memberships(memberships))
    F = np.hstack(memberships)
    S = (F * fitted.cluster_weights_) @ F.T / 3
    assert S.diagonal().max() < 1
    expected = hac(squareform(1.0 - S, checks=False), "average")
    assert_allclose(cophenet(fitted.linkage_), cophenet(expected), atol=1e-12)


def test_large_theta_forgets_the_weights():
    memberships, _ = soft()
    fitted = Bagherinia(2, theta=1e15).fit(Ensemble.from_memberships(memberships))
    assert_allclose(fitted.cluster_weights_, 1.0)


@pytest.mark.parametrize("variant", VARIANTS)
def test_fuzzy_clusters_are_found(variant):
    memberships, truth = soft()
    E = Ensemble.from_memberships(memberships)
    fitted = Bagherinia(2, variant=variant, random_state=0).fit(E)
    assert same_partition(fitted.labels_, truth)


@pytest.mark.parametrize("variant", VARIANTS)
def test_data_alone_are_clustered_by_fuzzy_c_means(variant):
    X, truth = make_blobs(60, centers=[[0, 0], [9, 9], [0, 9]], random_state=0)
    fitted = Bagherinia(3, variant=variant, random_state=0).fit(X)
    assert fitted.ensemble_.kind == "fuzzy"
    assert same_partition(fitted.labels_, truth)
