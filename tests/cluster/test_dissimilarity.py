"""Distances whose last bits, which differ between processors, decide nothing."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from comitia.cluster import dissimilarity as _dissimilarity
from comitia.cluster.dissimilarity import closest_rows, dissimilarities


def survey(seed, n=80):
    """Whole numbers, with copies and with many distances that are equal."""
    return np.random.RandomState(seed).randint(0, 4, size=(n, 3)).astype(np.float64)


@pytest.mark.parametrize("shift", [0.0, 1e5 / 3])
def test_copies_are_no_distance_apart(shift):
    X = survey(0) / 3 + shift
    D = dissimilarities(X, "euclidean")
    assert_array_equal(D == 0, (X[:, None] == X).all(axis=2))
    assert_allclose(D, cdist(X, X), rtol=1e-9)
    assert_allclose(dissimilarities(X, "l2", X[:9]), D[:, :9], rtol=1e-9)


def test_close_objects_keep_their_digits():
    X = np.random.RandomState(1).randn(30, 2) * 1e-9
    X[15:] += 1.0
    assert_allclose(dissimilarities(X, "euclidean"), cdist(X, X), rtol=1e-9)


@pytest.mark.parametrize("entries", [100, 10**6])
@pytest.mark.parametrize("seed", range(3))
def test_the_first_of_equally_near_rows_is_taken(seed, entries, monkeypatch):
    monkeypatch.setattr(_dissimilarity, "_ENTRIES", entries)
    X = survey(seed)
    Y = X[:30] / 2
    # Squared distances of halves are exact: equal ones are equal.
    exact = ((X[:, None] - Y) ** 2).sum(axis=2).argmin(axis=1)
    assert_array_equal(closest_rows(X, Y), exact)
    # Thirds are rounded, and shifts round once more.
    for scale, shift in ((1 / 3, 0.0), (1 / 3, 1e3 / 7)):
        assert_array_equal(closest_rows(X * scale + shift, Y * scale + shift), exact)


def test_rows_that_are_close_to_each_other_are_told_apart():
    Y = np.array([[1.0, 0.0], [1.0 + 1e-9, 0.0], [-5.0, 0.0]])
    assert_array_equal(closest_rows(Y[::-1], Y), [2, 1, 0])
