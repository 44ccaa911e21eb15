"""Weights of views act: noise counts least, and views that are as good count alike."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import adjusted_rand_score

import comitia
from comitia import method

# Methods for views whose weights are of objects, fixed by what a view lacks.
NO_VIEW_WEIGHTS = {"mic", "omvc"}

# Where noise does not count least, and why.
EXEMPT = {"minimax_fcm": "the view that is fitted worst counts most, by its formula"}

MULTIVIEW = sorted(card.id for card in comitia.methods(needs="views"))
WEIGHING = [name for name in MULTIVIEW if name not in NO_VIEW_WEIGHTS]


def planted_views(n_clusters, seed, n=90):
    """Two views of which each shows all clusters, and one of pure noise."""
    rng = np.random.RandomState(seed)
    truth = np.arange(n) % n_clusters
    widths = (6, 8, 7)
    views = [rng.randn(n, p) for p in widths]
    for X in views[:2]:
        X += 3.0 * rng.randn(n_clusters, X.shape[1])[truth]
    return views, truth


def shares(fitted):
    """Weight of each view in the mean over clusters, with sum one."""
    weights = np.atleast_2d(fitted.view_weights_).mean(axis=0)
    return weights / weights.sum()


def test_every_method_for_views_is_here():
    for name in NO_VIEW_WEIGHTS:
        views, _ = planted_views(3, 0)
        assert not hasattr(method(name)(3, random_state=0).fit(views), "view_weights_")
    assert set(EXEMPT) < set(WEIGHING)
    assert len(WEIGHING) >= 9


@pytest.mark.filterwarnings("ignore:only .* of n_clusters")
@pytest.mark.parametrize(("n_clusters", "seed"), [(3, 0), (5, 1)])
@pytest.mark.parametrize("name", [name for name in WEIGHING if name not in EXEMPT])
def test_by_default_a_view_of_noise_weighs_least(name, n_clusters, seed):
    views, truth = planted_views(n_clusters, seed)
    found = [method(name)(n_clusters, random_state=r).fit(views) for r in range(3)]
    weights = np.median([shares(fitted) for fitted in found], axis=0)
    assert weights.argmin() == 2
    assert weights.std() > 0.05 * weights.mean()
    # Clearly less: a share of a third is what it would have without weights.
    assert weights[2] < 0.27
    # cgmv_ufs clusters by some features of each view, noise or not, and pmsc finds less
    # with any weights.
    if name not in ("cgmv_ufs", "pmsc"):
        scores = [adjusted_rand_score(truth, fitted.labels_) for fitted in found]
        assert np.median(scores) > 0.7


@pytest.mark.parametrize("name", EXEMPT)
def test_what_is_exempt_does_otherwise(name):
    views, _ = planted_views(3, 0)
    weights = shares(method(name)(3, random_state=0).fit(views))
    assert weights.argmin() != 2


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", WEIGHING)
def test_views_that_are_equally_good_weigh_about_the_same(name, seed):
    rng = np.random.RandomState(seed)
    truth = np.arange(90) % 3
    centers = 4.0 * np.eye(3, 6)
    views = [centers[truth] + rng.randn(90, 6) for _ in range(2)]
    weights = shares(method(name)(3, random_state=0).fit(views))
    assert 0.4 < weights[0] < 0.6


@pytest.mark.parametrize("name", [name for name in WEIGHING if name != "liu_2010"])
def test_weights_do_not_tell_the_units_of_a_view(name):
    views, _ = planted_views(3, 0)
    one = shares(method(name)(3, random_state=0).fit(views))
    units = [views[0], 1e3 * views[1], 1e-3 * views[2]]
    other = shares(method(name)(3, random_state=0).fit(units))
    assert_allclose(one, other, atol=1e-4)  # loops stop a little earlier or later
