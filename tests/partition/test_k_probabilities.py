"""How likely each number of clusters is: bent clusters, none, and the formulas."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_circles, make_moons

from comitia import ConsensusClustering, Ensemble, choose_k, method
from comitia.io import Result
from comitia.partition import k_probabilities as module
from comitia.partition.gaussian_gain import gaussian_gain
from comitia.partition.k_probabilities import (
    SOME,
    WEIGHTS,
    KEvidence,
    KOdds,
    affordable_resamples,
    either,
    k_evidence,
    k_odds,
    k_probabilities,
    likeliest_k,
    most_k,
    table_sample,
)
from tests.fixtures import planted


def rng(seed=0):
    return np.random.RandomState(seed)


def blobs(k, size=15):
    return np.repeat(9 * np.eye(5)[:k], size, axis=0) + rng().randn(size * k, 5)


MOONS = make_moons(100, noise=0.05, random_state=0)[0]


@pytest.mark.parametrize(
    "X",
    [MOONS, make_circles(100, factor=0.3, noise=0.03, random_state=0)[0]],
    ids=["moons", "circles"],
)
def test_bent_clusters_are_counted(X):
    assert k_odds(X).n_clusters == 2


@pytest.mark.parametrize("k", [2, 3, 5])
def test_blobs_are_counted_and_sure(k):
    odds = k_odds(blobs(k))
    assert (odds.n_clusters, odds.likely[0]) == (k, k)
    assert odds.as_dict()[k] > 0.6


@pytest.mark.parametrize("p", [2, 8])
def test_noise_is_one_cluster(p):
    assert k_odds(rng().rand(90, p)).n_clusters == 1
    assert k_odds(rng(1).randn(90, p)).n_clusters == 1


def test_objects_that_hardly_differ_are_one_cluster():
    assert k_odds(np.ones((20, 3))).as_dict() == {1: 1.0}
    assert k_odds([[0.0], [1.0], [2.0]]).n_clusters == 1
    # Copies of three objects are three clusters.
    assert k_odds(np.repeat([[0.0], [1.0], [2.0]], 9, axis=0)).n_clusters == 3
    assert gaussian_gain(np.ones((20, 3)), [np.arange(20) % 2]) == -1.0


def test_few_objects_that_differ_have_an_answer():
    odds = k_odds([[0.0], [0.1], [0.2], [5.0], [5.1]])
    assert set(odds.ks) >= {1, 2}
    assert_allclose(odds.probabilities.sum(), 1.0)


def test_a_table_is_judged_once_and_would_be_judged_alike_again(monkeypatch):
    found = k_odds(MOONS).probabilities
    monkeypatch.setattr(module, "_FOUND", {})
    assert_array_equal(k_odds(MOONS).probabilities, found)
    monkeypatch.setattr(module, "k_evidence", lambda *_: pytest.fail("judged again"))
    odds = k_odds(MOONS.copy())
    assert_array_equal(odds.probabilities, found)
    odds.probabilities[:] = -1.0  # what a caller does with it is its own affair
    assert_array_equal(k_odds(MOONS).probabilities, found)


@pytest.mark.parametrize(
    ("X", "ks"),
    [(MOONS * [1, 2], None), (np.asfortranarray(MOONS), None), (MOONS, [2, 3])],
    ids=["values", "layout", "candidates"],
)
def test_another_table_is_judged_for_itself(X, ks, monkeypatch):
    monkeypatch.setattr(module, "_FOUND", {})
    judged = []

    def judge(data, ks, rng):
        judged.append(data)
        return k_evidence(data, ks, rng)

    monkeypatch.setattr(module, "k_evidence", judge)
    k_odds(MOONS)
    k_odds(X, ks)
    assert len(judged) == 2


def test_the_order_of_objects_does_not_matter():
    X = MOONS[:60]
    shuffled = X[rng().permutation(60)]
    assert_array_equal(table_sample(X), table_sample(shuffled))


def test_of_many_objects_a_thousand_are_looked_at():
    X = rng().randn(1500, 2)
    some = table_sample(X)
    assert some.shape == (1000, 2)
    assert_array_equal(some, table_sample(X))
    assert np.isin(some[:, 0], X[:, 0]).all()


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
    worse, right = np.arange(80) % 2, np.repeat([0, 1], [30, 50])
    assert_allclose(gaussian_gain(X, [worse, right]), (several - one) / 80)


def test_neither_place_nor_scale_nor_axes_matter():
    X = blobs(3)
    turn = np.linalg.qr(rng(1).randn(5, 5))[0]
    one, other = (k_evidence(Y, [2, 3], rng()) for Y in (X, 4 * X @ turn + 16))
    assert_allclose(one.stability[1], other.stability[1], atol=1e-12)
    assert_allclose(one.gain, other.gain, atol=1e-9)


def test_probabilities_are_those_of_the_formula():
    told = KEvidence(
        np.array([2, 3]), np.array([0.15, 0.45]), np.array([0.55, 0.85]), 0.1
    )
    (u, v), (a, b, c) = WEIGHTS, SOME
    several = np.exp([0.15 * u, 0.45 * u]) / np.array([0.5, 0.2]) ** v
    one = 1 / (1 + np.exp(a + b * 0.1) * 0.2**-c)
    expected = np.append(one, (1 - one) * several / several.sum())
    assert_allclose(k_probabilities(told), expected)


def test_likely_numbers_hold_nine_tenths():
    assert KOdds([1, 2, 3, 4], np.array([0.0, 0.85, 0.1, 0.05])).likely == [2, 3]
    assert KOdds([1, 2], np.array([0.95, 0.05])).likely == [1]


def test_one_cluster_must_be_likelier_than_all_others():
    assert likeliest_k({1: 0.6, 2: 0.4}) == 1
    assert likeliest_k({1: 0.45, 2: 0.25, 3: 0.3}) == 3
    assert likeliest_k({1: 0.4, 2: 0.3, 3: 0.3}) == 2


def test_numbers_are_said_in_words():
    assert either([1]) == "1"
    assert either([2, 3, 4, 5, 8]) == "2 to 5 or 8"
    odds = KOdds([1, 2, 3], np.array([0.05, 0.6, 0.35]))
    assert "2 clusters, with a probability of 60%; 2 or 3" in odds.in_words()


def test_work_is_bounded_by_the_number_of_objects():
    assert [affordable_resamples(n) for n in (10, 600, 10**6)] == [10, 6, 4]
    assert [most_k(n) for n in (5, 100, 10**6)] == [3, 11, 20]


def test_one_choice_for_choose_k_and_for_methods():
    X = blobs(3)
    choice = choose_k(X, n_resamples=2, random_state=5)
    fitted = ConsensusClustering(random_state=0).fit(X)
    other = method("lwgp")(random_state=1).fit(X[::-1])
    assert choice.n_clusters == fitted.n_clusters_ == other.n_clusters_ == 3
    assert choice.likely == fitted.likely_n_clusters_ == other.likely_n_clusters_
    assert_allclose(choice.probabilities, [*fitted.n_clusters_probabilities_.values()])
    assert f"probability of {choice.probabilities[2]:.0%}" in choice.reason
    assert choice.p_value is None


def test_the_default_finds_two_moons_by_itself():
    fitted = ConsensusClustering(random_state=0).fit(MOONS)
    assert fitted.n_clusters_ == 2
    written = Result.from_estimator(fitted).choice
    assert written["n_clusters"] == 2
    assert written["likely"] == fitted.likely_n_clusters_
    assert len(written["probabilities"]) == 1 + len(written["ks"])


def test_noise_ends_in_one_cluster():
    fitted = ConsensusClustering(random_state=0).fit(rng().rand(60, 3))
    assert fitted.n_clusters_ == 1
    assert fitted.n_clusters_probabilities_[1] > 0.5


def test_two_steps_choose_as_fit_does():
    X = blobs(3, 12)
    mix = ConsensusClustering(random_state=0)
    ensemble = mix.generate(X)
    two = mix.combine(ensemble)
    one = ConsensusClustering(random_state=0).fit(X)
    assert_array_equal(one.labels_, two.labels_)
    assert one.n_clusters_probabilities_ == two.n_clusters_probabilities_
    given = mix.set_params(n_clusters=2).combine(ensemble)
    assert given.n_clusters_ == 2
    assert not hasattr(given, "n_clusters_probabilities_")


def test_an_ensemble_alone_keeps_its_eigengap():
    votes = Ensemble(planted(40, 2, 8, 0.1, seed=0)[0])
    fitted = ConsensusClustering(random_state=0).fit(votes)
    assert fitted.n_clusters_ == 2
    assert not hasattr(fitted, "n_clusters_probabilities_")
    choice = choose_k(votes, [2, 3], n_resamples=2, n_references=2, random_state=0)
    assert (choice.likely, len(choice.probabilities)) == ([], 0)


@pytest.mark.parametrize("distinct", [40, 5000])
def test_a_sample_hangs_on_the_values_and_not_on_their_order(distinct):
    rng = np.random.RandomState(0)
    X = rng.randn(distinct, 3)[rng.randint(0, distinct, size=3000)]
    one, other = table_sample(X), table_sample(X[rng.permutation(3000)])
    assert_array_equal(one, other)
    assert len(one) == 1000
    # Of many equal rows some are drawn, not all or none of them.
    assert len(np.unique(one, axis=0)) >= min(distinct, 600)
