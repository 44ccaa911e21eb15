"""The consensus beside its rivals."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from scipy.stats import multivariate_normal
from sklearn.datasets import make_blobs, make_moons

from comitia import ConsensusClustering, Ensemble, sizes
from comitia.agreement import adjusted_rand
from comitia.exceptions import ComitiaWarning
from comitia.explanation import RivalScores
from comitia.methods.composite._consensus_rivals import (
    Criteria,
    beats,
    compare_rivals,
)


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(90, 3, centers=3, cluster_std=1.0, random_state=0)


def likelihood_by_density(X, labels):
    """The definition, in as many components as there are features."""
    total, spread = 0.0, np.diag(np.linalg.eigvalsh(np.cov(X.T, bias=True)))
    basis = np.linalg.eigh(np.cov(X.T, bias=True))[1]
    Z = (X - X.mean(axis=0)) @ basis
    for c in np.unique(labels):
        mine = Z[labels == c]
        m, r = mine.shape
        covariance = m / (m + r) * np.cov(mine.T, bias=True) + r / (m + r) * spread
        covariance += 1e-3 * np.diag(spread).mean() * np.eye(r)
        normal = multivariate_normal(mine.mean(axis=0), covariance)
        total += (np.log(m / len(X)) + normal.logpdf(mine)).sum()
    return total / len(X)


def separation_by_pairs(X, labels):
    """The definition, from all distances; paths by their longest step."""
    D = cdist(X, X)
    core = np.sort(D, axis=1)[:, 5]
    R = np.maximum(np.maximum(core[:, None], core), D)
    total = 0.0
    for c in np.unique(labels):
        mine = labels == c
        way = R[np.ix_(mine, mine)].copy()
        np.fill_diagonal(way, 0.0)
        for via in range(len(way)):
            way = np.minimum(way, np.maximum(way[:, [via]], way[[via]]))
        inside, out = way.max(), R[np.ix_(mine, ~mine)].min()
        total += mine.sum() * (out - inside) / max(out, inside)
    return total / len(X)


def modularity_by_links(X, labels):
    D = cdist(X, X)
    np.fill_diagonal(D, np.inf)
    A = np.zeros_like(D)
    for i, row in enumerate(D):
        A[i, np.argsort(row)[:10]] = 1.0
    A = (A + A.T) / 2
    degree = A.sum(axis=1)
    chance = np.outer(degree, degree) / A.sum()
    same = labels[:, None] == labels
    room = 1.0 - (chance * same).sum() / A.sum()
    return ((A - chance) * same).sum() / A.sum() / room


@pytest.mark.parametrize("seed", range(3))
def test_the_criteria_are_their_definitions(blobs, seed):
    X, _ = blobs
    # A start in space has clusters in one piece, a random one has them in many.
    rng = np.random.RandomState(seed)
    for labels in (rng.randint(3, size=len(X)), (X[:, 0] > 0) * 1 + (X[:, 1] > 0)):
        scale = np.ldexp(1.0, -int(np.frexp(np.abs(X).max())[1]))
        found = Criteria(X)
        expected = likelihood_by_density(X * scale, labels)
        assert_allclose(found.likelihood(labels), expected, rtol=1e-7)
        assert_allclose(found.separation(labels), separation_by_pairs(X, labels))
        assert_allclose(found.modularity(labels), modularity_by_links(X, labels))


def test_two_moons_are_more_apart_and_modular_than_halves():
    X, y = make_moons(200, noise=0.05, random_state=0)
    halves = (X[:, 0] > np.median(X[:, 0])).astype(int)
    found = Criteria(X)
    assert found.separation(y) > 0 > found.separation(halves)
    assert found.modularity(y) > found.modularity(halves)


def test_a_rival_beats_by_all_criteria_or_not_at_all():
    one = RivalScores("a", -1.0, 0.5, 0.9, 1.0)
    assert beats(RivalScores("b", -0.9, 0.6, 0.91, 0.0), one)
    assert not beats(RivalScores("b", -0.9, 0.6, 0.9, 0.0), one)
    assert not beats(RivalScores("b", -1.0 + 1e-12, 0.6, 0.91, 0.0), one)


def test_a_bad_consensus_is_doubted_and_a_better_one_offered(blobs):
    X, y = blobs
    bad = np.random.RandomState(0).randint(3, size=len(y))
    votes = Ensemble(np.column_stack([bad] * 5))
    kept = ConsensusClustering(3, random_state=0).fit(X, ensemble=votes)
    assert adjusted_rand(kept.labels_, bad) == 1.0
    assert "looks better than the consensus" in kept.doubt_
    taken = ConsensusClustering(3, on_doubt="best", random_state=0)
    taken.fit(X, ensemble=votes)
    assert adjusted_rand(taken.labels_, y) > 0.8
    assert "are taken" in taken.doubt_
    assert [one.name for one in taken.rivals_][:3] == ["consensus", "k-means", "Ward"]
    assert taken.confidence_.shape == y.shape


def test_a_better_rival_is_taken_where_the_families_disagree(blobs):
    X, y = blobs
    bad, other = (np.random.RandomState(s).randint(3, size=len(y)) for s in (0, 1))
    votes = np.column_stack([bad] * 5 + [other] * 4)
    fits = {}
    for names in (["a"] * 9, ["a"] * 5 + ["b"] * 4):
        for how in ("auto", "consensus"):
            ensemble = Ensemble(votes, groups=names)
            made = ConsensusClustering(3, on_doubt=how, random_state=0)
            fits[names[-1], how] = made.fit(X, ensemble=ensemble)
    assert adjusted_rand(fits["b", "auto"].labels_, y) > 0.8
    assert "its families" in fits["b", "auto"].doubt_
    for one, how in (("a", "auto"), ("a", "consensus"), ("b", "consensus")):
        assert adjusted_rand(fits[one, how].labels_, y) < 0.5
        assert "would take its labels" in fits[one, how].doubt_


def test_a_good_consensus_is_not_doubted():
    X, y = make_moons(150, noise=0.05, random_state=0)
    for on_doubt in ("auto", "consensus", "best"):
        fitted = ConsensusClustering(2, on_doubt=on_doubt, random_state=0).fit(X)
        assert fitted.doubt_ is None
        assert adjusted_rand(fitted.labels_, y) == 1.0


def test_the_comparison_does_not_move_the_consensus(blobs):
    X, _ = blobs
    one, other = (
        ConsensusClustering(3, on_doubt=how, random_state=0).fit(X)
        for how in ("consensus", None)
    )
    assert_array_equal(one.labels_, other.labels_)
    assert (len(one.rivals_), other.rivals_, other.doubt_) == (4, [], None)


def test_labels_alone_have_no_rivals():
    votes = Ensemble([[0, 0], [0, 0], [1, 1], [1, 1]])
    fitted = ConsensusClustering(2).fit(votes)
    assert (fitted.rivals_, fitted.doubt_) == ([], None)


@pytest.mark.parametrize("X", [np.zeros((6, 2)), np.arange(8.0)[:, None]])
def test_data_without_anything_to_compare_are_left_alone(X):
    labels = np.zeros(len(X), dtype=int)
    labels[: len(X) // 2] = 1
    votes = Ensemble(labels[:, None])
    if not X.any():
        with pytest.warns(ComitiaWarning, match="equal objects"):
            assert compare_rivals(X, votes, labels, np.random.RandomState(0)) is None
    assert compare_rivals(X, votes, 0 * labels, np.random.RandomState(0)) is None
    each = np.arange(len(X))
    assert compare_rivals(X, votes, each, np.random.RandomState(0)) is None


@pytest.mark.parametrize("sample", [60, 10**9])
def test_a_sample_finds_the_same_rival(sample, blobs, monkeypatch):
    X, y = blobs
    monkeypatch.setattr(sizes, "RIVALS_SAMPLE", sample)
    bad = np.random.RandomState(0).randint(3, size=len(y))
    votes = Ensemble(np.column_stack([bad, y]), groups=["a", "b"])
    found = compare_rivals(X, votes, bad, np.random.RandomState(0))
    assert found.best.name in ("k-means", "Ward", "member 1 (b)")
    assert adjusted_rand(found.labels, y) > 0.8


def test_members_that_leave_objects_out_are_no_rivals(blobs):
    X, y = blobs
    some = y.copy()
    some[0] = -1
    votes = Ensemble(np.column_stack([some, y]))
    found = compare_rivals(X, votes, y, np.random.RandomState(0))
    assert found.rivals[-1].name == "member 1"
    alone = compare_rivals(X, Ensemble(some[:, None]), y, np.random.RandomState(0))
    assert [one.name for one in alone.rivals] == ["consensus", "k-means", "Ward"]


def test_scores_do_not_hang_on_units_or_the_order_of_rows(blobs):
    X, y = blobs
    order = np.random.RandomState(1).permutation(len(y))
    one, moved, large = Criteria(X), Criteria(X[order]), Criteria(X * 2.0**200)
    for name in ("likelihood", "separation", "modularity"):
        value = getattr(one, name)(y)
        assert_allclose(getattr(moved, name)(y[order]), value, rtol=1e-9)
        assert_allclose(getattr(large, name)(y), value, rtol=1e-9)


def test_more_features_than_objects_are_judged():
    X, y = make_blobs(40, 50, centers=2, random_state=0)
    assert Criteria(X).components.shape == (40, 10)
    assert Criteria(X).modularity(y) == 1.0
