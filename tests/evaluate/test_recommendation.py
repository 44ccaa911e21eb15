"""Which method: only what can be applied, with reasons, in a measured order."""

import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import eye_array
from scipy.stats import spearmanr

from comitia import Ensemble, config, methods, recommend
from comitia.catalogue import DEFAULT_FOR_VIEWS, DEFAULT_METHOD
from comitia.evaluate.recommendation import MEASURED
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


def test_few_distinct_objects_make_quadratic_methods_possible():
    rows = np.random.RandomState(0).randint(2, size=(30_000, 3))
    with config.limit("10 MB"):
        by_number = {one.id for one in recommend(n_objects=30_000).excluded}
        found = recommend(Ensemble(rows), n_best=99)
    assert "cspa" in by_number
    assert found.excluded == []
    reasons = {one.id: one.reason for one in found}
    assert "only 8 are distinct" in reasons["cspa"]


def test_the_default_comes_first_at_every_size():
    for n_objects in (1000, 50_000_000):
        first = recommend(n_objects=n_objects)[0]
        assert first.id == DEFAULT_METHOD
        assert "The default, chosen on one half of the data sets" in first.reason
    views = recommend([np.zeros((9, 2)), np.zeros((9, 3))])
    assert views[0].id == DEFAULT_FOR_VIEWS


def test_the_best_measured_method_comes_first_of_those_that_are_not_the_default():
    found = recommend(n_objects=1000, needs="labels", n_best=200)
    by_rank = [one for one in found if one.id in MEASURED]
    assert min(MEASURED[one.id] for one in by_rank) == MEASURED["lwea"]
    of_clusters = recommend(n_objects=1000, needs="labels", weighs="clusters")
    assert [one.id for one in of_clusters[:2]] == [DEFAULT_METHOD, "lwea"]
    assert "Mean rank 2.2 of 29" in of_clusters[1].reason


def test_the_list_has_one_of_each_kind_before_a_second():
    kinds = [CARDS[one.id].weighs for one in recommend(np.zeros((200, 3)), n_best=5)]
    assert len(set(kinds)) == 5


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


def test_the_order_is_that_of_the_evaluation():
    results = Path(__file__).parents[2] / "benchmarks" / "results" / "evaluation"
    if not (results / "fidelity.csv").exists():
        pytest.skip("the results of the evaluation are not here")
    nmi = defaultdict(lambda: defaultdict(list))
    with (results / "fidelity.csv").open() as file:
        for row in csv.DictReader(file):
            if row["criterion"] == "true-k":
                nmi[row["pool"]][row["method"]].append(float(row["nmi_sqrt"]))
    ids = [one for one in MEASURED if all(one in pool for pool in nmi.values())]
    means = np.array([[np.mean(pool[one]) for one in ids] for pool in nmi.values()])
    ranks = np.argsort(np.argsort(-means, axis=1), axis=1).mean(axis=0)
    # A later run may add methods and pools; the order must still be much the same.
    assert spearmanr(ranks, [MEASURED[one] for one in ids]).statistic > 0.9


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
