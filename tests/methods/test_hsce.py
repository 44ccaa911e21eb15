"""HSCE: hybrid samples, and k-means on weighted memberships side by side."""

import numpy as np
from numpy.testing import assert_allclose
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from comitia.generate.boosting import Round
from comitia.generate.nearest_models import NearestCenter
from comitia.methods.fixed_objects.hsce import (
    HSCE,
    by_weighted_indecision,
    mean_indecision,
)
from comitia.partition import kmeans
from tests.fixtures import X6

BLOBS, _ = make_blobs(150, centers=3, random_state=0)


def measured(membership):
    made = Round(membership=membership)
    made.measures = mean_indecision(None, made, [])
    return made


F6 = NearestCenter(np.array([[1.0], [11.0]])).predict_membership(X6)


def test_the_raw_weight_of_x6_is_that_of_the_catalogue():
    measures = measured(F6).measures
    assert_allclose(measures["Q"].mean(), 11 / 90)
    assert_allclose(measures["vote"], 0.783139, atol=5e-7)  # printed to six decimals


def test_crisp_memberships_leave_the_weights():
    made = measured(np.eye(2)[[0, 0, 1]])
    assert made.measures["vote"] == 1.0
    weights = np.array([0.2, 0.3, 0.5])
    assert_allclose(by_weighted_indecision(weights, [made]), weights)


def test_weights_follow_the_normalized_weight_of_the_round():
    rounds = [measured(np.eye(2)[[0, 0, 0, 1, 1, 1]]), measured(F6)]
    raw = np.exp(-2 * 11 / 90)
    v = raw / (1 + raw)
    Q = np.array([1 / 6, 0, 1 / 5, 1 / 5, 0, 1 / 6])
    expected = np.exp(v * Q) / np.exp(v * Q).sum()
    assert_allclose(by_weighted_indecision(np.full(6, 1 / 6), rounds), expected)


def test_every_round_obeys_its_formulas():
    fitted = HSCE(3, n_rounds=6, random_state=0).fit(BLOBS)
    rounds = fitted.generator_.rounds_
    raw, w = [], np.full(150, 1 / 150)
    for t, made in enumerate(rounds):
        Q = np.array([1 - max(row) + min(row) for row in made.membership])
        raw.append(np.exp(-2 / 150 * Q.sum()))
        w = w * np.exp(raw[-1] / sum(raw) * Q)
        w = w / w.sum()
        after = rounds[t + 1].weights if t < 5 else fitted.object_weights_
        assert_allclose(after, w)
    assert_allclose(fitted.clustering_weights_, np.array(raw) / sum(raw))


def test_the_result_is_k_means_on_the_weighted_memberships():
    fitted = HSCE(3, n_rounds=6, random_state=0).fit(BLOBS)
    rows = np.hstack(
        [
            np.sqrt(v) * made.membership
            for v, made in zip(
                fitted.clustering_weights_, fitted.generator_.rounds_, strict=True
            )
        ]
    )
    labels, _, objective = kmeans(rows, 3, np.random.RandomState(0))
    assert adjusted_rand_score(labels, fitted.labels_) == 1.0
    # The two loops stop at different tolerances.
    assert_allclose(fitted.objective_[-1], objective[-1], rtol=1e-4)
    assert fitted.n_iter_ == len(fitted.objective_)


def test_samples_are_drawn_among_a_bootstrap():
    fitted = HSCE(3, n_rounds=8, object_fraction=0.3, random_state=0).fit(BLOBS)
    for made in fitted.generator_.rounds_:
        assert made.drawn.counts.sum() == 45
        assert made.membership.shape == (150, 3)
