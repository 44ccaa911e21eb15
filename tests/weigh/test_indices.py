"""Weights from validity indices, against their definitions and the catalogue."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from comitia import Ensemble
from comitia.exceptions import ComitiaError
from comitia.weigh import entropy_relevance, index_scores, maximum_relevance
from tests.fixtures import E6, X6


def test_entropy_relevance_of_the_catalogue():
    got = entropy_relevance([0.2, 0.4, 0.6])
    assert_allclose(got, [0.809123, 1.011404, 0.809123], atol=5e-7)  # six decimals


def test_maximum_relevance_of_the_catalogue():
    assert_allclose(maximum_relevance([0.2, 0.4, 0.6]), [0.6, 0.8, 1.0])


@pytest.mark.parametrize("seed", range(3))
def test_relevances_are_their_definitions(seed):
    V = np.random.RandomState(seed).rand(7, 4)
    typical, best = np.zeros(7), np.zeros(7)
    for v in range(4):
        p = V[:, v] / sum(V[:, v])
        H = -sum(x * np.log(x) for x in p)
        for m in range(7):
            typical[m] += H * (1 - abs(V[m, v] - sum(V[:, v]) / 7))
            best[m] += 1 - abs(V[m, v] - max(V[:, v]))
    assert_allclose(entropy_relevance(V), typical)
    assert_allclose(maximum_relevance(V), best)


def test_a_property_without_values_adds_nothing():
    V = np.column_stack([[0.2, 0.4, 0.6], np.zeros(3)])
    assert_allclose(entropy_relevance(V), entropy_relevance(V[:, 0]))


@pytest.mark.parametrize("relevance", [entropy_relevance, maximum_relevance])
@pytest.mark.parametrize("values", [[0.5, 1.5], [-0.1, 0.5], [np.nan, 0.5]])
def test_values_outside_the_unit_interval_are_refused(relevance, values):
    with pytest.raises(ComitiaError, match=r"lie in \[0, 1\]"):
        relevance(values)
    with pytest.raises(ComitiaError, match="one row per clustering"):
        relevance(np.zeros((2, 2, 2)))


def test_scores_are_positive_and_larger_for_the_better():
    E = Ensemble(E6)
    assert_allclose(index_scores(X6, E, "dunn"), [4, 4, 0.125])
    silhouette = [0.932828, 0.932828, 0.636806]
    assert_allclose(index_scores(X6, E), silhouette, atol=5e-7)  # six decimals
    good, same, poor = index_scores(X6, E, "davies_bouldin")
    assert good == same > poor > 0


def test_a_function_can_judge_and_must_not_be_negative():
    E = Ensemble(E6)
    assert_allclose(index_scores(None, E, lambda X, c: len(set(c))), [2, 2, 3])
    with pytest.raises(ComitiaError, match=r"-1 for clustering 0.*0 or more"):
        index_scores(None, E, lambda X, c: -1.0)


def test_an_index_of_ones_own_may_return_zero_and_nothing_less():
    def index(X, labels):
        return next(scores)

    scores = iter([0.0, 2.0, 1.0])
    assert index_scores(X6, Ensemble(E6[:, :3]), index).tolist() == [0, 2, 1]
    scores = iter([0.0, -1.0, 1.0])
    with pytest.raises(ComitiaError, match="returned -1 for clustering 1"):
        index_scores(X6, Ensemble(E6[:, :3]), index)
