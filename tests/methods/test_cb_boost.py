"""Boosting for model-based clustering: badly explained objects weigh more."""

import numpy as np
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from comitia.generate.boosting import Round
from comitia.methods.fixed_objects.cb_boost import (
    CBBoost,
    by_expected_loss,
    cap_weights,
)

BLOBS, TRUTH = make_blobs(120, centers=4, random_state=3)


def after(weights, loss):
    loss = np.asarray(loss, dtype=float)
    made = Round(np.zeros(len(loss), dtype=int), state={"loss": loss})
    return by_expected_loss(np.asarray(weights), [made])


def test_the_weights_are_those_of_the_catalogue():
    got = after([0.5, 0.5], [1.0, 0.0])
    assert_allclose(got, [0.731059, 0.268941], atol=5e-7)  # printed to six decimals


def test_equal_losses_leave_the_weights():
    assert_allclose(after([0.2, 0.3, 0.5], [7.0, 7.0, 7.0]), [0.2, 0.3, 0.5])


def test_the_scale_of_the_losses_does_not_matter():
    loss = np.array([3.0, 1.0, 2.0, -4.0])
    one, other = after(np.full(4, 0.25), loss), after(np.full(4, 0.25), 1e6 * loss - 9)
    assert_allclose(one, other)
    assert_allclose(one.max() / one.min(), np.e)


def test_no_object_takes_over():
    weights = np.full(1000, 0.5 / 999)
    weights[7] = 0.5
    got = after(weights, np.arange(1000) == 7)
    assert_allclose(got[7], 0.1)  # a hundred times the mean
    assert_allclose(got.sum(), 1.0)
    assert_allclose(np.delete(got, 7), 0.9 / 999)


def test_a_cap_pushes_others_over_it_and_holds():
    got = cap_weights(np.array([0.6, 0.25, 0.1, 0.05]), 0.3)
    assert_allclose(got, [0.3, 0.3, 0.4 * 2 / 3, 0.4 / 3])
    assert_allclose(cap_weights(np.array([0.6, 0.3, 0.1]), 1 / 3), 1 / 3)
    free = np.array([0.4, 0.35, 0.25])
    assert_allclose(cap_weights(free, 0.5), free)


def test_losses_are_expected_negative_log_likelihoods():
    fitted = CBBoost(4, n_rounds=3, random_state=0).fit(BLOBS)
    for made in fitted.generator_.rounds_:
        model = made.model
        densities = np.column_stack(
            [
                multivariate_normal(mean, covariance).pdf(BLOBS)
                for mean, covariance in zip(
                    model.cluster_centers_, model.covariances_, strict=True
                )
            ]
        )
        joint = densities * model.proportions_
        posterior = joint / joint.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore"):
            logs = np.where(posterior > 0, np.log(densities), 0.0)
        loss = -(posterior * logs).sum(axis=1)
        assert_allclose(made.state["loss"], loss, rtol=1e-6, atol=1e-6)  # of densities


def test_every_round_weighs_by_the_last_one():
    fitted = CBBoost(4, n_rounds=4, random_state=0).fit(BLOBS)
    rounds = fitted.generator_.rounds_
    assert_allclose(rounds[0].weights, 1 / 120)
    for t, made in enumerate(rounds):
        loss = made.state["loss"]
        scaled = (loss - loss.min()) / (loss.max() - loss.min())
        new = made.weights * np.exp(scaled)
        later = rounds[t + 1].weights if t < 3 else fitted.object_weights_
        assert_allclose(later, new / new.sum())


def test_the_result_is_the_mean_of_aligned_probabilities():
    fitted = CBBoost(4, n_rounds=4, random_state=0).fit(BLOBS)
    mean = np.mean([made.membership for made in fitted.generator_.rounds_], axis=0)
    assert adjusted_rand_score(mean.argmax(axis=1), fitted.labels_) == 1.0
    assert_allclose(fitted.clustering_weights_, 0.25)
    # Aligned: the rounds mean the same by the same number.
    assert mean.max(axis=1).mean() > 0.9


def test_the_object_explained_worst_gains_most():
    # In one cluster that is the object farthest out.
    X = np.r_[np.random.RandomState(0).randn(40), 9.0][:, None]
    weights = CBBoost(1, random_state=0).fit(X).generator_.rounds_[1].weights
    assert weights.argmax() == 40
    assert_allclose(weights.max() / weights.min(), np.e)
