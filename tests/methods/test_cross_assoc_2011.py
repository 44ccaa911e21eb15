"""Weighted ensemble with cross-association grouping."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from comitia import Ensemble, method
from tests.fixtures import E6, X6, planted, same_partition
from tests.methods.test_cross_assoc_2011_search import cost_by_loops

Method = method("cross_assoc_2011")


def quality_by_loops(X, labels):
    clusters = [X[labels == name] for name in np.unique(labels)]
    centers = [members.mean(axis=0) for members in clusters]
    intra = np.mean(
        [
            np.mean([((x - c) ** 2).sum() for x in members])
            for members, c in zip(clusters, centers, strict=True)
        ]
    )
    pairs = [
        ((centers[v] - centers[r]) ** 2).sum()
        for v in range(len(centers))
        for r in range(v + 1, len(centers))
    ]
    return (np.mean(pairs) if pairs else 0.0) - intra


def test_weights_of_the_catalogue():
    q = [quality_by_loops(X6, column) for column in E6.T]
    assert_allclose(q, [100 - 2 / 3, 100 - 2 / 3, 60.5 - 5.5])
    fitted = Method(2).fit(X6, ensemble=Ensemble(E6))
    assert_allclose(fitted.clustering_weights_, [0.5, 0.5, 0.0])
    assert same_partition(fitted.labels_, E6[:, 0])
    assert fitted.objective_[-1] == 0.0


@pytest.mark.parametrize("seed", range(3))
def test_weights_are_their_formula(seed):
    rng = np.random.RandomState(seed)
    X, labels = rng.rand(30, 3), rng.randint(0, 4, size=(30, 5))
    q = np.array([quality_by_loops(X, column) for column in labels.T])
    fitted = Method(3).fit(X, ensemble=Ensemble(labels))
    expected = (q - q.min()) / (q - q.min()).sum()
    assert_allclose(fitted.clustering_weights_, expected)


def test_a_single_cluster_has_nothing_between():
    labels = np.column_stack([E6[:, 0], np.zeros(6, int), E6[:, 2]])
    q = np.array([quality_by_loops(X6, column) for column in labels.T])
    assert q[1] == -np.mean((X6 - X6.mean()) ** 2)
    fitted = Method(2).fit(X6, ensemble=Ensemble(labels))
    assert_allclose(fitted.clustering_weights_, (q - q[1]) / (q - q[1]).sum())


def test_equal_clusterings_weigh_the_same():
    fitted = Method(2).fit(X6, ensemble=Ensemble(np.repeat(E6[:, :1], 4, axis=1)))
    assert_allclose(fitted.clustering_weights_, 0.25)
    assert same_partition(fitted.labels_, E6[:, 0])


def thresholded(ensemble, weights, threshold):
    S = ensemble.coassociation(clustering_weights=weights).astype(float)
    if threshold is None:
        threshold = S[~np.eye(len(S), dtype=bool)].mean()
    alike = threshold + 1e-6 < S
    np.fill_diagonal(alike, True)
    return alike


@pytest.mark.parametrize("variant", ["code_length", "printed"])
@pytest.mark.parametrize("threshold", [None, 0.0, 0.4])
def test_the_objective_is_the_cost_of_the_thresholded_matrix(variant, threshold):
    rng = np.random.RandomState(0)
    X, labels = rng.rand(40, 2), rng.randint(0, 3, size=(40, 6))
    ensemble = Ensemble(labels)
    fitted = Method(4, threshold=threshold, variant=variant).fit(X, ensemble=ensemble)
    alike = thresholded(ensemble, fitted.clustering_weights_, threshold)
    cost = cost_by_loops(alike, fitted.labels_, variant == "code_length")
    assert_allclose(fitted.objective_[-1], cost)
    assert (np.diff(fitted.objective_) <= 1e-9).all()
    assert fitted.n_clusters_ == 4
    assert fitted.n_iter_ == len(fitted.objective_) - 1


def test_a_similarity_that_equals_the_threshold_is_not_above_it():
    # Objects 0 and 1 meet in one of two clusterings that weigh the same.
    votes, X = Ensemble([[0, 0], [0, 1], [1, 2]]), np.zeros((3, 1))
    for threshold, n_ones in ((0.5, 3), (0.49, 5)):
        fitted = Method(1, threshold=threshold).fit(X, ensemble=votes)
        p = n_ones / 9
        bits = -p * np.log2(p) - (1 - p) * np.log2(1 - p)
        assert_allclose(fitted.objective_[-1], 9 * bits)


def test_good_clusterings_outvote_many_poor_ones():
    rng = np.random.RandomState(0)
    truth = np.repeat([0, 1, 2], 20)
    X = 10.0 * np.eye(3)[truth] + rng.randn(60, 3)
    poor = rng.randint(3, size=(60, 10))
    labels = np.column_stack([truth, truth, poor])
    fitted = Method(3).fit(X, ensemble=Ensemble(labels))
    assert same_partition(fitted.labels_, truth)
    assert fitted.clustering_weights_[:2].sum() > 0.7
    assert fitted.converged_


def test_the_printed_cost_prefers_a_lonely_object():
    # Why blocks count by their size. With 30 % of the answers wrong the two true groups
    # cost 4 H(0.3) = 3.5 bits, and a lonely object beside a mixed group 3 H(0.5) = 3.
    rng = np.random.RandomState(0)
    truth = np.repeat([0, 1], 40)
    flip = np.triu(rng.rand(80, 80) < 0.3, 1)
    alike = (truth[:, None] == truth) ^ flip ^ flip.T
    lonely = np.r_[0, np.ones(79, dtype=int)]

    def cost(groups, weight_blocks):
        return cost_by_loops(alike, groups, weight_blocks)

    assert cost(truth, True) < cost(lonely, True)
    assert cost(truth, False) > cost(lonely, False)


def test_the_number_of_clusters_is_chosen_when_none_is_given():
    labels, truth = planted(60, 3, 10, noise=0.1, seed=0)
    X = 5.0 * np.eye(3)[truth]
    assert Method().fit(X, ensemble=Ensemble(labels)).n_clusters_ == 3


def test_stopping_early_is_told():
    labels, _ = planted(120, 4, 6, noise=0.8, seed=0)
    X = np.random.RandomState(0).randn(120, 2)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 sweeps; raise max_iter"):
        Method(5, max_iter=1).fit(X, ensemble=Ensemble(labels))
