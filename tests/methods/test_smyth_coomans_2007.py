"""Predictive weighted trees: the regression weighs, the means decide."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from comitia import Ensemble
from comitia.generate import TreeGenerator
from comitia.methods import PredictiveTrees
from comitia.methods.fixed_clusterings._smyth_coomans_2007_kmeans import (
    mean_similarity_kmeans,
)
from comitia.methods.fixed_clusterings._smyth_coomans_2007_stagewise import (
    forward_stagewise,
)
from comitia.represent import ImplicitCoassociation
from tests.fixtures import E6, X6, planted, same_partition


def test_a_stump_on_the_small_data_splits_at_the_gap():
    stump = TreeGenerator(1, n_clusters=2, min_samples_leaf=1, random_state=0)
    assert same_partition(stump.fit_transform(X6).ravel(), [0, 0, 0, 1, 1, 1])


def test_a_perfect_tree_beats_one_that_predicts_nothing():
    Y = X6 - X6.mean()
    orthogonal = np.array([[1.0], [-2.0], [1.0], [1.0], [-2.0], [1.0]])
    assert abs((Y * orthogonal).sum()) < 1e-12
    weights = forward_stagewise(Y, [Y, orthogonal]).weights
    assert weights[1] == 0.0
    assert weights[0] > 0.9


def test_weights_are_those_of_the_regression():
    X, _ = make_blobs(60, centers=3, n_features=6, random_state=0)
    fitted = PredictiveTrees(
        n_clusters=3, n_clusterings=12, feature_fraction=0.3, random_state=0
    ).fit(X)
    Y = X - X.mean(axis=0)
    # By hand: leaf means of the centred features, leaf by leaf.
    T = []
    for labels in fitted.ensemble_.labels.T:
        means = np.array([Y[labels == c].mean(axis=0) for c in range(labels.max() + 1)])
        T.append(means[labels])
    weights = forward_stagewise(Y, T).weights
    assert_allclose(fitted.clustering_weights_, weights / weights.sum())
    assert (np.diff(fitted.objective_) < 0).all()
    assert fitted.converged_


def test_useless_features_get_little_weight():
    X, _ = make_blobs(80, centers=2, n_features=1, random_state=1)
    noise = 0.01 * np.random.RandomState(0).rand(80, 3)
    fitted = PredictiveTrees(
        n_clusters=2, n_clusterings=20, feature_fraction=0.25, random_state=0
    ).fit(np.hstack([X, noise]))
    features = [member.model.features.how[0] for member in fitted.generator_.members_]
    of_signal = np.array(features) == 0
    assert 0.1 < of_signal.mean() < 0.4
    assert fitted.clustering_weights_[of_signal].sum() > 0.8


@pytest.mark.parametrize("n_features", [20, 100])
def test_clusters_in_many_features_are_found(n_features):
    X, truth = make_blobs(
        150, centers=3, n_features=n_features, cluster_std=3, random_state=0
    )
    found = PredictiveTrees(n_clusters=3, random_state=0).fit(X)
    assert adjusted_rand_score(truth, found.labels_) == 1.0
    assert 0 < (found.clustering_weights_ > 0).sum() < 50  # many trees are left out


def reassign_by_loops(S, labels, k):
    """One sweep of the definition."""
    means = np.zeros((len(S), k))
    for i in range(len(S)):
        for r in range(k):
            others = [j for j in range(len(S)) if labels[j] == r and j != i]
            means[i, r] = np.mean(S[i, others]) if others else S[i, i]
    return means


@pytest.mark.parametrize("seed", range(5))
def test_no_object_is_more_similar_to_another_cluster(seed):
    labels, _ = planted(30, 3, 6, noise=0.3, seed=seed)
    S = ImplicitCoassociation(Ensemble(labels))
    rng = np.random.RandomState(seed)
    found = mean_similarity_kmeans(S, 3, rng)
    means = reassign_by_loops(S @ np.eye(30), found, 3)
    assert (means[np.arange(30), found] >= means.max(axis=1) - 1e-12).all()


def test_the_consensus_of_the_small_example_is_its_majority():
    S = Ensemble(E6).coassociation(dtype=np.float64)
    found = mean_similarity_kmeans(S, 2, np.random.RandomState(0))
    assert same_partition(found, [0, 0, 0, 1, 1, 1])


@pytest.mark.parametrize("k", [1, 5, 6])
def test_no_cluster_stays_empty(k):
    found = mean_similarity_kmeans(np.ones((6, 6)), k, np.random.RandomState(0))
    assert len(set(found)) == k


def test_a_regression_that_is_cut_short_warns():
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        PredictiveTrees(n_clusters=2, max_iter=2, n_clusterings=3).fit(
            np.random.RandomState(0).rand(30, 3)
        )


@pytest.mark.parametrize("reduction", ["pca", "factor_analysis"])
def test_trees_can_predict_components_or_factors(reduction):
    X, truth = make_blobs(90, centers=3, n_features=20, random_state=0)
    fitted = PredictiveTrees(
        n_clusters=3, n_components=2, reduction=reduction, random_state=0
    ).fit(X)
    assert fitted.generator_.responses_.shape == (90, 2)
    assert adjusted_rand_score(truth, fitted.labels_) > 0.9
