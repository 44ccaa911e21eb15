"""Consensus by orthogonal non-negative matrix tri-factorisation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from comitia import Ensemble
from comitia.agreement import nmi
from comitia.methods import NMFConsensus
from comitia.optimize import indicator_start, orthogonal_nmf
from comitia.partition import kmeans_rows
from tests.fixtures import E6, LWEA16, planted, same_partition

VARIANTS = ["diagonal", "symmetric"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_equal_clusterings_are_their_own_consensus(variant):
    votes = Ensemble(np.repeat(E6[:, :1], 4, axis=1))
    fitted = NMFConsensus(2, variant=variant, random_state=0).fit(votes)
    assert same_partition(fitted.labels_, E6[:, 0])
    # Q = B1 diag(3, 3)^(-1/2) and D = diag(3, 3) fit exactly; ||A||^2 is 18.
    assert fitted.objective_.min() < 1e-4  # tol times 18, over ten sweeps
    assert fitted.converged_


def test_two_of_three_clusterings_of_e6_win():
    fitted = NMFConsensus(2, random_state=0).fit(Ensemble(E6))
    assert same_partition(fitted.labels_, E6[:, 0])


def test_the_objective_is_that_of_the_matrix_that_is_never_formed():
    labels, _ = planted(60, 3, 8, 0.4, 0)
    labels = np.repeat(labels, 2, axis=0)  # micro-objects with counts
    A = (labels[:, None] == labels[None]).mean(axis=2)
    fitted = NMFConsensus(3, n_init=1, max_iter=9, random_state=0)
    with pytest.warns(ConvergenceWarning, match="max_iter=9"):
        fitted.fit(Ensemble(labels))
    micro = Ensemble(labels).distinct().in_content_order()
    start, _ = kmeans_rows(
        micro.ensemble,
        3,
        np.random.RandomState(0),
        object_weights=micro.counts,
        n_init=1,
    )
    Q = indicator_start(start[micro.inverse], 3)
    wanted = orthogonal_nmf(A, Q, max_iter=9)
    assert_allclose(fitted.objective_, wanted.objective, rtol=1e-9)
    assert fitted.n_iter_ == 9
    assert not fitted.converged_
    assert same_partition(fitted.labels_, wanted.Q.argmax(axis=1))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("noise", [0.2, 0.4])
def test_low_noise_is_seen_through(noise, variant):
    labels, truth = planted(400, 5, 15, noise, 0)
    fitted = NMFConsensus(5, variant=variant, random_state=0).fit(Ensemble(labels))
    assert nmi(fitted.labels_, truth) > 0.98


def test_unequal_sizes_are_no_obstacle():
    labels, truth = planted(500, 5, 20, 0.3, 1, sizes=[1, 1, 2, 5, 10])
    fitted = NMFConsensus(5, random_state=0).fit(Ensemble(labels))
    assert nmi(fitted.labels_, truth) > 0.98


def loss_of_partition(A, labels):
    """The objective where it is feasible: each cluster at its mean similarity."""
    fit = np.zeros_like(A)
    for c in np.unique(labels):
        both = np.outer(labels == c, labels == c)
        fit[both] = A[both].mean()
    return np.sum((A - fit) ** 2)


@pytest.mark.parametrize("sizes", [[1, 1, 1], [1, 2, 6]])
def test_the_result_is_the_best_of_the_partitions_seen(sizes):
    labels, _ = planted(90, 3, 8, 0.5, 1, sizes=sizes)
    A = (labels[:, None] == labels[None]).mean(axis=2)
    method = NMFConsensus(3, random_state=0).fit(Ensemble(labels))
    got = loss_of_partition(A, method.labels_)
    assert_allclose(method.objective_.min(), got, rtol=1e-9)
    micro, counts, inverse = Ensemble(labels).distinct().in_content_order()
    starts = [*method._starts(micro, counts, 3, np.random.RandomState(0))]
    assert len(starts) > 1
    for start in starts:
        factors = orthogonal_nmf(A, indicator_start(start[inverse], 3), max_iter=30)
        assert got <= loss_of_partition(A, start[inverse]) + 1e-9
        assert got <= loss_of_partition(A, factors.Q.argmax(axis=1)) + 1e-9


def test_a_small_cluster_is_not_lost():
    # Comparing the factors themselves has 0.88 with the first seed.
    for seed in range(3):
        labels, truth = planted(200, 2, 12, 0.3, seed, sizes=[1, 9])
        found = NMFConsensus(2, random_state=0).fit_predict(Ensemble(labels))
        assert adjusted_rand_score(truth, found) > 0.92


def test_names_and_orders_do_not_matter():
    # The starts are drawn in an order that the labels alone determine.
    labels, _ = planted(150, 3, 10, 0.4, 2)
    rng = np.random.RandomState(0)
    wanted = NMFConsensus(3, random_state=0).fit_predict(Ensemble(labels))
    renamed = np.array(["x", "y", "z"])[labels]
    got = NMFConsensus(3, random_state=0).fit_predict(Ensemble(renamed))
    assert same_partition(got, wanted)
    order = rng.permutation(150)
    got = NMFConsensus(3, random_state=0).fit_predict(Ensemble(labels[order]))
    assert same_partition(got, wanted[order])
    got = NMFConsensus(3, random_state=0).fit_predict(Ensemble(labels[:, ::-1]))
    assert same_partition(got, wanted)


def test_every_clustering_twice_is_the_same_ensemble():
    labels, _ = planted(150, 3, 20, 0.2, 3)
    once = NMFConsensus(3, random_state=0).fit(Ensemble(labels))
    twice = NMFConsensus(3, random_state=0).fit(Ensemble(np.tile(labels, 2)))
    assert same_partition(once.labels_, twice.labels_)
    assert_allclose(once.objective_.min(), twice.objective_.min(), rtol=1e-9)


def test_more_starts_are_not_worse():
    labels, _ = planted(200, 6, 8, 0.6, 4)
    few, many = (
        NMFConsensus(6, n_init=n, random_state=0).fit(Ensemble(labels)).objective_.min()
        for n in (1, 8)
    )
    assert many <= few


def test_missing_labels_are_left_out_of_the_votes():
    labels, truth = planted(300, 4, 20, 0.1, 5)
    labels[np.random.RandomState(0).uniform(size=labels.shape) < 0.3] = -1
    fitted = NMFConsensus(4, random_state=0).fit(Ensemble(labels))
    assert same_partition(fitted.labels_, truth)


def test_the_worked_example_of_lwea_keeps_its_core():
    fitted = NMFConsensus(3, random_state=0).fit(Ensemble(LWEA16))
    # The last four objects are together in all three clusterings, and apart from the
    # first two in all three.
    assert len(set(fitted.labels_[-4:])) == 1
    assert fitted.labels_[0] == fitted.labels_[1] != fitted.labels_[-1]


def test_the_number_of_clusters_can_be_chosen():
    labels, truth = planted(300, 4, 15, 0.2, 7)
    fitted = NMFConsensus(random_state=0).fit(Ensemble(labels))
    assert fitted.n_clusters_ == 4
    assert same_partition(fitted.labels_, truth)
    one = NMFConsensus(1, random_state=0).fit(Ensemble(labels))
    assert one.n_clusters_ == 1
