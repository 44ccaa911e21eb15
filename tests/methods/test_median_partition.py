"""The median partition, against every partition there is."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from comitia import Ensemble, method
from comitia.agreement import agreement_with
from comitia.partition.median_search import AGREEMENTS, set_partitions
from comitia.weigh import crowd_agreement
from tests.fixtures import E6, planted, same_partition

Method = method("median_partition")
EVERY = {n: set_partitions(n) for n in range(1, 8)}


def objective(labels, ensemble, agreement, weights):
    sign = -1.0 if agreement == "variation_of_information" else 1.0
    return sign * weights @ agreement_with(labels, ensemble, agreement)


def optimum(ensemble, agreement, weights, n_clusters=None):
    """The best objective of all partitions, one after the other."""
    return max(
        objective(labels, ensemble, agreement, weights)
        for labels in EVERY[ensemble.n_objects]
        if n_clusters in (None, labels.max() + 1)
    )


def test_there_are_as_many_partitions_as_the_bell_numbers_say():
    assert [len(EVERY[n]) for n in range(1, 8)] == [1, 2, 5, 15, 52, 203, 877]
    assert len({tuple(labels) for labels in EVERY[7]}) == 877
    # Stirling numbers of the second kind.
    assert [len(set_partitions(5, k)) for k in range(1, 6)] == [1, 15, 25, 10, 1]


@pytest.mark.parametrize(
    ("agreement", "search"),
    [*((agreement, "greedy") for agreement in AGREEMENTS), ("nmi_max", "annealing")],
)
def test_small_ensembles_are_solved_exactly(agreement, search):
    rng = np.random.RandomState(sum(map(ord, agreement)))
    for n in (2, 4, 5, 6, 7):
        M, k = rng.randint(1, 5), rng.randint(1, n + 1)
        labels = rng.randint(0, rng.randint(1, n) + 1, size=(n, M))
        ensemble, weights = Ensemble(labels), rng.dirichlet(np.ones(M))
        for n_clusters in (None, k):
            fitted = Method(
                n_clusters,
                agreement=agreement,
                clustering_weights=weights,
                search=search,
                random_state=0,
            ).fit(ensemble)
            best = optimum(ensemble, agreement, weights, n_clusters)
            found = objective(fitted.labels_, ensemble, agreement, weights)
            assert_allclose(found, best, atol=1e-12)
            assert_allclose(fitted.objective_[-1], best, atol=1e-12)
            assert n_clusters in (None, fitted.n_clusters_)


def test_small_partial_ensembles_are_solved_exactly():
    rng = np.random.RandomState(3)
    for _ in range(10):
        labels = rng.randint(0, 3, size=(5, 3))
        labels[rng.rand(5, 3) < 0.3] = -1
        labels[:, 0] = np.abs(labels[:, 0])  # everybody is somewhere
        ensemble = Ensemble(labels)
        fitted = Method(agreement="jaccard").fit(ensemble)
        best = optimum(ensemble, "jaccard", np.full(3, 1 / 3))
        assert_allclose(fitted.objective_[-1], best, atol=1e-12)


@pytest.mark.parametrize("agreement", AGREEMENTS)
@pytest.mark.parametrize("search", ["greedy", "annealing"])
def test_the_result_is_never_worse_than_the_best_clustering(agreement, search):
    rng = np.random.RandomState(7)
    labels = rng.randint(0, 4, size=(40, 5))
    ensemble, weights = Ensemble(labels), rng.dirichlet(np.ones(5))
    bases = [objective(labels[:, m], ensemble, agreement, weights) for m in range(5)]
    for n_clusters in (None, 4):
        fitted = Method(
            n_clusters,
            agreement=agreement,
            clustering_weights=weights,
            search=search,
            n_init=2,
            max_iter=20,
            random_state=0,
        ).fit(ensemble)
        found = objective(fitted.labels_, ensemble, agreement, weights)
        assert found >= max(bases) - 1e-12
        assert_allclose(fitted.objective_[-1], found, atol=1e-10)
        assert (np.diff(fitted.objective_) >= 0).all()
        assert fitted.n_iter_ == len(fitted.objective_) - 1


def test_no_single_move_improves_a_converged_result():
    labels, _ = planted(25, 3, 6, noise=0.5, seed=2)
    ensemble, weights = Ensemble(labels), np.full(6, 1 / 6)
    fitted = Method(agreement="nmi_max", random_state=0).fit(ensemble)
    assert fitted.converged_
    best = fitted.objective_[-1]
    for i in range(25):
        for target in range(fitted.n_clusters_ + 1):
            moved = fitted.labels_.copy()
            moved[i] = target
            assert objective(moved, ensemble, "nmi_max", weights) <= best + 1e-10


def test_all_weight_on_one_clustering_returns_it():
    labels, _ = planted(60, 3, 4, noise=0.6, seed=5)
    fitted = Method(clustering_weights=[0, 0, 2.0, 0], random_state=0)
    fitted.fit(Ensemble(labels))
    assert same_partition(fitted.labels_, labels[:, 2])
    assert_allclose(fitted.objective_[-1], 1.0)
    assert_array_equal(fitted.clustering_weights_, [0, 0, 1, 0])


def test_rand_is_a_vote_on_pairs():
    # The Rand index is linear in pairs: a partition that puts together exactly the
    # pairs that more than half of the weight puts together cannot be beaten.
    labels, truth = planted(80, 4, 9, noise=0.15, seed=1)
    fitted = Method(4, agreement="rand", random_state=0).fit(Ensemble(labels))
    assert same_partition(fitted.labels_, truth)
    S = Ensemble(labels).coassociation()
    assert ((S > 0.5) == (truth[:, None] == truth)).mean() > 0.98


def test_duplicated_clusterings_act_as_doubled_weight():
    twice = Method(random_state=0).fit(Ensemble(E6))
    weighted = Method(clustering_weights=[2, 1], random_state=0)
    weighted.fit(Ensemble(E6[:, [0, 2]]))
    assert_allclose(twice.objective_[-1], weighted.objective_[-1])
    assert_array_equal(twice.labels_, weighted.labels_)


def test_crowd_weights_are_the_mean_agreement_with_the_others():
    fitted = Method(agreement="rand", clustering_weights="crowd").fit(Ensemble(E6))
    # Rand of E6: 1 between the first two, 2/3 with the third.
    assert_allclose(fitted.clustering_weights_, np.array([5, 5, 4]) / 14)
    distance = Method(
        agreement="variation_of_information", clustering_weights="crowd"
    ).fit(Ensemble(E6))
    raw = crowd_agreement(Ensemble(E6), "nmi_joint", weight_power=1.0)
    assert_allclose(distance.clustering_weights_, raw / raw.sum())


def test_a_fixed_number_of_clusters_is_kept():
    labels, _ = planted(50, 4, 6, noise=0.2, seed=4)
    for k in (1, 2, 7, 50):
        for search in ("greedy", "annealing"):
            fitted = Method(k, search=search, max_iter=10, random_state=0)
            assert fitted.fit(Ensemble(labels)).n_clusters_ == k


def test_fuzzy_clusterings_are_hardened():
    labels, _ = planted(30, 3, 4, noise=0.2, seed=8)
    memberships = [0.2 / 3 + 0.8 * np.eye(3)[column] for column in labels.T]
    fuzzy = Method(3, random_state=0).fit(Ensemble.from_memberships(memberships))
    hard = Method(3, random_state=0).fit(Ensemble(labels))
    assert same_partition(fuzzy.labels_, hard.labels_)


def test_overlapping_clusterings_are_refused_in_words():
    overlapping = Ensemble.from_clusters([[[0, 1], [1, 2]], [[0], [1, 2]]], 3)
    with pytest.raises(ValueError, match="overlapping clusterings is not defined"):
        Method().fit(overlapping)


def test_wrong_weights_are_refused_in_words():
    with pytest.raises(ValueError, match="clustering_weights must be 3 finite"):
        Method(clustering_weights=[1, 2]).fit(Ensemble(E6))
    with pytest.raises(ValueError, match="'agreement' parameter"):
        Method(agreement="nmi_logk").fit(Ensemble(E6))


def test_stopping_early_is_told():
    labels, _ = planted(60, 4, 6, noise=0.8, seed=0)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 sweeps; raise max_iter"):
        Method(4, n_init=1, max_iter=1).fit(Ensemble(labels))
