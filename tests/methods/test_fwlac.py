"""FWLAC: the fuzzy form of WLAC; the parts are in tests/cluster."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_wine
from sklearn.metrics import adjusted_rand_score

from comitia import method
from comitia.cluster import FuzzyCMeans
from comitia.methods.variable_features._fwlac_clustering import FuzzyWeightedLAC
from comitia.methods.variable_features._sweep import spread_pairs
from tests.fixtures import same_partition, settled
from tests.methods._subspaces import standardized, subspaces

FWLAC = method("fwlac")


def test_clusterings_are_the_hardened_fuzzy_ones():
    X = settled(subspaces(n=10)[0])
    fitted = FWLAC(3, n_clusterings=4, fuzziness=1.7, random_state=0).fit(X)
    pairs = spread_pairs((0.02, 2.0), (0.1, 10.0), 4)
    assert fitted.ensemble_.kind == "hard"
    for m, member in enumerate(fitted.generator_.members_):
        again = FuzzyWeightedLAC(
            3,
            fuzziness=1.7,
            concentration_penalty=pairs[m][0],
            cluster_penalty=pairs[m][1],
            n_init=3,
            random_state=member.model.random_state,
        ).fit(standardized(X))
        largest = again.membership_.argmax(axis=1)
        assert same_partition(fitted.ensemble_.labels[:, m], largest)
        own = fitted.ensemble_.clustering_of == m
        used = np.unique(largest)  # a cluster may be nobody's largest
        assert_allclose(fitted.feature_weights_[own], again.feature_weights_[used])
        assert_allclose(fitted.cluster_weights_[own], again.cluster_weights_[used])


def test_no_objective_rises():
    X, _ = subspaces()
    fitted = FWLAC(3, random_state=0).fit(X)
    assert len(fitted.objective_) == 10
    for history in fitted.objective_:
        assert len(history) > 2
        assert np.diff(history).max() <= 1e-12
    assert fitted.converged_
    assert fitted.n_iter_ == max(map(len, fitted.objective_)) - 1


def test_one_feature_and_equal_clusters_give_fuzzy_c_means():
    rng = np.random.RandomState(0)
    X = settled(np.r_[rng.randn(20, 1), 8 + rng.randn(20, 1), 16 + rng.randn(20, 1)])
    fitted = FWLAC(3, n_clusterings=1, smoothing=1.0, random_state=0).fit(X)
    model = fitted.generator_.members_[0].model
    assert_array_equal(fitted.feature_weights_, np.ones((3, 1)))
    assert_allclose(fitted.cluster_weights_, 1 / 3)
    fcm = FuzzyCMeans(3, tol=1e-4, random_state=0).fit(standardized(X))
    order, other = (m.cluster_centers_[:, 0].argsort() for m in (model, fcm))
    # Both stop when memberships change by less than 1e-4.
    assert_allclose(model.membership_[:, order], fcm.membership_[:, other], atol=1e-3)


def test_with_one_feature_its_penalty_does_not_matter():
    X = subspaces(n=15)[0][:, :1]
    one = FWLAC(3, weight_penalty=0.01, random_state=0).fit(X)
    other = FWLAC(3, weight_penalty=100, random_state=0).fit(X)
    assert one.ensemble_ == other.ensemble_
    assert_allclose(one.cluster_weights_, other.cluster_weights_)


@pytest.mark.parametrize("consensus", ["cspa", "eac"])
def test_clusters_in_subspaces_are_found(consensus):
    X, truth = subspaces()
    fitted = FWLAC(
        3, weight_penalty=(0.02, 0.2), fuzziness=1.5, consensus=consensus,
        random_state=0,
    ).fit(X)  # fmt: skip
    assert adjusted_rand_score(truth, fitted.labels_) > 0.9
    assert_allclose(fitted.feature_weights_.sum(axis=1), 1.0)


def test_cspa_combines_the_clusterings_by_default():
    X, _ = load_wine(return_X_y=True)
    found, cspa, linked = (
        FWLAC(3, n_clusterings=5, random_state=0, **how).fit_predict(X)
        for how in ({}, {"consensus": "cspa"}, {"consensus": "eac"})
    )
    assert same_partition(found, cspa)
    assert not same_partition(found, linked)


def test_the_number_of_clusters_can_be_chosen():
    rng = np.random.RandomState(0)
    centers = np.array([[0, 0], [0, 9], [9, 0], [9, 9]])
    X = np.repeat(centers, 30, axis=0) + 0.5 * rng.randn(120, 2)
    assert FWLAC(random_state=0).fit(X).n_clusters_ == 4


def test_clusters_of_many_dimensions_do_not_fall_together():
    # With a fuzziness of 2 most of the members have two or three clusters.
    rng = np.random.RandomState(0)
    truth = np.repeat(np.arange(4), 30)
    X = 1.2 * rng.randn(4, 40)[truth] + rng.randn(120, 40)
    found = [FWLAC(4, random_state=seed).fit(X) for seed in range(5)]
    assert all((fitted.ensemble_.n_clusters_each == 4).all() for fitted in found)
    # Two seeds of twelve join two of the clusters.
    scores = [adjusted_rand_score(truth, fitted.labels_) for fitted in found]
    assert np.median(scores) > 0.95
