"""Clusterings as features, against dense matrices."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble
from comitia.exceptions import ComitiaError
from comitia.methods.selection._hcss_subsets import (
    graph_scores,
    relevance_redundancy,
    subset_weights,
)
from comitia.represent import coassociation
from tests.fixtures import E6


def score_by_definition(labels, S):
    """Laplacian score of the indicator columns of one clustering."""
    D = np.diag(S.sum(axis=1))
    ones = np.ones(len(S))
    above = below = 0.0
    for c in set(labels[labels >= 0].tolist()):
        f = (labels == c).astype(float)
        centered = f - (f @ D @ ones) / (ones @ D @ ones)
        above += centered @ (D - S) @ centered
        below += centered @ D @ centered
    return above / below


@pytest.mark.parametrize("seed", range(3))
def test_graph_scores_are_their_definition(seed):
    rng = np.random.RandomState(seed)
    labels = rng.randint(-1, 3, size=(20, 4))
    S = rng.rand(20, 20) * (rng.rand(20, 20) < 0.4)
    S = S + S.T
    expected = [score_by_definition(column, S) for column in labels.T]
    assert_allclose(graph_scores(Ensemble(labels), S), expected)


@pytest.mark.parametrize("seed", range(3))
def test_without_a_graph_the_coassociation_is_the_graph(seed):
    labels = np.random.RandomState(seed).randint(-1, 3, size=(20, 4))
    ensemble = Ensemble(labels)
    # An edge is the weight that puts two objects together: a missing label adds none.
    S = coassociation(ensemble, co_sampled=False, dtype=np.float64)
    assert_allclose(graph_scores(ensemble), graph_scores(ensemble, S))


def test_a_clustering_of_one_cluster_scores_worst():
    labels = np.column_stack([E6[:, 0], np.zeros(6, dtype=int)])
    scores = graph_scores(Ensemble(labels))
    assert np.isfinite(scores[0])
    assert np.isinf(scores[1])


def test_a_graph_of_other_objects_is_refused():
    with pytest.raises(ComitiaError, match="each of 6 objects"):
        graph_scores(Ensemble(E6), np.ones((5, 5)))


def test_what_was_said_already_is_not_picked():
    phi = np.array(
        [[1, 0.9, 0.5, 0.1], [0.9, 1, 0.5, 0.1], [0.5, 0.5, 1, 0.1], [0.1, 0.1, 0.1, 1]]
    )
    # Relevance 0.5, 0.5, 0.3667, 0.1; of equals the first. Then the gains are
    # 0.5 - 0.9, 0.3667 - 0.5, 0.1 - 0.1, and last 0.5 - 0.5, 0.3667 - 0.3.
    assert_array_equal(relevance_redundancy(phi, 4), [0, 3, 2, 1])


def test_subset_weights_are_those_of_the_catalogue():
    weights, of_subsets = subset_weights([1, 2, 3], [[0, 1], [0, 2]])
    assert_allclose(of_subsets, [1, 0.903913], atol=5e-7)  # printed
    assert_allclose(weights[1], 0.513417, atol=5e-7)  # printed
    assert_allclose(weights[2], 0.903913 * 0.367879, atol=1e-6)  # printed
    assert_allclose(weights[0], 1.903913, atol=5e-7)  # printed


def test_perfect_clusterings_weigh_alike():
    weights, of_subsets = subset_weights([0.0, 0.0, 0.0], [[0, 1], [1]])
    assert_array_equal(of_subsets, [1, 1])
    assert_array_equal(weights, [1, 2, 0])


@pytest.mark.parametrize("seed", range(5))
def test_relevance_and_redundancy_are_their_definition(seed):
    A = np.random.RandomState(seed).rand(8, 8)
    phi = (A + A.T) / 2
    np.fill_diagonal(phi, 1)
    relevance = np.array([np.delete(row, m).mean() for m, row in enumerate(phi)])
    expected = [int(relevance.argmax())]
    while len(expected) < 6:
        rest = [m for m in range(8) if m not in expected]
        gains = [relevance[m] - phi[m, expected].mean() for m in rest]
        expected.append(rest[int(np.argmax(gains))])
    assert_array_equal(relevance_redundancy(phi, 6), expected)
