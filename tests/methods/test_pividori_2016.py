"""Diversity control: seats for groups of clusterings."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import ConsensusClustering, Ensemble, method
from comitia.agreement import nmi
from comitia.exceptions import ComitiaError
from comitia.methods.selection.pividori_2016 import (
    diversity_shares,
    lifetime_from_three,
    share_out,
)
from tests.fixtures import E6, planted, same_partition
from tests.methods import _planted

families = partial(_planted.families, sizes=(6, 3, 3), noise=0.15)

Control = method("pividori_2016")
EAC = method("eac")
S = np.array([[1.0, 0.5, 0.2], [0.5, 1.0, 0.3], [0.2, 0.3, 1.0]])


@pytest.mark.parametrize(
    ("bias", "expected"),
    [(0.0, [0.5, 0.25, 0.25]), (10.0, [0.469423, 0.173689, 0.356888])],
)
def test_shares_are_those_of_the_catalogue(bias, expected):
    got = diversity_shares(S, [4, 2, 2], bias)
    assert_allclose(got, expected, atol=5e-7)  # printed to six decimals


def test_a_negative_bias_favors_what_is_usual():
    usual, unusual = 1, 2
    w = diversity_shares(S, [2, 2, 2], -10.0)
    assert w[usual] > 1 / 3 > w[unusual]


def test_a_strong_bias_does_not_overflow():
    assert_allclose(diversity_shares(S, [2, 2, 2], 1e6), [0, 0, 1], atol=1e-12)


def test_one_group_has_all_seats():
    assert_array_equal(diversity_shares([[1.0]], [5], 3.0), [1.0])
    fitted = Control(2, n_groups=1, n_select=2, random_state=0).fit(Ensemble(E6))
    assert_allclose(fitted.clustering_weights_, 1 / 3)
    assert fitted.selected_.sum() == 2


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("bias", [-20.0, 0.0, 20.0])
def test_seats_follow_the_formula(seed, bias):
    # In any order: groups are numbered by their first members.
    order = np.random.RandomState(seed).permutation(12)
    labels, of = families(seed)[:, order], np.repeat([0, 1, 2], [6, 3, 3])[order]
    control = Control(3, n_groups=3, n_select=8, diversity_bias=bias, random_state=seed)
    fitted = control.fit(Ensemble(labels))
    assert same_partition(fitted.groups_, of)
    heads = []
    for g in range(3):
        members = np.flatnonzero(of == g)
        sums = [sum(nmi(labels[:, m], labels[:, j]) for j in members) for m in members]
        heads.append(labels[:, members[int(np.argmax(sums))]])
    s = [
        np.mean([nmi(heads[g], heads[h]) for h in range(3) if h != g]) for g in range(3)
    ]
    w = np.bincount(of) / (1 + np.exp(bias * (np.array(s) - np.mean(s))))
    assert_allclose(fitted.clustering_weights_, (w / w.sum() / np.bincount(of))[of])
    seats = np.bincount(of[fitted.selected_], minlength=3)
    assert seats.sum() == 8
    assert (seats <= [6, 3, 3]).all()
    # What is not capped is within one of its due.
    assert (np.abs(seats - 8 * w / w.sum())[seats < [6, 3, 3]] < 1.5).all()


def test_without_bias_a_whole_ensemble_is_kept_as_it_is():
    ensemble = Ensemble(families())
    fitted = Control(3, n_select=12, diversity_bias=0.0).fit(ensemble)
    assert fitted.selected_.all()
    assert_array_equal(fitted.linkage_, EAC(3).fit(ensemble).linkage_)


def test_members_of_a_group_are_drawn_alike():
    counts = np.zeros(12)
    ensemble = Ensemble(families())
    for seed in range(60):
        drawn = Control(n_groups=3, n_select=4, diversity_bias=0.0, random_state=seed)
        counts[drawn.select(ensemble)] += 1
    # Two, one and one seats for six, three and three members: 20 draws each expected,
    # with a standard deviation below 4.
    assert counts.sum() == 240
    assert (np.abs(counts - 20) < 16).all()
    assert_array_equal(counts.reshape(4, 3).sum(axis=1)[2:], [60, 60])


def test_a_consensus_can_represent_a_group():
    labels = families(1)
    control = Control(3, n_groups=3, variant="consensus", random_state=0)
    fitted = control.fit(Ensemble(labels))
    of = fitted.groups_
    heads = [EAC(3).fit_predict(Ensemble(labels[:, of == g])) for g in range(3)]
    between = [[nmi(a, b) for b in heads] for a in heads]
    w = diversity_shares(between, np.bincount(of), 10.0) / np.bincount(of)
    assert_allclose(fitted.clustering_weights_, w[of])


def test_the_number_of_groups_is_found():
    assert same_partition(
        Control(3, random_state=0).fit(Ensemble(families())).groups_,
        np.repeat([0, 1, 2], [6, 3, 3]),
    )


def test_the_selection_stands_in_front_of_another_consensus():
    ensemble = Ensemble(families())
    control = Control(n_select=5, random_state=3)
    mix = ConsensusClustering(3, selection=control, consensus="tcut", random_state=0)
    fitted = mix.fit(ensemble)
    assert_array_equal(np.flatnonzero(fitted.selected_), control.select(ensemble))


def test_more_than_there_are_cannot_be_drawn():
    with pytest.raises(ComitiaError, match="n_select=4 is larger"):
        Control(n_select=4).select(Ensemble(E6))


@pytest.mark.parametrize("seed", range(20))
def test_seats_are_the_closest_whole_numbers_that_fit(seed):
    rng = np.random.RandomState(seed)
    shares, capacity = rng.rand(3), rng.randint(1, 6, size=3)
    total = rng.randint(0, capacity.sum() + 1)
    seats = share_out(shares, total, capacity)
    assert seats.sum() == total
    assert (seats >= 0).all()
    assert (seats <= capacity).all()
    quota = total * shares / shares.sum()
    if (quota <= capacity - 1).all():
        # Without full groups the largest remainder is nearest to what is due.
        best = min(
            ((np.array(s) - quota) ** 2).sum()
            for s in product(*(range(c + 1) for c in capacity))
            if sum(s) == total
        )
        assert_allclose(((seats - quota) ** 2).sum(), best)


def test_who_is_due_nothing_gets_what_others_cannot_take():
    assert share_out([1.0, 0.0], 3, [2, 5]).tolist() == [2, 1]
    with pytest.raises(ComitiaError, match="room for 7"):
        share_out([1.0, 0.0], 8, [2, 5])


def test_rounding_takes_no_seat_away():
    assert share_out([0.1] * 3, 3, [1, 1, 1]).tolist() == [1, 1, 1]
    assert share_out([0.7, 0.2, 0.1], 10, [9, 9, 9]).tolist() == [7, 2, 1]


def test_shares_do_not_depend_on_the_diagonal():
    S = np.random.RandomState(0).rand(4, 4)
    S = S + S.T
    other = S + np.diag([1.0, 2.0, 3.0, 4.0])
    sizes = [1, 2, 3, 4]
    assert_allclose(
        diversity_shares(S, sizes, 3.0), diversity_shares(other, sizes, 3.0)
    )


@pytest.mark.parametrize("seed", range(4))
def test_the_bias_acts_also_where_the_number_of_groups_is_not_given(seed):
    good, junk = planted(100, 4, 20, 0.2, seed)[0], planted(100, 4, 10, 1.0, seed)[0]
    ensemble = Ensemble(np.column_stack([good, junk]))
    plain, more = (
        Control(4, diversity_bias=bias, random_state=0).fit(ensemble)
        for bias in (0.0, 10.0)
    )
    assert plain.groups_.max() >= 2
    assert_allclose(plain.clustering_weights_, 1 / 30)
    assert np.ptp(more.clustering_weights_) > 0.05 / 30


def test_fewer_than_three_groups_where_fewer_clusterings_differ():
    assert same_partition(Control(2).fit(Ensemble(E6)).groups_, [0, 0, 1])
    assert_array_equal(Control(2).fit(Ensemble(E6[:, :2])).groups_, [0, 0])
    different = np.column_stack([E6[:, [0, 2]], np.arange(6) % 2])
    assert same_partition(Control(2).fit(Ensemble(different)).groups_, [0, 1, 2])


def test_the_number_of_groups_is_that_of_the_longest_lifetime_from_three_on():
    heights = np.array([0.1, 0.2, 0.5, 0.55, 1.0])
    tree = np.column_stack([np.zeros((5, 2)), heights, np.zeros(5)])
    # Two groups live 0.45; of the others four groups live longest, 0.3.
    assert lifetime_from_three(tree) == 4
