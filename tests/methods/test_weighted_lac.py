"""Weights of features and of clusters, hard and fuzzy: closed forms and limits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import xlogy
from sklearn.utils.estimator_checks import parametrize_with_checks

from comitia.cluster.fuzzy import fuzzy_cmeans
from comitia.cluster.lac import (
    feature_dispersions,
    lac_weights,
    locally_adaptive,
    weighted_distances,
)
from comitia.exceptions import ComitiaError
from comitia.methods.variable_features._fwlac_clustering import (
    FuzzyWeightedLAC,
    fuzzy_weighted_lac,
)
from comitia.methods.variable_features._weighted_lac import (
    WeightedLAC,
    cluster_importance,
    weighted_lac,
)


@parametrize_with_checks([WeightedLAC(3, n_init=2), FuzzyWeightedLAC(3, n_init=2)])
def test_scikit_learns_estimator_checks(estimator, check):
    check(estimator)


def data(n=60, p=3, seed=0):
    rng = np.random.RandomState(seed)
    centers = 4 * rng.rand(3, p)
    return centers[rng.randint(3, size=n)] + rng.rand(1, p) * rng.randn(n, p)


def slsqp(cost, start, least=1e-12):
    """The minimum on the simplex, by an optimiser that knows no closed form."""
    return minimize(
        cost,
        start,
        bounds=[(least, 1)] * len(start),
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 500},
    )


# SciPy 1.13 tells that its steps are cut off at the bounds.
at_bounds = pytest.mark.filterwarnings("ignore:Values in x were outside:RuntimeWarning")


@at_bounds
@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_importance_is_the_minimizer_above_the_least_weight(seed, smoothing):
    rng = np.random.RandomState(seed)
    E, penalty = 3 * rng.rand(4), rng.uniform(0.2, 1)
    got = cluster_importance(E, penalty, smoothing=smoothing)

    def cost(w):
        return w @ E + penalty * xlogy(w, w).sum()

    found = slsqp(cost, np.full(4, 0.25), max(smoothing / 4, 1e-12))
    assert_allclose(got.sum(), 1.0)
    assert got.min() >= smoothing / 4 - 1e-15
    assert cost(got) <= found.fun + 1e-9
    # SLSQP differentiates numerically.
    assert_allclose(got, found.x, atol=1e-4)


def test_importance_refuses_what_makes_no_sense():
    with pytest.raises(ComitiaError, match="smoothing=2 must be from 0 to 1"):
        cluster_importance([1.0, 2.0], 1.0, smoothing=2)
    with pytest.raises(ComitiaError, match="cluster_penalty=0 must be positive"):
        cluster_importance([1.0, 2.0], 0)


def hard_objective(D, w, omega, l1, l2):
    entropies = l1 * xlogy(w, w).sum() + l2 * xlogy(omega, len(omega) * omega).sum()
    return (omega[:, None] * w * D).sum() + entropies


@pytest.mark.parametrize("seed", range(3))
def test_hard_weights_are_stationary_points_of_the_objective(seed):
    rng = np.random.RandomState(seed)
    D, l1, l2 = rng.rand(3, 4), 0.2, 0.5
    omega = rng.dirichlet(np.ones(3))
    w = lac_weights(omega[:, None] * D, l1)
    for v in range(3):

        def cost(row, v=v):
            changed = w.copy()
            changed[v] = row
            return hard_objective(D, changed, omega, l1, l2)

        # SLSQP differentiates numerically.
        assert_allclose(w[v], slsqp(cost, np.full(4, 0.25)).x, atol=1e-4)
    best = cluster_importance((w * D).sum(axis=1), l2)
    found = slsqp(lambda o: hard_objective(D, w, o, l1, l2), np.full(3, 1 / 3))
    assert_allclose(best, found.x, atol=1e-4)


@pytest.mark.parametrize("variant", ["weighted", "plain"])
def test_a_large_cluster_penalty_gives_lac_with_k_times_the_penalty(variant):
    X = data()
    start = X[[0, 1, 2]]
    for max_iter in (1, 2, 3, 50):
        run = weighted_lac(
            X, 3, np.random.RandomState(0), concentration_penalty=0.1,
            cluster_penalty=1e6, variant=variant, init=start, max_iter=max_iter,
        )  # fmt: skip
        lac = locally_adaptive(
            X, 3, np.random.RandomState(0), concentration_penalty=0.3, init=start,
            max_iter=max_iter,
        )  # fmt: skip
        assert_allclose(run.importance, 1 / 3, rtol=1e-5)
        assert_array_equal(run.labels, lac.labels)
        # The weights of clusters are equal to six digits only.
        assert_allclose(run.weights, lac.weights, rtol=1e-5, atol=1e-9)
        n = len(lac.objective)
        assert_allclose(run.objective[:n], lac.objective / 3, rtol=1e-5)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_hard_weights_are_on_their_simplices_after_every_iteration(smoothing):
    X = data(seed=1)
    for max_iter in range(1, 7):
        run = weighted_lac(
            X, 3, np.random.RandomState(0), cluster_penalty=0.05, smoothing=smoothing,
            n_init=1, max_iter=max_iter,
        )  # fmt: skip
        assert_allclose(run.weights.sum(axis=1), 1.0)
        assert_allclose(run.importance.sum(), 1.0)
        assert run.importance.min() >= smoothing / 3 - 1e-15
        D = feature_dispersions(X, run.labels, run.centers)
        got = hard_objective(D, run.weights, run.importance, 0.2, 0.05)
        assert np.isclose(run.objective, got).any()  # an iterate is the result


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("variant", ["weighted", "plain"])
def test_a_loose_cluster_that_swallows_all_objects_is_not_the_result(
    variant, smoothing
):
    # As printed, with smoothing 0, the loose cluster soon has all objects but one.
    rng = np.random.RandomState(0)
    X = np.r_[0.1 * rng.randn(60, 2), [3, 0] + rng.randn(60, 2)]
    run = weighted_lac(
        X, 2, np.random.RandomState(0), cluster_penalty=0.05, smoothing=smoothing,
        variant=variant, init=np.array([[0.0, 0.0], [3.0, 0.0]]),
    )  # fmt: skip
    assert np.bincount(run.labels).max() <= 62


def fuzzy_objective(X, F, centers, w, omega, l1, l2, alpha):
    n, p = X.shape
    d = weighted_distances(X, centers, w)
    inner = (F**alpha * d).sum(axis=0) / n + l1 * xlogy(w, p * w).sum(axis=1)
    return omega @ inner + l2 * xlogy(omega, len(omega) * omega).sum()


@pytest.mark.parametrize("fuzziness", [1.5, 2.0, 3.0])
@pytest.mark.parametrize("penalties", [(0.05, 0.05), (0.2, 1.0)])
def test_the_fuzzy_objective_never_rises_and_is_its_definition(fuzziness, penalties):
    l1, l2 = penalties
    X = data(seed=2)
    run = fuzzy_weighted_lac(
        X, 3, np.random.RandomState(0), fuzziness=fuzziness, concentration_penalty=l1,
        cluster_penalty=l2, n_init=1,
    )  # fmt: skip
    assert len(run.objective) > 3
    assert np.diff(run.objective).max() <= 1e-12
    F, centers, w, omega = run[:4]
    got = fuzzy_objective(X, F, centers, w, omega, l1, l2, fuzziness)
    assert_allclose(got, run.objective[-1])


@at_bounds
def test_every_fuzzy_step_is_a_minimizer():
    X, (l1, l2, alpha) = data(n=12, seed=3), (0.1, 0.3, 2.0)
    run = fuzzy_weighted_lac(
        X, 3, np.random.RandomState(0), concentration_penalty=l1, cluster_penalty=l2,
        tol=1e-12, max_iter=5000, smoothing=0.0, n_init=1,
    )  # fmt: skip
    assert run.converged
    F, centers, w, omega = run[:4]

    def value(F=F, centers=centers, w=w, omega=omega):
        return fuzzy_objective(X, F, centers, w, omega, l1, l2, alpha)

    def with_row(array, row, values):
        changed = array.copy()
        changed[row] = values
        return changed

    # At the fixed point no block alone can be better, whatever the optimiser tries.
    third = np.full(3, 1 / 3)
    assert_allclose(slsqp(lambda o: value(omega=o), third).x, omega, atol=1e-4)
    for v in range(3):
        found = slsqp(lambda r, v=v: value(w=with_row(w, v, r)), third)
        assert_allclose(found.x, w[v], atol=1e-4)
        found = minimize(
            lambda c, v=v: value(centers=with_row(centers, v, c)), X[v], tol=1e-9
        )
        # Flat where a feature weighs little.
        assert_allclose(found.x, centers[v], atol=1e-3)
    for i in range(3):
        found = slsqp(lambda f, i=i: value(F=with_row(F, i, f)), third)
        assert_allclose(found.x, F[i], atol=1e-3)  # its gradient is a 12th of the rest


def test_fuzzy_weights_are_on_their_simplices_after_every_iteration():
    X = data(seed=1)
    for max_iter in range(1, 7):
        run = fuzzy_weighted_lac(
            X, 3, np.random.RandomState(0), cluster_penalty=0.02, n_init=1,
            max_iter=max_iter,
        )  # fmt: skip
        assert_allclose(run.weights.sum(axis=1), 1.0)
        assert_allclose(run.membership.sum(axis=1), 1.0)
        assert_allclose(run.importance.sum(), 1.0)
        assert run.importance.min() >= 0.1 / 3 - 1e-15


def test_equal_cluster_weights_on_one_feature_give_fuzzy_c_means():
    X = data(p=1)
    start = np.sort(X[:3], axis=0)
    run = fuzzy_weighted_lac(
        X, 3, np.random.RandomState(0), smoothing=1.0, init=start, tol=1e-6
    )
    fcm = fuzzy_cmeans(X, 3, np.random.RandomState(0), init=start, tol=1e-6)
    assert_allclose(run.importance, 1 / 3)
    assert_array_equal(run.weights, np.ones((3, 1)))  # p = 1: weights do not matter
    assert_allclose(run.membership, fcm.membership, atol=1e-12)
    assert_allclose(run.objective, fcm.objective / (3 * len(X)))


def test_large_penalties_give_fuzzy_c_means_on_many_features():
    X = data(p=4)
    start = X[:3]
    run = fuzzy_weighted_lac(
        X, 3, np.random.RandomState(0), concentration_penalty=1e6, cluster_penalty=1e6,
        init=start, tol=1e-9, max_iter=2000,
    )  # fmt: skip
    fcm = fuzzy_cmeans(X, 3, np.random.RandomState(0), init=start, tol=1e-9)
    # The weights are equal to six digits.
    assert_allclose(run.membership, fcm.membership, atol=1e-4)


def test_penalties_do_not_depend_on_the_number_of_objects():
    X = data()
    one = fuzzy_weighted_lac(X, 3, np.random.RandomState(0), init=X[:3])
    thrice = fuzzy_weighted_lac(
        np.tile(X, (3, 1)), 3, np.random.RandomState(0), init=X[:3]
    )
    assert_allclose(one.weights, thrice.weights)
    assert_allclose(one.importance, thrice.importance)
    assert_allclose(one.objective, thrice.objective)


def test_an_object_at_a_center_belongs_to_it_altogether():
    X = np.array([[0.0, 0.0], [0.0, 0.0], [9.0, 9.0], [9.0, 9.0]])
    run = fuzzy_weighted_lac(X, 2, np.random.RandomState(0), init=X[[0, 2]])
    assert_array_equal(run.membership, [[1, 0], [1, 0], [0, 1], [0, 1]])
    assert np.isfinite(run.objective).all()
