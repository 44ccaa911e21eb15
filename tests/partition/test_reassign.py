"""Reassignment is its formula, and mends what a tree has done."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chi2_contingency
from sklearn.exceptions import ConvergenceWarning

from comitia import Ensemble, method
from comitia.agreement import agreement
from comitia.exceptions import ComitiaError
from comitia.partition import reassign
from comitia.partition.reassign import _aimless, _scores, _shares
from tests.fixtures import planted


def one_round(labels, consensus):
    """The formula, object by object; labels of -1 are missing."""
    n, n_clusterings = labels.shape
    names, now = np.unique(consensus, return_inverse=True)
    scores = np.zeros((n, len(names)))
    weights = []
    for m in range(n_clusterings):
        there = labels[:, m] >= 0
        column, ours = labels[there, m], now[there]
        table = np.array(
            [
                [np.sum((column == c) & (ours == r)) for c in range(column.max() + 1)]
                for r in range(len(names))
            ],
            dtype=float,
        )
        # Clusters of ours in which nobody has a label here have no expected counts.
        filled = table[table.sum(axis=1) > 0]
        chi2 = chi2_contingency(filled, correction=False).statistic
        by_chance = (len(names) - 1) * (table.shape[1] - 1)
        weight = max(0.0, 1.0 - by_chance / chi2) if chi2 > 0 else 0.0
        weights.append(weight)
        p = table.sum(axis=0) / table.sum()
        t = aimless(table)
        gap = sum(
            (table[r, c] - t[r, c] * table[r].sum()) ** 2 / (t[r, c] * table[r].sum())
            for r in range(len(names))
            for c in range(table.shape[1])
            if t[r, c] * table[r].sum() > 0
        )
        pattern = max(0.0, 1.0 - (by_chance - 1) / gap) if gap > 0 else 0.0
        for i in np.flatnonzero(there):
            c = labels[i, m]
            for r in range(len(names)):
                size = table[r].sum()
                q = table[r, c] / size if size else p[c]
                q = t[r, c] + pattern * (q - t[r, c])
                share = p[c] + weight * (q - p[c])
                scores[i, r] += np.log((size * share + 0.5 * p[c]) / (size + 0.5))
    scores += np.log(np.bincount(now) / n)
    return names[scores.argmax(axis=1)], weights, scores.max(axis=1).sum()


def aimless(table):
    """Shares of clusters (columns) in ours (rows) if errors can go anywhere."""
    n_ours, n_theirs = table.shape
    p = table.sum(axis=0) / table.sum()
    shares = [
        [table[r, c] / table[r].sum() for c in range(n_theirs)] for r in range(n_ours)
    ]
    is_of = [
        [
            shares[r][c] > max(shares[s][c] for s in range(n_ours)) - 1e-12
            for c in range(n_theirs)
        ]
        for r in range(n_ours)
    ]
    cells = [(r, c) for r in range(n_ours) for c in range(n_theirs)]
    strays = [(r, c) for r, c in cells if not is_of[r][c]]
    by_chance = sum(table[r].sum() * p[c] for r, c in strays)
    rate = sum(table[r, c] for r, c in strays) / by_chance
    t = np.empty_like(table)
    for r, c in cells:
        P = sum(p[d] for d in range(n_theirs) if is_of[r][d])
        inside = (1 - rate * (1 - P)) / P if P else 1.0
        t[r, c] = p[c] * (inside if is_of[r][c] or not P else rate)
    return t


def first_round(ensemble, consensus):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return reassign(ensemble, consensus, max_iter=1)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_a_round_is_its_formula(seed, missing):
    rng = np.random.RandomState(seed)
    labels, truth = planted(60, 3, 5, noise=0.5, seed=seed)
    labels = np.where(rng.rand(*labels.shape) < missing, -1, labels)
    start = np.where(rng.rand(60) < 0.3, rng.randint(3, size=60), truth)
    found = first_round(Ensemble(labels), start)
    expected, weights, log_likelihood = one_round(Ensemble(labels).labels, start)
    assert_array_equal(found.labels, expected)
    assert_allclose(found.clustering_weights, weights, atol=1e-12)
    assert_allclose(found.log_likelihood, log_likelihood)


def test_it_stops_where_nothing_moves():
    labels, truth = planted(200, 4, 8, noise=0.4, seed=1)
    found = reassign(Ensemble(labels), truth)
    again = reassign(Ensemble(labels), found.labels)
    assert_array_equal(again.labels, found.labels)
    assert again.n_iter == 1
    assert found.n_iter > 1


def test_it_mends_a_tree_under_junk():
    rng = np.random.RandomState(0)
    labels, truth = planted(500, 4, 20, noise=0.4, seed=0)
    labels[:, 6:] = rng.randint(4, size=(500, 14))
    votes = Ensemble(labels)
    tree = method("lwea")(4).fit_predict(votes)
    found = reassign(votes, tree)
    before, after = (
        agreement(one, truth, "adjusted_rand") for one in (tree, found.labels)
    )
    assert after > before + 0.05
    # The six good ones are told from the others.
    assert found.clustering_weights[:6].min() > found.clustering_weights[6:].max() + 0.3


def test_a_clustering_that_says_nothing_has_no_weight_and_no_say():
    consensus = np.repeat([0, 1], 8)
    good, idle = consensus[:, None], np.tile([0, 1], 8)[:, None]
    with_idle = first_round(Ensemble(np.hstack([good, good, idle])), consensus)
    assert with_idle.clustering_weights[2] == 0.0
    assert_allclose(with_idle.clustering_weights[0], 1 - 1 / 16)


@pytest.mark.parametrize(("times", "is_pattern"), [(1, False), (100, True)])
def test_errors_are_told_apart_when_they_follow_a_pattern(times, is_pattern):
    # Of the strays of our first cluster two are in one other and none in the third:
    # chance, if there are two of them; not, if there are two hundred.
    table = times * np.array([[8.0, 1.0, 1.0], [2.0, 8.0, 1.0], [0.0, 1.0, 8.0]])
    p = table.sum(axis=1) / table.sum()
    lift = _scores(table, 1.0)[:, 0] - np.log(p)
    if is_pattern:
        assert lift[1] > lift[2] + 1.0
    else:
        assert_allclose(lift[1], lift[2], rtol=1e-12)


def test_shares_of_errors_that_go_anywhere_add_up():
    rng = np.random.RandomState(0)
    for _ in range(50):
        table = rng.poisson(2.0, size=(rng.randint(1, 6), rng.randint(1, 5))) * 1.0
        table[0, 0] += 1.0
        assert_allclose(_aimless(table, *_shares(table)).sum(axis=0), 1.0, rtol=1e-12)


def test_a_cluster_that_is_as_frequent_in_two_belongs_to_both():
    table = np.array([[2.0, 4.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 5.0]])
    table[:, 1] *= 1 / 3  # equal shares by another division
    found = _aimless(table, *_shares(table))
    assert_allclose(found[:, 0], found[:, 1], rtol=1e-12)


def test_names_and_orders_do_not_matter():
    labels, truth = planted(90, 3, 6, noise=0.5, seed=2)
    rng = np.random.RandomState(0)
    start = np.where(rng.rand(90) < 0.4, rng.randint(3, size=90), truth)
    found = reassign(Ensemble(labels), start).labels
    renamed = reassign(Ensemble(5 - labels), 10 - start).labels
    assert_array_equal(renamed, 10 - found)
    order = rng.permutation(90)
    moved = reassign(Ensemble(labels[order][:, ::-1]), start[order]).labels
    assert_array_equal(moved, found[order])


def test_crisp_memberships_are_labels():
    labels, truth = planted(80, 3, 5, noise=0.5, seed=3)
    fuzzy = Ensemble.from_memberships([np.eye(3)[column] for column in labels.T])
    start = np.roll(truth, 7)
    hard, soft = first_round(Ensemble(labels), start), first_round(fuzzy, start)
    assert_array_equal(hard.labels, soft.labels)
    assert_allclose(hard.clustering_weights, soft.clustering_weights, atol=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_no_cluster_is_lost(seed):
    rng = np.random.RandomState(seed)
    votes = Ensemble(rng.randint(2, size=(30, 4)))
    start = np.r_[np.arange(6), rng.randint(6, size=24)]
    found = first_round(votes, start)
    assert_array_equal(np.unique(found.labels), np.arange(6))


def test_one_cluster_stays_one():
    assert_array_equal(reassign(Ensemble([[0, 1], [1, 1], [0, 0]]), [7] * 3).labels, 7)


def test_an_early_stop_is_told():
    labels, truth = planted(200, 4, 8, noise=0.4, seed=1)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 rounds"):
        reassign(Ensemble(labels), np.roll(truth, 3), max_iter=1)


@pytest.mark.parametrize(
    ("labels", "options", "words"),
    [
        ([0, 1], {}, "one label for each of 3 objects"),
        ([0, 1, 1], {"max_iter": 0}, "max_iter=0"),
    ],
)
def test_bad_arguments_are_refused_in_words(labels, options, words):
    with pytest.raises(ComitiaError, match=words):
        reassign(Ensemble([[0, 1], [1, 1], [0, 0]]), labels, **options)
