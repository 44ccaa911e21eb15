"""Fuzzy c-medoid vectors against the catalogue, SciPy and fuzzy c-medoids."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.spatial.distance import cdist
from sklearn.metrics import adjusted_rand_score

import comitia
from comitia._arrays import to_numpy
from comitia.cluster import fuzzy_memberships
from comitia.exceptions import ComitiaError, ComitiaWarning, MemoryBudgetError
from comitia.methods import MVFCMddV
from comitia.methods.multiview._mvfcmddv_medoids import (
    cmedoid_vectors,
    update_medoids,
    view_weights,
)
from tests.fixtures import settled
from tests.multiview import (
    complementary_views,
    each_library,
    each_precision,
    in_library,
)


def problem(seed, n=25, k=3):
    rng = np.random.RandomState(seed)
    X = [rng.randn(n, 3), rng.rand(n, 2)]
    R = [cdist(x, x) for x in X]
    return R, np.stack([rng.choice(n, k, replace=False) for _ in R])


def objective(R, F, medoids, weights, fuzziness):
    """What is minimised, by loops."""
    return sum(
        F[i, r] ** fuzziness * weights[m, r] * R[m][i, medoids[m, r]]
        for i in range(len(F))
        for r in range(F.shape[1])
        for m in range(len(R))
    )


@pytest.mark.parametrize("seed", range(4))
def test_rounding_does_not_choose_between_medoids(seed):
    # In the first view objects 1 and 4 cost the same, in the second 0, 2 and 5.
    costs = np.array([[[9.0, 5, 6, 8, 5, 7]], [[3.0, 9, 3, 8, 7, 3]]])
    costs *= 1 + 1e-14 * np.random.RandomState(seed).randn(*costs.shape)
    moved = update_medoids(costs, np.ones((2, 1)), np.array([[3], [5]]))
    # The first of equals; one that costs no more than others stays.
    assert_array_equal(moved, [[1], [5]])


def test_rounding_does_not_choose_the_medoids_of_a_second_cluster():
    # Both clusters want object 1 in both views; the next best, 0 and 2, cost the same.
    for seed in range(4):
        costs = np.tile([4.0, 2.0, 4.0, 9.0], (2, 2, 1))
        costs *= 1 + 1e-14 * np.random.RandomState(seed).randn(*costs.shape)
        start = np.array([[1, 3], [1, 3]])
        moved = update_medoids(costs, np.ones((2, 2)), start)
        assert_array_equal(moved, [[1, 0], [1, 1]])


def test_weights_are_those_of_the_catalogue():
    assert_allclose(view_weights([[1.0], [4.0]]), [[2.0], [0.5]], atol=1e-12)
    E = np.random.RandomState(0).rand(3, 4)
    assert_allclose(view_weights(E).prod(axis=0), 1.0)


@pytest.mark.parametrize("seed", range(3))
def test_weights_are_where_an_optimizer_finds_the_minimum(seed):
    E = np.random.RandomState(seed).uniform(0.1, 3.0, size=4)

    def cost(z):
        return np.sum(np.exp(z - z.mean()) * E)

    found = minimize(cost, np.zeros(4), tol=1e-12)
    w = view_weights(E[:, None])[:, 0]
    assert_allclose(w @ E, found.fun, rtol=1e-9)
    assert_allclose(w, np.exp(found.x - found.x.mean()), rtol=1e-4)  # its precision


def test_a_view_without_dispersion_has_a_finite_weight():
    assert_allclose(view_weights([[0.0], [1.0]]), [[1e6], [1e-6]])
    assert_allclose(view_weights([[0.0], [1.0]], [1e-4, 1e-4]), [[1e2], [1e-2]])
    assert_allclose(view_weights([[0.0], [0.0]]), 1.0)


@pytest.mark.parametrize("factor", [1e-3, 7.0, 1e5])
def test_units_of_a_view_go_into_its_weights_alone(factor):
    R, medoids = problem(1)
    F = fuzzy_memberships(sum(r[:, g] for r, g in zip(R, medoids, strict=True)))
    E = np.array(
        [(F**2 * r[:, g]).sum(axis=0) for r, g in zip(R, medoids, strict=True)]
    )
    grown = E * [[1.0], [factor]]
    w, v = view_weights(E), view_weights(grown)
    assert_allclose(v[1] / v[0], w[1] / w[0] / factor)
    d = sum(x * r[:, g] for x, r, g in zip(w, R, medoids, strict=True))
    R = [R[0], factor * R[1]]
    scaled = sum(x * r[:, g] for x, r, g in zip(v, R, medoids, strict=True))
    assert_allclose(scaled, np.sqrt(factor) * d)
    assert_allclose(fuzzy_memberships(scaled), fuzzy_memberships(d))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("fuzziness", [1.3, 2.0])
def test_the_objective_does_not_rise_and_is_its_definition(seed, fuzziness):
    R, medoids = problem(seed)
    run = cmedoid_vectors(R, medoids, fuzziness=fuzziness)
    assert run.converged
    assert (np.diff(run.objective) <= 1e-12 * run.objective[0]).all()
    wanted = objective(R, run.membership, run.medoids, run.weights, fuzziness)
    assert_allclose(run.objective[-1], wanted)
    assert run.objective[-1] < 0.99 * run.objective[0]


def test_the_result_is_a_fixed_point_of_the_three_formulas():
    R, medoids = problem(3)
    run = cmedoid_vectors(R, medoids, fuzziness=1.8, tol=1e-12)
    powered = run.membership**1.8
    for m, r in itertools.product(range(2), range(3)):
        costs = [powered[:, r] @ R[m][:, j] for j in range(25)]
        assert np.argmin(costs) == run.medoids[m, r]
    E = np.array(
        [(powered * r[:, g]).sum(axis=0) for r, g in zip(R, run.medoids, strict=True)]
    )
    assert_allclose(run.weights, np.sqrt(E.prod(axis=0)) / E, rtol=1e-9)
    d = sum(x * r[:, g] for x, r, g in zip(run.weights, R, run.medoids, strict=True))
    F = d ** (-1 / 0.8) if (d > 0).all() else fuzzy_memberships(d, 1.8)
    assert_allclose(run.membership, F / F.sum(axis=1, keepdims=True), atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_memberships_are_where_an_optimizer_finds_the_minimum(seed):
    d = np.random.RandomState(seed).uniform(0.2, 2.0, size=(4, 3))

    def cost(z):
        F = np.exp(z.reshape(d.shape) - z.max())
        return np.sum((F / F.sum(axis=1, keepdims=True)) ** 1.7 * d)

    found = minimize(cost, np.zeros(d.size), tol=1e-12)
    assert_allclose(np.sum(fuzzy_memberships(d, 1.7) ** 1.7 * d), found.fun, rtol=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_medoids_are_the_best_of_all_that_may_be_chosen(seed):
    # Five objects and two views: all 25 pairs of medoids can be tried.
    rng = np.random.RandomState(seed)
    costs, weights = rng.rand(2, 2, 5), rng.rand(2, 2)
    costs[:, 1] = costs[:, 0]  # both clusters want the same medoids
    old = np.array([[0, 1], [2, 3]])
    new = update_medoids(costs, weights, old)
    assert tuple(new[:, 0]) != tuple(new[:, 1])

    def price(pair):
        return (
            weights[0, 1] * costs[0, 1, pair[0]] + weights[1, 1] * costs[1, 1, pair[1]]
        )

    assert_array_equal(new[:, 0], costs[:, 0].argmin(axis=1))
    free = set(itertools.product(range(5), range(5))) - {tuple(new[:, 0])}
    assert_allclose(price(new[:, 1]), min(map(price, free)))


def test_clusters_never_share_all_their_medoids():
    # Six copies of two points: many clusters would like the same medoid.
    X = np.repeat([[0.0], [1.0]], 6, axis=0)
    with pytest.warns(ComitiaWarning, match="of n_clusters=4 clusters were found"):
        fitted = MVFCMddV(4, random_state=0).fit([X, 3 * X])
    assert len({tuple(g) for g in fitted.medoid_indices_.T}) == fitted.n_clusters_


def test_one_view_is_fuzzy_c_medoids():
    R, medoids = problem(2, n=40)
    run = cmedoid_vectors(R[:1], medoids[:1], fuzziness=1.5)
    twin, before = medoids[0].copy(), None
    while before is None or (twin != before).any():
        before = twin.copy()
        F = fuzzy_memberships(R[0][:, twin], 1.5)
        for r in range(3):
            costs = F[:, r] ** 1.5 @ R[0]
            costs[np.delete(twin, r)] = np.inf  # no two clusters share a medoid
            twin[r] = costs.argmin()
    assert_array_equal(run.medoids[0], twin)
    assert_allclose(run.membership, fuzzy_memberships(R[0][:, twin], 1.5), atol=1e-12)
    assert_allclose(run.weights, 1.0)


def test_views_that_need_each_other_find_what_none_of_them_can():
    views, truth = complementary_views()
    fitted = MVFCMddV(4, random_state=0).fit(views)
    assert adjusted_rand_score(truth, fitted.labels_) > 0.95
    for X in views:
        alone = MVFCMddV(4, random_state=0).fit([X]).labels_
        assert adjusted_rand_score(truth, alone) < 0.85
    assert fitted.view_weights_.shape == (4, 2)
    assert_allclose(fitted.view_weights_.prod(axis=1), 1.0)
    assert (np.diff(fitted.objective_) <= 1e-10).all()
    assert fitted.view_labels_.shape == (100, 2)


def test_a_view_of_noise_weighs_least_for_every_cluster():
    views, truth = complementary_views(junk=True)
    fitted = MVFCMddV(4, fuzziness=1.5, random_state=0).fit(views)
    assert adjusted_rand_score(truth, fitted.labels_) > 0.9
    assert (fitted.view_weights_.argmin(axis=1) == 2).all()
    views = [views[0], 1e3 * views[1], views[2]]
    printed = MVFCMddV(4, fuzziness=1.5, scale=None, random_state=0).fit(views)
    assert (printed.view_weights_.argmin(axis=1) == 1).all()  # units, and no merit


def test_dissimilarities_are_as_good_as_data():
    views = settled(complementary_views()[0])
    given = [cdist(x, x, "cityblock") for x in views]
    one = MVFCMddV(4, metric="manhattan", random_state=0).fit(views)
    other = MVFCMddV(4, metric="precomputed", random_state=0).fit(given)
    assert_array_equal(one.labels_, other.labels_)
    assert_allclose(one.objective_, other.objective_)
    alone = MVFCMddV(4, metric="precomputed", random_state=0).fit(given[0])
    assert alone.__sklearn_tags__().input_tags.pairwise
    assert not one.__sklearn_tags__().input_tags.pairwise
    assert alone.view_weights_.shape == (alone.n_clusters_, 1)


def test_what_are_no_dissimilarities_is_refused():
    views, _ = complementary_views()
    method = MVFCMddV(4, metric="precomputed")
    with pytest.raises(ComitiaError, match=r"square matrix .* got shape \(100, 2\)"):
        method.fit(views)
    with pytest.raises(ComitiaError, match="negative entries"):
        method.fit([-np.ones((5, 5))])


def test_memory_is_asked_for():
    views, _ = complementary_views()
    with comitia.config.limit("10 kB"), pytest.raises(MemoryBudgetError):
        MVFCMddV(4).fit(views)


def test_memberships_go_with_the_labels():
    views, _ = complementary_views(seed=2)
    fitted = MVFCMddV(4, random_state=0).fit(views)
    assert_array_equal(fitted.membership_.argmax(axis=1), fitted.labels_)
    own = fitted.membership_[fitted.medoid_indices_[0], np.arange(4)]
    assert (own > 0.5).all()


@each_precision
@each_library
def test_every_library_computes_the_same(library, precision, atol):
    R, medoids = problem(4)
    wanted = cmedoid_vectors(R, medoids, max_iter=10, tol=0.0)
    got = cmedoid_vectors(
        in_library(R, library, precision), medoids, max_iter=10, tol=0.0
    )
    assert str(got.membership.dtype).endswith(precision)
    assert_array_equal(got.medoids, wanted.medoids)
    assert_allclose(to_numpy(got.membership), wanted.membership, atol=atol)
    assert_allclose(got.weights, wanted.weights, rtol=10 * atol)
