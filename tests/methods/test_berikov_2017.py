"""Weights of algorithms by stability and validity."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble, method
from comitia.exceptions import ComitiaWarning
from comitia.partition import hac
from tests.fixtures import E6, X6, planted, same_partition

Method = method("berikov_2017")


def values(*gamma):
    """A function that judges the clusterings by these values, in turn."""
    given = iter(gamma)
    return lambda X, labels: next(given)


def eight_runs(seed=0):
    labels, _ = planted(30, 3, 8, noise=0.3, seed=seed)
    return np.zeros((30, 1)), Ensemble(labels, groups=["a"] * 4 + ["b"] * 4)


def test_worked_example_of_the_catalogue():
    X, E = eight_runs()
    gamma = (1, 2, 3, 4, 2, 2, 2, 2)
    fitted = Method(3, index=values(*gamma), pair_accuracy=0.9).fit(X, ensemble=E)
    w = np.array([1 / 3.5, 1 / 1.44])
    assert_allclose(fitted.group_weights_, w / w.sum())
    assert_allclose(fitted.group_weights_, [0.291498, 0.708502], atol=5e-7)  # printed
    in_S = np.repeat(w, 4) * gamma
    assert_allclose(fitted.clustering_weights_, in_S / in_S.sum())


@pytest.mark.parametrize("pair_accuracy", [None, [0.9, 0.6]])
@pytest.mark.parametrize("gamma", [1.0, 0.3])
def test_equal_qualities_give_berikov_2014(pair_accuracy, gamma):
    X, E = eight_runs()
    fitted = Method(3, index=lambda X, c: gamma, pair_accuracy=pair_accuracy)
    fitted.fit(X, ensemble=E)
    older = method("berikov_2014")(3, pair_accuracy=pair_accuracy).fit(E)
    assert_allclose(fitted.group_weights_, older.group_weights_)
    assert_allclose(fitted.clustering_weights_, older.clustering_weights_)
    assert_allclose(fitted.linkage_, older.linkage_, atol=1e-12)
    assert_array_equal(fitted.labels_, older.labels_)


@pytest.mark.parametrize("seed", range(3))
def test_weights_are_their_definition(seed):
    X, E = eight_runs(seed)
    gamma = np.random.RandomState(seed).rand(8)
    fitted = Method(3, index=values(*gamma)).fit(X, ensemble=E)
    raw = []
    for own in (slice(0, 4), slice(4, 8)):
        labels, g = E.labels[:, own], gamma[own]
        h = (labels[:, None] == labels[None]).mean(axis=2)[np.triu_indices(30, 1)]
        raw.append(4 / (g.var() + 4 * g.mean() ** 2 * np.mean(4 / 3 * h * (1 - h))))
    assert_allclose(fitted.group_weights_, np.array(raw) / sum(raw))


def test_the_tree_stands_on_the_weighted_co_association():
    X, E = eight_runs()
    gamma = np.arange(1.0, 9.0)
    fitted = Method(3, index=values(*gamma), pair_accuracy=0.8).fit(X, ensemble=E)
    w = fitted.group_weights_
    S = sum(
        w[m // 4] / 4 * gamma[m] * (E.labels[:, None, m] == E.labels[None, :, m])
        for m in range(8)
    )
    expected = hac(S.max() - S)[:, 2] / S.max()
    assert_allclose(fitted.linkage_[:, 2], expected, atol=1e-7)


def test_without_groups_it_warns_and_is_berikov_pestunov():
    with pytest.warns(ComitiaWarning, match="has no groups"):
        fitted = Method(2).fit(X6, ensemble=Ensemble(E6))
    assert_allclose(fitted.clustering_weights_, np.array([4, 4, 0.125]) / 8.125)
    assert same_partition(fitted.labels_, E6[:, 0])


def test_an_algorithm_without_quality_weighs_nothing():
    X, E = eight_runs()
    gamma = (0, 0, 0, 0, 1, 2, 3, 4)
    fitted = Method(3, index=values(*gamma), pair_accuracy=0.9).fit(X, ensemble=E)
    assert_array_equal(fitted.group_weights_, [0, 1])
    assert_array_equal(fitted.clustering_weights_[:4], 0)


def test_without_any_quality_all_clusterings_are_worth_the_same():
    X, E = eight_runs()
    with pytest.warns(ComitiaWarning, match="uniform"):
        fitted = Method(3, index=lambda X, c: 0.0, pair_accuracy=0.9).fit(X, ensemble=E)
    assert_allclose(fitted.clustering_weights_, 1 / 8)


def test_the_scale_of_the_index_does_not_matter():
    X, E = eight_runs()
    gamma = np.arange(1.0, 9.0)
    one = Method(3, index=values(*gamma)).fit(X, ensemble=E)
    other = Method(3, index=values(*(1000 * gamma))).fit(X, ensemble=E)
    assert_allclose(one.clustering_weights_, other.clustering_weights_)
