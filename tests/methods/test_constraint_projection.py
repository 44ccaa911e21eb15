"""Uncorrelated features, and the directions that constraints ask for."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import pdist

from comitia import sizes
from comitia.cluster import ConstraintSet, random_constraints
from comitia.exceptions import ComitiaError
from comitia.generate import EstimatorGenerator
from comitia.methods.fixed_clusterings._constraint_projection import (
    LinearProjection,
    constraint_directions,
    principal_axes,
)


def correlated(seed, n=50, p=4):
    rng = np.random.RandomState(seed)
    return rng.randn(n, p) @ rng.randn(p, p) + rng.randn(p)


def scatter_by_loops(Y, pairs):
    total = np.zeros((Y.shape[1], Y.shape[1]))
    for i, j in pairs:
        total += np.outer(Y[i] - Y[j], Y[i] - Y[j])
    return total / len(pairs)


def standardized(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


@pytest.mark.parametrize("seed", range(3))
def test_the_axes_are_uncorrelated_and_keep_all_distances(seed):
    X = correlated(seed)
    Y = principal_axes(X)(X)
    assert_allclose(Y.mean(axis=0), 0.0, atol=1e-12)
    wanted = np.diag(np.sort(np.linalg.eigvalsh(np.corrcoef(X.T)))[::-1])
    assert_allclose(Y.T @ Y / len(Y), wanted, atol=1e-10)
    assert_allclose(pdist(Y), pdist(standardized(X)))


def test_units_of_the_features_do_not_matter():
    X = correlated(0)
    scaled = X * [1, 10, 100, 0.1] + 5
    one, other = (pdist(principal_axes(data)(data)) for data in (X, scaled))
    assert_allclose(one, other)


def test_directions_without_variance_are_dropped():
    X = correlated(1)
    doubled = np.column_stack([X, X[:, 0] + X[:, 1]])
    Y = principal_axes(np.column_stack([doubled, np.ones(len(X))]))
    assert Y.directions.shape == (6, 4)
    with_one = np.column_stack([doubled, np.ones(len(X))])
    assert_allclose(pdist(Y(with_one)), pdist(standardized(doubled)))
    constant = np.ones((5, 3))
    assert_allclose(principal_axes(constant)(constant), np.zeros((5, 1)))


def test_the_leading_components_vary_most():
    X = correlated(2)
    fewer = principal_axes(X, 2)
    assert_allclose(fewer.directions, principal_axes(X).directions[:, :2])
    variances = ((X - X.mean(axis=0)) @ fewer.directions).var(axis=0)
    eigenvalues = np.linalg.eigvalsh(np.corrcoef(X.T))
    assert_allclose(variances, eigenvalues[:-3:-1])
    lengths = np.linalg.norm(fewer.directions, axis=0)
    assert lengths[0] < lengths[1]  # the shorter, the more variance there was


@pytest.mark.parametrize("seed", range(3))
def test_directions_are_eigenvectors_of_the_difference_of_scatters(seed):
    Y = correlated(seed)
    truth = np.random.RandomState(seed).randint(3, size=50)
    pairs = random_constraints(truth, 40, np.random.RandomState(seed))
    A = scatter_by_loops(Y, pairs.cannot_link) - scatter_by_loops(Y, pairs.must_link)
    P = constraint_directions(Y, pairs, 4)
    assert_allclose(P.T @ P, np.eye(4), atol=1e-12)
    values = np.diag(P.T @ A @ P)
    assert_allclose(A @ P, P * values, atol=1e-9 * np.abs(A).max())
    assert (np.diff(values) <= 0).all()
    positive = constraint_directions(Y, pairs)
    assert positive.shape[1] == max(1, (values > 0).sum())
    assert_allclose(positive, P[:, : positive.shape[1]])


@pytest.mark.parametrize("kinds", ["both", "must", "cannot"])
def test_many_features_and_few_pairs_have_the_same_directions(kinds):
    Y = np.random.RandomState(0).randn(12, 40)
    must, cannot = [(0, 1), (2, 3), (4, 5)], [(0, 6), (1, 7), (2, 8), (3, 9)]
    pairs = ConstraintSet(
        12, must if kinds != "cannot" else None, cannot if kinds != "must" else None
    )
    every_pair = [(i, j) for i in range(12) for j in range(i)]
    A = scatter_by_loops(Y, cannot if kinds != "must" else every_pair)
    A -= scatter_by_loops(Y, must if kinds != "cannot" else every_pair)
    values, vectors = np.linalg.eigh(A)
    wanted = vectors[:, values > 1e-9]
    got = constraint_directions(Y, pairs)
    # Eigenvectors have a sign of their own: their planes are compared.
    assert got.shape == wanted.shape
    assert_allclose(got @ got.T, wanted @ wanted.T, atol=1e-9)


def test_all_directions_are_a_rotation_that_changes_no_distance():
    Y = correlated(0)
    pairs = ConstraintSet(50, [(0, 1), (2, 3)], [(0, 4)])
    rotated = Y @ constraint_directions(Y, pairs, 4)
    assert_allclose(pdist(rotated), pdist(Y))


def test_the_direction_between_the_clusters_comes_first():
    rng = np.random.RandomState(0)
    truth = np.repeat([0, 1], 40)
    Y = rng.randn(80, 3) * [1.0, 0.1, 1.0] + np.outer(truth, [0.0, 2.0, 0.0])
    pairs = random_constraints(truth, 60, rng)
    first = constraint_directions(Y, pairs, 1)[:, 0]
    assert abs(first[1]) > 0.95
    # Must-links alone, or cannot-links alone, are held against all pairs.
    for some in (pairs.take(pairs.signs > 0), pairs.take(pairs.signs < 0)):
        first = constraint_directions(principal_axes(Y)(Y), some, 1)
        along = (principal_axes(Y).directions @ first)[:, 0]
        means = [(Y @ along)[truth == c].mean() for c in (0, 1)]
        assert abs(means[0] - means[1]) > 3 * (Y @ along)[truth == 0].std()


def test_a_projection_is_what_every_member_sees(monkeypatch):
    # The order of the content of the data is not that of their projection.
    monkeypatch.setattr(sizes, "CONTENT_ORDER_OBJECTS", 0)
    X = correlated(3)
    projection = principal_axes(X, 2)
    generator = EstimatorGenerator(
        None, 3, n_clusters=2, features=projection, random_state=0
    )
    wanted = EstimatorGenerator(None, 3, n_clusters=2, random_state=0)
    assert generator.generate(X) == wanted.generate(projection(X))
    assert (generator.transform(X) == generator.ensemble_.labels).all()


def test_sizes_that_do_not_fit_are_refused_in_words():
    with pytest.raises(ComitiaError, match="for 2 features; the data have 3"):
        LinearProjection(np.zeros(2), np.eye(2)).draw(3)
    with pytest.raises(ComitiaError, match="for 4 objects; Y has 3"):
        constraint_directions(np.eye(3), ConstraintSet(4))
