"""Passes over rows of labels, against indicator matrices and plain loops."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble
from comitia._kernels import label_rows as kernels
from comitia._kernels.sums import padded, place_of_first
from comitia.engine.compiled import CompiledEngine

# Clusterings: four labels are read at once.
WIDTHS = [1, 2, 3, 4, 5, 7, 8, 9]
# Objects: four are counted at once.
LENGTHS = [1, 2, 3, 4, 5, 6, 7, 30]


def rows_of(n, M, seed=0, missing=0.2):
    """Up to four clusters in each clustering, and where they begin in padded tables."""
    rng = np.random.RandomState(seed)
    labels = rng.randint(4, size=(n, M))
    labels[rng.rand(n, M) < missing] = -1
    ensemble = Ensemble.from_codes(np.where(labels < 0, 4, labels).T, [4] * M)
    return ensemble, place_of_first(ensemble.offsets)


@pytest.mark.parametrize("M", WIDTHS)
def test_table_rows_are_added_in_a_fixed_order(M):
    # So that no bit depends on where an object stands, here or on a device.
    ensemble, starts = rows_of(20, M)
    values = np.random.RandomState(1).randn(4 * M, 3) * 10.0 ** np.arange(3)
    table = padded(values, ensemble.offsets)
    by_fours, one_by_one = np.empty((2, 20, 3))
    kernels.sum_of_table(ensemble.row_codes, starts, table, by_fours)
    kernels.score_rows(ensemble.row_codes, starts, table, np.ones(20), one_by_one)
    for i, codes in enumerate(ensemble.row_codes):
        rows = table[starts + codes]
        total = np.zeros(3)
        for row in rows:
            total = total + row
        assert_array_equal(one_by_one[i], total)
        total = np.zeros(3)
        whole = M - M % 4
        for a, b, c, d in rows[:whole].reshape(-1, 4, 3):
            total = total + ((a + b) + (c + d))
        for row in rows[whole:]:
            total = total + row
        assert_array_equal(by_fours[i], total)


@pytest.mark.parametrize("M", WIDTHS)
def test_rows_are_added_to_the_table_rows_of_their_labels(M):
    ensemble, starts = rows_of(20, M)
    Q = np.random.RandomState(1).randn(20, 3)
    table = np.ones((5 * M, 3))
    kernels.add_to_table(ensemble.row_codes, starts, Q, table)
    is_cluster = np.arange(5 * M) % 5 < 4  # the fifth row is for missing labels
    expected = 1.0 + ensemble.membership.T @ Q
    assert_allclose(table[is_cluster], expected, atol=1e-12)


def test_totals_of_more_objects_than_a_block_holds():
    ensemble, starts = rows_of(kernels._BLOCK + 3, 2)
    values = np.random.RandomState(1).randn(8)
    got = np.full(ensemble.n_objects, np.nan)
    weights = padded(values, ensemble.offsets)
    kernels.row_totals(ensemble.codes, starts, weights, got)
    assert_allclose(got, ensemble.membership @ values, atol=1e-12)


@pytest.mark.parametrize("n", LENGTHS)
def test_every_object_gets_the_label_with_most_votes(n):
    ensemble, _ = rows_of(n, 5, missing=0.4)
    rng = np.random.RandomState(n)
    targets = rng.randint(-1, 3, size=20)  # -1 votes for nothing
    for weights in (np.ones(20), rng.randint(4, size=20).astype(float)):
        votes = np.zeros((n, 3))
        for c, r in enumerate(targets):
            if r >= 0:
                votes[:, r] += weights[c] * ensemble.membership.toarray()[:, c]
        expected = np.where(votes.any(axis=1), votes.argmax(axis=1), -1)
        engine = CompiledEngine(ensemble)
        assert_array_equal(engine.winners(targets, 3, weights), expected)
        assert_allclose(engine.vote_table(targets, 3, weights), votes, atol=1e-12)


@pytest.mark.parametrize("n", LENGTHS)
def test_means_are_of_the_clusters_that_an_object_is_in(n):
    ensemble, _ = rows_of(n, 5, missing=0.6)
    rng = np.random.RandomState(n)
    table, weights = rng.randn(20, 3), rng.randint(3, size=20).astype(float)
    B = ensemble.membership.toarray() * weights
    total = B.sum(axis=1, keepdims=True)
    expected = np.divide(B @ table, total, out=np.zeros((n, 3)), where=total > 0)
    got = CompiledEngine(ensemble).mean_rows(table, weights)
    assert_allclose(got, expected, atol=1e-12)


@pytest.mark.parametrize("M", WIDTHS)
def test_distinct_rows_are_numbered_as_they_appear(M):
    # Up to 1025 objects in a table of 4096 places: some meet others in their place.
    for n in (1, 2, 3, 300, kernels._HASHED + 1):
        codes = np.random.RandomState(n).randint(200, size=(M, n)).astype(np.uint16)
        codes[:, n // 2 :] = codes[:, : n - n // 2]
        rows = np.ascontiguousarray(codes.T)
        first, inverse = kernels.distinct_rows(codes, rows)
        numbers: dict[tuple[int, ...], int] = {}
        expected = [numbers.setdefault(tuple(row), len(numbers)) for row in rows]
        assert_array_equal(inverse, expected)
        assert_array_equal(first, np.unique(expected, return_index=True)[1])
