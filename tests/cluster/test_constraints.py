"""Constraint sets: what is refused, what follows, what is violated."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from comitia.cluster import ConstraintSet, random_constraints
from comitia.exceptions import ComitiaError


def closure_by_rules(n, must, cannot):
    """Apply the two rules until nothing is added."""
    must = {frozenset(pair) for pair in must}
    cannot = {frozenset(pair) for pair in cannot}
    while True:
        more_must = {
            a ^ b for a, b in combinations(must, 2) if len(a ^ b) == 2 and a & b
        }
        more_cannot = {a ^ b for a in must for b in cannot if len(a ^ b) == 2 and a & b}
        if more_must <= must and more_cannot <= cannot:
            return must, cannot
        must |= more_must
        cannot |= more_cannot


def as_sets(pairs):
    return {frozenset(pair) for pair in pairs.tolist()}


@pytest.mark.parametrize("seed", range(8))
def test_closure_applies_its_rules_to_the_end(seed):
    rng = np.random.RandomState(seed)
    truth = rng.randint(3, size=9)
    given = random_constraints(truth, 8, rng)
    must, cannot = closure_by_rules(9, given.must_link, given.cannot_link)
    closed = given.closure()
    assert as_sets(closed.must_link) == must
    assert as_sets(closed.cannot_link) == cannot
    assert closed.n_violated(truth) == 0


def test_closing_twice_changes_nothing():
    once = ConstraintSet(5, [(0, 1), (1, 2)], [(2, 3)]).closure()
    assert_array_equal(once.pairs, once.closure().pairs)


def test_a_contradiction_is_refused_and_named():
    with pytest.raises(ComitiaError, match=r"pair \(2, 3\) is in cannot_link and in m"):
        ConstraintSet(6, [(3, 2)], [(2, 3)]).closure()
    with pytest.raises(
        ComitiaError, match=r"\(0, 5\).* by way of 0 - 2 - 4 - 5; leave"
    ):
        ConstraintSet(6, [(2, 0), (2, 4), (5, 4)], [(0, 5)]).closure()


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([0, 1], r"must_link must hold pairs .* got shape \(2,\)"),
        ([(0, 1, 2)], r"must_link must hold pairs .* got shape \(1, 3\)"),
        ([(0.0, 1.0)], "as integers; got dtype float64"),
        ([(0, 6)], r"the pair \(0, 6\); objects are numbered 0..5"),
        ([(-1, 0)], r"the pair \(-1, 0\)"),
        ([(1, 2), (4, 4)], "pairs object 4 with itself"),
    ],
)
def test_bad_pairs_are_refused_in_words(pairs, message):
    with pytest.raises(ComitiaError, match=message):
        ConstraintSet(6, must_link=pairs)


def test_bad_weights_are_refused_in_words():
    with pytest.raises(ComitiaError, match="one entry per constraint, 2"):
        ConstraintSet(3, [(0, 1)], [(1, 2)], weights=[1.0])
    with pytest.raises(ComitiaError, match="finite and not negative"):
        ConstraintSet(3, [(0, 1)], weights=[-1.0])


def test_violations_are_counted_and_weighed():
    pairs = ConstraintSet(4, [(0, 1), (1, 2)], [(2, 3)], weights=[1.0, 2.0, 5.0])
    assert_array_equal(pairs.violated([0, 0, 1, 1]), [False, True, True])
    assert pairs.n_violated([0, 0, 1, 1]) == 2
    assert pairs.violated_share([0, 0, 1, 1]) == 7 / 8
    assert pairs.violated_share([0, 0, 0, 1]) == 0.0
    assert pairs.n_violated([0, -1, 1, -1]) == 0
    assert ConstraintSet(4).violated_share([0, 1, 2, 3]) == 0.0


def test_names_of_labels_do_not_matter_to_violations():
    rng = np.random.RandomState(0)
    truth, labels = rng.randint(3, size=(2, 20))
    pairs = random_constraints(truth, 30, rng)
    renamed = np.array([7, 3, 5])[labels]
    assert_array_equal(pairs.violated(labels), pairs.violated(renamed))


def test_part_of_the_constraints_keeps_signs_and_weights():
    pairs = ConstraintSet(5, [(0, 1), (1, 2)], [(2, 3), (3, 4)], weights=[1, 2, 3, 4])
    part = pairs.take([3, 1])
    assert part.must_link.tolist() == [[1, 2]]
    assert part.cannot_link.tolist() == [[3, 4]]
    assert part.weights.tolist() == [2, 4]
    assert len(pairs.take(np.array([False] * 4))) == 0


def test_the_matrix_is_symmetric_with_signs():
    Z = ConstraintSet(3, [(0, 1), (1, 0)], [(2, 1)]).matrix().toarray()
    assert_array_equal(Z, [[0, 1, 0], [1, 0, -1], [0, -1, 0]])


def test_random_constraints_are_different_pairs_that_hold():
    truth = np.array([0, 0, 1, 1, 2])
    drawn = random_constraints(truth, 10, np.random.RandomState(0))
    assert len(as_sets(drawn.pairs)) == 10
    assert drawn.n_violated(truth) == 0
    assert len(drawn.must_link) == 2
    with pytest.raises(ComitiaError, match=r"n_constraints=11 must lie in 0..10"):
        random_constraints(truth, 11, np.random.RandomState(0))
