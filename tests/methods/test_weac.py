"""WEAC against the worked numbers of the catalogue."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from comitia import Ensemble, method
from comitia.exceptions import ComitiaWarning
from tests.fixtures import E6, planted, same_partition

WEAC = method("weac")
EAC = method("eac")


def test_weights_of_e6_are_those_of_the_catalogue():
    fitted = WEAC(n_clusters=2).fit(Ensemble(E6))
    # Printed to six decimals.
    assert_allclose(
        fitted.clustering_weights_, [0.425413, 0.425413, 0.149174], atol=5e-7
    )
    assert same_partition(fitted.labels_, [0, 0, 0, 1, 1, 1])


def test_weights_of_e6_with_the_agreement_of_the_review():
    fitted = WEAC(n_clusters=2, agreement="nmi_sqrt", weight_power=1).fit(Ensemble(E6))
    # Printed to six decimals.
    assert_allclose(
        fitted.clustering_weights_, [0.371413, 0.371413, 0.257173], atol=5e-7
    )


def test_similarities_of_e6_are_those_of_the_catalogue():
    ensemble = Ensemble(E6)
    weights = WEAC().fit(ensemble).clustering_weights_
    S = ensemble.coassociation(clustering_weights=weights, dtype=np.float64)
    assert_allclose([S[0, 2], S[2, 3]], [0.850826, 0.149174], atol=5e-7)  # six decimals


def test_tree_of_e6_has_the_heights_of_these_similarities():
    tree = WEAC().fit(Ensemble(E6)).linkage_
    s_02, s_23 = 0.850826, 0.149174
    expected = [0, 0, 1 - s_02, 1 - s_02, 1 - s_23 / 9]
    assert_allclose(tree[:, 2], expected, atol=5e-7)  # six decimals


@pytest.mark.parametrize("linkage", ["single", "complete", "average", "ward"])
def test_power_zero_forgets_the_weights(linkage):
    labels, _ = planted(60, 3, 8, noise=0.3, seed=0)
    weighted = WEAC(n_clusters=3, weight_power=0, linkage=linkage).fit(Ensemble(labels))
    plain = EAC(n_clusters=3, linkage=linkage).fit(Ensemble(labels))
    assert_allclose(weighted.clustering_weights_, 1 / 8)
    assert_allclose(weighted.linkage_, plain.linkage_, atol=1e-12)


def test_noise_weighs_less_than_agreement():
    labels, truth = planted(90, 3, 16, noise=0.1, seed=0)
    labels[:, -1] = np.random.RandomState(0).randint(3, size=90)
    fitted = WEAC(n_clusters=3).fit(Ensemble(labels))
    assert np.argmin(fitted.clustering_weights_) == 15
    assert same_partition(fitted.labels_, truth)


def test_order_of_clusterings_does_not_matter():
    labels, _ = planted(80, 4, 10, noise=0.3, seed=1)
    order = np.random.RandomState(0).permutation(10)
    one, other = (
        WEAC(n_clusters=4).fit(Ensemble(each)) for each in (labels, labels[:, order])
    )
    assert_allclose(one.clustering_weights_[order], other.clustering_weights_)
    assert same_partition(one.labels_, other.labels_)


def test_clusterings_without_any_agreement_weigh_the_same():
    labels = [[0, 0], [0, 1], [1, 0], [1, 1]]
    with pytest.warns(ComitiaWarning):
        fitted = WEAC(n_clusters=2).fit(Ensemble(labels))
    assert_allclose(fitted.clustering_weights_, 0.5)
