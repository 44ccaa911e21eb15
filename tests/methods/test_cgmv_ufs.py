"""CGMV-UFS: features that a consensus of all views asks for."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from comitia.exceptions import ComitiaError
from comitia.methods import CGMVUFS
from comitia.methods.multiview._prepared_views import row_scale, scale_view
from comitia.optimize import power_weights
from comitia.represent import knn_graph
from tests.fixtures import settled
from tests.methods._views import confused_pair, without
from tests.multiview import complementary_views


class Watched(CGMVUFS):
    """Keeps the factors of the best iterate, and the terms that are weighed."""

    def _result(self, problem, weights, consensus, rng):
        self.factors = consensus
        self.terms = self._terms(problem, consensus)
        return super()._result(problem, weights, consensus, rng)


def with_many_features(seed=0, n_noise=20):
    """The confused pair with features of noise around those that tell."""
    views, truth = confused_pair(seed=seed)
    rng = np.random.RandomState(seed)
    noise = [rng.uniform(0, 1, size=(len(truth), n_noise)) for _ in views]
    return [np.hstack([X, E]) for X, E in zip(views, noise, strict=True)], truth


def test_weights_are_those_worked_out():
    assert_allclose(power_weights([1.0, 4.0], 2.0), [0.8, 0.2])


def test_the_objective_is_its_definition_and_weights_solve_their_problems():
    views = settled(confused_pair(15)[0])
    fitted = Watched(
        3, view_penalty=2.0, graph_penalty=3.0, smoothing=0.05, random_state=0
    ).fit(views)
    U, V, middle = fitted.factors
    vectors = [fitted.sparsity_weights_, fitted.view_weights_, fitted.graph_weights_]
    total = 0.0
    for m, X in enumerate(views):
        X = scale_view(X)
        X = X / row_scale(X)
        A = knn_graph(X, 5, weights="exponential").toarray()
        near = ((U[m][:, None] - U[m]) ** 2).sum(axis=2)
        terms = [
            np.linalg.norm(V[m], axis=1).sum(),
            2.0 * (((U[m] - middle) ** 2).sum() + 0.05 * 3),
            3.0 * ((A * near).sum() + 0.05 * 2 * 3 * A.sum() / len(X)),
        ]
        total += ((X - U[m] @ V[m].T) ** 2).sum()
        total += sum(w[m] ** 2 * t for w, t in zip(vectors, terms, strict=True))
    assert_allclose(total, fitted.objective_.min())
    for weights, terms in zip(vectors, fitted.terms, strict=True):
        # At rest the weights belong to the sweep before.
        assert_allclose(weights, power_weights(terms, 2.0), atol=5e-3)


def test_columns_have_length_one_and_the_consensus_is_nearly_orthonormal():
    fitted = Watched(3, random_state=0).fit(confused_pair()[0])
    for U in fitted.factors[0]:
        assert_allclose(np.linalg.norm(U, axis=0), 1.0)
    gram = fitted.consensus_.T @ fitted.consensus_
    # The update tends there, and is stopped on the way.
    assert_allclose(gram, np.eye(3), atol=0.15)
    assert fitted.objective_.min() < 0.8 * fitted.objective_[0]
    assert fitted.converged_


def test_a_feature_that_is_zero_is_never_selected():
    views, _ = confused_pair()
    views[0] = np.insert(views[0], 2, 0.0, axis=1)
    fitted = CGMVUFS(3, feature_fraction=1.0, random_state=0).fit(views)
    assert fitted.feature_weights_[2] == 0.0
    assert fitted.selected_features_.tolist() == [True, True, False] + [True] * 5
    assert_allclose(fitted.feature_weights_[:5].sum(), 1.0)
    assert_allclose(fitted.feature_weights_[5:].sum(), 1.0)


def test_features_that_tell_clusters_come_before_noise():
    views, truth = with_many_features()
    fitted = CGMVUFS(3, feature_fraction=0.15, random_state=0).fit(views)
    selected = np.split(fitted.selected_features_, [24])
    # 0.15 of 24 and of 23 features, rounded up.
    assert [s.sum() for s in selected] == [4, 4]
    assert selected[0][:4].sum() >= 3
    assert selected[1][:3].sum() >= 2
    # Longer rows were selected, shorter ones were not.
    weights = np.split(fitted.feature_weights_, [24])
    for w, s in zip(weights, selected, strict=True):
        assert w[s].min() >= w[~s].max()
    assert adjusted_rand_score(truth, fitted.labels_) > 0.95


@pytest.mark.parametrize("variant", ["features", "consensus"])
def test_views_tell_together_what_none_tells_alone(variant):
    views, truth = confused_pair(junk=True)
    fitted = CGMVUFS(3, variant=variant, random_state=0).fit(views)
    # U* also has to make up its mind about a view of noise.
    least = {"features": 0.95, "consensus": 0.8}[variant]
    assert adjusted_rand_score(truth, fitted.labels_) > least
    # The view of noise counts least for the consensus.
    assert fitted.view_weights_.argmin() == 2


def test_without_smoothing_the_consensus_leaves_all_views_but_one():
    views, _ = confused_pair(seed=1)
    printed = CGMVUFS(3, smoothing=0.0, random_state=0).fit(views)
    assert printed.view_weights_.max() > 0.95
    smooth = CGMVUFS(3, smoothing=1.0, random_state=0).fit(views)
    assert smooth.view_weights_.max() < 0.8


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("seed", range(3))
def test_views_that_are_equally_good_share_the_weight_of_the_graphs(seed):
    views, _ = complementary_views(seed=seed)
    printed = CGMVUFS(4, smoothing=0.0, random_state=0).fit(views)
    assert printed.graph_weights_.max() > 0.9
    weights = CGMVUFS(4, random_state=0).fit(views).graph_weights_
    assert_allclose(weights, 0.5, atol=0.1)  # as good, and not the same


def test_each_vector_of_weights_has_its_own_power():
    views, _ = confused_pair(junk=True)
    fitted = CGMVUFS(3, weight_power=(1e9, 2.0, 1e9), random_state=0).fit(views)
    assert_allclose(fitted.sparsity_weights_, 1 / 3, atol=1e-6)
    assert_allclose(fitted.graph_weights_, 1 / 3, atol=1e-6)
    assert np.ptp(fitted.view_weights_) > 0.01
    for power in [1.0, (2.0, 1.0, 2.0), (2.0, 2.0)]:
        with pytest.raises(ValueError, match="weight_power"):
            CGMVUFS(3, weight_power=power).fit(views)


def test_identical_views_weigh_the_same():
    X = confused_pair()[0][0]
    fitted = CGMVUFS(2, random_state=0).fit([X, X])
    for weights in (fitted.view_weights_, fitted.sparsity_weights_):
        assert_allclose(weights, 0.5)


@pytest.mark.parametrize("device", ["torch", "array_api_strict"])
def test_a_device_gives_the_same_labels(device):
    pytest.importorskip(device)
    views, _ = confused_pair(junk=True)
    few = {"tol": 1e-3, "random_state": 0}
    here = CGMVUFS(3, **few).fit(views)
    there = CGMVUFS(3, **few).fit(views, device=device)
    assert_array_equal(there.labels_, here.labels_)
    assert_array_equal(there.selected_features_, here.selected_features_)
    assert_allclose(there.view_weights_, here.view_weights_, rtol=1e-7)


def test_a_loop_that_is_cut_short_says_so():
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        CGMVUFS(3, max_iter=2, tol=0.0, random_state=0).fit(confused_pair()[0])


def test_missing_objects_and_negative_views_are_refused():
    views, _ = confused_pair()
    with pytest.raises(
        ComitiaError, match="needs every object in every view; liu_2010"
    ):
        CGMVUFS(3).fit(without(views, 0.2))
    with pytest.raises(ComitiaError, match="negative numbers"):
        CGMVUFS(3, scale=None).fit([X - 9 for X in views])
