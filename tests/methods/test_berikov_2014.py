"""Weights of algorithms by their stability."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from comitia import Ensemble, method
from comitia.exceptions import ComitiaWarning
from tests.fixtures import planted, same_partition

Method = method("berikov_2014")


def two_algorithms(n=60, noise=(0.1, 0.5)):
    """Ten runs each of a steady and of an erratic algorithm."""
    steady, truth = planted(n, 3, 10, noise=noise[0], seed=0)
    erratic, _ = planted(n, 3, 10, noise=noise[1], seed=1)
    groups = ["steady"] * 10 + ["erratic"] * 10
    return Ensemble(np.hstack([steady, erratic]), groups=groups), truth


def test_worked_example_of_the_catalogue():
    ensemble, _ = two_algorithms()
    fitted = Method(3, pair_accuracy=[0.9, 0.6]).fit(ensemble)
    assert_allclose(fitted.group_weights_, [8 / 11, 3 / 11])
    assert_allclose(fitted.clustering_weights_, np.repeat([0.8 / 11, 0.3 / 11], 10))
    by_name = Method(3, pair_accuracy={"erratic": 0.6, "steady": 0.9}).fit(ensemble)
    assert_allclose(by_name.group_weights_, [8 / 11, 3 / 11])


def test_equal_algorithms_give_the_plain_average():
    ensemble, _ = two_algorithms()
    fitted = Method(3, pair_accuracy=0.8).fit(ensemble)
    plain = method("eac")(3).fit(ensemble)
    assert_allclose(fitted.clustering_weights_, 1 / 20)
    assert_allclose(fitted.linkage_, plain.linkage_)
    assert_array_equal(fitted.labels_, plain.labels_)


def test_an_algorithm_with_more_runs_weighs_more():
    labels, _ = planted(30, 2, 5, noise=0.2, seed=0)
    ensemble = Ensemble(labels, groups=["a", "a", "a", "a", "b"])
    fitted = Method(2, pair_accuracy=0.7).fit(ensemble)
    assert_allclose(fitted.group_weights_, [0.8, 0.2])


@pytest.mark.parametrize("seed", range(3))
def test_estimated_weights_are_those_of_the_formula(seed):
    labels = np.random.RandomState(seed).randint(3, size=(12, 7))
    fitted = Method(3).fit(Ensemble(labels, groups=list("aabbbab")))
    raw = []
    for own in (labels[:, [0, 1, 5]], labels[:, [2, 3, 4, 6]]):
        a = own.shape[1]
        h = (own[:, None] == own[None]).mean(axis=2)[np.triu_indices(12, 1)]
        raw.append(a / np.mean(a / (a - 1) * h * (1 - h)))
    assert_allclose(fitted.group_weights_, np.array(raw) / sum(raw))


def test_a_steady_algorithm_outweighs_an_erratic_one():
    ensemble, truth = two_algorithms()
    fitted = Method(3).fit(ensemble)
    assert fitted.group_weights_[0] > 0.6
    assert same_partition(fitted.labels_, truth)


def test_without_groups_it_warns_and_is_evidence_accumulation():
    labels, _ = planted(60, 3, 7, noise=0.4, seed=3)
    with pytest.warns(ComitiaWarning, match="has no groups"):
        fitted = Method(3).fit(Ensemble(labels))
    assert_array_equal(fitted.group_weights_, [1.0])
    assert_allclose(fitted.linkage_, method("eac")(3).fit(Ensemble(labels)).linkage_)


def test_a_deterministic_algorithm_gets_the_floor_with_a_warning():
    labels, truth = planted(40, 2, 4, noise=0.3, seed=0)
    same = np.repeat(truth[:, None], 4, axis=1)
    ensemble = Ensemble(np.hstack([labels, same]), groups=["a"] * 4 + ["b"] * 4)
    with pytest.warns(ComitiaWarning, match="hardly vary"):
        fitted = Method(2).fit(ensemble)
    ratio = fitted.group_weights_[1] / fitted.group_weights_[0]
    alike = [
        np.mean(
            (labels[:, None, m] == labels[None, :, m])
            != (labels[:, None, r] == labels[None, :, r])
        )
        * (40 / 39)
        for m in range(4)
        for r in range(m)
    ]
    assert_allclose(ratio, np.mean(alike) / 2 * 64)


def test_order_of_clusterings_and_names_of_algorithms_do_not_matter():
    ensemble, _ = two_algorithms(noise=(0.3, 0.4))
    order = np.random.RandomState(0).permutation(20)
    names = np.where(np.arange(20) < 10, "x", "b")[order]
    other = Method(3).fit(Ensemble(ensemble.labels[:, order], groups=names.tolist()))
    one = Method(3).fit(ensemble)
    assert_allclose(other.clustering_weights_, one.clustering_weights_[order])
    assert same_partition(one.labels_, other.labels_)


def test_data_alone_are_clustered_by_two_algorithms():
    X, truth = make_blobs(90, centers=[[0, 0], [8, 0], [0, 8]], random_state=0)
    fitted = Method(3, random_state=0).fit(X)
    assert len(fitted.group_weights_) == 2
    assert adjusted_rand_score(truth, fitted.labels_) > 0.95
    assert (fitted.predict(X) == fitted.labels_).mean() > 0.95
