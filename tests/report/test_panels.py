"""The panels of the report show the numbers of the parts that compute them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import silhouette_samples

from comitia import Ensemble, method
from comitia.display.heat_maps import heat_map
from comitia.evaluate import pac, pair_shares
from comitia.io.results import Result
from comitia.report import write_report
from comitia.report._annotated_heat import Column
from comitia.report._sections import Sections
from tests.fixtures import planted


def test_the_share_of_ambiguous_pairs_is_pac(iris):
    found = Sections(iris).pairs
    assert found["exact"]
    assert found["pac"] == pytest.approx(pac(pair_shares(iris.ensemble)))


def test_silhouettes_are_those_of_the_data_that_were_clustered():
    X = np.random.RandomState(0).randn(40, 3)
    labels, _ = planted(40, 3, 6, noise=0.2, seed=1)
    fitted = method("weac")(n_clusters=3).fit(Ensemble(labels))
    result = Result.from_estimator(fitted, X, raw=10 * X)
    want = silhouette_samples(X, fitted.labels_)
    panel = Sections(result).silhouettes
    assert panel["mean"] == pytest.approx(want.mean(), abs=1e-6)  # kept as float32
    assert panel["below"] == (want < 0).sum()
    for band in panel["bands"]:
        mine = want[fitted.labels_ == band["cluster"]]
        assert band["mean"] == pytest.approx(mine.mean(), abs=1e-6)


def test_without_data_and_for_soft_clusters_the_panels_are_left_out(tmp_path):
    shares = np.random.RandomState(0).dirichlet([1, 1, 1], size=(4, 20))
    votes = Ensemble.from_memberships(list(shares))
    result = Result.from_estimator(method("weac")(n_clusters=2).fit(votes))
    sections = Sections(result)
    assert sections.silhouettes is None
    assert sections.pairs is None
    assert "Silhouettes" not in write_report(result, tmp_path / "a.html").read_text()


def test_bars_have_the_means_and_the_usual_classes_of_the_rows():
    labels, truth = planted(60, 3, 6, noise=0.2, seed=1)
    rows = heat_map(Ensemble(labels), truth, 7)
    bins = np.split(rows.order, rows.edges[1:-1])
    values = np.random.RandomState(0).randn(60)
    values[:3] = np.nan
    means = [np.nanmean(values[mine]) for mine in bins]
    assert_allclose(Column("x", values).rows(rows), means)
    usual = [np.bincount(truth[mine]).argmax() for mine in bins]
    assert_array_equal(Column("y", truth, ("a", "b", "c")).rows(rows), usual)


def test_there_are_bars_of_the_columns_that_tell_most(iris):
    facts = Sections(iris)
    names = [track["name"] for track in facts.heat["tracks"]]
    assert names[:3] == ["cluster", "confidence", "known class"]
    assert names[3:] == iris.details["column_names"].tolist()
    assert len(facts.heat_data()["tracks"][0]["values"]) == iris.n_objects
