"""Distances and moments of Gaussians."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad
from scipy.stats import norm

from comitia.methods.selection._dcss_gaussians import bhattacharyya, merge_gaussians


def test_worked_numbers():
    D = bhattacharyya([[0.0], [0.0], [2.0]], [[1.0], [1.0], [1.0]])
    assert_allclose(D, [[0, 0, 0.5], [0, 0, 0.5], [0.5, 0.5, 0]])


@pytest.mark.parametrize(("mean", "variance"), [(0.0, 4.0), (1.5, 0.3)])
def test_the_distance_is_that_of_the_overlap(mean, variance):
    overlap, _ = quad(
        lambda x: np.sqrt(norm.pdf(x) * norm.pdf(x, mean, np.sqrt(variance))), -30, 30
    )
    D = bhattacharyya([[0.0], [mean]], [[[1.0]], [[variance]]])
    assert_allclose(D[0, 1], -np.log(overlap), rtol=1e-7)


def test_diagonal_covariances_are_full_ones_without_correlation():
    rng = np.random.RandomState(0)
    mu, variances = rng.randn(5, 3), rng.rand(5, 3) + 0.1
    full = np.array([np.diag(v) for v in variances])
    assert_allclose(bhattacharyya(mu, variances), bhattacharyya(mu, full), atol=1e-12)


def test_no_linear_map_changes_the_distance():
    rng = np.random.RandomState(1)
    mu, roots = rng.randn(4, 3), rng.randn(4, 3, 3)
    sigma = roots @ roots.transpose(0, 2, 1) + np.eye(3)
    A = rng.randn(3, 3)
    moved = bhattacharyya(mu @ A.T + 5.0, A @ sigma @ A.T)
    assert_allclose(moved, bhattacharyya(mu, sigma), rtol=1e-9)


def test_two_equal_halves_are_as_wide_as_they_are_apart():
    one = merge_gaussians([1, 1], [[-1.0], [1.0]], [[[3.0]], [[3.0]]], [0, 0])
    assert_allclose(one.means, [[0]])
    assert_allclose(one.covariances, [[[4]]])
    assert_allclose(one.proportions, [1])


def test_merged_moments_are_those_of_the_mixture():
    rng = np.random.RandomState(2)
    w, mu = np.array([0.2, 0.3, 0.5]), rng.randn(3, 2)
    roots = rng.randn(3, 2, 2)
    sigma = roots @ roots.transpose(0, 2, 1)
    merged = merge_gaussians(w, mu, sigma, [1, 0, 1])
    assert_allclose(merged.proportions, [0.3, 0.7])
    for g, members in ((0, [1]), (1, [0, 2])):
        p = w[members] / w[members].sum()
        mean = p @ mu[members]
        second = sum(
            q * (s + np.outer(m, m))
            for q, m, s in zip(p, mu[members], sigma[members], strict=True)
        )
        assert_allclose(merged.means[g], mean)
        assert_allclose(merged.covariances[g], second - np.outer(mean, mean))
    diagonal = merge_gaussians(w, mu, sigma[:, [0, 1], [0, 1]], [1, 0, 1])
    assert_allclose(diagonal.covariances, merged.covariances[:, [0, 1], [0, 1]])
    assert_array_equal(diagonal.means, merged.means)
