"""Clusterwise weights of views against the catalogue, SciPy and their limits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.metrics import adjusted_rand_score

from comitia._arrays import to_numpy
from comitia.exceptions import ComitiaError
from comitia.methods import ClusterwiseViewWeights
from comitia.methods.multiview._zhao_2020_clusterwise import (
    ClusterwiseView,
    Strengths,
    cluster_separations,
    clusterwise_consensus,
    clusterwise_objective,
    clusterwise_weights,
    factorize_clusterwise,
    update_basis,
    update_members,
)
from tests.fixtures import same_partition
from tests.multiview import (
    clear_views,
    complementary_views,
    each_library,
    each_precision,
    in_library,
)

STRONG = Strengths(0.7, 0.3, 0.5)


def part(seed, n=12, p=6, k=3):
    rng = np.random.RandomState(seed)
    V = rng.rand(p, k)
    return ClusterwiseView(
        rng.rand(n, p), rng.rand(n, k) + 0.1, V / np.linalg.norm(V, axis=0)
    )


def problem(seed, n=12, k=3):
    rng = np.random.RandomState(100 + seed)
    views = [part(seed, n, k=k), part(seed + 50, n, 4, k)]
    weights = rng.dirichlet(np.ones(2), size=k).T
    return views, rng.rand(n, k), weights


def objective(views, consensus, weights, strengths):
    """What is minimised, by loops over clusters."""
    l1, l2, l3 = strengths
    total = 0.0
    for (X, U, V), w in zip(views, weights, strict=True):
        total += np.square(X - U @ V.T).sum()
        total += l1 * np.square(U - consensus @ np.diag(w)).sum()
        total += l3 * (w**2).sum()
        for c in range(len(w)):
            apart = [np.linalg.norm(V[:, c] - V[:, d]) for d in range(len(w))]
            total += l2 * (1 - w[c]) * sum(apart)
    return total


def test_the_objective_is_its_definition():
    views, consensus, weights = problem(0)
    got = clusterwise_objective(views, consensus, weights, STRONG)
    assert_allclose(got, objective(views, consensus, weights, STRONG), rtol=1e-9)


def test_separations_are_between_columns_and_smooth():
    V = np.array([[3.0, 0.0, 0.0], [0.0, 4.0, 4.0]])
    assert_allclose(cluster_separations(V), [10, 5 + 1e-6, 5 + 1e-6], rtol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_weights_are_where_an_optimizer_finds_the_minimum(seed):
    views, consensus, _ = problem(seed)
    views.append(part(seed + 7, p=5))
    got = clusterwise_weights(views, consensus, STRONG)
    assert_allclose(got.sum(axis=0), 1.0)
    found = minimize(
        lambda z: objective(views, consensus, z.reshape(3, 3), STRONG),
        np.full(9, 1 / 3),
        bounds=[(0, 1)] * 9,
        constraints={"type": "eq", "fun": lambda z: z.reshape(3, 3).sum(axis=0) - 1},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert_allclose(got, found.x.reshape(3, 3), atol=1e-5)  # as far as it goes


def test_a_large_penalty_makes_all_weights_equal():
    views, consensus, _ = problem(1)
    got = clusterwise_weights(views, consensus, Strengths(1.0, 0.01, 1e9))
    assert_allclose(got, 0.5, atol=1e-6)


def test_one_view_has_the_identity_for_weights():
    views, consensus, _ = problem(2)
    assert_array_equal(clusterwise_weights(views[:1], consensus, STRONG), [[1, 1, 1]])
    # Then neither separation nor consensus counts: a factorisation like any other.
    run = factorize_clusterwise(views[:1], max_iter=30)
    plain = factorize_clusterwise(
        views[:1], strengths=Strengths(1.0, 99.0, 0.0), max_iter=30
    )
    assert_allclose(run.consensus, plain.consensus)
    assert_allclose(run.consensus, run.views[0].U)


@pytest.mark.parametrize("seed", range(3))
def test_the_consensus_is_where_an_optimizer_finds_the_minimum(seed):
    views, consensus, weights = problem(seed, n=5)
    got = clusterwise_consensus(views, weights)
    found = minimize(
        lambda z: objective(views, z.reshape(5, 3), weights, STRONG),
        consensus.ravel(),
        bounds=[(0, None)] * 15,
        tol=1e-14,
    )
    assert_allclose(got, found.x.reshape(5, 3), atol=1e-4)  # as far as it goes
    assert objective(views, got, weights, STRONG) <= found.fun + 1e-9


def test_the_update_of_u_is_the_printed_one():
    views, consensus, weights = problem(3)
    X, U, V = views[0]
    W = np.diag(weights[0])
    wanted = U * (X @ V + 0.7 * consensus @ W) / (U @ V.T @ V + 0.7 * U)
    got = update_members(views[0], consensus, weights[0], 0.7)
    assert_allclose(got, wanted, rtol=1e-10)


def test_updates_of_u_end_where_a_numerical_optimizer_does():
    views, consensus, weights = problem(4, n=5)
    view = views[0]

    def cost(z):
        moved = [view._replace(U=z.reshape(5, 3)), views[1]]
        return objective(moved, consensus, weights, STRONG)

    found = minimize(cost, view.U.ravel(), bounds=[(0, None)] * 15, tol=1e-14)
    for _ in range(1000):
        view = view._replace(U=update_members(view, consensus, weights[0], 0.7))
    assert_allclose(cost(view.U), found.fun, rtol=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_updates_of_v_lower_the_objective_on_columns_of_length_one(seed):
    views, consensus, weights = problem(seed)
    view = views[0]
    costs = [objective([view], consensus, weights[:1], STRONG)]
    for _ in range(30):
        view = update_basis(view, consensus, weights[0], STRONG)
        costs.append(objective([view], consensus, weights[:1], STRONG))
        assert_allclose(np.linalg.norm(view.V, axis=0), 1.0)
    assert (np.diff(costs) <= 1e-10 * costs[0]).all()
    assert costs[-1] < 0.999 * costs[0]


@pytest.mark.parametrize("seed", range(2))
def test_updates_of_v_end_where_a_numerical_optimizer_does(seed):
    # The same problem without a constraint: V of any length, U takes the scale.
    views, consensus, weights = problem(seed, n=6, k=2)
    view = views[0]
    X, U, V = view

    def cost(z):
        basis = z.reshape(V.shape)
        sizes = np.linalg.norm(basis, axis=0)
        moved = ClusterwiseView(X, U * sizes, basis / sizes)
        return objective([moved], consensus, weights[:1], STRONG)

    found = minimize(cost, V.ravel(), bounds=[(1e-9, None)] * V.size, tol=1e-14)
    for _ in range(500):
        view = update_basis(view, consensus, weights[0], STRONG)
    got = objective([view], consensus, weights[:1], STRONG)
    assert_allclose(got, found.fun, rtol=1e-4)  # multiplicative steps crawl to zeros


@pytest.mark.parametrize("seed", range(4))
def test_the_objective_does_not_rise(seed):
    views, _, _ = problem(seed)
    run = factorize_clusterwise(views, strengths=STRONG, max_iter=100, tol=0.0)
    assert (np.diff(run.objective) <= 1e-10 * run.objective[0]).all()
    wanted = objective(run.views, run.consensus, run.weights, STRONG)
    assert_allclose(run.objective[-1], wanted, rtol=1e-6)


def test_equal_columns_do_no_harm():
    view = part(0)
    view.V[:, 1] = view.V[:, 0]
    moved = update_basis(view, view.U, np.array([0.3, 0.3, 0.4]), STRONG)
    assert np.isfinite(moved.V).all()


def test_views_that_need_each_other_find_what_none_of_them_can():
    views, truth = complementary_views()
    fitted = ClusterwiseViewWeights(4, random_state=0).fit(views)
    assert adjusted_rand_score(truth, fitted.labels_) > 0.95
    for X in views:
        alone = ClusterwiseViewWeights(4, random_state=0).fit(X).labels_
        assert adjusted_rand_score(truth, alone) < 0.85
    assert fitted.view_weights_.shape == (4, 2)
    assert_allclose(fitted.view_weights_.sum(axis=1), 1.0)
    assert (np.diff(fitted.objective_) <= 1e-10).all()
    assert [V.shape for V in fitted.components_] == [(2, 4), (2, 4)]
    assert_array_equal(fitted.membership_.argmax(axis=1), fitted.labels_)


def test_a_cluster_relies_on_the_view_that_shows_it():
    # The first view tells cluster 0 from the rest, the second cluster 1.
    rng = np.random.RandomState(0)
    truth = np.repeat(np.arange(3), 30)
    marks = [np.eye(3)[truth] * 6 + 1.0 + 0.3 * rng.rand(90, 3) for _ in range(2)]
    marks[0][truth == 1] = 1.0 + rng.rand(30, 3)
    marks[1][truth == 0] = 1.0 + rng.rand(30, 3)
    fitted = ClusterwiseViewWeights(3, weight_penalty=0.0, random_state=0).fit(marks)
    assert same_partition(fitted.labels_, truth)
    weights = fitted.view_weights_.T
    assert weights[0, 0] > weights[1, 0]
    assert weights[1, 1] > weights[0, 1]


@pytest.mark.parametrize("seed", range(3))
def test_by_default_a_view_of_noise_weighs_clearly_less_than_its_third(seed):
    views, truth = clear_views(seed)
    fitted = ClusterwiseViewWeights(3, random_state=0).fit(views)
    good, also, noise = fitted.view_weights_.mean(axis=0)
    assert noise < 0.7 * min(good, also)
    assert adjusted_rand_score(truth, fitted.labels_) > 0.9
    # Strengths with which all views weigh nearly the same, once the defaults.
    inert = ClusterwiseViewWeights(
        3,
        view_penalty=1.0,
        separation_penalty=0.01,
        weight_penalty=0.01,
        random_state=0,
    )
    assert inert.fit(views).view_weights_[:, 2].mean() > 0.28


def test_units_do_not_matter_where_views_are_scaled():
    views, _ = complementary_views()
    one = ClusterwiseViewWeights(4, random_state=0).fit(views)
    other = ClusterwiseViewWeights(4, random_state=0).fit(
        [views[0], 100 * views[1] - 7]
    )
    assert_array_equal(one.labels_, other.labels_)
    assert_allclose(one.view_weights_, other.view_weights_)


def test_negative_numbers_are_refused_in_words():
    views, _ = complementary_views()
    with pytest.raises(ComitiaError, match=r'negative numbers.*scale="minmax"'):
        ClusterwiseViewWeights(4, scale=None).fit(views)


@each_precision
@each_library
def test_every_library_computes_the_same(library, precision, atol):
    views, _, _ = problem(0)
    wanted = factorize_clusterwise(views, strengths=STRONG, max_iter=20)
    moved = [ClusterwiseView(*in_library(view, library, precision)) for view in views]
    got = factorize_clusterwise(moved, strengths=STRONG, max_iter=20)
    assert str(got.consensus.dtype).endswith(precision)
    assert_allclose(to_numpy(got.consensus), wanted.consensus, atol=10 * atol)
    assert_allclose(got.weights, wanted.weights, atol=atol)
    assert_allclose(got.objective, wanted.objective, rtol=atol)
