"""CAS: one clustering of each group of clusterings that are alike."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import ConsensusClustering, Ensemble, method
from comitia.agreement import nmi
from comitia.exceptions import ComitiaError
from comitia.represent.votes import vote_shares
from tests.fixtures import E6, planted, same_partition

CAS = method("cas")
CSPA = method("cspa")


@pytest.mark.parametrize("variant", ["group", "library"])
@pytest.mark.parametrize("seed", range(3))
def test_of_e6_one_of_the_equal_clusterings_and_the_other_are_kept(variant, seed):
    fitted = CAS(2, n_select=2, variant=variant, random_state=seed).fit(Ensemble(E6))
    assert_array_equal(fitted.selected_, [True, False, True])
    assert same_partition(fitted.groups_, [0, 0, 1])


def test_all_clusterings_kept_are_cspa():
    for labels in (E6, planted(60, 3, 8, noise=0.4, seed=1)[0]):
        ensemble = Ensemble(labels)
        M = ensemble.n_clusterings
        fitted = CAS(3, n_select=M, random_state=0).fit(ensemble)
        assert fitted.selected_.all()
        plain = CSPA(3, random_state=0).fit(ensemble)
        assert_allclose(fitted.confidence_, plain.confidence_)


def two_families(seed):
    """Noisy copies of two partitions that have nothing to do with each other."""
    one, _ = planted(80, 4, 5, noise=0.1, seed=seed)
    other, _ = planted(80, 4, 4, noise=0.1, seed=seed + 50)
    order = np.random.RandomState(seed).permutation(80)
    return np.hstack([one, other[order]])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("variant", ["group", "library"])
def test_the_speaker_of_a_group_is_the_one_of_largest_agreement(variant, seed):
    labels = two_families(seed)
    fitted = CAS(4, n_select=2, variant=variant, random_state=0).fit(Ensemble(labels))
    families = [range(5), range(5, 9)]
    assert same_partition(fitted.groups_, [0] * 5 + [1] * 4)
    kept = []
    for family in families:
        crowd = family if variant == "group" else range(9)
        sums = [sum(nmi(labels[:, m], labels[:, j]) for j in crowd) for m in family]
        kept.append(family[int(np.argmax(sums))])
    assert np.flatnonzero(fitted.selected_).tolist() == kept


def test_group_and_library_can_disagree():
    found = {
        variant: [
            CAS(n_select=2, variant=variant, random_state=0)
            .select(Ensemble(two_families(seed)))
            .tolist()
            for seed in range(12)
        ]
        for variant in ("group", "library")
    }
    assert found["group"] != found["library"]


def test_a_group_of_one_keeps_its_member():
    labels = two_families(0)[:, :6]
    kept = CAS(n_select=2, random_state=0).select(Ensemble(labels))
    assert 5 in kept
    assert len(kept) == 2


def test_equal_clusterings_share_a_group():
    same = Ensemble(np.repeat(E6[:, :1], 5, axis=1))
    assert CAS(n_select=3, random_state=0).select(same).tolist() == [0]


def test_half_of_the_clusterings_are_kept_by_default():
    ensemble = Ensemble(planted(60, 3, 8, noise=0.4, seed=1)[0])
    assert CAS(3, random_state=0).fit(ensemble).selected_.sum() == 4


def test_the_selection_stands_in_front_of_another_consensus():
    ensemble = Ensemble(two_families(1))
    cas = CAS(n_select=3, random_state=0)
    mix = ConsensusClustering(4, selection=cas, consensus="average").fit(ensemble)
    assert_array_equal(np.flatnonzero(mix.selected_), cas.select(ensemble))
    assert not hasattr(cas, "clustering_weights_")
    alone = method("eac")(4).fit(ensemble.take(clusterings=mix.selected_))
    assert_array_equal(mix.labels_, alone.labels_)


def test_what_is_not_kept_does_not_vote():
    ensemble = Ensemble(two_families(2))
    fitted = CAS(4, n_select=3, random_state=0).fit(ensemble)
    kept = ensemble.take(clusterings=fitted.selected_)
    assert_allclose(fitted.membership_, vote_shares(kept, fitted.labels_, 4))


def test_the_order_of_objects_does_not_change_what_is_kept():
    labels = planted(120, 4, 10, noise=0.15, seed=3)[0]
    order = np.random.RandomState(0).permutation(120)
    one = CAS(n_select=5, random_state=0).select(Ensemble(labels))
    assert_array_equal(
        one, CAS(n_select=5, random_state=0).select(Ensemble(labels[order]))
    )


def test_more_than_there_are_cannot_be_kept():
    with pytest.raises(ComitiaError, match=r"n_select=4 is larger .* at most 3"):
        CAS(2, n_select=4).fit(Ensemble(E6))
