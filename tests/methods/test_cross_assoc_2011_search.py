"""Groups of a 0/1 matrix with even blocks."""

import itertools
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia.exceptions import ComitiaError
from comitia.methods.fixed_clusterings._cross_assoc_2011_search import (
    cross_association,
)
from comitia.partition.median_search import set_partitions
from tests.fixtures import same_partition


def cost_by_loops(matrix, labels, weight_blocks=True):
    total = 0.0
    for r, s in itertools.product(np.unique(labels), repeat=2):
        block = matrix[np.ix_(labels == r, labels == s)]
        p = block.mean()
        if 0 < p < 1:
            bits = -p * math.log2(p) - (1 - p) * math.log2(1 - p)
            total += bits * (block.size if weight_blocks else 1)
    return total


def random_matrix(n, share, seed):
    upper = np.triu(np.random.RandomState(seed).rand(n, n) < share)
    return (upper | upper.T).astype(int)


@pytest.mark.parametrize("weight_blocks", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_the_cost_is_its_definition(weight_blocks, seed):
    matrix = random_matrix(20, 0.3, seed)
    labels = np.r_[0, 1, 2, np.random.RandomState(seed).randint(3, size=17)]
    expected = cost_by_loops(matrix, labels, weight_blocks)
    run = cross_association(matrix, labels, weight_blocks=weight_blocks)
    assert_allclose(run.objective[0], expected)
    # Costs are not added up but counted after each sweep.
    after = cost_by_loops(matrix, run.labels, weight_blocks)
    assert_allclose(run.objective[-1], after)


def test_block_diagonal_matrices_cost_nothing_in_their_own_groups():
    truth = np.repeat([0, 1, 2], [4, 6, 9])
    matrix = truth[:, None] == truth
    start = np.r_[1, 2, truth[2:-1], 0]
    run = cross_association(matrix, start)
    assert same_partition(run.labels, truth)
    assert run.objective[-1] == 0.0
    assert run.converged


@pytest.mark.parametrize("weight_blocks", [True, False])
def test_no_single_row_would_go_elsewhere_in_the_end(weight_blocks):
    matrix = random_matrix(18, 0.4, seed=7)
    start = np.arange(18) % 4
    run = cross_association(matrix, start, weight_blocks=weight_blocks)
    assert run.converged
    assert (np.diff(run.objective) <= 1e-9).all()
    for i in range(18):
        if (run.labels == run.labels[i]).sum() > 1:
            for target in range(4):
                moved = run.labels.copy()
                moved[i] = target
                cost = cost_by_loops(matrix, moved, weight_blocks)
                assert cost >= run.objective[-1] - 1e-8


def test_the_best_of_all_starts_is_the_best_of_all_groups():
    matrix = random_matrix(6, 0.5, seed=3)
    starts = set_partitions(6, 2)
    found = min(cross_association(matrix, start).objective[-1] for start in starts)
    assert_allclose(found, min(cost_by_loops(matrix, labels) for labels in starts))


def test_noise_is_seen_through():
    rng = np.random.RandomState(0)
    truth = np.repeat([0, 1, 2], 30)
    flip = np.triu(rng.rand(90, 90) < 0.2)
    matrix = (truth[:, None] == truth) ^ flip ^ np.triu(flip, 1).T
    start = np.where(rng.rand(90) < 0.3, rng.randint(3, size=90), truth)
    assert same_partition(cross_association(matrix, start).labels, truth)


def test_groups_of_one_object_cost_nothing_and_a_start_is_left_as_it_was():
    matrix, start = random_matrix(7, 0.5, seed=0), np.arange(7)
    for weight_blocks in (True, False):
        run = cross_association(matrix, start, weight_blocks=weight_blocks)
        assert run.objective[-1] == 0.0
        assert_array_equal(run.labels, start)
    given = np.array([0, 1, 1, 0, 1, 0, 0])
    before = given.copy()
    cross_association(matrix, given)
    assert_array_equal(given, before)


def test_few_sweeps_do_not_converge():
    run = cross_association(random_matrix(60, 0.5, 1), np.arange(60) % 5, max_iter=1)
    assert not run.converged
    assert len(run.objective) == 2


def test_what_is_no_symmetric_matrix_of_zeros_and_ones_is_refused():
    good = np.eye(3)
    with pytest.raises(ComitiaError, match="symmetric with entries 0 and 1"):
        cross_association(np.array([[1, 1], [0, 1]]), [0, 1])
    with pytest.raises(ComitiaError, match="symmetric with entries 0 and 1"):
        cross_association(0.5 * good, [0, 1, 1])
    with pytest.raises(ComitiaError, match="must be square"):
        cross_association(good[:2], [0, 1])
    with pytest.raises(ComitiaError, match="each used at least once"):
        cross_association(good, [0, 2, 2])
    with pytest.raises(ComitiaError, match="one entry per row, 3"):
        cross_association(good, [0, 1])
