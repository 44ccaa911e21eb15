"""Selection as a quadratic programme, against all subsets."""

from itertools import combinations, permutations, product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from comitia import ConsensusClustering, Ensemble, method
from comitia.agreement import adjusted_rand, nmi
from comitia.exceptions import ComitiaWarning
from comitia.generate import KMeansGenerator
from tests.fixtures import E6, planted, same_partition

Pruning = method("ozogur_2020")
EAC = method("eac")


def table(labels):
    """Quality on the diagonal, beside it how much less alike two are than expected."""
    M = labels.shape[1]
    phi = np.array([[nmi(a, b) for b in labels.T] for a in labels.T])
    q = (phi.sum(axis=1) - 1) / (M - 1)
    Q = np.diag(q)
    for m, other in permutations(range(M), 2):
        Q[m, other] = (q[m] + q[other] - q.mean() - phi[m, other]) / (M - 1)
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
    relaxed = Pruning(variant="relaxed", n_init=1)
    assert_array_equal(relaxed._maximize(Q, 0.4, np.random.RandomState(0)).x, [1, 1, 0])
    assert_array_equal(
        Pruning()._maximize(Q, 0.4, np.random.RandomState(0)).x, [1, 0, 0]
    )


def test_the_objective_of_e6():
    # The qualities are 0.765 twice and 0.530. Of the two copies one is enough.
    Q = table(E6)
    assert_allclose(Q.diagonal(), [0.764770, 0.764770, 0.529541], atol=5e-7)
    fitted = Pruning(2).fit(Ensemble(E6))
    assert_allclose(fitted.objective_[-1], Q[0, 0] - Q.diagonal().mean())
    assert fitted.selected_.sum() == 1
    assert not fitted.selected_[2]


def with_junk(noise, seed, n_good=20, n_junk=10):
    good = planted(150, 4, n_good, noise=noise, seed=seed)[0]
    junk = planted(150, 4, n_junk, noise=1.0, seed=seed + 100)[0]
    is_junk = np.arange(n_good + n_junk) >= n_good
    return Ensemble(np.column_stack([good, junk])), is_junk


@pytest.mark.parametrize("noise", [0.1, 0.3, 0.5])
@pytest.mark.parametrize("n_select", [None, 10, 15])
def test_junk_is_dropped_first(noise, n_select):
    ensemble, is_junk = with_junk(noise, seed=1)
    fitted = Pruning(4, n_select=n_select).fit(ensemble)
    assert not fitted.selected_[is_junk].any()
    assert fitted.selected_.sum() == (n_select or fitted.selected_.sum()) > 1


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_a_proper_subset_of_fifty_kmeans_is_kept(load):
    X = StandardScaler().fit_transform(load().data)
    ensemble = KMeansGenerator(n_clusterings=50, random_state=0).generate(X)
    kept = Pruning(3).fit(ensemble).selected_.sum()
    assert 5 <= kept <= 45


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("penalty", [0.05, 0.1, 0.3, None])
def test_many_starts_find_the_best_subset(seed, penalty):
    labels = with_copies(seed, n_copies=3)[0]
    Q = table(labels)
    fitted = Pruning(3, sparsity_penalty=penalty, n_init=30, random_state=0)
    fitted.fit(Ensemble(labels))
    cost = Q.diagonal().mean() if penalty is None else penalty
    best = max(
        float(x @ Q @ x - cost * x.sum())
        for x in map(np.array, product([0, 1], repeat=8))
    )
    assert fitted.objective_[-1] >= best - 1e-9
    assert (np.diff(fitted.objective_) >= 0).all()
    assert fitted.converged_


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n_select", [1, 3, 6, 12])
def test_as_many_as_asked_are_the_best_of_all_subsets(seed, n_select):
    ensemble = with_junk(0.4, seed, n_good=9, n_junk=3)[0]
    fitted = Pruning(4, n_select=n_select, n_init=30, random_state=0).fit(ensemble)
    Q = table(ensemble.labels)
    values = {s: Q[np.ix_(s, s)].sum() for s in combinations(range(12), n_select)}
    kept = tuple(np.flatnonzero(fitted.selected_).tolist())
    assert len(kept) == n_select
    assert_allclose(values[kept], max(values.values()), rtol=1e-9)
    assert_allclose(fitted.clustering_weights_.sum(), n_select)


def test_of_two_as_good_the_one_that_differs_is_kept():
    # Two schools of one quality: with two to keep, one of each is better.
    one, other = planted(60, 3, 1, noise=0.4, seed=0)[0], planted(60, 3, 1, 0.4, 1)[0]
    votes = Ensemble(np.column_stack([one, one, one, other, other, other]))
    kept = Pruning(3, n_select=2, n_init=5, random_state=0).fit(votes).selected_
    assert kept[:3].sum() == kept[3:].sum() == 1


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
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        Pruning(4, max_iter=1).fit(with_junk(0.3, seed=1)[0])


def test_the_selection_stands_in_front_of_another_consensus():
    ensemble = Ensemble(with_copies(0)[0])
    judge = Pruning(3, sparsity_penalty=0.3)
    mix = ConsensusClustering(3, selection=judge, consensus="tcut", random_state=0)
    assert_array_equal(mix.fit(ensemble).selected_, judge.fit(ensemble).selected_)


def test_missing_labels_do_not_hide_easy_clusters():
    # A single draw moves the index by 0.1, which the common check cannot bear.
    found = []
    for seed in range(5):
        labels, truth = planted(120, 4, 12, noise=0.15, seed=0)
        missing = np.random.RandomState(seed).rand(*labels.shape) < 0.2
        labels[missing] = -1
        fitted = Pruning(4, random_state=0).fit(Ensemble(labels))
        found.append(adjusted_rand(truth, fitted.labels_))
    assert np.mean(found) > 0.9
