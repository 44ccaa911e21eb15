"""Which families carry the consensus, and what it would be without them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import ConsensusClustering, Ensemble, sizes
from comitia.agreement import adjusted_rand
from comitia.exceptions import ComitiaError, ComitiaWarning
from comitia.explanation import Explanation, FamilyShare, RivalScores
from comitia.io import Result
from comitia.methods.composite._consensus_families import answer_without_twofold
from tests.fixtures import planted


def two_families(n=120, noise=0.1, n_clusters=3):
    """Ten clusterings of one partition and four of another."""
    labels, truth = planted(n, n_clusters, 10, noise, 0)
    other = np.random.RandomState(5).permutation(truth)
    noisy = [
        np.where(np.random.RandomState(s).rand(n) < noise, 0, other)
        for s in (1, 2, 3, 4)
    ]
    groups = ["many"] * 10 + ["few"] * 4
    return Ensemble(np.column_stack([labels, *noisy]), groups=groups), truth, other


def test_the_answer_without_a_family_is_that_of_the_others():
    votes, truth, other = two_families()
    fitted = ConsensusClustering(3, random_state=0).fit(votes)
    answers = fitted.answers_without_
    assert list(answers) == ["few", "many"]
    assert adjusted_rand(answers["few"], truth) > 0.9
    assert adjusted_rand(answers["many"], other) > 0.9


def test_the_larger_family_carries_the_result():
    votes, *_ = two_families()
    said = ConsensusClustering(3, random_state=0).fit(votes).explain()
    many, few = said.families
    assert (many.name, many.n_clusterings) == ("many", 10)
    assert many.evidence > 0.9 > few.evidence >= 0
    assert many.agreement > 0.5 > few.agreement
    assert few.without > 0.95 > many.without
    assert_allclose(many.evidence + few.evidence, 1.0)


def test_families_that_disagree_make_the_result_less_sure():
    votes, *_ = two_families()
    with_groups = ConsensusClustering(3, random_state=0).fit(votes)
    alone = ConsensusClustering(3, random_state=0).fit(Ensemble(votes.labels))
    assert_array_equal(with_groups.labels_, alone.labels_)
    share = with_groups.confidence_ / alone.confidence_
    assert set(share.round(6)) <= {0.333333, 0.666667, 1.0}
    assert share.mean() < 0.9


def test_families_that_agree_change_nothing():
    labels, _ = planted(90, 3, 8, 0.0, 0)
    votes = Ensemble(labels, groups=["a", "b"] * 4)
    one = ConsensusClustering(3, random_state=0).fit(votes)
    other = ConsensusClustering(3, random_state=0).fit(Ensemble(labels))
    assert_allclose(one.confidence_, other.confidence_)


@pytest.mark.parametrize("sample", [10, 10**9])
def test_many_objects_are_not_combined_again(sample, monkeypatch):
    monkeypatch.setattr(sizes, "FAMILY_ANSWERS_OBJECTS", sample)
    votes, *_ = two_families()
    fitted = ConsensusClustering(3, random_state=0).fit(votes)
    said = fitted.explain()
    assert len(said.families) == 2
    assert len(fitted.answers_without_) == (0 if sample == 10 else 2)
    assert ("objects" in said.note) == (sample == 10)


@pytest.mark.parametrize(
    ("settings", "groups", "word"),
    [
        ({}, None, "no groups"),
        ({}, ["a"] * 14, "one family"),
        ({}, [f"g{m}" for m in range(14)], "more than 6"),
        ({"selection": lambda E, X: [0, 1, 13]}, "ab" * 7, "selection"),
        ({"weighting": lambda E, X: np.ones(14)}, "ab" * 7, "weighting"),
    ],
)
def test_what_is_not_looked_at_is_said(settings, groups, word):
    votes, *_ = two_families()
    groups = None if groups is None else list(groups)
    votes = Ensemble(votes.labels, groups=groups)
    fitted = ConsensusClustering(3, random_state=0, **settings).fit(votes)
    assert fitted.answers_without_ == {}
    assert word in fitted.explain().note


def test_a_family_that_alone_has_some_objects_stays():
    labels = np.array([[0, 0, 0]] * 5 + [[1, 1, 1]] * 5)
    labels[0, 1:] = -1
    votes = Ensemble(labels, groups=["a", "b", "b"])
    fitted = ConsensusClustering(2, random_state=0).fit(votes)
    assert list(fitted.answers_without_) == ["b"]


def test_another_fit_forgets_the_answers():
    votes, *_ = two_families()
    fitted = ConsensusClustering(3, random_state=0).fit(votes)
    assert fitted.answers_without_
    assert fitted.fit(Ensemble(votes.labels)).answers_without_ == {}


def test_the_explanation_is_kept_with_the_result(tmp_path):
    votes, *_ = two_families()
    result = Result.from_estimator(ConsensusClustering(3, random_state=0).fit(votes))
    result.save(tmp_path / "out")
    assert Result.load(tmp_path / "out").explain() == result.explain()


def test_methods_that_do_not_explain_say_so():
    from comitia import method

    votes, *_ = two_families()
    result = Result.from_estimator(method("eac")(n_clusters=3).fit(votes))
    with pytest.raises(ComitiaError, match="eac does not say"):
        result.explain()


def test_the_words_name_all_families_and_the_doubt():
    families = (
        FamilyShare("a", 5, 0.5, 0.4, 0.999),
        FamilyShare("b", 3, 0.3, None, 0.95),
        FamilyShare("c", 2, 0.2, 0.1, 0.2),
    )
    rivals = (RivalScores("consensus", -1.0, 0.1, 0.9, 1.0),)
    said = Explanation(families, rivals, "Ward looks better.", "")
    text = str(said)
    assert "a has 50 % (5 clusterings), b 30 % (3) and c 20 % (2)" in text
    assert "nearly the same (0.95); without c it would be another (0.20)" in text
    assert "Ward looks better." in text
    assert "consensus" in text
    assert Explanation.from_dict(said.to_dict()) == said


@pytest.mark.parametrize(
    "damage",
    [
        {"families": [{"name": 3}]},
        {"families": [{"name": "a", "n_clusterings": "5", "evidence": 1.0}]},
        {"doubt": 3},
        {"note": None},
    ],
)
def test_a_damaged_explanation_is_refused(damage):
    with pytest.raises(TypeError):
        Explanation.from_dict({**Explanation().to_dict(), **damage})


def customers(n=240, n_coins=2):
    """Three groups in three numbers, beside coins that were tossed for everybody."""
    rng = np.random.RandomState(0)
    y = np.repeat([0, 1, 2], n // 3)
    numbers = rng.randn(n, 3) + 4.0 * np.eye(3)[y]
    X = np.hstack([numbers, rng.randint(2, size=(n, n_coins))])
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def test_clusters_that_follow_coins_are_doubted_and_not_sure():
    X, _ = customers()
    cells = 2 * (X[:, 3] > 0) + (X[:, 4] > 0)
    votes = Ensemble(np.column_stack([cells] * 3))
    fitted = ConsensusClustering(4, random_state=0).fit(X, ensemble=votes)
    assert adjusted_rand(fitted.labels_, cells) == 1.0
    assert "hang on features that have two values" in fitted.doubt_
    assert fitted.vote_share_.mean() > 0.99
    assert fitted.confidence_.mean() < 0.75


def test_clusters_that_do_not_follow_coins_are_as_sure_as_before():
    X, y = customers()
    votes = Ensemble(np.column_stack([y] * 3))
    fitted = ConsensusClustering(3, random_state=0).fit(X, ensemble=votes)
    assert fitted.doubt_ is None
    assert adjusted_rand(fitted.answer_without_twofold_, y) > 0.9
    assert fitted.confidence_.mean() > 0.95


@pytest.mark.parametrize("columns", [slice(0, 3), slice(3, 5)])
def test_without_both_kinds_of_features_there_is_nothing_to_leave_out(columns):
    X, y = customers()
    votes = Ensemble(np.column_stack([y] * 3))
    fitted = ConsensusClustering(3, random_state=0).fit(X[:, columns], ensemble=votes)
    assert fitted.answer_without_twofold_ is None


@pytest.mark.parametrize("sample", [60, 10**9])
def test_a_sample_finds_the_same_without_coins(sample, monkeypatch):
    monkeypatch.setattr(sizes, "RIVALS_SAMPLE", sample)
    X, y = customers()
    found = answer_without_twofold(X, y, np.random.RandomState(0))
    assert adjusted_rand(found.labels, y) > 0.9
    assert found.told < 0.1


def test_clusters_explain_the_variance_of_the_feature_that_they_follow():
    x = np.array([0.0, 0, 0, 0, 1, 1, 1, 1, 1, 1])
    X = np.column_stack([x, np.arange(10.0)])
    found = answer_without_twofold(X, x.astype(int), np.random.RandomState(0))
    assert_allclose(found.told, 1.0)
    y = np.array([0, 0, 0, 1, 0, 1, 1, 1, 1, 1])
    found = answer_without_twofold(X, y, np.random.RandomState(0))
    assert_allclose(found.told, np.corrcoef(x, y)[0, 1] ** 2)


def test_more_clusters_than_different_objects_are_told_in_words():
    X = np.repeat([[0.0, 1.0], [5.0, 2.0]], 20, axis=0)
    with pytest.warns(ComitiaWarning, match="equal objects are in different clusters"):
        ConsensusClustering(3, random_state=0).fit(X)
