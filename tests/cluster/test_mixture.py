"""Weighted Gaussian mixtures: scikit-learn's for equal weights, copies for others."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import multivariate_normal
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

from comitia.cluster import WeightedGaussianMixture
from comitia.cluster.mixture import gaussian_log_density
from comitia.exceptions import ComitiaError

BLOBS, TRUTH = make_blobs(90, centers=3, cluster_std=1.0, random_state=4)
each_type = pytest.mark.parametrize("covariance_type", ["full", "diag"])


def test_the_density_is_that_of_scipy():
    rng = np.random.RandomState(0)
    X, means = rng.randn(9, 3), rng.randn(2, 3)
    roots = rng.randn(2, 3, 3)
    full = roots @ roots.transpose(0, 2, 1) + np.eye(3)
    diagonal = rng.rand(2, 3) + 0.1
    for covariances in (full, diagonal):
        as_matrices = [np.diag(c) if c.ndim == 1 else c for c in covariances]
        expected = np.column_stack(
            [
                multivariate_normal(mean, covariance).logpdf(X)
                for mean, covariance in zip(means, as_matrices, strict=True)
            ]
        )
        assert_allclose(gaussian_log_density(X, means, covariances), expected)


@each_type
def test_equal_weights_are_scikit_learns_mixture(covariance_type):
    theirs = GaussianMixture(
        3, covariance_type=covariance_type, max_iter=200, tol=1e-4, random_state=0
    ).fit(BLOBS)
    ours = WeightedGaussianMixture(
        3, covariance_type=covariance_type, random_state=0
    ).fit(BLOBS)
    assert_allclose(ours.cluster_centers_, theirs.means_, atol=1e-9)
    assert_allclose(ours.covariances_, theirs.covariances_, atol=1e-9)
    assert_allclose(ours.proportions_, theirs.weights_)
    assert_allclose(ours.membership_, theirs.predict_proba(BLOBS), atol=1e-9)
    assert_allclose(ours.score_samples(BLOBS), theirs.score_samples(BLOBS))
    assert_array_equal(ours.predict(BLOBS[:9] + 0.3), theirs.predict(BLOBS[:9] + 0.3))


@each_type
def test_an_object_of_weight_two_counts_like_two(covariance_type):
    weights = np.random.RandomState(0).randint(0, 4, size=90)
    start = np.array([BLOBS[r == TRUTH].mean(axis=0) for r in range(3)])
    mixture = WeightedGaussianMixture(3, covariance_type=covariance_type, init=start)
    one = mixture.fit(BLOBS, sample_weight=weights)
    objective, means, labels = one.objective_, one.cluster_centers_, one.labels_
    other = mixture.fit(np.repeat(BLOBS, weights, axis=0))
    assert_allclose(objective, other.objective_)
    assert_allclose(means, other.cluster_centers_)
    assert_array_equal(np.repeat(labels, weights), other.labels_)


def test_the_scale_of_the_weights_does_not_matter():
    weights = np.random.RandomState(0).rand(90)
    one = WeightedGaussianMixture(3, random_state=0).fit(BLOBS, sample_weight=weights)
    other = WeightedGaussianMixture(3, random_state=0).fit(
        BLOBS, sample_weight=1000 * weights
    )
    assert_allclose(one.cluster_centers_, other.cluster_centers_)


@each_type
def test_the_likelihood_never_falls(covariance_type):
    weights = np.random.RandomState(1).rand(90)
    mixture = WeightedGaussianMixture(
        4, covariance_type=covariance_type, reg_covar=0.0, tol=1e-6, random_state=0
    ).fit(BLOBS, sample_weight=weights)
    assert np.diff(mixture.objective_).max() <= 1e-12


def test_memberships_are_posteriors_of_the_components():
    mixture = WeightedGaussianMixture(3, random_state=0).fit(BLOBS)
    joint = np.exp(mixture.component_log_density(BLOBS)) * mixture.proportions_
    expected = joint / joint.sum(axis=1, keepdims=True)
    assert_allclose(mixture.membership_, expected, atol=1e-12)
    assert_allclose(mixture.membership_.sum(axis=1), 1.0)
    assert adjusted_rand_score(TRUTH, mixture.labels_) > 0.9


def test_memberships_can_be_given_to_start_from():
    start = np.eye(3)[TRUTH]
    fitted = WeightedGaussianMixture(3, init=start).fit(BLOBS)
    means = [BLOBS[r == TRUTH].mean(axis=0) for r in range(3)]
    assert_allclose(fitted.cluster_centers_, means, atol=0.5)  # blobs touch a little
    with pytest.raises(ComitiaError, match=r"means of shape \(3, 2\) or memberships"):
        WeightedGaussianMixture(3, init=2 * start).fit(BLOBS)


def test_constant_features_need_the_ridge():
    X = np.column_stack([BLOBS, np.zeros(90)])
    for kind in ("full", "diag"):
        mixture = WeightedGaussianMixture(1, covariance_type=kind, reg_covar=0.0)
        with pytest.raises(ComitiaError, match="not positive definite; raise reg_cov"):
            mixture.fit(X)
    fitted = WeightedGaussianMixture(2, random_state=0).fit(X)
    assert_allclose(fitted.covariances_[:, 2, 2], 1e-6, rtol=1e-6)
