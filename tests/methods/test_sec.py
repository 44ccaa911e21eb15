from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from comitia import Ensemble
from comitia.methods.fixed_objects.sec import SEC
from tests.fixtures import E6, U6, planted, same_partition

B6 = Ensemble(U6).membership.toarray()
S6 = B6 @ B6.T
D6 = S6.sum(axis=1)

TWO_PARTS = [np.array((0, *rest)) for rest in product((0, 1), repeat=5) if any(rest)]


def cost(points, weights, labels):
    """Weighted k-means cost, by its definition."""
    total = 0.0
    for r in np.unique(labels):
        part = labels == r
        center = np.average(points[part], axis=0, weights=weights[part])
        total += (weights[part] * ((points[part] - center) ** 2).sum(axis=1)).sum()
    return total


def association(labels):
    return sum(
        S6[np.ix_(labels == r, labels == r)].sum() / D6[labels == r].sum()
        for r in np.unique(labels)
    )


def test_degrees_of_u6_are_those_of_the_catalogue():
    fitted = SEC(n_clusters=2, random_state=0).fit(Ensemble(U6))
    assert_allclose(fitted.object_weights_, [12, 12, 12, 12, 10, 6])


def test_the_cost_is_a_constant_less_the_normalized_association():
    assert_allclose((3 / D6).sum(), 1.8)
    for labels in TWO_PARTS:
        expected = 1.8 - association(labels)
        assert_allclose(cost(B6 / D6[:, None], D6, labels), expected, atol=1e-12)


def test_costs_of_u6_are_those_of_the_catalogue():
    points = B6 / D6[:, None]
    assert_allclose(cost(points, D6, np.array([0, 0, 0, 0, 1, 1])), 0.3)
    assert_allclose(cost(points, D6, np.array([0, 0, 0, 1, 1, 1])), 0.371429, atol=5e-7)
    assert_allclose(min(cost(points, D6, labels) for labels in TWO_PARTS), 0.3)


def test_the_least_cost_of_all_two_partitions_is_found():
    fitted = SEC(n_clusters=2, random_state=0).fit(Ensemble(U6))
    assert_allclose(fitted.objective_[-1], 0.3)
    assert same_partition(fitted.labels_, [0, 0, 0, 0, 1, 1])
    assert fitted.converged_
    assert fitted.n_iter_ == len(fitted.objective_)


def test_the_printed_form_of_the_review_is_not_the_normalized_cut():
    fitted = SEC(n_clusters=2, variant="review", random_state=0).fit(Ensemble(U6))
    assert_allclose(fitted.object_weights_, 1 / D6)
    printed = [cost(B6, 1 / D6, labels) for labels in TWO_PARTS]
    assert_allclose(fitted.objective_[-1], min(printed))
    # An affine function of the association would fit these points exactly.
    X = np.c_[np.ones(len(TWO_PARTS)), [association(labels) for labels in TWO_PARTS]]
    _, residual, *_ = np.linalg.lstsq(X, printed, rcond=None)
    assert residual > 1e-3


def test_two_clusters_of_e6_are_its_first_clustering():
    assert same_partition(SEC(2, random_state=0).fit_predict(Ensemble(E6)), E6[:, 0])


def test_the_objective_never_rises():
    labels, _ = planted(500, 5, 8, noise=0.75, seed=0)
    fitted = SEC(n_clusters=5, n_init=1, tol=0.0, random_state=0).fit(Ensemble(labels))
    assert len(fitted.objective_) > 2
    assert (np.diff(fitted.objective_) <= 1e-12).all()


def test_stopping_early_is_told():
    from sklearn.exceptions import ConvergenceWarning

    labels, _ = planted(500, 5, 8, noise=0.75, seed=0)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 "):
        fitted = SEC(5, max_iter=1, random_state=0).fit(Ensemble(labels))
    assert not fitted.converged_


def test_planted_clusters_are_found_and_counted():
    labels, truth = planted(600, 4, 15, noise=0.3, seed=1)
    fitted = SEC(random_state=0).fit(Ensemble(labels))
    assert fitted.n_clusters_ == 4
    right = sum(np.bincount(truth[fitted.labels_ == r]).max() for r in range(4))
    assert right > 0.98 * 600
