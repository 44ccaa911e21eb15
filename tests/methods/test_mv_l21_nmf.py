"""Robust multi-view NMF: one factor, smooth along each view's neighbours."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from comitia.exceptions import ComitiaError
from comitia.methods import MultiViewL21NMF
from comitia.methods.multiview._prepared_views import row_scale, scale_view
from comitia.optimize import power_weights
from comitia.represent import knn_graph
from tests.fixtures import same_partition, settled
from tests.methods._views import confused_pair, without


class Watched(MultiViewL21NMF):
    """Keeps the factor of the best iterate, and how rough it is along each view."""

    def _result(self, problem, weights, consensus, rng):
        self.U = consensus[0]
        self.t = self._roughness(problem, consensus)
        return super()._result(problem, weights, consensus, rng)


def cost_by_loops(fitted, views, U, graph_penalty, smoothing):
    """The objective, from its definition."""
    total = 0.0
    for X, V, w in zip(views, fitted.components_, fitted.view_weights_, strict=True):
        X = scale_view(X)
        X = X / row_scale(X)
        total += sum(np.linalg.norm(x - V @ u) for x, u in zip(X, U, strict=True))
        A = knn_graph(X, 5, weights="exponential").toarray()
        t = sum(
            A[i, j] * ((U[i] - U[j]) ** 2).sum() for i, j in np.argwhere(A).tolist()
        )
        t += smoothing * 2 * U.shape[1] * A.sum() / len(X)
        total += graph_penalty * w**2 * t
    return total


@pytest.mark.parametrize(
    ("t", "power", "worked"),
    [([1.0, 4.0], 3.0, [2 / 3, 1 / 3]), ([1.0, 1.0, 1.0], 2.0, [1 / 3] * 3)],
)
def test_weights_are_those_worked_out_and_the_best_ones(t, power, worked):
    w = power_weights(t, power)
    assert_allclose(w, worked)

    def cost(z):
        share = np.exp(z) / np.exp(z).sum()
        return (share**power * np.array(t)).sum()

    z = minimize(cost, np.zeros(len(t)), tol=1e-14).x
    # As near as the optimiser comes.
    assert_allclose(np.exp(z) / np.exp(z).sum(), w, atol=1e-5)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_the_objective_and_the_weights_are_their_definitions(smoothing):
    views = settled(confused_pair(15)[0])
    fitted = Watched(3, graph_penalty=4.0, smoothing=smoothing, random_state=0)
    fitted.fit(views)
    cost = cost_by_loops(fitted, views, fitted.U, 4.0, smoothing)
    assert_allclose(cost, fitted.objective_.min())
    # At rest the weights belong to the roughness of the last sweep but one.
    expected = power_weights(fitted.t, 2.0)
    assert_allclose(fitted.view_weights_, expected, atol=5e-3)
    assert_allclose(fitted.view_weights_.sum(), 1.0)


def test_factors_are_nearly_orthonormal_and_the_best_ones_are_kept():
    views, _ = confused_pair()
    fitted = Watched(3, random_state=0).fit(views)
    # Held by a penalty, not exactly.
    assert_allclose(fitted.U.T @ fitted.U, np.eye(3), atol=0.15)
    assert fitted.objective_[0] > fitted.objective_.min()
    assert fitted.converged_
    F = fitted.membership_
    assert_allclose(F.sum(axis=1), 1.0)
    assert_array_equal(F.argmax(axis=1), fitted.labels_)


def test_identical_views_weigh_the_same():
    X = confused_pair()[0][0]
    fitted = MultiViewL21NMF(2, random_state=0).fit([X, X, X])
    assert_allclose(fitted.view_weights_, 1 / 3)


def test_a_large_power_makes_weights_equal_and_a_small_one_chooses():
    views, _ = confused_pair(junk=True)
    even = MultiViewL21NMF(3, weight_power=1e9, random_state=0).fit(views)
    assert_allclose(even.view_weights_, 1 / 3, atol=1e-6)
    choosy = MultiViewL21NMF(3, weight_power=1.05, random_state=0).fit(views)
    assert choosy.view_weights_.max() > 0.95


@pytest.mark.parametrize("kernel", ["exponential", "heat"])
def test_views_tell_together_what_none_tells_alone(kernel):
    views, truth = confused_pair(junk=True)
    fitted = MultiViewL21NMF(3, kernel=kernel, random_state=0).fit(views)
    assert adjusted_rand_score(truth, fitted.labels_) > 0.95
    for labels in fitted.view_labels_.T:
        assert adjusted_rand_score(truth, labels) < 0.7
    # The view of noise weighs least.
    assert fitted.view_weights_.argmin() == 2


def test_the_order_of_objects_and_views_does_not_matter():
    views, _ = confused_pair()
    order = np.random.RandomState(0).permutation(90)
    one = MultiViewL21NMF(3, random_state=0).fit(views).labels_
    moved = [views[1][order], views[0][order]]
    assert same_partition(
        one[order], MultiViewL21NMF(3, random_state=0).fit(moved).labels_
    )


@pytest.mark.parametrize("device", ["torch", "array_api_strict"])
def test_a_device_gives_the_same_labels(device):
    pytest.importorskip(device)
    views, _ = confused_pair(junk=True)
    few = {"tol": 1e-3, "random_state": 0}
    here = MultiViewL21NMF(3, **few).fit(views)
    there = MultiViewL21NMF(3, **few).fit(views, device=device)
    assert_array_equal(there.labels_, here.labels_)
    assert_allclose(there.view_weights_, here.view_weights_, rtol=1e-7)
    assert isinstance(there.membership_, np.ndarray)


def test_a_loop_that_is_cut_short_says_so():
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        MultiViewL21NMF(3, max_iter=2, tol=0.0, random_state=0).fit(confused_pair()[0])


def test_missing_objects_negative_views_and_a_power_of_one_are_refused():
    views, _ = confused_pair()
    with pytest.raises(
        ComitiaError, match="needs every object in every view; liu_2010"
    ):
        MultiViewL21NMF(3).fit(without(views, 0.2))
    with pytest.raises(ComitiaError, match="negative numbers"):
        MultiViewL21NMF(3, scale=None).fit([X - 9 for X in views])
    with pytest.raises(ValueError, match="weight_power"):
        MultiViewL21NMF(3, weight_power=1.0).fit(views)


def test_views_that_are_equally_good_share_the_weight():
    rng = np.random.RandomState(0)
    truth = np.arange(150) % 3
    views = [4.0 * np.eye(3, 6)[truth] + rng.randn(150, 6) for _ in range(2)]
    printed = MultiViewL21NMF(3, smoothing=0.0, random_state=0).fit(views)
    assert printed.view_weights_.max() > 0.6
    weights = MultiViewL21NMF(3, random_state=0).fit(views).view_weights_
    assert_allclose(weights, 0.5, atol=0.1)  # as good, and not the same
