"""Weights of clusterings."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble
from comitia.exceptions import ComitiaError, ComitiaWarning
from comitia.weigh import crowd_agreement, normalize_weights
from comitia.weigh.clusterings import given_weights
from tests.fixtures import E6, planted


def test_ncai_of_e6_is_that_of_the_catalogue():
    ncai = crowd_agreement(Ensemble(E6), weight_power=1.0)
    assert_allclose(ncai, [1, 1, 0.592164], atol=5e-7)  # printed to six decimals


@pytest.mark.parametrize(
    ("agreement", "power", "printed"),
    [
        ("nmi_max", 2.0, [0.425413, 0.425413, 0.149174]),
        ("nmi_sqrt", 1.0, [0.371413, 0.371413, 0.257173]),
    ],
)
def test_weights_of_e6_are_those_of_the_catalogue(agreement, power, printed):
    raw = crowd_agreement(Ensemble(E6), agreement=agreement, weight_power=power)
    assert raw.max() == 1.0
    assert_allclose(normalize_weights(raw), printed, atol=5e-7)  # six decimals


@pytest.mark.parametrize("seed", range(3))
def test_crowd_agreement_is_its_definition(seed):
    labels, _ = planted(60, 3, 5, 0.5, seed)
    phi = Ensemble(labels).agreement("nmi_max")
    cai = [np.mean([phi[m, j] for j in range(5) if j != m]) for m in range(5)]
    expected = (np.array(cai) / max(cai)) ** 3
    assert_allclose(crowd_agreement(Ensemble(labels), weight_power=3.0), expected)


def test_power_zero_forgets_the_agreement():
    assert_array_equal(crowd_agreement(Ensemble(E6), weight_power=0.0), [1, 1, 1])


def test_order_of_clusterings_and_objects_does_not_matter():
    labels, _ = planted(60, 3, 5, 0.5, 0)
    order, objects = [3, 1, 4, 0, 2], np.random.RandomState(0).permutation(60)
    expected = crowd_agreement(Ensemble(labels))[order]
    got = crowd_agreement(Ensemble(labels[objects][:, order]))
    assert_allclose(got, expected, rtol=1e-14)


def test_a_noisy_clustering_weighs_least():
    labels, _ = planted(200, 3, 6, 0.1, 0)
    labels[:, 2] = np.random.RandomState(0).randint(3, size=200)
    assert crowd_agreement(Ensemble(labels)).argmin() == 2


def test_a_single_clustering_weighs_one():
    assert_array_equal(crowd_agreement(Ensemble(E6[:, :1])), [1.0])


def test_clusterings_that_do_not_agree_weigh_the_same():
    unrelated = Ensemble([[0, 0], [0, 1], [1, 0], [1, 1]])
    with pytest.warns(ComitiaWarning, match="no two clusterings agree") as warned:
        assert_array_equal(crowd_agreement(unrelated, "adjusted_rand"), [1, 1])
    assert warned[0].filename == __file__  # where it was called


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"agreement": "variation_of_information"}, "is a distance"),
        ({"agreement": "phi"}, "'phi' is none of"),
        ({"weight_power": -1.0}, "weight_power=-1.0"),
        ({"weight_power": np.nan}, "weight_power=nan"),
    ],
)
def test_bad_arguments_are_refused_in_words(arguments, words):
    with pytest.raises(ComitiaError, match=words):
        crowd_agreement(Ensemble(E6), **arguments)


def test_weights_lie_on_the_simplex():
    weights = normalize_weights([3.0, 1.0, 0.0, -2.0])
    assert_array_equal(weights, [0.75, 0.25, 0.0, 0.0])
    huge = normalize_weights([1e308, 1e308, 1e-308])
    assert_allclose(huge, [0.5, 0.5, 0.0], atol=1e-300)


@pytest.mark.parametrize("raw", [[0, 0], [-1, -3], [np.nan, np.nan], [np.inf, 0]])
def test_degenerate_weights_are_uniform_and_warn(raw):
    with pytest.warns(ComitiaWarning, match="uniform weights") as warned:
        assert_array_equal(normalize_weights(raw), [0.5, 0.5])
    assert warned[0].filename == __file__


def test_scores_that_are_not_finite_count_as_zero():
    match = r"1 raw weight\(s\) are not finite"
    with pytest.warns(ComitiaWarning, match=match) as warned:
        assert_array_equal(normalize_weights([1.0, np.nan, 3.0]), [0.25, 0.0, 0.75])
    assert warned[0].filename == __file__


@pytest.mark.parametrize("raw", [[], [[1.0]], 1.0])
def test_scores_must_be_a_vector(raw):
    with pytest.raises(ComitiaError, match="one score per clustering"):
        normalize_weights(raw)


def test_weights_that_nobody_gave_are_equal():
    assert_array_equal(given_weights(None, 4), [0.25] * 4)
    assert_allclose(given_weights([3, 1], 2), [0.75, 0.25])
