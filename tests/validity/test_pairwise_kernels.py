"""Distances of all pairs by tiles, against the matrix of all distances."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from comitia._kernels import pairwise as kernels

# More objects than columns of one run, in clusters that begin and end anywhere.
SIZES = [5, 57, 3, 1, 440, 18, 6]


@pytest.fixture(scope="module", params=[4, 8])
def case(request):
    n, starts = sum(SIZES), np.r_[0, np.cumsum(SIZES)]
    XT = np.random.RandomState(0).randn(request.param, n)
    return XT, starts, cdist(XT.T, XT.T)


@pytest.mark.parametrize("tile", [0, 1, 8])
def test_extremes_of_a_tile_are_those_of_its_pairs(case, tile):
    XT, starts, D = case
    n, owner = len(D), np.repeat(np.arange(len(SIZES)), SIZES)
    separation, diameter = np.full((2, 9), np.nan)
    kernels.dunn_extremes(XT, starts, separation, diameter, tile, tile + 1)
    rows = np.arange(n) // kernels.ROWS == tile
    behind = rows[:, None] & (np.arange(n)[:, None] < np.arange(n))
    same = owner[:, None] == owner
    assert_allclose(separation[tile], (D[behind & ~same] ** 2).min(initial=np.inf))
    assert_allclose(diameter[tile], (D[behind & same] ** 2).max(initial=0.0))
    assert np.isnan(np.delete(separation, tile)).all()


@pytest.mark.parametrize("r", [0, 1, 2, 3, 5, 6])
def test_sums_of_a_cluster_are_those_of_its_distances(case, r):
    XT, starts, D = case
    k, n = len(SIZES), len(D)
    clusters = [slice(starts[c], starts[c + 1]) for c in range(k)]
    mine = clusters[r]
    to_columns, sums = np.zeros((1, n)), np.full(k, np.nan)
    own, other = np.zeros(n), np.full(n, np.inf)
    given = 1, to_columns, own, other
    kernels.rows_of_cluster(XT, starts, r, *given, 0, 1)
    assert_allclose(own[mine], np.triu(D[mine, mine]).sum(axis=1))
    kernels.columns_of_cluster(starts, r, *given, sums)
    assert not to_columns.any()
    expected_own, expected_other = np.zeros(n), np.full(n, np.inf)
    expected_own[mine] = D[mine, mine].sum(axis=1)
    for later in clusters[r + 1 :]:
        means = D[mine, later].mean(axis=1)
        expected_other[mine] = np.minimum(expected_other[mine], means)
        expected_other[later] = D[later, mine].mean(axis=1)
    assert_allclose(own, expected_own, atol=1e-12)
    assert_allclose(other, expected_other)
    expected = [D[mine, later].sum() for later in clusters[r + 1 :]]
    assert_allclose(sums[r + 1 :], expected)


def test_groups_of_row_tiles_share_the_rows_of_a_cluster(case):
    XT, _, _ = case
    XT, starts = XT[:, :150], np.array([0, 140, 150])
    D = cdist(XT.T, XT.T)
    to_columns = np.zeros((2, 150))
    own, other = np.zeros(150), np.full(150, np.inf)
    # Rows 0..63 and 128..139 are of the first group, 64..127 of the second.
    for group, rows in enumerate([np.r_[0:64, 128:140], np.r_[64:128]]):
        kernels.rows_of_cluster(
            XT, starts, 0, 2, to_columns, own, other, group, group + 1
        )
        behind = np.triu(D, 1)[rows]
        assert_allclose(to_columns[group], behind.sum(axis=0), atol=1e-12)
        assert_allclose(own[rows], behind[:, :140].sum(axis=1), atol=1e-12)
        assert_allclose(other[rows], behind[:, 140:].mean(axis=1))


@pytest.mark.parametrize("n", [1, 3, 4, 6, 9])
def test_all_distances_are_filled(case, n):
    XT = np.ascontiguousarray(case[0][:, :n])
    D = np.full((n, n), np.nan)
    for first in range(3):
        kernels.fill_distances(XT, D, first, first + 1)
    assert_allclose(D, cdist(XT.T, XT.T), atol=1e-12)


def test_distances_of_many_columns_are_filled_on_both_sides(case):
    XT, _, expected = case
    D = np.full(expected.shape, np.nan)
    kernels.fill_distances(XT, D, 1, 3)
    assert_allclose(D[4:12, 4:], expected[4:12, 4:], atol=1e-12)
    assert_array_equal(D[4:, 4:12], D[4:12, 4:].T)
    assert np.isnan(D[:4]).all()
    assert np.isnan(D[12:, 12:]).all()
