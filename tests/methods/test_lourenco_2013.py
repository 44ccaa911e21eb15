"""Robust evidence accumulation against the catalogue, SciPy and its limits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import linprog, minimize

from comitia import Ensemble
from comitia.exceptions import ComitiaError
from comitia.methods import RobustEvidenceAccumulation
from comitia.methods._alternating import Votes, penalized_weights
from comitia.methods.variable_clusterings.lourenco_2013 import (
    capped_weights,
    errors,
)
from comitia.optimize import symmetric_nmf_simplex
from tests.fixtures import E6, planted, same_partition

VARIANTS = ["capped", "quadratic"]


def test_weights_are_those_of_the_catalogue():
    e = np.array([0.0, 2.0, 4.0])
    assert_allclose(penalized_weights(e, 4.0), [7 / 12, 1 / 3, 1 / 12])
    assert_allclose(penalized_weights(np.array([0.0, 0, 10]), 10.0), [0.5, 0.5, 0])
    assert_allclose(capped_weights(e, 0.4), [0.4, 0.4, 0.2])


def test_errors_of_e6_are_those_of_the_catalogue():
    votes = Votes(Ensemble(E6), 2)
    F = np.eye(2)[votes.micro.labels[:, 0]]
    assert_allclose(errors(votes, F), [0, 0, 10])


@pytest.mark.parametrize("seed", range(3))
def test_errors_are_their_definition(seed):
    rng = np.random.RandomState(seed)
    labels = np.repeat(rng.randint(-1, 3, size=(20, 4)), 2, axis=0)
    labels[:, 0] = np.repeat(rng.randint(3, size=20), 2)
    votes = Votes(Ensemble(labels), 3)
    F = rng.dirichlet([1, 1, 1], len(votes.counts))
    full = F[votes.inverse]
    for m, e in enumerate(errors(votes, F)):
        column = labels[:, m]
        S = (column[:, None] == column) & (column >= 0)
        assert_allclose(e, np.square(full @ full.T - S).sum(), rtol=1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_capped_weights_solve_the_linear_program(seed):
    rng = np.random.RandomState(seed)
    e, cap = rng.rand(7), rng.uniform(1 / 7, 1)
    found = linprog(e, A_eq=np.ones((1, 7)), b_eq=[1], bounds=(0, cap))
    w = capped_weights(e, cap)
    assert_allclose(w, found.x, atol=1e-9)


@pytest.mark.parametrize("penalty", [0.05, 0.5, 5.0])
def test_penalized_weights_solve_the_quadratic_program(penalty):
    e = np.random.RandomState(0).rand(6)
    found = minimize(
        lambda w: e @ w + penalty * w @ w,
        np.full(6, 1 / 6),
        bounds=[(0, 1)] * 6,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        options={"ftol": 1e-15},
    )
    assert_allclose(penalized_weights(e, penalty), found.x, atol=1e-5)  # SLSQP


def test_without_a_penalty_the_cheapest_share_the_weight():
    assert_allclose(penalized_weights(np.array([1.0, 3, 1]), 0.0), [0.5, 0, 0.5])
    assert_allclose(penalized_weights(np.zeros(4), 0.0), 0.25)


def test_equal_errors_share_what_the_cap_leaves():
    assert_allclose(capped_weights(np.array([1.0, 0, 1, 1]), 0.4), [0.2, 0.4, 0.2, 0.2])


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_objective_does_not_rise(variant):
    labels, _ = planted(150, 4, 9, 0.5, 0)
    fitted = RobustEvidenceAccumulation(4, variant=variant, random_state=0)
    fitted.fit(Ensemble(labels))
    assert fitted.n_iter_ >= 2
    assert (np.diff(fitted.objective_) <= 1e-9 * fitted.objective_[0]).all()
    assert fitted.objective_[-1] < fitted.objective_[0]
    assert_allclose(fitted.clustering_weights_.sum(), 1.0)
    assert (fitted.clustering_weights_ >= 0).all()
    assert_allclose(fitted.assignment_.sum(axis=1), 1.0)
    F, w = fitted.assignment_, fitted.clustering_weights_
    e = [np.square(F @ F.T - (c[:, None] == c)).sum() for c in labels.T]
    if variant == "capped":
        assert fitted.clustering_weights_.max() <= 2 / 9 + 1e-12
        assert_allclose(fitted.objective_.min(), w @ e, rtol=1e-9)


@pytest.mark.parametrize(
    "parameters",
    [
        {"variant": "capped", "weight_cap": 1 / 10},
        {"variant": "quadratic", "weight_penalty": 1e15},
    ],
    ids=VARIANTS,
)
def test_with_equal_weights_it_is_a_symmetric_factorization(parameters):
    labels, _ = planted(150, 4, 10, 0.4, 1)
    fitted = RobustEvidenceAccumulation(4, random_state=0, **parameters)
    fitted.fit(Ensemble(labels))
    assert_allclose(fitted.clustering_weights_, 0.1)
    A = Ensemble(labels).coassociation(dtype=np.float64)
    wanted = symmetric_nmf_simplex(A, np.eye(4)[fitted.labels_])
    got = np.square(A - fitted.assignment_ @ fitted.assignment_.T).sum()
    # Both stop early; they end within a thousandth.
    assert_allclose(got, wanted.objective[-1], rtol=1e-3)


def test_a_cap_of_one_picks_one_clustering():
    labels, _ = planted(100, 3, 6, 0.3, 2)
    fitted = RobustEvidenceAccumulation(
        3, variant="capped", weight_cap=1.0, random_state=0
    )
    fitted.fit(Ensemble(labels))
    assert sorted(fitted.clustering_weights_) == [0, 0, 0, 0, 0, 1]
    assert same_partition(
        fitted.labels_, labels[:, fitted.clustering_weights_.argmax()]
    )


@pytest.mark.parametrize("variant", VARIANTS)
def test_outliers_among_the_clusterings_get_little_weight(variant):
    labels, truth = planted(200, 4, 12, 0.05, 3)
    labels[:, :3] = np.random.RandomState(0).randint(4, size=(200, 3))
    fitted = RobustEvidenceAccumulation(4, variant=variant, random_state=0)
    fitted.fit(Ensemble(labels))
    assert same_partition(fitted.labels_, truth)
    w = fitted.clustering_weights_
    assert w[:3].max() < 0.4 * w[3:].mean()
    if variant == "capped":
        assert_allclose(w[:3], 0.0)


def test_a_cap_that_is_too_small_is_refused():
    with pytest.raises(ComitiaError, match=r"weight_cap=0.2 .* at least 0.33"):
        RobustEvidenceAccumulation(2, variant="capped", weight_cap=0.2).fit(
            Ensemble(E6)
        )
