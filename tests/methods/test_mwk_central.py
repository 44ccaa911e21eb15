"""The Minkowski central partition: 41 exponents and a medoid."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, calinski_harabasz_score

from comitia import Ensemble, method
from comitia.agreement import agreement_matrix
from comitia.cluster import MinkowskiKMeans
from comitia.cluster.minkowski import minkowski_weights
from comitia.exceptions import ComitiaError
from comitia.methods.variable_features.mwk_central import JudgedMinkowski
from comitia.partition import median_selection
from tests.cluster.test_minkowski import minkowski_centers
from tests.fixtures import E6, same_partition
from tests.methods import _subspaces

noisy = partial(_subspaces.noisy, apart=6)

MinkowskiCentralPartition = method("mwk_central")


def standardized(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def test_weights_are_those_of_the_catalogue():
    assert_allclose(minkowski_weights([[1.0, 4.0]], 2.0), [[0.8, 0.2]])


@pytest.mark.parametrize("rho", [1.3, 2.0, 4.5])
def test_weights_minimize_the_weighted_dispersions(rho):
    D = np.random.RandomState(0).uniform(0.5, 2, size=(1, 4))
    found = minimize(
        lambda w: (np.abs(w) ** rho * D[0]).sum(),
        np.full(4, 0.25),
        bounds=[(0, 1)] * 4,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        method="SLSQP",
        options={"ftol": 1e-15},
    )
    # SLSQP differentiates numerically.
    assert_allclose(minkowski_weights(D, rho)[0], found.x, atol=1e-5)


def test_the_medoid_of_e6_is_its_first_clustering():
    agreement = agreement_matrix(Ensemble(E6), "adjusted_rand")
    sums = agreement.sum(axis=1) - 1
    assert_allclose(sums, [1.242424, 1.242424, 0.484848], atol=5e-7)
    assert median_selection(agreement) == 0


def test_there_are_forty_one_exponents_by_default():
    X, _ = noisy(n=6)
    fitted = MinkowskiCentralPartition(3, n_init=1, random_state=0).fit(X)
    exponents = [member.model.p for member in fitted.generator_.members_]
    assert_allclose(exponents, np.linspace(1, 5, 41))
    assert fitted.ensemble_.n_clusterings == len(fitted.objective_) == 41


def test_the_result_is_the_clustering_that_agrees_most():
    X, _ = noisy()
    fitted = MinkowskiCentralPartition(
        3, weight_power=[1.0, 1.2, 2.0, 3.0, 5.0], n_init=4, random_state=0
    ).fit(X)
    labels = fitted.ensemble_.labels.T
    sums = [sum(adjusted_rand_score(a, b) for b in labels) - 1.0 for a in labels]
    assert_allclose(fitted.centrality_, sums, atol=1e-12)
    central = int(np.argmax(sums))
    assert fitted.selected_[central]
    assert fitted.selected_.sum() == 1
    assert fitted.weight_power_ == [1.0, 1.2, 2.0, 3.0, 5.0][central]
    assert same_partition(fitted.labels_, labels[central])


def test_feature_weights_belong_to_the_clusters_of_the_result():
    X, _ = noisy(seed=1)
    order = np.random.RandomState(0).permutation(len(X))
    fitted = MinkowskiCentralPartition(
        3, weight_power=[2.0, 2.5], n_init=30, random_state=0
    ).fit(X[order])
    rho, Z, labels = fitted.weight_power_, standardized(X[order]), fitted.labels_
    centers = minkowski_centers(Z, labels, 3, rho)
    D = np.stack(
        [(np.abs(Z[labels == v] - centers[v]) ** rho).sum(axis=0) for v in range(3)]
    )
    # The search for a centre stops at some digit.
    assert_allclose(fitted.feature_weights_, minkowski_weights(D, rho), atol=1e-6)
    assert (fitted.feature_weights_[:, :2].sum(axis=1) > 0.6).all()  # not the noise


def test_starts_are_judged_by_the_index_and_not_by_the_objective():
    X = standardized(noisy(seed=2)[0])
    for index in ("calinski_harabasz", "silhouette"):
        model = JudgedMinkowski(4, p=1.5, n_init=6, index=index, random_state=0).fit(X)
        rng = np.random.RandomState(0)
        rng.randint(4, 5, size=6)
        starts = [
            MinkowskiKMeans(4, p=1.5, n_init=1, random_state=seed).fit(X).labels_
            for seed in rng.randint(np.iinfo(np.int32).max, size=6)
        ]
        if index == "calinski_harabasz":
            scores = [calinski_harabasz_score(X, labels) for labels in starts]
            assert len(set(np.round(scores, 6))) > 1
            assert_array_equal(model.labels_, starts[int(np.argmax(scores))])
        else:
            assert any(same_partition(model.labels_, labels) for labels in starts)


def test_exponent_two_with_equal_dispersions_is_k_means():
    # Every cluster is a square: both features have the same dispersion in each.
    square = np.array([[-1, -1], [-1, 1], [1, -1], [1, 1]])
    X = np.concatenate([square + [0, 0], square + [12, 0], square + [0, 12]])
    fitted = MinkowskiCentralPartition(
        3, weight_power=[2.0], n_init=20, random_state=0
    ).fit(X)
    assert_allclose(fitted.feature_weights_, 0.5)
    kmeans = KMeans(3, n_init=10, random_state=0).fit(standardized(X))
    assert same_partition(fitted.labels_, kmeans.labels_)


def test_exponent_one_puts_all_weight_on_one_feature():
    X, _ = noisy()
    fitted = MinkowskiCentralPartition(
        3, weight_power=[1.0], n_init=3, random_state=0
    ).fit(X)
    assert_array_equal(np.sort(fitted.feature_weights_, axis=1)[:, -1], np.ones(3))


def test_objectives_do_not_rise():
    X, _ = noisy(seed=3)
    fitted = MinkowskiCentralPartition(
        4, weight_power=[1.1, 1.7, 2.0, 3.3, 5.0], n_init=3, random_state=0
    ).fit(X)
    lengths = [len(history) for history in fitted.objective_]
    assert max(lengths) == fitted.n_iter_ > 3
    for history in fitted.objective_:
        # Centres are searched for, to some digits.
        assert (np.diff(history) <= 1e-8 * history[:-1]).all()
    assert fitted.converged_


@pytest.mark.parametrize("index", ["calinski_harabasz", "silhouette"])
@pytest.mark.parametrize("variant", ["guarded", "offset"])
def test_clusters_among_noise_are_found(index, variant):
    X, truth = noisy()
    fitted = MinkowskiCentralPartition(
        3, weight_power=[1.2, 1.5, 2, 3, 4], index=index, variant=variant, n_init=5,
        random_state=0,
    ).fit(X)  # fmt: skip
    assert adjusted_rand_score(truth, fitted.labels_) > 0.9


def test_the_index_chooses_the_number_of_clusters():
    rng = np.random.RandomState(0)
    X = np.repeat([[0, 0], [0, 9], [9, 0], [9, 9]], 20, axis=0) + rng.randn(80, 2)
    fitted = MinkowskiCentralPartition(
        weight_power=[1.5, 2, 3], n_init=150, random_state=0
    ).fit(X)
    assert fitted.n_clusters_ == 4


def test_a_feature_without_dispersion_is_guarded():
    X, _ = noisy(n=10)
    X[:, 3] = 7.0
    fitted = MinkowskiCentralPartition(
        3, weight_power=[1.0, 2.0], n_init=3, random_state=0
    ).fit(X)
    assert np.isfinite(fitted.feature_weights_).all()


@pytest.mark.parametrize("exponents", [[], [0.5, 2.0], [[1.0, 2.0]]])
def test_bad_exponents_are_refused(exponents):
    with pytest.raises(ComitiaError, match="each at least 1"):
        MinkowskiCentralPartition(3, weight_power=exponents).fit(noisy(n=5)[0])
