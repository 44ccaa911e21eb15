"""Constraint propagation: the worked path, the formula, what constraints achieve."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score

from comitia.cluster import (
    E2CP,
    ConstraintSet,
    adjust_similarity,
    propagate_constraints,
    random_constraints,
)
from comitia.exceptions import ComitiaError

PATH = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])


def propagated_by_formula(W, Z, alpha):
    degree = W.sum(axis=1)
    L = W / np.sqrt(np.outer(degree, degree))
    inverse = np.linalg.inv(np.eye(len(W)) - alpha * L)
    return (1 - alpha) ** 2 * inverse @ Z @ inverse


def test_the_path_of_the_catalogue():
    F = propagate_constraints(PATH, ConstraintSet(3, [(0, 1)]), alpha=0.5)
    assert_allclose([F[0, 1], F[1, 2]], [4 / 9, 1 / 9])
    assert_array_equal(F, F.T)


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.8, 0.99])
def test_propagation_is_its_formula(alpha):
    rng = np.random.RandomState(0)
    W = rng.rand(15, 15) * (rng.rand(15, 15) < 0.4)
    W = W + W.T
    np.fill_diagonal(W, 0.0)
    pairs = ConstraintSet(15, [(0, 1), (3, 7)], [(1, 9), (3, 12)])
    expected = propagated_by_formula(W, pairs.matrix().toarray(), alpha)
    assert_allclose(propagate_constraints(W, pairs, alpha=alpha), expected, atol=1e-10)
    sparse = propagate_constraints(csr_array(W), pairs, alpha=alpha)
    assert_allclose(sparse, expected, atol=1e-10)


def test_no_constraints_change_nothing():
    F = propagate_constraints(PATH, ConstraintSet(3))
    assert_array_equal(F, 0.0)
    assert_array_equal(adjust_similarity(PATH, F), PATH)


def test_an_object_without_neighbors_keeps_its_constraint():
    F = propagate_constraints(np.zeros((2, 2)), ConstraintSet(2, [(0, 1)]), alpha=0.5)
    assert_allclose(F, [[0.0, 0.25], [0.25, 0.0]])


def test_adjusted_similarities_stay_in_their_range():
    rng = np.random.RandomState(1)
    W, F = rng.rand(6, 6), rng.randn(6, 6)
    adjusted = adjust_similarity(W, F)
    scaled = F / np.abs(F).max()
    for i in range(6):
        for j in range(6):
            f, w = scaled[i, j], W[i, j]
            expected = 1 - (1 - f) * (1 - w) if f >= 0 else (1 + f) * w
            assert_allclose(adjusted[i, j], expected)
    assert adjusted.min() >= 0
    assert adjusted.max() <= 1
    assert_allclose(adjust_similarity(W, 5 * F), adjusted)


def test_constraints_separate_what_the_data_do_not():
    X, truth = make_moons(120, noise=0.25, random_state=0)
    plain = E2CP(2, random_state=0).fit(X)
    pairs = random_constraints(truth, 150, np.random.RandomState(0))
    helped = E2CP(2, random_state=0).fit(
        X, must_link=pairs.must_link, cannot_link=pairs.cannot_link
    )
    assert helped.n_violated_ == pairs.n_violated(helped.labels_)
    before = adjusted_rand_score(truth, plain.labels_)
    assert adjusted_rand_score(truth, helped.labels_) > before + 0.1


def test_components_of_the_graph_are_found_without_constraints():
    X, truth = make_blobs(60, centers=3, cluster_std=0.1, random_state=0)
    labels = E2CP(3, n_neighbors=5, random_state=0).fit_predict(X)
    assert adjusted_rand_score(truth, labels) == 1.0


def test_bad_input_is_refused_in_words():
    pairs = ConstraintSet(3, [(0, 1)])
    with pytest.raises(ComitiaError, match=r"alpha=1.0 must be at least 0 and less"):
        propagate_constraints(PATH, pairs, alpha=1.0)
    with pytest.raises(ComitiaError, match=r"W must have shape \(3, 3\)"):
        propagate_constraints(np.eye(2), pairs)
    with pytest.raises(ComitiaError, match="W has negative entries"):
        propagate_constraints(-PATH, pairs)
    with pytest.raises(ComitiaError, match=r"W must lie in 0..1"):
        adjust_similarity(2 * PATH, PATH)
    with pytest.raises(ComitiaError, match="must have the same shape"):
        adjust_similarity(PATH, np.eye(2))
