"""Fuzzy consensus clustering by a utility function."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning

from comitia import Ensemble, method
from comitia.generate import FuzzyGenerator
from comitia.optimize import bregman_divergence, get_bregman
from comitia.partition import fuzzy_rows
from tests.fixtures import E6, planted, same_partition

Method = method("fcc")
DIVERGENCE = {"squared": "squared", "entropy": "kl", "norm": "norm"}


def blocks_of(ensemble):
    """The memberships of each clustering."""
    B = ensemble.membership.toarray()
    return np.split(B, ensemble.offsets[1:-1], axis=1)


def phi(F, Fm, alpha, name):
    """The utility as the paper defines it."""
    g = get_bregman(name).value
    powered = F**alpha
    p = powered.T @ Fm / powered.sum(axis=0)[:, None]
    return powered.sum(axis=0) @ g(p) - powered.sum(axis=1) @ g(Fm)


def cost(F, P, blocks, weights, alpha, name):
    """The objective of fuzzy c-means as the paper defines it, in loops."""
    total, start = 0.0, 0
    for w, Fm in zip(weights, blocks, strict=True):
        p = P[:, start : start + Fm.shape[1]]
        start += Fm.shape[1]
        for i in range(len(F)):
            for r in range(len(P)):
                if F[i, r] > 0:
                    d = bregman_divergence(Fm[i], p[r], name)
                    total += w * F[i, r] ** alpha * d
    return total


def fuzzy_ensemble(n, ks, seed):
    rng = np.random.RandomState(seed)
    return Ensemble.from_memberships([rng.dirichlet(np.ones(k), size=n) for k in ks])


@pytest.mark.parametrize("name", ["squared", "kl", "norm"])
@pytest.mark.parametrize("alpha", [1.5, 2.0, 3.0])
def test_the_utility_is_minus_a_sum_of_divergences(name, alpha):
    rng = np.random.RandomState(0)
    F, Fm = rng.dirichlet(np.ones(3), size=20), rng.dirichlet(np.ones(4), size=20)
    p = (F**alpha).T @ Fm / (F**alpha).sum(axis=0)[:, None]
    D = np.array([[bregman_divergence(x, y, name) for y in p] for x in Fm])
    assert_allclose(phi(F, Fm, alpha, name), -(F**alpha * D).sum(), atol=1e-12)
    assert phi(F, Fm, alpha, name) < 0


@pytest.mark.parametrize("utility", ["squared", "entropy", "norm"])
def test_the_objective_is_minus_the_weighted_utility(utility):
    ensemble, weights = fuzzy_ensemble(25, (3, 4, 2), seed=1), np.array([0.5, 0.3, 0.2])
    run = fuzzy_rows(
        ensemble,
        3,
        np.random.RandomState(0),
        clustering_weights=weights,
        divergence=DIVERGENCE[utility],
        n_init=1,
        tol=1e-9,
        max_iter=2000,
    )
    blocks, name = blocks_of(ensemble), DIVERGENCE[utility]
    by_loops = cost(run.membership, run.prototypes, blocks, weights, 2.0, name)
    assert_allclose(run.objective[-1], by_loops, rtol=1e-9)
    total = sum(
        w * phi(run.membership, Fm, 2.0, name)
        for w, Fm in zip(weights, blocks, strict=True)
    )
    # At the fixed point the prototypes are those of the memberships, up to tol.
    assert_allclose(run.objective[-1], -total, rtol=1e-6)


@pytest.mark.parametrize("utility", ["squared", "entropy", "norm"])
@pytest.mark.parametrize("fuzziness", [1.2, 2.0, 4.0])
def test_the_objective_never_rises(utility, fuzziness):
    labels, _ = planted(80, 3, 6, noise=0.3, seed=1)
    for ensemble in (Ensemble(labels), fuzzy_ensemble(40, (3, 5), seed=2)):
        run = fuzzy_rows(
            ensemble,
            3,
            np.random.RandomState(0),
            divergence=DIVERGENCE[utility],
            fuzziness=fuzziness,
            n_init=1,
        )
        assert (np.diff(run.objective) <= 1e-9 * run.objective[0]).all()
        assert_allclose(run.membership.sum(axis=1), 1.0)


@pytest.mark.parametrize("utility", ["squared", "entropy", "norm"])
def test_identical_crisp_clusterings_are_recovered_exactly(utility):
    truth = np.repeat([0, 1, 2], [5, 9, 16])
    same = Ensemble(np.repeat(truth[:, None], 4, axis=1))
    fitted = Method(3, utility=utility, random_state=0).fit(same)
    assert same_partition(fitted.labels_, truth)
    assert_allclose(fitted.membership_, np.eye(3)[fitted.labels_], atol=1e-9)
    assert_allclose(fitted.objective_[-1], 0.0, atol=1e-9)


@pytest.mark.parametrize("utility", ["squared", "entropy", "norm"])
def test_memberships_follow_from_the_distances(utility):
    ensemble = fuzzy_ensemble(30, (3, 4), seed=5)
    run = fuzzy_rows(
        ensemble,
        2,
        np.random.RandomState(0),
        divergence=DIVERGENCE[utility],
        fuzziness=1.7,
    )
    blocks = blocks_of(ensemble)
    d = np.zeros((30, 2))
    start = 0
    for Fm in blocks:
        p = run.prototypes[:, start : start + Fm.shape[1]]
        start += Fm.shape[1]
        d += 0.5 * bregman_divergence(Fm[:, None], p[None], DIVERGENCE[utility])
    share = d ** (-1 / 0.7)
    expected = share / share.sum(axis=1, keepdims=True)
    assert_allclose(run.membership, expected, atol=1e-10)


def test_fuzzy_runs_of_real_data_keep_their_doubts():
    X, truth = make_blobs(
        150, centers=[[0, 0], [5, 0], [0, 5]], cluster_std=1.0, random_state=0
    )
    generator = FuzzyGenerator(8, n_clusters=(3, 6), random_state=0)
    ensemble = generator.generate(X)
    assert ensemble.kind == "fuzzy"
    for utility in DIVERGENCE:
        fitted = Method(3, utility=utility, random_state=0).fit(ensemble)
        found = fitted.labels_
        right = (found[:, None] == found) == (truth[:, None] == truth)
        assert right.mean() > 0.95
        assert_array_equal(fitted.membership_.argmax(axis=1), found)
        # Objects between the blobs are shared, objects inside are not.
        centers = np.array([X[truth == r].mean(axis=0) for r in range(3)])
        away = np.sort(np.linalg.norm(X[:, None] - centers, axis=2), axis=1)
        margin = away[:, 1] - away[:, 0]
        sure = fitted.membership_.max(axis=1)
        assert sure[margin > 4].mean() > sure[margin < 2].mean()


def test_all_weight_on_one_clustering_returns_it():
    labels, _ = planted(60, 3, 4, noise=0.6, seed=5)
    fitted = Method(3, clustering_weights=[0, 0, 5, 0], random_state=0)
    for utility in DIVERGENCE:
        fitted.set_params(utility=utility).fit(Ensemble(labels))
        assert same_partition(fitted.labels_, labels[:, 2])
        assert_array_equal(fitted.clustering_weights_, [0, 0, 1, 0])


def test_little_fuzziness_is_k_means_on_the_label_rows():
    labels, truth = planted(120, 4, 10, noise=0.2, seed=2)
    fitted = Method(4, fuzziness=1.05, random_state=0).fit(Ensemble(labels))
    kcc = method("kcc")(4, random_state=0).fit(Ensemble(labels))
    assert same_partition(fitted.labels_, kcc.labels_)
    assert same_partition(fitted.labels_, truth)
    # The objective of KCC counts each clustering with weight 1/M too.
    assert_allclose(fitted.objective_[-1], kcc.objective_[-1], rtol=0.02)  # not quite 1


def test_duplicated_clusterings_act_as_doubled_weight():
    twice = Method(2, random_state=0).fit(Ensemble(E6))
    weighted = Method(2, clustering_weights=[2, 1], random_state=0)
    weighted.fit(Ensemble(E6[:, [0, 2]]))
    assert_allclose(twice.membership_, weighted.membership_, atol=1e-6)  # tol is 1e-5


def test_missing_labels_are_left_out_of_distances_and_means():
    labels, truth = planted(90, 3, 8, noise=0.1, seed=3)
    labels[np.random.RandomState(0).rand(90, 8) < 0.3] = -1
    ensemble = Ensemble(labels)
    for utility in DIVERGENCE:
        fitted = Method(3, utility=utility, random_state=0).fit(ensemble)
        found = fitted.labels_
        right = (found[:, None] == found) == (truth[:, None] == truth)
        assert right.mean() > 0.95
        assert np.isfinite(fitted.objective_).all()


def test_too_few_iterations_warn():
    labels, _ = planted(60, 3, 5, noise=0.4, seed=0)
    with pytest.warns(ConvergenceWarning, match="FCC did not converge in max_iter=1"):
        fitted = Method(3, max_iter=1, tol=0, random_state=0).fit(Ensemble(labels))
    assert not fitted.converged_
    assert fitted.n_iter_ == 1


def test_overlapping_clusterings_are_refused_in_words():
    overlapping = Ensemble.from_clusters([[[0, 1], [1, 2]], [[0], [1, 2]]], 3)
    with pytest.raises(ValueError, match="overlapping clusterings do not sum to one"):
        Method(2).fit(overlapping)
    with pytest.raises(ValueError, match="infinite on labels"):
        fuzzy_rows(
            Ensemble(E6), 2, np.random.RandomState(0), divergence="itakura_saito"
        )


@pytest.mark.parametrize("seed", range(10))
def test_clear_clusters_are_found_though_single_starts_miss_them(seed):
    # One start in forty ends with two of these clusters in one.
    truth = np.repeat(np.arange(3), 5)
    votes = np.column_stack([truth] * 6)
    votes[13, 2], votes[10, 3], votes[5, 4], votes[4, 5] = 0, 0, 2, 1
    fitted = Method(n_clusters=3, random_state=seed).fit(Ensemble(votes))
    assert same_partition(fitted.labels_, truth)
