"""Boosted mixtures: each round fits the objects that the last ones left undecided."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

from comitia.generate.boosting_rounds import draw_heaviest, mixture_round
from comitia.methods.fixed_objects.doan_2011 import BoostedMixtures
from tests.fixtures import settled

BLOBS = settled(make_blobs(150, centers=3, random_state=0)[0])


def test_uniform_weights_take_all_objects():
    assert_array_equal(draw_heaviest(np.full(6, 1 / 6)).rows, np.arange(6))


def test_the_perplexity_is_that_of_the_catalogue():
    w = np.array([0.5, 0.3, 0.1, 0.05, 0.03, 0.02])
    # printed to three decimals
    assert_allclose(np.exp(-(w * np.log(w)).sum()), 3.565, atol=5e-4)
    assert_array_equal(draw_heaviest(w).rows, [0, 1, 2, 3])
    assert_array_equal(draw_heaviest(w[::-1]).rows, [2, 3, 4, 5])


def test_ties_at_the_cut_go_to_the_lowest_index():
    w = [0.02, 0.47, 0.02, 0.47, 0.02]
    # The perplexity is 2.6: one of the three light objects comes along.
    assert_array_equal(draw_heaviest(w).rows, [0, 1, 3])


def test_weights_need_no_scale_and_may_be_zero():
    assert_array_equal(draw_heaviest([0.0, 2.0, 2.0]).rows, [1, 2])


def test_enough_objects_for_the_covariances_are_taken():
    w = np.r_[1.0, np.full(9, 1e-9)]
    assert len(draw_heaviest(w).rows) == 1
    assert_array_equal(draw_heaviest(w, at_least=4).rows, [0, 1, 2, 3])
    assert len(draw_heaviest(w, at_least=99).rows) == 10
    draw = BoostedMixtures(3)._boosting(BLOBS, 3).draw
    assert len(draw(np.r_[1.0, np.full(149, 1e-9)], None).rows) == 9  # 3 (2 + 1)
    fitted = BoostedMixtures(3, n_rounds=8, random_state=0).fit(BLOBS)
    for made in fitted.generator_.rounds_:
        size = round(np.exp(-(made.weights * np.log(made.weights)).sum()))
        assert len(made.drawn.rows) == max(size, 9)


def test_the_first_round_is_a_mixture_of_all_objects():
    fitted = BoostedMixtures(3, n_rounds=1, random_state=0).fit(BLOBS)
    mixture = fitted.generator_.rounds_[0].model
    assert_array_equal(fitted.generator_.rounds_[0].drawn.rows, np.arange(150))
    peer = GaussianMixture(
        3, reg_covar=0.0, tol=1e-9, max_iter=2000, means_init=mixture.cluster_centers_
    ).fit(BLOBS)
    # Both stop when their likelihood changes by little; two of the clusters overlap.
    assert_allclose(mixture.cluster_centers_, peer.means_, atol=0.1)
    F = fitted.generator_.rounds_[0].membership
    assert_array_equal(F.argmax(axis=1), fitted.ensemble_.labels[:, 0])


def test_few_objects_get_diagonal_covariances():
    X = np.random.RandomState(0).randn(5, 4)
    made = mixture_round(
        X, None, np.full(5, 0.2), np.random.RandomState(0), n_clusters=2
    )
    assert made.model.covariances_.shape == (2, 4)
    assert_allclose(made.membership.sum(axis=1), 1.0)


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_the_scale_of_the_data_does_not_matter(scale):
    one = BoostedMixtures(3, n_rounds=4, random_state=0).fit(BLOBS)
    other = BoostedMixtures(3, n_rounds=4, random_state=0).fit(scale * BLOBS)
    assert adjusted_rand_score(one.labels_, other.labels_) > 0.95


@pytest.mark.parametrize("variant", ["minmax", "entropy"])
def test_rounds_vote_by_their_pseudoloss(variant):
    fitted = BoostedMixtures(3, n_rounds=4, variant=variant, random_state=0).fit(BLOBS)
    rounds = fitted.generator_.rounds_
    votes = [np.log((1 - m.measures["error"]) / m.measures["error"]) for m in rounds]
    assert_allclose(fitted.clustering_weights_, np.array(votes) / np.sum(votes))
    total = sum(v * made.membership for v, made in zip(votes, rounds, strict=True))
    assert adjusted_rand_score(total.argmax(axis=1), fitted.labels_) == 1.0
    assert_allclose(fitted.object_weights_.sum(), 1.0)


def test_long_clusters_are_found_and_counted():
    # K-means cuts these across; mixtures do not.
    rng = np.random.RandomState(0)
    X = np.c_[rng.randn(200) * 2, rng.randn(200) * 0.3 + np.repeat([0, 3], 100)]
    fitted = BoostedMixtures(2, n_rounds=3, random_state=0).fit(X)
    assert adjusted_rand_score(np.repeat([0, 1], 100), fitted.labels_) > 0.9
    assert np.mean(fitted.predict(X) == fitted.labels_) > 0.95
    far = make_blobs(120, centers=4, random_state=3)[0]
    assert BoostedMixtures(n_rounds=3, random_state=0).fit(far).n_clusters_ == 4
