"""How likely each number of clusters is: bent clusters, none, and the formulas."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_circles, make_moons

from comitia import Ensemble, choose_k
from comitia.evaluate.k_probabilities import (
    KEvidence,
    affordable_resamples,
    gaussian_gain,
    k_evidence,
    k_probabilities,
    likeliest_k,
    likely_ks,
)
from comitia.exceptions import ComitiaError
from tests.fixtures import planted

KS = range(2, 7)


def rng(seed=0):
    return np.random.RandomState(seed)


def chosen(X, ks=KS):
    return likeliest_k(k_probabilities(k_evidence(X, ks, rng())), ks)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    "draw",
    [
        lambda s: make_circles(150, factor=0.3, noise=0.03, random_state=s)[0],
        lambda s: make_moons(150, noise=0.05, random_state=s)[0],
    ],
    ids=["circles", "moons"],
)
def test_bent_clusters_are_counted(draw, seed):
    assert chosen(draw(seed)) == 2


@pytest.mark.parametrize("k", [2, 3, 5])
def test_blobs_are_counted(k):
    centers = 9 * np.eye(5)[:k]
    assert chosen(np.repeat(centers, 25, axis=0) + rng().randn(25 * k, 5)) == k


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("p", [2, 8])
def test_noise_is_one_cluster(p, seed):
    assert chosen(rng(seed).rand(120, p)) == 1
    assert chosen(rng(seed).randn(120, p)) == 1


def test_objects_that_are_all_equal_are_one_cluster():
    assert gaussian_gain(np.ones((20, 3)), [2, 3], rng()) == -1.0


def test_the_gain_is_the_difference_of_completed_likelihoods():
    X = np.concatenate([rng().randn(30, 2), rng(1).randn(50, 2) + 20])
    Y = X - X.mean(axis=0)
    Y /= np.linalg.svd(Y, compute_uv=False)[0]

    def term(Z):
        small = 3 * 0.05 * Y.var(axis=0).mean()
        S = (len(Z) * np.cov(Z.T, bias=True) + small * np.eye(2)) / (len(Z) + 3)
        return len(Z) * (np.log(len(Z) / 80) - 0.5 * np.log(np.linalg.det(S)))

    several = term(Y[:30]) + term(Y[30:]) - 0.5 * 11 * np.log(80)
    one = term(Y) - 0.5 * 5 * np.log(80)
    assert_allclose(gaussian_gain(X, [2], rng()), (several - one) / 80)


def test_neither_place_nor_scale_nor_axes_matter():
    X = np.repeat(9 * np.eye(3), 20, axis=0) + rng().randn(60, 3)
    turn = np.linalg.qr(rng(1).randn(3, 3))[0]
    one, other = (k_evidence(Y, KS, rng()) for Y in (X, 4 * X @ turn + 16))
    assert_allclose(one.stability[1], other.stability[1], atol=1e-12)
    assert_allclose(one.gap, other.gap, atol=1e-9)
    assert_allclose(one.gain, other.gain, atol=1e-9)


def test_probabilities_rise_with_the_evidence_and_sum_to_one():
    ks = np.array([2, 3, 4])
    flat = KEvidence(ks, np.full(3, 0.5), np.zeros(3), 0.1)
    for better in (
        flat._replace(stability=np.array([0.5, 0.9, 0.5])),
        flat._replace(gap=np.array([0.0, 0.4, 0.0])),
    ):
        assert k_probabilities(better)[2] > k_probabilities(flat)[2]
    assert k_probabilities(flat._replace(gain=-0.2))[0] > k_probabilities(flat)[0]
    assert_allclose(k_probabilities(flat).sum(), 1.0)


def test_likely_numbers_hold_nine_tenths():
    assert likely_ks(np.array([0.0, 0.85, 0.1, 0.05]), [2, 3, 4]) == [2, 3]
    assert likely_ks(np.array([0.95, 0.05]), [2]) == [1]


def test_work_is_bounded_by_the_number_of_objects():
    assert [affordable_resamples(n) for n in (10, 600, 10**6)] == [10, 6, 4]


def test_choose_k_says_how_sure_it_is():
    X = np.repeat(9 * np.eye(3), 25, axis=0) + rng().randn(75, 3)
    choice = choose_k(X, range(2, 5), n_references=None, random_state=0)
    assert choice.n_clusters == choice.likely[0] == 3
    assert_allclose(choice.probabilities.sum(), 1.0)
    assert f"probability of {choice.probabilities[2]:.0%}" in choice.reason
    assert choice.p_value is None


def test_an_ensemble_has_no_probabilities():
    votes = Ensemble(planted(40, 2, 8, 0.1, seed=0)[0])
    choice = choose_k(votes, [2, 3], n_resamples=2, n_references=2, random_state=0)
    assert (choice.likely, len(choice.probabilities)) == ([], 0)
    with pytest.raises(ComitiaError, match="probabilities, which need data"):
        choose_k(votes, [2, 3], n_references=None)
