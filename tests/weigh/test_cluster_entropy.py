"""Weights of clusters."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble, sizes
from comitia.exceptions import ComitiaError
from comitia.weigh import entropy_certainty
from comitia.weigh.cluster_entropy import cluster_uncertainty
from tests.fixtures import E6, LWEA16


@pytest.fixture(params=["sparse", "compiled"])
def either_way(request, monkeypatch):
    """Count small ensembles the way large ones are counted, too."""
    if request.param == "compiled":
        monkeypatch.setattr(sizes, "FEW_INCREMENTS", 0)
    return request.param


def uncertainty_by_loops(labels):
    """Each cluster, each clustering, each piece, in the order of sorted labels."""
    found = []
    for m in range(labels.shape[1]):
        for c in sorted({*labels[:, m].tolist()} - {-1}):
            total = 0.0
            for other in labels[labels[:, m] == c].T.tolist():
                pieces = [label for label in other if label != -1]
                for d in set(pieces):
                    p = pieces.count(d) / len(pieces)
                    total -= p * math.log2(p)
            found.append(total)
    return found


def one_hot(labels):
    return [np.eye(column.max() + 1)[column] for column in labels.T]


def test_uncertainty_is_that_of_table_1(either_way):
    printed = [2.56, 0.00, 0.72, 0.97, 0.92, 1.95, 1.85, 1.44, 0.00]
    got = cluster_uncertainty(Ensemble(LWEA16))
    assert_allclose(got, printed, atol=0.005)  # printed to two decimals
    catalogue = [2.561278, 0, 0.721928, 0.970951, 0.918296, 1.954434]
    assert_allclose(got[:6], catalogue, atol=5e-7)  # to six
    assert_allclose(got[6:], [1.848349, 1.443856, 0], atol=5e-7)


def test_certainty_of_e6_is_that_of_the_catalogue(either_way):
    certainty = entropy_certainty(Ensemble(E6), theta=0.4)
    printed = [0.465219] * 4 + [1, 0.188876, 1]
    assert_allclose(certainty, printed, atol=5e-7)  # printed to six decimals
    uncertainty = cluster_uncertainty(Ensemble(E6))
    assert_allclose(uncertainty, [0.918296] * 4 + [0, 2, 0], atol=5e-7)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_uncertainty_is_its_definition(seed, missing, either_way):
    rng = np.random.RandomState(seed)
    labels = rng.randint(0, 4, size=(40, 6))
    labels[rng.rand(40, 6) < missing] = -1
    got = cluster_uncertainty(Ensemble(labels))
    assert_allclose(got, uncertainty_by_loops(labels), atol=1e-12)


@pytest.mark.parametrize("labels", [E6, LWEA16])
def test_crisp_memberships_are_as_uncertain_as_hard_labels(labels):
    labels = labels - labels.min()
    got = cluster_uncertainty(Ensemble.from_memberships(one_hot(labels)))
    assert_allclose(got, cluster_uncertainty(Ensemble(labels)), atol=1e-12)


def test_fuzzy_uncertainty_is_its_definition():
    rng = np.random.RandomState(0)
    F, G = rng.dirichlet(np.ones(2), size=6), rng.dirichlet(np.ones(3), size=6)
    expected = []
    for c in [*F.T, *G.T]:
        total = 0.0
        for clustering in (F, G):
            shared = np.array([np.minimum(c, d).sum() for d in clustering.T])
            p = shared / shared.sum()
            total -= (p * np.log2(p)).sum()
        expected.append(total)
    got = cluster_uncertainty(Ensemble.from_memberships([F, G]))
    assert_allclose(got, expected, atol=1e-12)


def test_overlapping_clusters_are_torn_by_their_neighbors():
    votes = Ensemble.from_clusters([[[0, 1], [1, 2]], [[0, 1, 2]]], 3)
    torn = -(2 / 3 * math.log2(2 / 3) + 1 / 3 * math.log2(1 / 3))
    assert_allclose(cluster_uncertainty(votes), [torn, torn, 1.0])


def test_clusters_that_are_kept_whole_are_certain(either_way):
    votes = Ensemble(np.repeat(E6[:, :1], 3, axis=1))
    assert_array_equal(cluster_uncertainty(votes), np.zeros(6))
    assert not np.signbit(cluster_uncertainty(votes)).any()
    assert_array_equal(entropy_certainty(votes), np.ones(6))


def test_empty_clusters_of_a_block_are_certain(either_way):
    _, block = next(Ensemble(E6).blocks(2))
    assert_array_equal(cluster_uncertainty(block), np.zeros(7))


def test_a_large_theta_forgets_the_uncertainty():
    certainty = entropy_certainty(Ensemble(LWEA16), theta=1e12)
    assert_allclose(certainty, 1.0, rtol=1e-11)


def test_names_and_order_do_not_matter(either_way):
    objects = np.random.RandomState(0).permutation(len(LWEA16))
    renamed = 10 - LWEA16[objects]  # cluster 1 becomes the last of its clustering
    got = cluster_uncertainty(Ensemble(renamed)).reshape(3, 3)[:, ::-1].ravel()
    assert_allclose(got, cluster_uncertainty(Ensemble(LWEA16)), rtol=1e-14)


@pytest.mark.parametrize("theta", [0, -1.0, np.nan])
def test_theta_must_be_positive(theta):
    with pytest.raises(ComitiaError, match=f"theta={theta}"):
        entropy_certainty(Ensemble(E6), theta=theta)


def test_normalized_certainty_of_e6_is_that_of_the_catalogue():
    E = Ensemble(E6)
    found = entropy_certainty(E, 0.4, normalized=True)
    assert_allclose(found[[0, 4, 5]], [0.465219, 1, 0.349396], atol=5e-7)
    found = entropy_certainty(E, 0.09, normalized=True)
    assert_allclose(found[[0, 4, 5]], [0.033337, 1, 0.009339], atol=5e-7)


def test_two_clusters_each_are_not_normalized():
    E = Ensemble(E6[:, :2])
    assert_array_equal(entropy_certainty(E, normalized=True), entropy_certainty(E))


def test_a_clustering_into_one_cluster_has_a_weight():
    E = Ensemble([[0, 0], [0, 1]])
    assert np.isfinite(entropy_certainty(E, normalized=True)).all()
