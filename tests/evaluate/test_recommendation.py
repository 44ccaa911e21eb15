"""Which method: only what can be applied, with reasons, in a measured order."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import eye_array

from comitia import Ensemble, config, methods, recommend
from comitia.catalogue import DEFAULT_FOR, DEFAULT_METHOD
from comitia.evaluate import recommendation
from comitia.evaluate.recommendation import measured_leagues
from comitia.exceptions import ComitiaError

CARDS = {card.id: card for card in methods()}


def test_a_million_objects_leave_linear_methods_and_say_why():
    found = recommend(n_objects=1_000_000, needs="labels", n_best=50)
    assert found
    assert all(CARDS[one.id].scales == "linear" for one in found)
    reasons = {one.id: one.reason for one in found.excluded}
    assert "quadratic" in reasons["cspa"]
    assert "TB of memory" in reasons["cspa"]
    assert "minutes" in reasons["lwea"]


UNMEASURED = "It has not been measured in the evaluation of the library."


def test_few_distinct_objects_make_quadratic_methods_possible():
    rows = np.random.RandomState(0).randint(2, size=(30_000, 3))
    with config.limit("10 MB"):
        by_number = {one.id for one in recommend(n_objects=30_000).excluded}
        found = recommend(Ensemble(rows), n_best=99)
    assert "cspa" in by_number
    # Nothing is left out for its size.
    assert {one.reason for one in found.excluded} <= {UNMEASURED}
    reasons = {one.id: one.reason for one in found}
    assert "only 8 are distinct" in reasons["cspa"]


def test_the_default_comes_first_at_every_size():
    for n_objects in (1000, 50_000_000):
        first = recommend(n_objects=n_objects)[0]
        assert first.id == DEFAULT_METHOD
        assert "The default. Mean rank 2.2 of 6 and mean ARI 0.62" in first.reason
    views = recommend([np.zeros((9, 2)), np.zeros((9, 3))])
    assert views[0].id == DEFAULT_FOR["views"]


def test_the_best_measured_method_comes_second():
    found = recommend(n_objects=1000, n_best=200)
    assert [one.id for one in found[:2]] == [DEFAULT_METHOD, "lwgp"]
    ranks = measured_leagues()["tables"]["methods"]
    in_order = [ranks[one.id][0] for one in found[1:]]
    assert in_order == sorted(in_order)
    assert ranks["lwgp"][0] < ranks["lwea"][0]
    assert "where k-means has 0.41 (2026-11-" in found[1].reason


def test_of_given_clusterings_published_pools_tell():
    found = recommend(n_objects=1000, needs="labels")
    assert [one.id for one in found[:2]] == [DEFAULT_METHOD, "lwea"]
    assert "15 published pools of clusterings" in found[0].reason
    assert "lwea, with 0.46, ranks before it but is not told apart" in found[0].reason


def test_the_default_is_not_the_first_where_another_is_told_apart(monkeypatch):
    league = {
        "date": "2026-01-01",
        "n_sets": 9,
        "n_methods": 3,
        "critical_difference": 1.0,
        "methods": {"lwea": [1.0, 0.9], DEFAULT_METHOD: [2.5, 0.5], "eac": [3.0, 0.4]},
    }
    told = {**measured_leagues(), "pools": league}
    monkeypatch.setattr(recommendation, "measured_leagues", lambda: told)
    found = recommend(n_objects=1000, needs="labels")
    assert [one.id for one in found[:3]] == ["lwea", DEFAULT_METHOD, "eac"]


def test_nothing_is_recommended_that_was_not_measured(monkeypatch):
    known = measured_leagues()
    methods_of = {k: v for k, v in known["tables"]["methods"].items() if k != "lwgp"}
    told = {**known, "tables": {**known["tables"], "methods": methods_of}}
    monkeypatch.setattr(recommendation, "measured_leagues", lambda: told)
    found = recommend(n_objects=1000, n_best=500)
    assert "lwgp" not in [one.id for one in found]
    reasons = {one.id: one.reason for one in found.excluded}
    assert "not been measured" in reasons["lwgp"]


def test_a_list_is_a_table_too():
    found = recommend(n_objects=1000, n_best=2)
    assert found.to_frame().index.tolist() == [one.id for one in found]
    page = found._repr_html_()
    assert page.startswith("<table>")
    assert "<td>lwgp</td>" in page
    assert str(found).count("\n") == 1


def test_an_ensemble_gets_methods_for_labels():
    found = recommend(Ensemble([[0, 1], [1, 1], [0, 0]]), n_best=200)
    assert {CARDS[one.id].needs for one in found} == {("labels",)}


def test_constraints_bring_methods_that_use_them():
    found = recommend(n_objects=100, constraints=True, n_best=20)
    assert found
    assert all("constraints" in CARDS[one.id].needs for one in found)


def test_a_graph_gets_methods_for_graphs():
    found = recommend(eye_array(20).tocsr(), n_best=20)
    assert found
    assert all("graph" in CARDS[one.id].needs for one in found)


def test_views_and_series_are_seen():
    views = recommend([np.zeros((9, 2)), np.zeros((9, 3))], n_best=100)
    assert {one.id for one in views} == {card.id for card in methods(needs="views")}
    series = recommend(np.zeros((5, 1, 30)), n_best=100)
    assert all("series" in CARDS[one.id].needs for one in series)


def test_weighs_narrows_the_list():
    found = recommend(n_objects=100, weighs="objects", n_best=3)
    assert [CARDS[one.id].weighs for one in found] == ["objects"] * 3


def test_the_table_is_that_of_the_results():
    pytest.importorskip("benchmarks", reason="the results are not here")
    from benchmarks.measured_ranks import measured_ranks

    written = Path(recommendation.__file__).with_name("measured_ranks.json")
    kept = json.loads(written.read_text("utf-8"))
    # Made anew by: python -m benchmarks.measured_ranks
    assert kept == json.loads(json.dumps(measured_ranks()))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"n_objects": 0}, "n_objects=0"),
        ({"X": np.zeros(3)}, "X has shape"),
        ({"X": np.zeros((3, 2)), "n_objects": 3}, "read off X"),
        ({"n_best": 0}, "n_best=0"),
        ({"needs": "luck"}, "needs='luck'"),
    ],
)
def test_bad_arguments_are_refused_in_words(given, words):
    with pytest.raises(ComitiaError, match=words):
        recommend(**given)
