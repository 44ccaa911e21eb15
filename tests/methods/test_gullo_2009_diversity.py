"""Weights by diversity, against loops and the catalogue's numbers."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import linkage
from scipy.stats import norm

from comitia import Ensemble
from comitia.exceptions import ComitiaError
from comitia.methods.fixed_clusterings._gullo_2009_diversity import (
    dendrogram_weights,
    diversity_scores,
    diversity_weights,
    group_similarity,
)
from tests.fixtures import planted

A = 2 / 3 * np.sqrt(np.log(2) / np.log(3))  # phi(C1, C3) of E6


PHI6 = np.array([[1, 1, A], [1, 1, A], [A, A, 1]])


def agreements(seed, M=7):
    labels, _ = planted(40, 3, M, noise=0.5, seed=seed)
    return Ensemble(labels).agreement("nmi_sqrt")


@pytest.mark.parametrize("seed", range(3))
def test_diversities_are_their_definitions(seed):
    phi = agreements(seed)
    M = len(phi)
    without = [
        np.mean(
            [1 - phi[j, h] for j, h in combinations(range(M), 2) if m not in (j, h)]
        )
        for m in range(M)
    ]
    of_each = [np.mean([1 - phi[m, j] for j in range(M) if j != m]) for m in range(M)]
    assert_allclose(diversity_scores(phi), without, atol=1e-12)
    assert_allclose(diversity_scores(phi, "individual"), of_each, atol=1e-12)
    # The two put the clusterings in opposite orders.
    assert_array_equal(np.argsort(without), np.argsort(of_each)[::-1])


def test_diversities_of_e6_are_those_of_the_catalogue():
    e = diversity_scores(PHI6, "individual")
    assert_allclose(e, [0.235230, 0.235230, 0.470459], atol=5e-7)  # six decimals
    assert_allclose(diversity_scores(PHI6), [0.470459, 0.470459, 0], atol=5e-7)
    # Two clusterings, less one, leave no pair: their difference counts for both.
    assert_allclose(diversity_scores(PHI6[1:, 1:]), 1 - A)
    assert_array_equal(diversity_scores([[1.0]]), [0.0])


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
def test_weights_mix_diversity_and_its_density(alpha):
    d = np.random.RandomState(0).rand(8)
    density = norm.pdf(d, d.mean(), d.std())
    expected = alpha * d / d.sum() + (1 - alpha) * density / density.sum()
    assert_allclose(diversity_weights(d, alpha), expected)
    assert_allclose(diversity_weights(np.zeros(4), alpha), 0.25)
    assert_allclose(diversity_weights(np.full(4, 0.1), alpha), 0.25)


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ComitiaError, match="diversity_share=2"):
        diversity_weights([0.1, 0.2], 2)
    with pytest.raises(ComitiaError, match="kind='all'"):
        diversity_scores(PHI6, "all")


def test_groups_are_compared_as_loops_do():
    phi = agreements(1)
    groups = np.array([0, 1, 0, 2, 1, 0, 1])
    for g in range(3):
        for h in range(3):
            block = phi[np.ix_(groups == g, groups == h)]
            assert_allclose(group_similarity(phi, groups)[g, h], block.mean())


def test_weight_halves_at_every_node():
    # ((0, 1), (2, (3, 4))) with five different heights.
    tree = [[3, 4, 0.1, 2], [0, 1, 0.2, 2], [2, 5, 0.3, 3], [6, 7, 0.9, 5]]
    assert_allclose(dendrogram_weights(tree), [1 / 4, 1 / 4, 1 / 4, 1 / 8, 1 / 8])
    assert_array_equal(dendrogram_weights(np.empty((0, 4))), [1.0])


def test_branches_share_in_proportion_to_their_lengths():
    # The root at 1 has a leaf, of length 1, and a node at 0.5.
    tree = [[0, 1, 0.5, 2], [2, 3, 1.0, 3]]
    expected = [1 / 6, 1 / 6, 2 / 3]
    assert_allclose(dendrogram_weights(tree, by_length=True), expected)
    flat = [[0, 1, 0.0, 2], [2, 3, 0.0, 3]]
    assert_allclose(dendrogram_weights(flat, by_length=True), 1 / 3)


@pytest.mark.parametrize("by_length", [False, True])
def test_equal_clusterings_weigh_the_same_in_a_tree(by_length):
    points = np.array([0.0, 0, 0, 0, 5, 5, 9])[:, None]
    weights = dendrogram_weights(linkage(points, "average"), by_length=by_length)
    assert_allclose(weights[:4], weights[0])
    assert_allclose(weights[4], weights[5])
    assert_allclose(weights.sum(), 1.0)
