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
    assert np.ptp([plain for *_, plain in rows]) < 0.05


def test_a_matrix_on_the_fantope_is_the_nearest_one():
    rng = np.random.RandomState(0)
    S = rng.randn(8, 8)
    S = S + S.T
    vectors = np.linalg.eigh(S)[1]
    found = row_order.on_fantope(S, 3)
    on_it = np.linalg.eigvalsh(found)
    assert_allclose(on_it.sum(), 3.0)
    assert on_it.min() > -1e-12
    assert on_it.max() < 1.0 + 1e-12
    assert_allclose(row_order.on_fantope(found, 3), found, atol=1e-12)
    # No other one is nearer: neither three eigenvectors nor a mixture.
    for _ in range(200):
        Q = np.linalg.qr(rng.randn(8, 3))[0]
        assert np.linalg.norm(S - Q @ Q.T) >= np.linalg.norm(S - found)
    three = vectors[:, -3:] @ vectors[:, -3:].T
    assert np.linalg.norm(S - three) >= np.linalg.norm(S - found) - 1e-12


def test_gtlec_reads_the_order_of_the_rows():
    labels, _ = planted(24, 3, 4, noise=0.2, seed=0)
    order = np.random.RandomState(0).permutation(24)
    moved = row_order.gtlec(labels[order], 3, rank_penalty=0.05)
    there = row_order.gtlec(labels, 3, rank_penalty=0.05)[np.ix_(order, order)]
    assert np.abs(moved - there).max() > 0.01
    # Without the tensor it does not.
    moved = row_order.gtlec(labels[order], 3, rank_penalty=0.0)
    there = row_order.gtlec(labels, 3, rank_penalty=0.0)[np.ix_(order, order)]
    assert_allclose(moved, there, atol=1e-6)  # after thirty rounds of steps times three
