"""Sums over the clusters of each object."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble
from comitia._kernels.sums import padded
from comitia.represent.cluster_sums import row_sums
from tests.fixtures import U6


def degrees(votes):
    """Row sums of the co-association B B', by the sizes of the clusters."""
    return row_sums(votes, votes.sizes)


def test_degrees_of_u6_are_those_of_the_catalogue():
    assert_array_equal(degrees(Ensemble(U6)), [12, 12, 12, 12, 10, 6])


@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_of_a_padded_table_lie_in_one_piece(order):
    table = np.arange(12.0).reshape(4, 3, order=order)
    got = padded(table, np.array([0, 1, 4]))
    assert got.flags.c_contiguous  # kernels take four times as long otherwise
    assert_array_equal(got[[1, 5]], 0)
    assert_array_equal(got[[0, 2, 3, 4]], table)


@pytest.mark.parametrize("missing", [0.0, 0.3, 0.9])
def test_degrees_are_row_sums_of_the_coassociation(missing):
    rng = np.random.RandomState(0)
    labels = rng.randint(5, size=(50, 6))
    labels[rng.rand(50, 6) < missing] = -1
    votes = Ensemble(labels)
    B = votes.membership.toarray()
    assert_array_equal(degrees(votes), (B @ B.T).sum(axis=1))
    assert_array_equal(degrees(votes) == 0, votes.n_votes == 0)


@pytest.mark.parametrize(
    "votes",
    [
        Ensemble.from_memberships([np.random.RandomState(0).dirichlet([1, 1, 1], 6)]),
        Ensemble.from_clusters([[[0, 1], [1, 2]], [[0, 1, 2]]], 4),
    ],
    ids=["fuzzy", "overlapping"],
)
def test_degrees_of_fuzzy_and_overlapping_objects_are_row_sums(votes):
    B = votes.membership.toarray()
    assert_allclose(degrees(votes), (B @ B.T).sum(axis=1), rtol=1e-14)
