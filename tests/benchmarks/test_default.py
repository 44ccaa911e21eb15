"""The evaluation of the default: what its rows are, and what its page makes of them."""

import csv

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import comitia
from benchmarks.ensembles import planted_labels
from benchmarks.evaluation import data
from benchmarks.evaluation.default import page as default_page
from benchmarks.evaluation.default import rivals, rivals_page
from benchmarks.evaluation.default import run as default
from benchmarks.evaluation.pages import NOT_MEASURED
from comitia import ConsensusClustering, Ensemble
from comitia.agreement import agreement
from tests.fixtures import same_partition


def test_halves_are_halves_whatever_the_order_of_the_names():
    names = [f"set{i}" for i in range(9)]
    half = default.halves(names)
    assert sorted(half) == names
    assert sorted(half.values()).count("choose") == 4
    assert default.halves(names[::-1]) == half


def test_the_default_of_the_class_is_the_one_that_the_page_speaks_of():
    votes = Ensemble(planted_labels(120, 3, 10, 0.4, seed=0)[0])
    mix = default_page.CHOSEN[2]
    estimator = ConsensusClustering(3, random_state=0)
    found = default.combine(votes, 3, seed=0)
    assert same_partition(estimator.fit_predict(votes), found[mix])
    for name, weighting in {"none": None, "crowd": "crowd_agreement"}.items():
        estimator = ConsensusClustering(3, weighting=weighting, random_state=0)
        labels = estimator.fit_predict(votes)
        assert same_partition(labels, found[f"{name}/reassign"])


def test_rivals_are_scored_on_shuffled_rows():
    scores = rivals.score_table("iris", "choose", 60, 0, None, 60)
    assert set(scores) == {*rivals.RIVALS, *(f"{name} s" for name in rivals.RIVALS)}
    assert scores["default"] > 0.3
    assert scores["k-means"] > 0.3


def test_rivals_are_told_on_both_halves(tmp_path):
    names = list(rivals.RIVALS)
    rows = [
        {
            "data": f"{half}{i}",
            "half": half,
            "seed": "0",
            "status": "ok",
            **{name: str(0.3 + 0.1 * (name == "default") + 0.01 * i) for name in names},
            **{f"{name} s": "0.5" for name in names},
        }
        for half in ("choose", "confirm")
        for i in range(6)
    ]
    sets, table = rivals_page.mean_scores(rows, ["default", "k-means"], "confirm")
    assert sets == [f"confirm{i}" for i in range(6)]
    assert_allclose(table[:, 0] - table[:, 1], 0.1)
    with open(tmp_path / "default_rivals.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    told = rivals_page.rivals_told(tmp_path)
    assert "+0.100 against it" in told
    assert "6 / 0 / 0" in told
    assert "far below k-means" not in told
    assert rivals_page.rivals_told(tmp_path / "nothing") == NOT_MEASURED


def test_what_takes_long_has_one_seed_and_counts_by_it():
    first = {f"{name} s": "0.1" for name in rivals.RIVALS} | {"HDBSCAN s": "11"}
    assert rivals.quick_rivals(None) == tuple(rivals.RIVALS)
    assert {*rivals.RIVALS} - {*rivals.quick_rivals(first)} == {"HDBSCAN"}
    about = {"data": "one", "half": "confirm", "status": "ok"}
    scores = [{"default": "0.5", "HDBSCAN": "0.4"}, {"default": "0.7", "HDBSCAN": ""}]
    rows = [about | each for each in scores]
    _, table = rivals_page.mean_scores(rows, ["default", "HDBSCAN"], "confirm")
    assert_allclose(table, [[0.6, 0.4]])
    assert rivals_page.seed_spread(rows, "HDBSCAN")[:2] == (0, 1)


def test_mixes_that_are_published_methods_have_their_labels():
    votes = Ensemble(planted_labels(90, 3, 8, 0.4, seed=1)[0])
    found = default.combine(votes, 3, seed=0)
    assert tuple(found) == default.MIXES
    for mix, name in {
        "none/average": "eac",
        "none/kmeans": "kcc",
        "crowd/average": "weac",
        "entropy/average": "lwea",
        "entropy/tcut": "lwgp",
    }.items():
        method = comitia.method(name)(n_clusters=3, random_state=0)
        assert same_partition(found[mix], method.fit_predict(votes))


@pytest.mark.parametrize("name", default.GENERATORS)
def test_generators_make_what_they_are_called(name):
    X = data.load("single", "iris", None).X
    made = default.make_generator(name, 3, 6, 0).generate(X)
    assert (made.n_clusterings, made.kind) == (6, "hard")
    exactly = {"k": 3, "2k": 6}
    if name in exactly:
        assert_array_equal(made.n_clusters_each, exactly[name])
    else:
        assert made.n_clusters_each.min() >= 2
        assert made.n_clusters_each.max() <= 12


def test_scores_leave_objects_without_a_class_out(monkeypatch):
    iris = data.load("single", "iris", None)
    y = np.where(np.arange(150) % 3, iris.y, -1)
    monkeypatch.setattr(
        data, "load", lambda *_: data.DataSet("single", "iris", iris.X, y)
    )
    got = default.score_mixes("iris", "choose", 150, "k", 4, 0, None, 150)
    members = default.make_generator("k", 3, 4, 0).generate(iris.X)
    labels = ConsensusClustering(3, consensus="average").fit_predict(members)
    expected = agreement(labels[y >= 0], y[y >= 0], "adjusted_rand")
    assert_allclose(got["none/average"], expected)


def test_junk_is_the_share_it_is_said_to_be(monkeypatch):
    seen = []
    monkeypatch.setattr(
        default, "combine", lambda votes, k, seed: seen.append(votes) or {}
    )
    default.score_junk("unequal", 0.3, 0.7, 0, 400)
    _, truth = planted_labels(
        400,
        5,
        20,
        np.repeat([0.9, 0.3], [14, 6]),
        sizes=np.array(default.SIZES["unequal"], dtype=float),
        seed=0,
    )
    alike = [agreement(m, truth, "adjusted_rand") for m in seen[0].labels.T]
    assert max(alike[:14]) < 0.1 < 0.3 < min(alike[14:])


def _row(data_set, half, seed, **scores):
    return {
        "data": data_set,
        "half": half,
        "generator": "sqrt",
        "n_clusterings": "50",
        "seed": str(seed),
        "status": "ok",
        **{name: str(value) for name, value in scores.items()},
    }


def test_scores_are_means_over_the_seeds_of_one_half():
    rows = [
        _row("b", "choose", 0, x=0.2, y=0.0),
        _row("b", "choose", 1, x=0.4, y=1.0),
        _row("a", "choose", 0, x=0.1, y=0.1),
        _row("c", "confirm", 0, x=0.9, y=0.9),
    ]
    found = default_page.scores(rows, ["x", "y"], half="choose")
    assert found.sets == ["a", "b"]
    assert_allclose(found.table, [[0.1, 0.1], [0.3, 0.5]])
    assert_allclose(found.column("y"), [0.1, 0.5])


def test_a_difference_in_one_direction_is_more_than_chance():
    theirs = np.linspace(0, 0.5, 12)
    gain, p = default_page.compared(theirs + 0.1 + theirs / 10, theirs)
    assert_allclose(gain, 0.125)
    # All twelve signs are the same: 2 / 2**12.
    assert_allclose(p, 2 / 2**12)
    assert default_page.compared(theirs, theirs) == (0.0, 1.0)
