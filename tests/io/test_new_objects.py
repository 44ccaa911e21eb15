"""What a result keeps of its clusterings labels new objects as the method does."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import ConsensusClustering, Ensemble, method
from comitia.exceptions import ComitiaError
from comitia.generate import (
    FeatureSubset,
    FuzzyGenerator,
    GenieGenerator,
    HierarchicalGenerator,
    KMeansGenerator,
    LandmarkSpectralGenerator,
    MixedGenerator,
    RandomProjection,
)
from comitia.io import Result

RNG = np.random.RandomState(0)
X = RNG.randn(90, 4) + 6 * np.eye(3, 4)[np.repeat([0, 1, 2], 30)]
X[:, 0] += 1e6  # far from zero, where members are shifted
NEW = X[::3] + RNG.randn(30, 4)


@pytest.mark.parametrize(
    "generator",
    [
        KMeansGenerator(4, features=FeatureSubset(0.5)),
        KMeansGenerator(4, features=RandomProjection(2), solver="landmark"),
        LandmarkSpectralGenerator(2, n_clusters=3, n_landmarks=20),
        MixedGenerator([GenieGenerator(2), FuzzyGenerator(2)], n_clusters=4),
        None,
    ],
)
def test_new_objects_are_labelled_as_by_the_method_that_was_saved(generator, tmp_path):
    fitted = ConsensusClustering(3, generator=generator, random_state=0).fit(X)
    Result.from_estimator(fitted, X).save(tmp_path / "r")
    result = Result.load(tmp_path / "r")
    for rows in (X, NEW):
        found = result.label_new(rows)
        assert_array_equal(found.labels, fitted.predict(rows))
        assert_array_equal(found.membership, fitted.predict_proba(rows))


def test_what_labels_new_objects_may_be_deleted(tmp_path):
    fitted = method("lwgp")(3, generator=KMeansGenerator(4), random_state=0).fit(X)
    Result.from_estimator(fitted, X).save(tmp_path / "r")
    (tmp_path / "r" / "members.npz").unlink()
    result = Result.load(tmp_path / "r")
    assert_array_equal(result.labels, fitted.labels_)
    with pytest.raises(ComitiaError, match=r"members\.npz was deleted"):
        result.label_new(NEW)


def test_confidence_of_the_own_objects_is_that_of_the_method():
    # On label rows alone, which no other answers of the method qualify.
    fitted = method("lwgp")(3, random_state=0).fit(X)
    found = Result.from_estimator(fitted, X).label_new(X)
    same = found.labels == fitted.labels_
    assert same.sum() > 80
    assert_allclose(found.confidence[same], fitted.confidence_[same])


def test_what_is_kept_has_each_object_of_the_samples_once():
    fitted = ConsensusClustering(3, random_state=0).fit(X)
    members = Result.from_estimator(fitted, X).members
    assert len(members["rows_float64_4"]) <= len(X)


def test_what_cannot_be_kept_is_refused_in_words():
    trees = ConsensusClustering(
        3, generator=HierarchicalGenerator(3, n_clusters=3), random_state=0
    ).fit(X)
    with pytest.raises(ComitiaError, match="AgglomerativeClustering, is not kept"):
        Result.from_estimator(trees, X).label_new(X)
    votes = Ensemble([[0, 0], [0, 1], [1, 1], [1, 0]])
    with pytest.raises(ComitiaError, match="made of given clusterings"):
        Result.from_estimator(method("eac")(2).fit(votes)).label_new(X)


def test_members_that_are_too_large_are_not_kept(monkeypatch):
    fitted = ConsensusClustering(3, generator=GenieGenerator(2), random_state=0).fit(X)
    monkeypatch.setattr("comitia.sizes.MEMBER_BYTES", 1000)
    with pytest.raises(ComitiaError, match="remember takes more than"):
        Result.from_estimator(fitted, X).label_new(X)


def _names_a_row_beyond(members):
    places = json.loads(str(members["about"]))["members"][0]["state"]["places"]
    return {**members, places: members[places] + 10_000}


def _unknown_kind(members):
    text = str(members["about"]).replace('"sample"', '"pickle"')
    return {**members, "about": np.array(text)}


@pytest.mark.parametrize(
    "damage",
    [
        _names_a_row_beyond,
        _unknown_kind,
        lambda members: {**members, "about": np.array("[")},
        lambda members: {**members, "shares": members["shares"][1:]},
        lambda members: {**members, "scores": members["scores"] * np.nan},
        lambda members: {**members, "n_clusters_each": members["n_clusters_each"][:1]},
        lambda members: {k: v for k, v in members.items() if k != "rows_float64_4"},
    ],
)
def test_damaged_members_are_refused_in_words(damage):
    genie = ConsensusClustering(3, generator=GenieGenerator(2), random_state=0).fit(X)
    result = Result.from_estimator(genie, X)
    object.__setattr__(result, "members", damage(result.members))
    with pytest.raises(ComitiaError, match="damaged"):
        result.label_new(NEW)


@pytest.mark.parametrize(
    "damage",
    [
        {"0_scale": np.zeros(100)},
        {"0_mean": np.full(100, np.nan)},
        {"1_mean": np.zeros((1, 20))},
        {"representations": np.array(["values", "spectra"])},
        {"representations": np.array("values")},
        {"representations": np.array(["values"])},
    ],
)
def test_damaged_members_of_series_are_refused_in_words(damage):
    series = np.random.RandomState(0).randn(8, 1, 6)
    model = method("time_series")(
        2,
        representations=["values", "statistics"],
        generator=KMeansGenerator(2, n_clusters=2),
        random_state=0,
    ).fit(series)
    result = Result.from_estimator(model, series)
    assert_array_equal(result.label_new(series).labels, model.predict(series))
    result.members.update(damage)
    with pytest.raises(ComitiaError, match="damaged"):
        result.label_new(series)
