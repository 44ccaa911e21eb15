"""LWEA against the numbers of its paper and of the catalogue."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from comitia import Ensemble, method
from comitia.weigh.cluster_entropy import cluster_uncertainty
from tests.fixtures import E6, LWEA16, planted, same_partition

LWEA = method("lwea")
EAC = method("eac")


def test_uncertainty_of_lwea16_is_that_of_table_1():
    expected = [
        2.561278,
        0,
        0.721928,
        0.970951,
        0.918296,
        1.954434,
        1.848349,
        1.443856,
        0,
    ]
    got = cluster_uncertainty(Ensemble(LWEA16))
    assert_allclose(got, expected, atol=5e-7)  # printed to six decimals


def test_weights_of_lwea16_follow_equation_10():
    fitted = LWEA(n_clusters=3, theta=0.4).fit(Ensemble(LWEA16))
    uncertainty = cluster_uncertainty(Ensemble(LWEA16))
    assert_allclose(fitted.cluster_weights_, np.exp(-uncertainty / (0.4 * 3)))


def test_similarities_of_e6_are_those_of_the_catalogue():
    ensemble = Ensemble(E6)
    weights = LWEA(theta=0.4).fit(ensemble).cluster_weights_
    S = ensemble.coassociation(cluster_weights=weights, dtype=np.float64)
    assert_allclose(weights[0], 0.465219, atol=5e-7)  # printed to six decimals
    assert_allclose([S[0, 1], S[2, 3]], [0.643479, 0.062959], atol=5e-7)


def test_objects_that_always_meet_merge_at_what_their_clusters_lack():
    tree = LWEA(theta=0.4).fit(Ensemble(E6)).linkage_
    assert_allclose(tree[:2, 2], 1 - 0.643479, atol=5e-7)  # printed to six decimals
    assert same_partition(
        LWEA(n_clusters=2).fit_predict(Ensemble(E6)), [0] * 3 + [1] * 3
    )


@pytest.mark.parametrize("linkage", ["single", "complete", "average", "ward"])
def test_large_theta_forgets_the_weights(linkage):
    labels, _ = planted(60, 3, 8, noise=0.3, seed=0)
    fitted = LWEA(n_clusters=3, theta=1e18, linkage=linkage).fit(Ensemble(labels))
    plain = EAC(n_clusters=3, linkage=linkage).fit(Ensemble(labels))
    assert_allclose(fitted.cluster_weights_, 1.0, rtol=1e-12)
    assert_allclose(fitted.linkage_, plain.linkage_, atol=1e-12)


def test_average_linkage_finds_a_planted_partition():
    labels, truth = planted(150, 3, 15, noise=0.2, seed=0)
    assert same_partition(LWEA(n_clusters=3).fit_predict(Ensemble(labels)), truth)


def test_order_and_names_do_not_matter():
    labels, _ = planted(80, 4, 10, noise=0.3, seed=1)
    rng = np.random.RandomState(0)
    rows = rng.permutation(80)
    one = LWEA(n_clusters=4).fit_predict(Ensemble(labels))
    other = LWEA(n_clusters=4).fit_predict(
        Ensemble((5 - labels[rows])[:, rng.permutation(10)])
    )
    assert same_partition(one[rows], other)


def test_theta_must_be_positive():
    with pytest.raises(ValueError, match="theta"):
        LWEA(theta=0).fit(Ensemble(E6))
