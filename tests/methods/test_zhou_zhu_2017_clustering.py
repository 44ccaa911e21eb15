"""Two objectives: the kernel distance, the front, the weights."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks

from comitia import sizes
from comitia._kernels.feature_distances import nearest_weighted, sums_to_own
from comitia.cluster.minkowski import minkowski_weights
from comitia.exceptions import ComitiaError
from comitia.methods.variable_features._zhou_zhu_2017_clustering import (
    KernelParetoClustering,
    _costs,
    _Search,
    kernel_distances,
    pareto_search,
)
from comitia.methods.variable_features._zhou_zhu_2017_pareto import knee


@parametrize_with_checks([KernelParetoClustering(3, n_individuals=6, max_iter=5)])
def test_scikit_learns_estimator_checks(estimator, check):
    check(estimator)


def pareto_costs(X, labels, centers, weights, widths, beta=3.0):
    d = kernel_distances(X, centers, widths)
    D = np.stack([d[v][:, labels == v].sum(axis=1) for v in range(len(centers))])
    return _costs(X.mean(axis=0), centers, weights, widths, beta, D)


def data(n=60, p=3, seed=0):
    rng = np.random.RandomState(seed)
    truth = np.arange(n) % 3
    return 3 * rng.rand(3, p)[truth] + 0.3 * rng.randn(n, p), truth


def test_the_kernel_distance_is_zero_at_the_center_rises_and_stays_below_two():
    x = np.linspace(0, 5, 50)[:, None]
    d = kernel_distances(x, [[0.0]], 1.0)[0, 0]
    assert d[0] == 0
    assert (np.diff(d) > 0).all()
    assert d.max() < 2
    assert_allclose(kernel_distances(-x, [[0.0]], 1.0)[0, 0], d)
    assert_allclose(d, 2 * (1 - np.exp(-(x[:, 0] ** 2) / 2)))
    # Far away rounding makes it two.
    assert kernel_distances([[1e6]], [[0.0]], 1.0)[0, 0, 0] <= 2


def costs_by_loops(X, labels, C, w, s, beta):
    def kd(x, c, r):
        return 2 * (1 - np.exp(-((x - c) ** 2) / (2 * s[r] ** 2)))

    k, p = C.shape
    J1 = sum(
        w[labels[i], r] ** beta * kd(X[i, r], C[labels[i], r], r)
        for i in range(len(X))
        for r in range(p)
    )
    apart = min(
        sum(kd(C[t, r], C[v, r], r) for r in range(p))
        for t in range(k)
        for v in range(k)
        if t != v
    )
    mean = X.mean(axis=0)
    spread = sum(
        w[v, r] ** beta * kd(mean[r], C[v, r], r) for v in range(k) for r in range(p)
    )
    return J1, J1 / (apart * spread)


@pytest.mark.parametrize("beta", [1.0, 2.0, 3.0])
def test_the_objectives_are_their_definitions(beta):
    X, labels = data()
    rng = np.random.RandomState(1)
    C, w = X[:3], rng.dirichlet(np.ones(3), 3)
    s = X.std(axis=0)
    got = pareto_costs(X, labels, C, w, s, beta)
    assert_allclose(got, costs_by_loops(X, labels, C, w, s, beta))


def test_equal_centers_are_infinitely_bad_and_one_cluster_has_one_objective():
    X, _ = data()
    w = np.full((2, 3), 1 / 3)
    J1, J2 = pareto_costs(X, np.arange(60) % 2, X[[0, 0]], w, 1.0)
    assert np.isfinite(J1)
    assert np.isposinf(J2)
    J1, J2 = pareto_costs(X, np.zeros(60), X[:1], w[:1], 1.0)
    assert J1 == J2


@pytest.mark.parametrize("beta", [1.5, 2.0, 3.0])
def test_the_weights_minimize_the_first_objective(beta):
    X, labels = data(seed=2)
    C, s = X[:3], X.std(axis=0)
    D = np.stack(
        [kernel_distances(X[labels == v], C, s)[v].sum(axis=1) for v in range(3)]
    )
    w = minkowski_weights(D, beta)

    def cost(row):
        changed = w.copy()
        changed[1] = np.abs(row)
        return pareto_costs(X, labels, C, changed, s, beta)[0]

    found = minimize(
        cost,
        np.full(3, 1 / 3),
        bounds=[(0, 1)] * 3,
        constraints={"type": "eq", "fun": lambda row: row.sum() - 1},
        method="SLSQP",
        options={"ftol": 1e-15},
    )
    # SLSQP differentiates numerically.
    assert_allclose(w[1], found.x, atol=1e-4)


def test_linear_weights_are_best_on_a_single_feature():
    D = np.array([[0.3, 0.2, 0.4]])
    assert_array_equal(minkowski_weights(D, 1.0), [[0, 1, 0]])


def test_a_step_to_the_kernel_means_does_not_raise_the_first_objective():
    X, _ = data(seed=4)
    search = _Search(X, 3, 2.0, np.random.RandomState(0))
    solution = search.start(1)
    for _ in range(5):
        centers = search.kernel_means(solution.labels)
        after, _ = pareto_costs(
            X, solution.labels, centers, solution.weights, search.widths, 2.0
        )
        assert after <= solution.costs[0] + 1e-12
        solution = search.evaluate(centers)


def test_distances_that_children_inherit_are_those_that_are_computed(monkeypatch):
    X, _ = data(seed=5)
    fronts = []
    for most in (0, 10**9):
        monkeypatch.setattr(sizes, "KEPT_DISTANCES", most)
        rng = np.random.RandomState(0)
        fronts.append(pareto_search(X, 4, rng, n_individuals=6, max_iter=5).front)
    assert_array_equal(fronts[0].costs, fronts[1].costs)
    assert_array_equal(fronts[0].centers, fronts[1].centers)


def test_nobody_in_the_front_is_dominated_and_objectives_do_not_rise():
    X, _ = data(seed=5)
    run = pareto_search(X, 4, np.random.RandomState(0), n_individuals=12, max_iter=15)
    costs = run.front.costs
    assert len(costs) > 1
    for a in costs:
        for b in costs:
            assert not ((b <= a).all() and (b < a).any())
    assert (np.diff(costs[:, 0]) > 0).all()
    assert (np.diff(costs[:, 1]) < 0).all()
    assert np.diff(run.objective, axis=0).max() <= 0
    # The front holds what the history says is least.
    # Objects go to their nearest centres once more.
    assert (costs.min(axis=0) <= run.objective[-1] * (1 + 1e-9)).all()
    assert_allclose(run.front.weights.sum(axis=2), 1.0)
    assert run.front.weights.min() >= 0


def test_the_choice_can_be_overridden():
    X, _ = data(seed=5)

    def fit(selection):
        model = KernelParetoClustering(4, n_individuals=12, max_iter=15, random_state=0)
        return model.set_params(selection=selection).fit(X)

    default = fit("knee")
    last = len(default.front_.costs) - 1
    assert last > 0
    assert default.selected_ == knee(default.front_.costs)
    assert fit("compactness").selected_ == 0
    assert fit("separation").selected_ == last
    mine = fit(lambda costs: len(costs) // 2)
    assert_allclose(mine.front_.costs, default.front_.costs)
    assert_allclose(
        mine.cluster_centers_, default.front_.centers[len(default.front_.costs) // 2]
    )
    with pytest.raises(ComitiaError, match="return an index into a front"):
        fit(lambda costs: 10_000)


def test_nearest_centers_and_dispersions_are_those_of_the_plain_sums():
    rng = np.random.RandomState(0)
    distances = rng.randint(3, size=(4, 2, 30)).astype(float)  # with ties
    factors = np.array([[1.0, 2.0], [1.0, 2.0], [0.5, 2.0], [3.0, 0.0]])
    labels, nearest = nearest_weighted(distances, factors)
    weighted = np.einsum("vri,vr->vi", distances, factors)
    assert_array_equal(labels, weighted.argmin(axis=0))
    assert_array_equal(nearest, weighted.min(axis=0))
    own = [distances[v][:, labels == v].sum(axis=1) for v in range(4)]
    assert_array_equal(sums_to_own(distances, labels), own)


@pytest.mark.parametrize("selection", ["knee", "compactness", "separation"])
def test_the_costs_are_those_of_the_labels(selection):
    X = load_iris().data
    model = KernelParetoClustering(
        4, n_individuals=8, max_iter=3, selection=selection, random_state=0
    ).fit(X)
    wanted = pareto_costs(
        X, model.labels_, model.cluster_centers_, model.feature_weights_, model.widths_
    )
    # The costs of the front have 30 bits.
    assert_allclose(model.front_.costs[model.selected_], wanted, rtol=1e-8)
    assert_array_equal(model.predict(X), model.labels_)
