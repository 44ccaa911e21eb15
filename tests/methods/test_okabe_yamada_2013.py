"""Boosted constrained k-means: violated constraints come first in the next round."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from comitia import Ensemble
from comitia.cluster import ConstraintSet, random_constraints
from comitia.exceptions import ComitiaError, ComitiaWarning
from comitia.generate.boosting import Round
from comitia.methods import BoostedCOPKMeans
from comitia.methods.fixed_clusterings.okabe_yamada_2013 import (
    by_violation,
    constraint_error,
    cop_round,
)
from comitia.partition import kernel_kmeans, kmeans_rows
from tests.fixtures import E6, X6, planted, same_partition

# Five constraints of equal priority on E6, of which its third clustering violates one.
FIVE = ConstraintSet(6, [(0, 1), (2, 0), (4, 5)], [(0, 3), (1, 4)])


def signed(labels):
    """The kernel of a clustering: 1 for two objects together, -1 for two apart."""
    return np.where(labels[:, None] == labels, 1.0, -1.0)


def test_a_fifth_violated_gives_the_worked_vote_and_priorities():
    made = Round(E6[:, 2], weights=np.full(5, 0.2))
    found = constraint_error(X6, made, [], constraints=FIVE, variant="adaboost")
    assert found["violated"].tolist() == [False, True, False, False, False]
    assert_allclose(found["error"], 0.2)
    assert_allclose(found["vote"], 0.693147, atol=5e-7)  # printed to six decimals
    made.measures = found
    alpha = by_violation(made.weights, [made])
    # Doubled and halved, relative to 1: after normalisation a ratio of four.
    assert_allclose(alpha, [0.125, 0.5, 0.125, 0.125, 0.125])


def test_eigenvalues_of_the_kernels_are_those_worked_out():
    eigenvalues = [np.linalg.eigvalsh(signed(labels)) for labels in E6.T]
    assert_allclose(eigenvalues[0], [0, 0, 0, 0, 0, 6], atol=1e-12)
    assert_allclose(eigenvalues[2], [-2, 0, 0, 0, 4, 4], atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_priorities_and_votes_are_their_definition(seed):
    X, truth = make_blobs(40, centers=3, cluster_std=4.0, random_state=seed)
    pairs = random_constraints(truth, 30, np.random.RandomState(seed))
    fitted = BoostedCOPKMeans(n_clusters=3, n_rounds=6, random_state=seed)
    fitted.fit(X, must_link=pairs.must_link, cannot_link=pairs.cannot_link)
    alpha, votes = np.full(30, 1 / 30), []
    for made in fitted.generator_.rounds_:
        assert_allclose(made.weights, alpha)
        yK = pairs.signs * signed(made.labels)[tuple(pairs.pairs.T)]
        error = max(alpha[yK < 0].sum(), 1e-6)
        votes.append(0.5 * np.log((1 - error) / error))
        alpha = alpha * np.exp(-votes[-1] * yK)
        alpha /= alpha.sum()
    assert_allclose(fitted.clustering_weights_, np.array(votes) / np.sum(votes))
    assert_allclose(fitted.constraint_weights_, alpha)


@pytest.mark.parametrize("seed", range(5))
def test_k_means_of_rows_is_kernel_k_means_of_the_signed_kernel(seed):
    labels, _ = planted(30, 3, 5, noise=0.4, seed=seed)
    rng = np.random.RandomState(seed)
    w = rng.dirichlet(np.ones(5))
    K = sum(wm * signed(column) for wm, column in zip(w, labels.T, strict=True))
    assert np.linalg.eigvalsh(K)[0] < -0.1  # it would need a shift
    rows = kmeans_rows(Ensemble(labels), 3, rng, clustering_weights=w, n_init=20)
    indicator = np.eye(3)[rows.labels]
    mass = indicator.sum(axis=0)
    by_kernel = np.trace(K) - (np.diag(indicator.T @ K @ indicator) / mass).sum()
    assert_allclose(by_kernel, 2 * rows.objective[-1])
    # The shifted kernel has the same objective and, from as many starts, no better one.
    shifted = kernel_kmeans(K, 3, rng, n_init=20).objective[-1]
    assert 2 * rows.objective[-1] <= shifted + 1e-9


def test_a_constraint_of_high_priority_is_met_before_one_of_low():
    # Three objects that must be apart do not fit into two clusters.
    apart = ConstraintSet(6, None, [(0, 1), (1, 2), (0, 2)])
    for first in range(3):
        priorities = np.full(3, 0.1)
        priorities[first] = 0.8
        made = cop_round(
            X6,
            None,
            priorities,
            np.random.RandomState(0),
            n_clusters=2,
            constraints=apart,
        )
        assert not apart.violated(made.labels)[first]


def test_constraints_find_clusters_that_distances_do_not():
    # Two flat clusters side by side: plain k-means cuts both of them in two.
    rng = np.random.RandomState(0)
    truth = np.repeat([0, 1], 40)
    X = np.column_stack([rng.uniform(-4, 4, 80), truth * 2.0 + rng.normal(0, 0.1, 80)])
    pairs = random_constraints(truth, 150, rng)
    links = {"must_link": pairs.must_link, "cannot_link": pairs.cannot_link}
    plain = BoostedCOPKMeans(n_clusters=2, random_state=0).fit_predict(X)
    bound = BoostedCOPKMeans(n_clusters=2, random_state=0).fit_predict(X, **links)
    assert adjusted_rand_score(truth, plain) < 0.2
    assert adjusted_rand_score(truth, bound) > 0.9


def test_perfect_rounds_weigh_the_same():
    fitted = BoostedCOPKMeans(n_clusters=2, n_rounds=5, random_state=0)
    fitted.fit(X6, must_link=[(0, 1)], cannot_link=[(2, 3)])
    assert_allclose(fitted.clustering_weights_, 0.2)
    assert_allclose(fitted.constraint_weights_, 0.5)
    assert same_partition(fitted.labels_, [0, 0, 0, 1, 1, 1])


def test_the_printed_weight_rewards_what_violates():
    X, truth = make_blobs(60, centers=4, cluster_std=3.0, random_state=1)
    pairs = random_constraints(truth, 200, np.random.RandomState(0))
    links = {"must_link": pairs.must_link, "cannot_link": pairs.cannot_link}
    printed = BoostedCOPKMeans(n_clusters=3, variant="error_rate", random_state=0)
    printed.fit(X, **links)
    shares = [pairs.violated(labels).mean() for labels in printed.ensemble_.labels.T]
    assert min(shares) > 0
    assert len(set(shares)) > 1
    assert_allclose(printed.clustering_weights_, np.array(shares) / np.sum(shares))


@pytest.mark.parametrize("n_must", range(2, 12))
def test_a_clustering_that_comes_back_ends_the_rounds(n_must):
    # There is only one clustering into one cluster. It violates one constraint, which
    # then has half of the priority, up to rounding: to go on would not help.
    X = np.arange(20.0)[:, None]
    fitted = BoostedCOPKMeans(n_clusters=1, random_state=0)
    fitted.fit(X, must_link=[(i, i + 1) for i in range(n_must)], cannot_link=[(18, 19)])
    assert fitted.ensemble_.n_clusterings == 1
    assert_allclose(fitted.generator_.rounds_[0].measures["error"], 1 / (n_must + 1))
    assert_allclose(fitted.constraint_weights_, [0.5 / n_must] * n_must + [0.5])


def test_a_first_round_worse_than_chance_is_all_there_is():
    rivals = [(i, j) for i in range(5) for j in range(i)]
    fitted = BoostedCOPKMeans(n_clusters=1, random_state=0)
    with pytest.warns(ComitiaWarning, match="uniform"):
        fitted.fit(X6, cannot_link=rivals)
    assert fitted.ensemble_.n_clusterings == 1
    assert fitted.n_clusters_ == 1


def test_contradictory_constraints_are_refused():
    with pytest.raises(ComitiaError, match="by way of 0 - 1 - 2"):
        BoostedCOPKMeans(n_clusters=2).fit(
            X6, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)]
        )


def test_the_clip_keeps_votes_finite():
    for labels, error in [(E6[:, 0], 1e-6), (np.array([0, 1, 2, 0, 1, 2]), 1 - 1e-6)]:
        made = SimpleNamespace(labels=labels, weights=np.full(5, 0.2))
        found = constraint_error(X6, made, [], constraints=FIVE, variant="adaboost")
        assert_allclose(found["error"], error)
        assert np.isfinite(found["vote"])
