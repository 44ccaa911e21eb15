"""Selection as a quadratic programme, against all subsets."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from comitia import ConsensusClustering, Ensemble, method
from comitia.agreement import nmi
from comitia.exceptions import ComitiaWarning
from tests.fixtures import E6, planted, same_partition

Pruning = method("ozogur_2020")
EAC = method("eac")


def table(labels):
    """Quality on the diagonal, diversity beside it."""
    M = labels.shape[1]
    phi = np.array([[nmi(a, b) for b in labels.T] for a in labels.T])
    Q = 1 - phi
    np.fill_diagonal(Q, (phi.sum(axis=1) - 1) / (M - 1))
    return Q


def with_copies(seed, n_copies=6):
    labels, truth = planted(60, 3, 5, noise=0.5, seed=seed)
    return np.column_stack([labels, np.repeat(truth[:, None], n_copies, axis=1)]), truth


def test_a_diagonal_problem_keeps_what_is_worth_its_cost():
    run = Pruning()._maximize(np.diag([0.9, 0.5, 0.1]), 0.4, np.random.RandomState(0))
    assert_array_equal(run.x, [1, 1, 0])
    assert (np.diff(run.objective) >= 0).all()
    # The relaxation keeps a quality between half the penalty and the penalty.
    Q = np.diag([0.9, 0.3, 0.1])
    relaxed = Pruning(variant="relaxed")
    assert_array_equal(relaxed._maximize(Q, 0.4, np.random.RandomState(0)).x, [1, 1, 0])
    assert_array_equal(
        Pruning()._maximize(Q, 0.4, np.random.RandomState(0)).x, [1, 0, 0]
    )


def test_the_objective_of_e6():
    # Q has rows 0.765, 0, 0.470 twice, and 0.470, 0.470, 0.530; the median row sum
    # is 1.235.
    fitted = Pruning(2).fit(Ensemble(E6))
    Q = table(E6)
    penalty = np.median(Q.sum(axis=1))
    assert_allclose(penalty, 1.235230, atol=5e-7)
    assert_allclose(fitted.objective_[0], Q.sum() - 3 * penalty)
    assert fitted.selected_.all()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("penalty", [1.0, 3.0, 5.0])
def test_many_starts_find_the_best_subset(seed, penalty):
    labels = with_copies(seed, n_copies=3)[0]
    Q = table(labels)
    fitted = Pruning(3, sparsity_penalty=penalty, n_init=30, random_state=0)
    fitted.fit(Ensemble(labels))
    best = max(
        float(x @ Q @ x - penalty * x.sum())
        for x in map(np.array, product([0, 1], repeat=8))
    )
    assert fitted.objective_[-1] >= best - 1e-9
    assert (np.diff(fitted.objective_) >= 0).all()
    assert fitted.converged_


def costly_copies():
    """Eight that differ, six copies, and a penalty between what they add."""
    labels, truth = planted(60, 3, 8, noise=0.3, seed=0)
    labels = np.column_stack([labels, np.repeat(truth[:, None], 6, axis=1)])
    Q = table(labels)
    gain = 2 * Q.sum(axis=1) - Q.diagonal()
    without = 2 * Q[:8, :8].sum(axis=1) - Q.diagonal()[:8]
    penalty = (gain[8:].max() + without.min()) / 2
    assert gain[8:].max() < penalty < without.min()
    return Ensemble(labels), penalty


def test_copies_are_dropped_when_they_cost_more_than_they_add():
    ensemble, penalty = costly_copies()
    fitted = Pruning(3, sparsity_penalty=penalty).fit(ensemble)
    assert_array_equal(fitted.selected_, [True] * 8 + [False] * 6)
    assert_allclose(fitted.clustering_weights_, fitted.selected_, atol=1e-9)
    assert fitted.n_iter_ > 1


def test_without_a_penalty_all_are_combined():
    ensemble = Ensemble(with_copies(1)[0])
    fitted = Pruning(3, sparsity_penalty=0).fit(ensemble)
    assert_array_equal(fitted.labels_, EAC(3).fit_predict(ensemble))


def test_a_large_penalty_leaves_the_best_with_a_warning():
    labels, truth = with_copies(2)
    with pytest.warns(ComitiaWarning, match="leaves no clustering"):
        fitted = Pruning(3, sparsity_penalty=100).fit(Ensemble(labels))
    assert_array_equal(np.flatnonzero(fitted.selected_), [5])
    assert same_partition(fitted.labels_, truth)


def test_the_threshold_cuts_the_relaxed_solution():
    labels = with_copies(3)[0]
    fitted = Pruning(3, threshold=0.9).fit(Ensemble(labels))
    assert_array_equal(fitted.selected_, fitted.clustering_weights_ > 0.9)


def test_stopping_early_is_told():
    ensemble, penalty = costly_copies()
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        Pruning(3, sparsity_penalty=penalty, max_iter=1).fit(ensemble)


def test_the_selection_stands_in_front_of_another_consensus():
    ensemble = Ensemble(with_copies(0)[0])
    judge = Pruning(3, sparsity_penalty=5)
    mix = ConsensusClustering(3, selection=judge, consensus="tcut", random_state=0)
    assert_array_equal(mix.fit(ensemble).selected_, judge.fit(ensemble).selected_)
