"""ABC: bundles on few features, with a preference for those that vary."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score

from comitia.exceptions import ComitiaError
from comitia.methods.fixed_features.abc import ABC, variance_rank_weights

TRUTH = np.repeat([0, 1, 2], 12)


def genes(p=300, informative=15, seed=0):
    """Few of many features tell the classes apart, and these vary most."""
    rng = np.random.RandomState(seed)
    X = rng.randn(36, p)
    X[:, :informative] += 4 * rng.randn(3, informative)[TRUTH]
    return X


def test_features_that_vary_are_drawn_most():
    X = genes()
    X[:, 7] *= 100
    fitted = ABC(3, n_clusterings=300, random_state=0).fit(X)
    assert_allclose(fitted.feature_weights_, variance_rank_weights(X))
    drawn = features_of_runs(fitted, X)
    counts = np.bincount(np.concatenate(drawn), minlength=300)
    assert counts.argmax() == 7
    assert counts[:15].mean() > 2 * counts[15:].mean()


def features_of_runs(fitted, X):
    """The features that each run drew, made again from its seed."""
    generator = fitted.generator_
    plans = generator.plan(X, np.random.RandomState(generator.random_state))
    return [generator.draw_features(plan).how for plan in plans]


def test_runs_are_small_clusters_of_a_bootstrap_on_few_features():
    fitted = ABC(3, n_clusterings=40, random_state=0).fit(genes())
    E = fitted.ensemble_
    assert (E.n_clusters_each == 6).all()  # the root of 36 objects
    drawn = (E.labels >= 0).mean()
    assert abs(drawn - (1 - np.exp(-1))) < 0.05
    sizes = {len(drawn) for drawn in features_of_runs(fitted, genes())}
    assert sizes == {17}  # the root of 300 features


def test_similarities_count_the_runs_that_drew_both():
    fitted = ABC(3, n_clusterings=60, linkage="average", random_state=0).fit(genes())
    labels = fitted.ensemble_.labels
    both = (labels[:, None] >= 0) & (labels[None] >= 0)
    together = (both & (labels[:, None] == labels[None])).sum(axis=2)
    S = together / both.sum(axis=2)
    # The first merge of average linkage joins the most similar pair.
    np.fill_diagonal(S, 0.0)
    assert_allclose(fitted.linkage_[0, 2], 1 - S.max(), atol=1e-6)  # single precision


@pytest.mark.parametrize("linkage", ["ward", "average"])
def test_classes_that_few_features_tell_apart_are_found(linkage):
    X = genes(p=600)
    fitted = ABC(3, n_clusterings=150, linkage=linkage, random_state=0).fit(X)
    assert adjusted_rand_score(TRUTH, fitted.labels_) > 0.9


def test_the_number_of_clusters_is_chosen_when_none_is_given():
    assert ABC(n_clusterings=150, random_state=0).fit(genes(p=600)).n_clusters_ == 3


def test_the_scale_of_the_data_does_not_matter():
    one = ABC(3, n_clusterings=30, random_state=0).fit(genes())
    other = ABC(3, n_clusterings=30, random_state=0).fit(1024.0 * genes() + 1.0)
    assert_allclose(one.feature_weights_, other.feature_weights_)
    assert_array_equal(one.labels_, other.labels_)


def test_bundles_cannot_label_new_objects():
    assert not hasattr(ABC(3), "predict")


@pytest.mark.parametrize("n", range(1, 5))
def test_few_objects_are_clustered_though_some_runs_draw_one_of_them(n):
    X = np.array([[0.0], [0.1], [5.0], [5.1]])[:n]
    fitted = ABC(min(n, 2), n_clusterings=200, random_state=0).fit(X)
    drawn = (fitted.ensemble_.labels >= 0).sum(axis=0)
    assert drawn.min() == 1
    assert_array_equal(fitted.labels_, [[0], [0, 1], [0, 0, 1], [0, 0, 1, 1]][n - 1])


def with_variances(variances):
    """Two objects whose features have these variances."""
    return np.vstack([np.zeros(len(variances)), 2 * np.sqrt(variances)])


def alpha_of(weights):
    """The shift of the ranks, from the two largest weights."""
    largest = np.sort(weights)[::-1]
    ratio = largest[0] / largest[1]  # (2 + alpha) / (1 + alpha)
    return (2 - ratio) / (ratio - 1)


@pytest.mark.parametrize(("p", "alpha"), [(1000, 4.9200), (10000, 53.8144)])
def test_the_calibration_is_that_of_the_catalogue(p, alpha):
    weights = variance_rank_weights(with_variances(np.arange(p, 0, -1)))
    assert_allclose(alpha_of(weights), alpha, atol=5e-5)  # printed to four decimals
    assert_allclose(weights[: p // 100].sum(), 0.2)
    assert_allclose(weights.sum(), 1.0)
    expected = 1 / (np.arange(1, p + 1) + alpha)
    assert_allclose(weights, expected / expected.sum(), rtol=1e-4)  # of rounded alpha


def test_the_share_at_shift_zero_is_that_of_the_catalogue():
    inverse = 1 / np.arange(1, 1001)
    share = inverse[:10].sum() / inverse.sum()
    assert_allclose(share, 0.391, atol=5e-4)  # printed to three decimals
    X = with_variances(np.arange(1000, 0, -1))
    weights = variance_rank_weights(X, top_probability=share)
    assert_allclose(weights, inverse / inverse.sum(), rtol=1e-9)


def test_the_largest_variance_has_the_largest_weight():
    variances = np.array([3.0, 1.0, 9.0, 2.0, 5.0, 4.0, 8.0])
    weights = variance_rank_weights(with_variances(variances))
    assert_array_equal(np.argsort(weights), np.argsort(variances))
    assert_allclose(weights[2], 0.2)


def test_equal_variances_rank_by_index():
    weights = variance_rank_weights(with_variances(np.ones(6)))
    assert (np.diff(weights) < 0).all()


@pytest.mark.parametrize("p", [1, 2, 5])
def test_up_to_five_features_are_equal(p):
    assert_allclose(variance_rank_weights(with_variances(np.arange(p))), 1 / p)


def test_six_features_are_not():
    weights = variance_rank_weights(with_variances(np.arange(6)))
    assert_allclose(weights.max(), 0.2)


@pytest.mark.parametrize("share", [0.0, 1.0, -1.0])
def test_shares_outside_zero_and_one_are_refused(share):
    with pytest.raises(ComitiaError, match="top_fraction"):
        variance_rank_weights(np.eye(3), top_fraction=share)
    with pytest.raises(ComitiaError, match="top_probability"):
        variance_rank_weights(np.eye(3), top_probability=share)
