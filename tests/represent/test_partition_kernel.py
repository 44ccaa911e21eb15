"""Kernels between partitions, against sums over every subset and every path."""

import itertools
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from comitia.exceptions import ComitiaError
from comitia.represent import (
    path_kernel,
    path_kernel_table,
    subset_kernel,
    subset_kernel_table,
)
from tests.fixtures import E6

C, D = E6[:, 0], E6[:, 2]


def members(labels):
    return [set(np.flatnonzero(labels == name)) for name in np.unique(labels)]


def subset_kernel_by_enumeration(a, b, largest):
    total = 0.0
    for q in range(1, largest + 1):
        for S in map(set, itertools.combinations(range(len(a)), q)):
            one = [len(S) / len(c) for c in members(a) if c >= S]
            other = [len(S) / len(c) for c in members(b) if c >= S]
            total += sum(one) * sum(other)
    return total


def path_probability(path, labels, g):
    """That a walk takes these steps; every step ends inside the cluster."""
    probability = 1.0 / len(labels)
    for here, there in itertools.pairwise(path):
        if labels[here] != labels[there]:
            return 0.0
        probability *= g / ((labels == labels[here]).sum() - 1)
    return probability


def path_kernel_by_enumeration(a, b, g):
    return sum(
        path_probability(path, a, g) * path_probability(path, b, g)
        for length in range(1, len(a) + 1)
        for path in itertools.permutations(range(len(a)), length)
    )


def test_subset_kernel_of_the_catalogue():
    assert_allclose(subset_kernel(C, D, normalize=False), 7 / 3)
    assert_allclose(subset_kernel(C, C, normalize=False), 16 / 3)
    assert_allclose(subset_kernel(D, D, normalize=False), 9 / 2)
    assert_allclose(subset_kernel(C, D), (7 / 3) / math.sqrt(24.0))
    assert round(subset_kernel(C, D), 6) == 0.476290
    assert_allclose(subset_kernel(C, C), 1.0)


def test_path_kernel_of_the_catalogue():
    assert_allclose(path_kernel(C, D, normalize=False), 13 / 72)
    assert round(path_kernel(C, D), 6) == 0.910391
    assert_allclose(path_kernel(D, D), 1.0)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("largest", [1, 2, 4, None])
def test_subset_kernel_is_the_sum_over_all_subsets(seed, largest):
    rng = np.random.RandomState(seed)
    a, b = rng.randint(0, 3, size=(2, 8))
    expected = subset_kernel_by_enumeration(a, b, largest or 8)
    got = subset_kernel(a, b, max_subset_size=largest, normalize=False)
    assert_allclose(got, expected, rtol=1e-12)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("g", [0.0, 0.3, 1.0])
def test_path_kernel_is_the_sum_over_all_paths(seed, g):
    rng = np.random.RandomState(seed)
    # The last seeds have few clusters, and with them long paths.
    a, b = rng.randint(0, 4 - seed // 2, size=(2, 6))
    expected = path_kernel_by_enumeration(a, b, g)
    got = path_kernel(a, b, continuation=g, normalize=False)
    assert_allclose(got, expected, rtol=1e-12)


def test_paths_that_are_left_out_cannot_be_told_from_zero():
    # The worst case is one cluster and g = 1; a walk of any length stays inside.
    for n in (14, 15, 20, 40):
        terms = [
            math.perm(n, length) / (n - 1) ** (2 * length - 2)
            for length in range(1, n + 1)
        ]
        whole = path_kernel(np.zeros(n), np.zeros(n), continuation=1, normalize=False)
        assert_allclose(whole * n**2, math.fsum(terms), rtol=1e-14)


@pytest.mark.parametrize("size", [40, 1500, 4000])
def test_large_clusters_do_not_overflow(size):
    # One cluster, and the same cluster less one object: exact in integers.
    a = np.zeros(size, dtype=int)
    b = np.r_[np.zeros(size - 1, dtype=int), 1]

    def f(t):
        return t * (t + 1) * 2 ** (t - 2) if t > 1 else 1

    from fractions import Fraction

    K = Fraction(f(size - 1), size * (size - 1)) + Fraction(1, size)
    K_a = Fraction(f(size), size**2)
    K_b = Fraction(f(size - 1), (size - 1) ** 2) + 1
    expected = math.sqrt(K**2 / (K_a * K_b))
    # A logarithm of some thousand bits carries its rounding into the last digits.
    assert_allclose(subset_kernel(a, b), expected, rtol=1e-11)


def test_a_table_for_larger_counts_gives_the_same_values():
    table = np.array([[2, 1, 0], [0, 1, 2]])
    assert_allclose(subset_kernel_table(50).normalized(table), subset_kernel(C, D))
    assert_allclose(path_kernel_table(50).normalized(table), path_kernel(C, D))


def test_kernels_are_symmetric_and_blind_to_names():
    rng = np.random.RandomState(0)
    a, b = rng.randint(0, 4, size=(2, 30))
    for kernel in (subset_kernel, path_kernel):
        assert_allclose(kernel(a, b), kernel(b, a))
        assert_allclose(kernel(a, b), kernel(3 - a, b * 7))
        assert 0 < kernel(a, b) < 1


def test_a_gram_matrix_has_no_negative_eigenvalue():
    rng = np.random.RandomState(1)
    partitions = rng.randint(0, 4, size=(12, 10))
    for kernel in (subset_kernel, path_kernel):
        gram = [[kernel(a, b) for a in partitions] for b in partitions]
        assert np.linalg.eigvalsh(np.array(gram)).min() > -1e-12


def test_objects_that_one_partition_leaves_out_do_not_count():
    a, b = np.r_[C, 0, 5], np.r_[D, -1, -1]
    assert_allclose(subset_kernel(a, b), subset_kernel(C, D))
    assert_allclose(path_kernel(a, b), path_kernel(C, D))
    assert subset_kernel([0, 0, -1], [-1, -1, 0]) == 0.0


def test_impossible_parameters_are_refused_in_words():
    with pytest.raises(ComitiaError, match="max_subset_size=0 must be at least 1"):
        subset_kernel(C, D, max_subset_size=0)
    with pytest.raises(ComitiaError, match=r"continuation=1.5 must lie in \[0, 1\]"):
        path_kernel(C, D, continuation=1.5)
