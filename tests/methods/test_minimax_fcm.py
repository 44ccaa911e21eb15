"""Minimax fuzzy c-means against the catalogue, SciPy and fuzzy c-means."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from comitia._arrays import to_numpy
from comitia.cluster.fuzzy import fuzzy_cmeans
from comitia.exceptions import ComitiaError, ComitiaWarning
from comitia.methods import MinimaxFCM
from comitia.methods.multiview._minimax_fcm_cmeans import (
    minimax_cmeans,
    minimax_weights,
)
from comitia.methods.multiview._shared import standardized
from tests.fixtures import same_partition, settled
from tests.multiview import (
    complementary_views,
    each_library,
    each_precision,
    in_library,
)


def problem(seed, n=40):
    rng = np.random.RandomState(seed)
    views = [rng.randn(n, 3), 2 * rng.rand(n, 2)]
    return views, np.r_[:3, rng.randint(3, size=n - 3)]


def errors(views, F, centers, fuzziness):
    """The costs of the views by loops."""
    return [
        sum(
            F[i, r] ** fuzziness * np.square(X[i] - c[r]).sum()
            for i in range(len(X))
            for r in range(len(c))
        )
        for X, c in zip(views, centers, strict=True)
    ]


def test_weights_are_those_of_the_catalogue():
    assert_allclose(minimax_weights([1, 4], 0.5), [1 / 17, 16 / 17], atol=1e-12)
    assert_allclose(minimax_weights([1, 4], 0.5), [0.058824, 0.941176], atol=5e-7)
    # Towards 0 the weights are proportional to the costs, towards 1 the worst has all.
    assert_allclose(minimax_weights([1, 4], 1e-9), [0.2, 0.8], atol=1e-8)
    assert_allclose(minimax_weights([1, 4], 1 - 1e-3), [0, 1], atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("power", [0.2, 0.5, 0.8])
def test_weights_are_where_an_optimizer_finds_the_maximum(seed, power):
    E = np.random.RandomState(seed).uniform(0.2, 2.0, size=4)

    def fall(z):
        w = np.exp(z - z.max())
        return -np.sum((w / w.sum()) ** power * E)

    found = minimize(fall, np.zeros(4), tol=1e-12)
    w = minimax_weights(E, power)
    assert_allclose(np.sum(w**power * E), -found.fun, rtol=1e-8)
    # The maximum is the norm of the costs that the method reports.
    assert_allclose(-found.fun, np.sum(E ** (1 / (1 - power))) ** (1 - power))
    at = np.exp(found.x - found.x.max())
    assert_allclose(w, at / at.sum(), atol=1e-4)  # how far the optimiser goes


def test_weights_of_costs_that_are_not_are_refused():
    assert_array_equal(minimax_weights([0.0, 0.0], 0.5), [0.5, 0.5])
    with pytest.raises(
        ComitiaError, match=r"weight_power=1.0 must lie between 0 and 1"
    ):
        minimax_weights([1.0, 2.0], 1.0)
    with pytest.raises(ComitiaError, match="finite and non-negative"):
        minimax_weights([1.0, -2.0], 0.5)
    with pytest.raises(ComitiaError, match="a vector"):
        minimax_weights([[1.0]], 0.5)


@pytest.mark.parametrize("seed", range(3))
def test_the_result_is_a_fixed_point_of_the_three_formulas(seed):
    views, start = problem(seed)
    run = minimax_cmeans(views, start, 3, weight_power=0.4, fuzziness=1.6, tol=1e-10)
    F, a, alpha = run.membership, 0.4, 1.6
    assert run.converged
    for X, c in zip(views, run.centers, strict=True):
        means = [np.average(X, axis=0, weights=F[:, r] ** alpha) for r in range(3)]
        assert_allclose(c, means, atol=1e-7)
    E = np.array(errors(views, F, run.centers, alpha))
    assert_allclose(run.weights, E ** (1 / (1 - a)) / (E ** (1 / (1 - a))).sum())
    assert_allclose(run.objective[run.best], run.weights**a @ E)
    d = sum(
        w**a * np.square(X[:, None] - c).sum(axis=2)
        for w, X, c in zip(run.weights, views, run.centers, strict=True)
    )
    wanted = d ** (-1 / (alpha - 1))
    assert_allclose(F, wanted / wanted.sum(axis=1, keepdims=True), atol=1e-8)


def test_rounding_does_not_choose_among_iterations():
    # Once the memberships stay, objectives differ by rounding: the last one counts.
    for seed in range(6):
        run = minimax_cmeans(*problem(seed), 3, max_iter=2000, tol=1e-9)
        assert run.converged
        lowest = run.objective.min()
        assert_allclose(run.objective[-1], lowest, rtol=1e-9)  # none is clearly lower
        assert run.best == len(run.objective) - 1


def test_memberships_are_where_an_optimizer_finds_the_minimum():
    views, start = problem(5, n=6)
    run = minimax_cmeans(views, start, 3, fuzziness=1.7, tol=1e-12)
    d = sum(
        w**0.5 * np.square(X[:, None] - c).sum(axis=2)
        for w, X, c in zip(run.weights, views, run.centers, strict=True)
    )

    def cost(z):
        F = np.exp(z.reshape(d.shape) - z.max())
        return np.sum((F / F.sum(axis=1, keepdims=True)) ** 1.7 * d)

    found = minimize(cost, np.zeros(d.size), tol=1e-12)
    assert_allclose(np.sum(run.membership**1.7 * d), found.fun, rtol=1e-6)


def test_one_view_is_fuzzy_c_means():
    X = settled(problem(3)[0][0])
    fitted = MinimaxFCM(3, scale=None, fuzziness=2.0, n_init=4, random_state=7).fit(X)
    twin = fuzzy_cmeans(X, 3, np.random.RandomState(7), fuzziness=2.0, n_init=4)
    assert_allclose(fitted.objective_, twin.objective, rtol=1e-12)
    assert (np.diff(fitted.objective_) <= 1e-12).all()
    assert same_partition(fitted.labels_, twin.membership.argmax(axis=1))
    assert_allclose(np.sort(fitted.membership_), np.sort(twin.membership), atol=1e-12)
    assert_array_equal(fitted.view_weights_, [1.0])


def test_views_that_need_each_other_find_what_none_of_them_can():
    views, truth = complementary_views()
    fitted = MinimaxFCM(4, random_state=0).fit(views)
    assert adjusted_rand_score(truth, fitted.labels_) > 0.95
    for X in views:
        alone = KMeans(4, n_init=5, random_state=0).fit_predict(X)
        assert adjusted_rand_score(truth, alone) < 0.85
    assert_allclose(fitted.view_weights_.sum(), 1.0)
    assert fitted.view_labels_.shape == fitted.ensemble_.labels.shape == (100, 2)


def test_the_worst_view_counts_most():
    views, _ = complementary_views(junk=True)
    fitted = MinimaxFCM(4, random_state=0).fit(views)
    assert fitted.view_weights_.argmax() == 2
    assert fitted.view_weights_[2] > 0.5


def test_memberships_go_with_the_labels():
    views, _ = complementary_views(seed=1)
    fitted = MinimaxFCM(4, random_state=0).fit(views)
    assert_array_equal(fitted.membership_.argmax(axis=1), fitted.labels_)
    assert_allclose(fitted.membership_.sum(axis=1), 1.0)


def test_more_fuzziness_blurs():
    views, _ = complementary_views(seed=1)
    crisp, blurred = (
        MinimaxFCM(4, fuzziness=alpha, random_state=0).fit(views)
        for alpha in (1.1, 2.0)
    )
    assert crisp.vote_share_.mean() > 0.99 > 0.95 > blurred.vote_share_.mean()


def test_standardized_views_have_one_size_whatever_their_units():
    rng = np.random.RandomState(0)
    X = rng.randn(30, 4)
    X[:, 2] = 1e8 + 0.1
    Z = standardized(X)
    assert_array_equal(Z[:, 2], 0.0)
    assert_allclose(np.square(Z).sum(), 30)
    views, _ = complementary_views()
    grown = [views[0], 1000 * views[1] + 5]
    for scale, alike in (("standard", True), (None, False)):
        one, other = (
            MinimaxFCM(4, scale=scale, random_state=0).fit(given).view_weights_
            for given in (views, grown)
        )
        assert np.allclose(one, other) == alike


@each_precision
@each_library
def test_every_library_computes_the_same(library, precision, atol):
    views, start = problem(2)
    wanted = minimax_cmeans(views, start, 3, max_iter=20, tol=0.0)
    got = minimax_cmeans(
        in_library(views, library, precision), start, 3, max_iter=20, tol=0.0
    )
    assert str(got.membership.dtype).endswith(precision)
    assert_allclose(to_numpy(got.membership), wanted.membership, atol=atol)
    assert_allclose(got.weights, wanted.weights, atol=atol)
    assert_allclose(got.objective, wanted.objective, rtol=10 * atol)


def test_a_device_changes_no_label():
    pytest.importorskip("torch")
    views, _ = complementary_views(seed=3)
    one = MinimaxFCM(4, random_state=0).fit(views)
    other = MinimaxFCM(4, random_state=0).fit(views, device="torch")
    assert_array_equal(one.labels_, other.labels_)
    assert isinstance(other.membership_, np.ndarray)
    assert_allclose(one.membership_, other.membership_, atol=1e-8)


def test_objects_at_the_centers_belong_to_them():
    views = [np.array([[0.0], [1.0]]), np.array([[0.0], [3.0]])]
    fitted = MinimaxFCM(2, random_state=0).fit(views)
    assert_array_equal(fitted.membership_, np.eye(2))
    assert_allclose(fitted.view_weights_, 0.5)  # nothing to judge the views by


def test_missing_objects_are_refused_in_words():
    views, _ = complementary_views()
    views[0][3] = np.nan
    with pytest.raises(ComitiaError, match="mic, omvc and MultiViewEnsemble"):
        MinimaxFCM(4).fit(views)


def test_clusters_are_not_lost_in_many_dimensions():
    # Two groups, and noise of hundreds of features in which the other centers meet.
    rng = np.random.RandomState(0)
    views = [rng.randn(60, 300) + 0.5 * (np.arange(60)[:, None] % 2) for _ in "ab"]
    with pytest.warns(ComitiaWarning) as said:
        lost = MinimaxFCM(5, fuzziness=1.2, random_state=0).fit(views)
    assert lost.n_clusters_ < 5
    assert any("fuzziness=1.2 is much" in str(one.message) for one in said)
    fitted = MinimaxFCM(5, tol=1e-3, max_iter=1000, random_state=0).fit(views)
    assert fitted.n_clusters_ == 5
    assert 1 < fitted.fuzziness_ < 1.2


def test_the_fuzziness_stays_where_no_cluster_is_lost():
    views, _ = complementary_views()
    assert MinimaxFCM(4, random_state=0).fit(views).fuzziness_ == 1.2
    same = [np.ones((6, 2)), np.ones((6, 3))]
    with pytest.warns(ComitiaWarning, match="only 1 of n_clusters=2"):
        assert MinimaxFCM(2, random_state=0).fit(same).fuzziness_ == 1.2
