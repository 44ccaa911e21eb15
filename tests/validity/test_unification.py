"""Index values on one scale: the worked numbers of the catalogue and the limits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from comitia import Ensemble
from comitia.exceptions import ComitiaError
from comitia.validity import score_table, unify
from comitia.validity.unification import finite_scores, positive_scores
from tests.fixtures import E6, X6

DUNN = [4.0, 4.0, 0.125]


def test_minmax_gives_the_numbers_of_weacs():
    assert_allclose(unify(DUNN, "large", "minmax"), [1, 1, 0.03125])


def test_range_gives_the_numbers_of_prar():
    silhouettes = score_table(X6, Ensemble(E6), ["silhouette"])
    assert_allclose(silhouettes.unified("range")[:, 0], [1, 1, 0])


def test_prob_gives_the_numbers_of_yang_chen_2011():
    assert_allclose(unify(DUNN, "large", "prob"), np.array(DUNN) / 8.125)


def test_positive_scores_give_the_numbers_of_unlu_xanthopoulos_2017():
    values = score_table(X6, Ensemble(E6), ["silhouette"]).column("silhouette")
    scores = positive_scores(values, "silhouette")
    # The catalogue gives six decimals.
    assert_allclose(scores, [0.932828, 0.932828, 0.636806], atol=5e-7)
    assert_allclose(scores / scores.sum(), [0.372764, 0.372764, 0.254472], atol=5e-7)


def test_small_is_turned_into_large():
    values = [1.0, 2.0, 4.0]
    assert_allclose(unify(values, "small", "minmax"), [1, 0.5, 0.25])
    assert_allclose(unify(values, "small", "range"), [1, 2 / 3, 0])
    assert_allclose(unify(values, "small", "prob"), np.array([4, 3, 1]) / 8)
    assert_allclose(unify(values, "small", "rank"), [3, 2, 1])


def test_minmax_shifts_negative_values_to_zero_and_small_zeros_by_one():
    assert_allclose(unify([-1.0, 0.0, 3.0], "large", "minmax"), [0, 0.25, 1])
    assert_allclose(unify([-1.0, 0.0, 3.0], "small", "minmax"), [1, 0.5, 0.2])
    assert_allclose(unify([0.0, 1.0, 3.0], "small", "minmax"), [1, 0.5, 0.25])
    assert_allclose(unify([-1.0, 0.0, 3.0], "large", "prob"), [0, 0.2, 0.8])


def test_equal_values_share_their_mean_rank():
    # The example in the code that the catalogue read: Davies-Bouldin and Dunn.
    values = np.array([[32, 55, 0.2, 12], [0.3, 0.7, 5.6, 5.6]]).T
    got = unify(values, ["small", "large"], "rank")
    assert_allclose(got.T, [[2, 1, 4, 3], [1, 2, 3.5, 3.5]])


@pytest.mark.parametrize(
    ("method", "constant"), [("minmax", 1), ("range", 1), ("prob", 1 / 3), ("rank", 2)]
)
@pytest.mark.parametrize("direction", ["large", "small"])
@pytest.mark.parametrize("value", [-2.0, 0.0, 5.0])
def test_constant_columns_say_nothing(method, constant, direction, value):
    assert_allclose(unify([value] * 3, direction, method), [constant] * 3)


@pytest.mark.parametrize("method", ["minmax", "range", "prob", "rank"])
@pytest.mark.parametrize("seed", range(3))
def test_every_scale_keeps_the_order_of_quality(method, seed):
    rng = np.random.RandomState(seed)
    values = rng.randn(20, 2)
    large, small = unify(values, ["large", "small"], method).T
    assert (np.argsort(large) == np.argsort(values[:, 0])).all()
    assert (np.argsort(small) == np.argsort(-values[:, 1])).all()
    assert (large >= 0).all()
    assert (small >= 0).all()


def test_infinity_becomes_the_largest_finite_value():
    assert_allclose(finite_scores([np.inf, 2.0, np.nan]), [2.0, 2.0, np.nan])
    assert_allclose(finite_scores([np.inf, np.inf, np.nan]), [1.0, 1.0, np.nan])
    assert_allclose(unify([np.inf, 2.0, 1.0], "large", "minmax"), [1, 1, 0.5])


@pytest.mark.parametrize("method", ["minmax", "range", "prob", "rank"])
def test_nothing_speaks_for_an_undefined_value(method):
    with_nan = unify([3.0, np.nan, 1.0], "large", method)
    assert with_nan[1] == 0
    assert_allclose(with_nan[[0, 2]], unify([3.0, 1.0], "large", method))
    assert_allclose(unify([np.nan, np.nan], "large", method), 0)


def test_positive_scores_by_kind_of_index():
    assert_allclose(positive_scores([0, 1, np.inf, np.nan], "sse"), [1, 0.5, 0, 0])
    assert_allclose(positive_scores([3, np.inf, np.nan], "dunn"), [3, 3, 0])
    assert_allclose(positive_scores([-1, 1, np.nan], "hubert_normalized"), [0, 1, 0])


def test_bad_input_is_refused_in_words():
    with pytest.raises(ComitiaError, match='"minmax", "range", "prob", "rank"'):
        unify(DUNN, "large", "zscore")
    with pytest.raises(ComitiaError, match="2 entries for 1 columns"):
        unify(DUNN, ["large", "small"])
    with pytest.raises(ComitiaError, match="'up'"):
        unify(DUNN, "up")
    with pytest.raises(ComitiaError, match="mean_cluster_size"):
        positive_scores([1.0], "mean_cluster_size")
    with pytest.raises(ComitiaError, match="hartigan"):
        positive_scores([1.0], "hartigan")


@pytest.mark.parametrize("direction", ["large", "small"])
@pytest.mark.parametrize("method", ["minmax", "range", "prob", "rank"])
def test_rounding_is_no_difference(method, direction):
    values = 0.7 + np.array([0, 2, 1, 0, 3]) * 1e-16
    equal = unify(np.full(5, 0.7), direction, method)
    assert_allclose(unify(values, direction, method), equal, rtol=1e-9)
    # Nor is it one beside a value that does differ.
    beside = unify(np.r_[values, 0.1], direction, method)[:5]
    assert np.ptp(beside) <= 1e-9 * beside.max()
