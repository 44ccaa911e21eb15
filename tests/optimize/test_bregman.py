"""Bregman divergences and their means."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime, minimize_scalar

from comitia.exceptions import ComitiaError
from comitia.optimize import (
    bregman_divergence,
    bregman_elementwise,
    get_bregman,
    left_centroid,
    right_centroid,
)

SEPARABLE = ["squared", "kl", "itakura_saito"]
ALL = [*SEPARABLE, "norm"]


def draw(seed, *shape):
    return np.random.RandomState(seed).uniform(0.2, 3.0, size=shape)


@pytest.mark.parametrize("name", ALL)
def test_a_divergence_is_its_definition(name):
    g = get_bregman(name)
    x, y = draw(0, 7, 4), draw(1, 7, 4)
    slope = (g.gradient(y) * (x - y)).sum(axis=-1)
    expected = g.value(x) - g.value(y) - slope
    assert_allclose(bregman_divergence(x, y, name), expected, atol=1e-12)
    assert_allclose(bregman_divergence(x, x, name), 0.0, atol=1e-12)
    assert (bregman_divergence(x, y, name) > 0).all()


@pytest.mark.parametrize("name", ALL)
def test_a_gradient_is_that_of_its_function(name):
    g, y = get_bregman(name), draw(2, 5)
    # Finite differences have about half the digits.
    assert_allclose(g.gradient(y), approx_fprime(y, g.value), rtol=1e-5)
    if g.inverse is not None:
        assert_allclose(g.inverse(g.gradient(y)), y)


def test_divergences_worked_by_hand():
    x, y = [1.0, 3.0], [2.0, 1.0]
    assert_allclose(bregman_divergence(x, y, "squared"), 5.0)
    kl = np.log(1 / 2) + 3 * np.log(3) - 4 + 3
    assert_allclose(bregman_divergence(x, y, "kl"), kl)
    itakura_saito = 0.5 - np.log(0.5) - 1 + 3 - np.log(3) - 1
    assert_allclose(bregman_divergence(x, y, "itakura_saito"), itakura_saito)
    cosine = 5 / np.sqrt(10 * 5)
    assert_allclose(bregman_divergence(x, y, "norm"), np.sqrt(10) * (1 - cosine))


@pytest.mark.parametrize("name", SEPARABLE)
@pytest.mark.parametrize("seed", range(3))
def test_centroids_minimize_their_sums(name, seed):
    points, w = draw(seed, 6), draw(seed + 9, 6)

    def best(side):
        def cost(c):
            pair = (points, c) if side == "right" else (c, points)
            return w @ bregman_elementwise(*pair, name)

        found = minimize_scalar(
            cost, bounds=(0.1, 4.0), method="bounded", options={"xatol": 1e-10}
        )
        return found.x

    # A minimum is flat: its place is known to half the digits of its value.
    assert_allclose(right_centroid(points, w), best("right"), rtol=1e-6)
    assert_allclose(left_centroid(points, w, name), best("left"), rtol=1e-6)


def test_left_centroids_are_the_classical_means():
    assert_allclose(left_centroid([1.0, 3.0], divergence="squared"), 2.0)
    assert_allclose(left_centroid([0.25, 1.0], divergence="kl"), 0.5)
    assert_allclose(left_centroid([1.0, 3.0], divergence="itakura_saito"), 1.5)
    matrices = [np.full((2, 2), 0.25), np.ones((2, 2))]
    assert_allclose(left_centroid(matrices, divergence="kl"), np.full((2, 2), 0.5))
    assert_allclose(right_centroid(matrices, [3, 1]), np.full((2, 2), 0.4375))


def test_zeros_have_their_limits():
    assert bregman_divergence([0.0, 1.0], [0.0, 1.0], "kl") == 0.0
    assert bregman_divergence([1.0, 0.0], [0.0, 1.0], "kl") == np.inf
    assert bregman_divergence([0.0, 0.0], [1.0, 2.0], "norm") == 0.0
    assert left_centroid([0.0, 1.0], [1, 1], "kl") == 0.0
    assert left_centroid([0.0, 2.0], [0, 1], "kl") == 2.0


def test_what_has_no_meaning_is_refused_in_words():
    with pytest.raises(ComitiaError, match="'manhattan' is not known"):
        bregman_divergence([1.0], [1.0], "manhattan")
    with pytest.raises(ComitiaError, match="needs numbers that are 0 or more"):
        bregman_elementwise([-1.0], [1.0], "kl")
    with pytest.raises(ComitiaError, match="needs numbers that are positive"):
        bregman_elementwise([1.0], [0.0], "itakura_saito")
    with pytest.raises(ComitiaError, match="not a sum over elements"):
        bregman_elementwise([1.0], [2.0], "norm")
    with pytest.raises(ComitiaError, match="no left centroid"):
        left_centroid([1.0], divergence="norm")
    with pytest.raises(ComitiaError, match="weights must be 2 finite"):
        right_centroid([1.0, 2.0], [0, 0])
