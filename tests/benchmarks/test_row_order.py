"""What a transform along the rows does: CELTA's shrinkage is no function of labels."""

import numpy as np
from numpy.testing import assert_allclose

from benchmarks import row_order
from comitia import Ensemble
from comitia.represent import coassociation
from tests.fixtures import E6, planted


def slices_of_e6():
    A = coassociation(Ensemble(E6), dtype=np.float64)
    return np.stack([np.where(A > 0.99, A, 0.0), A])


def test_a_row_permutation_changes_the_shrunk_tensor():
    slices = slices_of_e6()
    worst = 0.0
    for seed in range(20):
        order = np.random.RandomState(seed).permutation(6)
        at = np.ix_([0, 1], order, order)
        moved = row_order.shrunk(slices[at], 1.0) - row_order.shrunk(slices, 1.0)[at]
        worst = max(worst, np.abs(moved).max())
    assert worst > 0.1


def test_nothing_shrinks_below_a_threshold_of_zero():
    slices = slices_of_e6()
    assert_allclose(row_order.shrunk(slices, 0.0), slices, atol=1e-12)


def test_the_plain_co_association_does_not_mind_the_order():
    labels, truth = planted(40, 3, 6, noise=0.3, seed=0)
    rows = row_order.sorted_and_shuffled(labels, truth, max_iter=5)
    assert len(rows) == 4
    assert np.ptp([plain for _, _, plain in rows]) < 0.05
