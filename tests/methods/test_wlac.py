"""WLAC: weights of features and of clusters; the parts are in tests/cluster."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score

from comitia import method
from comitia.cluster import LAC
from comitia.exceptions import ComitiaError
from comitia.methods.variable_features._sweep import spread_pairs
from comitia.methods.variable_features._weighted_lac import WeightedLAC
from tests.fixtures import same_partition, settled
from tests.methods._subspaces import standardized, subspaces

WLAC = method("wlac")


def test_clusterings_are_weighted_lac_over_spread_pairs():
    X = settled(subspaces(n=10)[0])
    fitted = WLAC(3, n_clusterings=4, smoothing=0.2, random_state=0).fit(X)
    pairs = spread_pairs((0.02, 2.0), (0.1, 10.0), 4)
    offsets = fitted.ensemble_.offsets
    for m, member in enumerate(fitted.generator_.members_):
        again = WeightedLAC(
            3,
            concentration_penalty=pairs[m][0],
            cluster_penalty=pairs[m][1],
            smoothing=0.2,
            n_init=3,
            random_state=member.model.random_state,
        ).fit(standardized(X))
        own = slice(offsets[m], offsets[m + 1])
        assert_array_equal(fitted.ensemble_.labels[:, m], again.labels_)
        assert_allclose(fitted.feature_weights_[own], again.feature_weights_)
        assert_allclose(fitted.cluster_weights_[own], again.cluster_weights_)
        assert_allclose(fitted.objective_[m], again.objective_)


def test_pairs_spread_over_the_square():
    first, second = np.log10(spread_pairs((0.1, 10), (0.1, 10), 20)).T
    grid = np.linspace(-1, 1, 20)
    assert_allclose(first, grid, atol=1e-12)
    assert_allclose(np.sort(second), grid, atol=1e-12)  # each value once
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.2


@pytest.mark.parametrize("variant", ["weighted", "plain"])
def test_a_large_cluster_penalty_gives_lac_with_k_times_the_penalty(variant):
    X = settled(subspaces()[0])
    fitted = WLAC(
        3, n_clusterings=1, weight_penalty=0.1, cluster_penalty=1e6, variant=variant,
        random_state=0,
    ).fit(X)  # fmt: skip
    seed = fitted.generator_.members_[0].model.random_state
    lac = LAC(3, concentration_penalty=0.3, n_init=3, random_state=seed)
    assert_array_equal(fitted.ensemble_.labels[:, 0], lac.fit(standardized(X)).labels_)
    # The weights of clusters are equal to six digits.
    assert_allclose(fitted.cluster_weights_, 1 / 3, rtol=1e-5)
    assert_allclose(fitted.feature_weights_, lac.feature_weights_, atol=1e-5)


def test_weights_are_on_their_simplices():
    X, _ = subspaces()
    fitted = WLAC(3, cluster_penalty=(0.01, 1), random_state=0).fit(X)
    assert_allclose(fitted.feature_weights_.sum(axis=1), 1.0)
    sums = np.add.reduceat(fitted.cluster_weights_, fitted.ensemble_.offsets[:-1])
    assert_allclose(sums, 1.0)
    assert fitted.cluster_weights_.min() >= 1 / 30 - 1e-12  # 1 / (10 k)


@pytest.mark.parametrize("variant", ["weighted", "plain"])
@pytest.mark.parametrize("consensus", ["cspa", "mcla", "eac"])
def test_clusters_in_subspaces_are_found(variant, consensus):
    X, truth = subspaces()
    fitted = WLAC(
        3, weight_penalty=(0.02, 0.3), variant=variant, consensus=consensus,
        random_state=0,
    ).fit(X)  # fmt: skip
    assert adjusted_rand_score(truth, fitted.labels_) > 0.9
    assert fitted.converged_
    assert fitted.n_iter_ == max(map(len, fitted.objective_))


def test_the_consensus_is_that_of_the_method_named():
    X, _ = subspaces(n=15)
    fitted = WLAC(3, consensus="eac", random_state=0).fit(X)
    alone = method("eac")(3).fit_predict(fitted.ensemble_)
    assert same_partition(fitted.labels_, alone)


def test_the_number_of_clusters_can_be_chosen():
    rng = np.random.RandomState(0)
    centers = np.array([[0, 0], [0, 9], [9, 0], [9, 9]])
    X = np.repeat(centers, 30, axis=0) + 0.5 * rng.randn(120, 2)
    assert WLAC(random_state=0).fit(X).n_clusters_ == 4


def test_a_consensus_that_needs_data_or_is_unknown_is_refused():
    X, _ = subspaces(n=5)
    with pytest.raises(ComitiaError, match="consensus='wosp' needs more than labels"):
        WLAC(3, consensus="wosp").fit(X)
    with pytest.raises(ComitiaError, match="no method with the id 'cpsa'"):
        WLAC(3, consensus="cpsa").fit(X)
