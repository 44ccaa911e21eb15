"""Group-relative weights against the catalogue's numbers and loops."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble, method
from comitia.agreement import agreement
from comitia.exceptions import ComitiaError, ComitiaWarning
from tests.fixtures import E6, planted, same_partition

Grouped = method("rouba_2017")
EAC = method("eac")


@pytest.mark.parametrize("n_groups", [2, None])
def test_two_groups_of_e6_leave_the_third_clustering_out(n_groups):
    fitted = Grouped(2, n_groups=n_groups).fit(Ensemble(E6))
    assert_array_equal(fitted.groups_, [0, 0, 1])
    assert_allclose(fitted.clustering_weights_, [0.5, 0.5, 0], atol=1e-12)
    assert same_partition(fitted.labels_, E6[:, 0])


def test_one_group_of_e6_weighs_five_five_and_four():
    fitted = Grouped(2, n_groups=1).fit(Ensemble(E6))
    assert_array_equal(fitted.groups_, [0, 0, 0])
    # Raw weights 5/9, 5/9 and 4/9.
    assert_allclose(fitted.clustering_weights_, np.array([5, 5, 4]) / 14, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_weights_are_their_definition(seed):
    labels, _ = planted(40, 3, 8, noise=0.5, seed=seed)
    fitted = Grouped(3, n_groups=3).fit(Ensemble(labels))
    assert fitted.groups_.max() == 2
    raw = np.zeros(8)
    for m in range(8):
        group = np.flatnonzero(fitted.groups_ == fitted.groups_[m])
        raw[m] = sum(
            agreement(labels[:, m], labels[:, t], "rand") for t in group if t != m
        )
        raw[m] /= len(group)
    assert_allclose(fitted.clustering_weights_, raw / raw.sum(), atol=1e-12)


def test_groups_follow_who_agrees_with_whom():
    truth = np.repeat([0, 1, 2], 20)
    other = np.tile([0, 1, 2], 20)
    labels, _ = planted(60, 3, 9, noise=0.05, seed=0)
    mixed = np.column_stack([labels[:, :6], other, other, np.roll(other, 1)])
    fitted = Grouped(3).fit(Ensemble(mixed))
    assert same_partition(fitted.groups_, [0] * 6 + [1] * 3)
    assert same_partition(fitted.labels_, truth)


def test_one_group_of_equally_alike_clusterings_is_eac():
    # Any two of these three partitions of four objects agree on the same pairs.
    labels = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]])
    fitted = Grouped(2, n_groups=1).fit(Ensemble(labels))
    assert_allclose(fitted.clustering_weights_, 1 / 3)
    assert_allclose(fitted.linkage_, EAC(2).fit(Ensemble(labels)).linkage_, atol=1e-12)


def test_all_alone_weigh_the_same_with_a_warning():
    labels, _ = planted(40, 3, 5, noise=0.5, seed=1)
    with pytest.warns(ComitiaWarning, match="uniform weights"):
        fitted = Grouped(3, n_groups=5).fit(Ensemble(labels))
    assert_allclose(fitted.clustering_weights_, 0.2)


def test_equal_clusterings_stay_in_one_group():
    same = Ensemble(np.repeat(E6[:, 2:], 4, axis=1))
    fitted = Grouped(3, n_groups=3).fit(same)
    assert_array_equal(fitted.groups_, 0)
    assert_allclose(fitted.clustering_weights_, 0.25)


def test_other_linkages_and_measures_find_a_planted_partition():
    labels, truth = planted(150, 3, 15, noise=0.15, seed=0)
    for linkage in ("complete", "average", "ward"):
        found = Grouped(3, linkage=linkage).fit_predict(Ensemble(labels))
        assert same_partition(found, truth)
    adjusted = Grouped(3, agreement="adjusted_rand").fit(Ensemble(labels))
    assert same_partition(adjusted.labels_, truth)


def test_a_distance_is_no_agreement():
    with pytest.raises(ComitiaError, match="is a distance"):
        Grouped(2, agreement="variation_of_information").fit(Ensemble(E6))
