"""The convex functions of Bregman divergences."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime, minimize_scalar

from comitia.exceptions import ComitiaError
from comitia.optimize import get_bregman
from tests.divergences import divergence, elementwise, left_mean

SEPARABLE = ["squared", "kl", "itakura_saito"]
ALL = [*SEPARABLE, "norm"]


def draw(seed, *shape):
    return np.random.RandomState(seed).uniform(0.2, 3.0, size=shape)


@pytest.mark.parametrize("name", ALL)
def test_functions_and_gradients_make_the_divergences_of_the_textbook(name):
    g = get_bregman(name)
    x, y = draw(0, 7, 4), draw(1, 7, 4)
    slope = (g.gradient(y) * (x - y)).sum(axis=-1)
    made = g.value(x) - g.value(y) - slope
    assert_allclose(made, divergence(x, y, name), atol=1e-12)
    assert (made > 0).all()


@pytest.mark.parametrize("name", ALL)
def test_a_gradient_is_that_of_its_function(name):
    g, y = get_bregman(name), draw(2, 5)
    # Finite differences have about half the digits.
    assert_allclose(g.gradient(y), approx_fprime(y, g.value), rtol=1e-5)
    if g.inverse is not None:
        assert_allclose(g.inverse(g.gradient(y)), y)


@pytest.mark.parametrize("name", SEPARABLE)
@pytest.mark.parametrize("seed", range(3))
def test_the_mean_of_the_gradients_is_the_nearest_point(name, seed):
    points, w = draw(seed, 6), draw(seed + 9, 6)
    found = minimize_scalar(
        lambda c: w @ elementwise(c, points, name),
        bounds=(0.1, 4.0),
        method="bounded",
        options={"xatol": 1e-10},
    )
    # A minimum is flat: its place is known to half the digits of its value.
    assert_allclose(left_mean(points, w, name), found.x, rtol=1e-6)


def test_an_unknown_name_is_refused_in_words():
    with pytest.raises(ComitiaError, match="'manhattan' is none of"):
        get_bregman("manhattan")
