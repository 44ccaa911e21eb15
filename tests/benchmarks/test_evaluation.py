"""The evaluation runs without the data folder, and says what its rows say."""

import importlib
import json
import re
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import comitia
from benchmarks import evaluation
from benchmarks.evaluation import PARTS, data, pages
from benchmarks.evaluation.__main__ import main
from benchmarks.evaluation.everything import changed, leagues
from benchmarks.evaluation.everything import page as everything_page
from benchmarks.evaluation.everything import run as everything
from benchmarks.evaluation.store import Options, read, write
from comitia import workers


@pytest.fixture(scope="module")
def worker():
    """One process for the jobs of all parts, which start some twenty otherwise."""
    kept = []

    class Kept(workers.Worker):
        def close(self):
            """Stay, for the next crew."""

    def make(*arguments, **settings):
        if not kept:
            kept.append(Kept(*arguments, **settings))
        return kept[0]

    yield make
    for each in kept:
        workers.Worker.close(each)


@pytest.mark.parametrize("part", PARTS)
def test_smoke_profile_of_each_part_runs_and_has_a_page(
    part, worker, tmp_path, monkeypatch
):
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.setattr(workers, "Worker", worker)
    assert main([part, "--smoke", "--out", str(tmp_path)]) == 0
    # A part may have several tables, and a table of what is published no status.
    rows = [row for path in tmp_path.glob("*.csv") for row in read(path)]
    assert rows
    assert [row for row in rows if row.get("status", "ok") != "ok"] == []
    figures = tmp_path / "figures"
    text = importlib.import_module(f"benchmarks.evaluation.{part}.page").page(
        tmp_path, figures
    )
    assert len(text) > len(pages.NOT_MEASURED)
    shown = [line.split("/")[-1] for line in text.splitlines() if ".. image::" in line]
    assert sorted(shown) == sorted(path.name for path in figures.glob("*"))


@pytest.mark.parametrize("part", PARTS)
def test_pages_do_without_results(part, tmp_path):
    module = importlib.import_module(f"benchmarks.evaluation.{part}.page")
    assert "Not measured yet" in module.page(tmp_path, tmp_path / "figures")


@pytest.mark.parametrize("part", PARTS)
def test_what_a_part_imports_is_its_own_or_shared(part):
    others = "|".join(one for one in PARTS if one != part)
    for path in Path(evaluation.__file__).parent.glob(f"{part}/*.py"):
        text = path.read_text(encoding="utf-8")
        assert re.findall(rf"benchmarks\.evaluation\.({others})\b", text) == []


def test_unknown_parts_and_folders_are_refused(capsys, tmp_path):
    for arguments, said in (
        (["nothing"], "no part nothing; there are"),
        (["--data", str(tmp_path / "gone")], "is no folder"),
    ):
        with pytest.raises(SystemExit):
            main(arguments)
        assert said in capsys.readouterr().err


# -- the data --------------------------------------------------------------------------


def test_sources_tell_the_sizes_of_what_is_loaded():
    found = data.sources(None, max_objects=100)
    assert {one.kind for one in found} == set(data.KINDS)
    assert [one.size for one in found] == sorted(one.size for one in found)
    for one in found:
        loaded = data.load(one.kind, one.name, None, 100)
        assert len(loaded.y) == one.n_objects
        assert loaded.n_clusters >= 2
        if one.kind != "graph":
            assert one.n_objects <= 100
            assert len(loaded.table) == one.n_objects
            assert_allclose(loaded.table.std(axis=0), 1.0)


def write_folder(folder, rng):
    for sub in data.KINDS.values():
        (folder / sub).mkdir()
    y = np.repeat([0, 1, -1], 10).astype(np.int16)
    X = rng.rand(30, 4)
    np.savez(folder / "single" / "one.npz", X=np.c_[X, np.ones(30)], y=y)
    np.savez(folder / "multiview" / "two.npz", X0=X, X10=X[:, :1], X2=X[:, :2], y=y)
    padded = np.where(np.arange(6) < 4, rng.rand(30, 2, 6), np.nan)
    lengths = np.full(30, 4)
    np.savez(folder / "temporal" / "three.npz", X=padded, y=y, lengths=lengths)
    edges = np.array([[0, 1], [1, 2]])
    np.savez(folder / "graphs" / "four.npz", edges=edges, n=30, y=y)
    np.savez(folder / "graphs" / "overlapping.npz", edges=edges, n=30)
    return X


def test_a_folder_is_read_as_it_says(tmp_path):
    X = write_folder(tmp_path, np.random.RandomState(0))
    names = {one.kind: one.name for one in data.sources(tmp_path)}
    assert names == {
        "single": "one",
        "views": "two",
        "series": "three",
        "graph": "four",
    }
    one, two, three, four = (
        data.load(kind, names[kind], tmp_path) for kind in data.KINDS
    )
    assert one.X.shape == (30, 4)  # without the constant column
    assert_allclose(one.X.mean(axis=0), 0.0, atol=1e-12)
    assert one.n_clusters == 2  # -1 is no class
    assert [view.shape[1] for view in two.X] == [4, 2, 1]
    assert_array_equal(two.X[0], X)
    assert {series.shape for series in three.X} == {(2, 4)}
    assert_array_equal(four.X[[0, 1], [1, 0]], [1.0, 1.0])
    assert four.X.sum() == 4.0


def test_cuts_are_the_same_every_time(tmp_path):
    rows = data.some_rows(100, 10)
    assert_array_equal(rows, data.some_rows(100, 10))
    assert len(set(rows)) == 10
    assert_array_equal(data.some_rows(5, 10), np.arange(5))
    whole = data.load("single", "iris", None)
    cut = data.load("single", "iris", None, 20)
    assert_array_equal(cut.y, whole.y[data.some_rows(150, 20)])


def test_constraints_are_different_pairs_that_tell_the_truth():
    y = np.array([0, 0, 1, -1, 1, 2])
    must, cannot = data.constraints(y, 6, seed=0)
    assert len(must) + len(cannot) == 6
    assert (y[must[:, 0]] == y[must[:, 1]]).all()
    assert (y[cannot[:, 0]] != y[cannot[:, 1]]).all()
    pairs = np.vstack([must, cannot])
    assert (pairs[:, 0] < pairs[:, 1]).all()
    assert len(np.unique(pairs, axis=0)) == 6
    assert (y[pairs] >= 0).all()
    # There are ten pairs of five objects, and all are drawn when more are asked for.
    assert sum(map(len, data.constraints(y, 99, seed=0))) == 10


# -- everything ------------------------------------------------------------------------


def test_every_method_is_tried_on_one_kind_of_data():
    tried = [one for kind in data.KINDS for one in everything.applicable(kind)]
    ids = [one for one in tried if one != everything.REFERENCE]
    assert sorted(ids) == sorted(card.id for card in comitia.methods())


def test_jobs_go_seed_by_seed_and_slow_methods_come_after_the_others():
    methods = ("lwea", "k-means", "mwk_central")
    options = Options(seeds=(0, 1, 2), sets=("iris", "wine"), methods=methods)
    order = [
        (job.key["seed"], job.key["data"], job.key["method"])
        for job in everything.jobs(options)
    ]
    quick, slow = ("k-means", "lwea"), ("mwk_central",)
    turns = [(0, quick), (0, slow), (1, quick), (2, quick), (1, slow), (2, slow)]
    assert order == [
        (seed, name, method)
        for seed, some in turns
        for name in ("iris", "wine")
        for method in some
    ]


def test_objects_without_a_class_are_clustered_but_not_scored():
    y = np.array([0, 0, 1, 1, -1, -1])
    values = everything.scores(y, np.array([5, 5, 7, 7, 5, 9]))
    assert (values["ari"], values["nmi"], values["n_found"]) == (1.0, 1.0, 3)
    # What a method leaves out is one more cluster, not left out of the score.
    values = everything.scores(y, np.array([0, -1, 1, 1, 0, 0]))
    assert values["ari"] < 0.6


def test_members_are_those_of_the_ensemble_that_was_combined():
    values = everything.fit("single", "iris", 60, "lwea", 3, None, 60)
    found = data.load("single", "iris", None, 60)
    ensemble = comitia.generate.KMeansGenerator(random_state=3).generate(found.X)
    alone = comitia.agreement.agreement_with(found.y, ensemble, "adjusted_rand")
    assert_allclose(values["best_member_ari"], alone.max())
    assert_allclose(values["mean_member_ari"], alone.mean())
    labels = comitia.method("lwea")(3).fit_predict(ensemble)
    assert_allclose(values["ari"], comitia.agreement.adjusted_rand(labels, found.y))


def test_members_of_fuzzy_ensembles_are_scored_by_their_labels():
    values = everything.fit("single", "iris", 60, "hsce", 0, None, 60)
    found = data.load("single", "iris", None, 60)
    fitted = comitia.method("hsce")(3, random_state=0).fit(found.X)
    assert fitted.ensemble_.kind == "fuzzy"
    alone = [
        comitia.agreement.adjusted_rand(labels, found.y)
        for labels in fitted.ensemble_.labels.T
    ]
    got = [values["best_member_ari"], values["mean_member_ari"]]
    assert_allclose(got, [max(alone), np.mean(alone)])


# -- what it says ----------------------------------------------------------------------


def row_of(method, name, ari, *, seed=0, best=0.5, mean=0.2, status="ok", kind="views"):
    failed = status != "ok"
    numbers = {
        "ari": ari,
        "nmi": ari,
        "best_member_ari": best,
        "mean_member_ari": mean,
        "seconds": 1.0,
        "peak_mb": 10.0,
    }
    return {
        "kind": kind,
        "data": name,
        "n_objects": "9",
        "method": method,
        "seed": str(seed),
        "status": status,
        "message": "no" if failed else "",
        **{key: "" if failed else str(value) for key, value in numbers.items()},
    }


def test_a_league_ranks_by_the_means_of_the_seeds():
    rows = [
        row_of(method, name, ari + seed * 0.1, seed=seed)
        for method, aris in {"a": (0.1, 0.9), "b": (0.4, 0.8), "c": (0.3, 0.3)}.items()
        for name, ari in zip(("one", "two"), aris, strict=True)
        for seed in (0, 1)
    ]
    found = leagues.league(rows)
    assert [(line.method, line.rank) for line in found.lines] == [
        *(("b", 1.5), ("a", 2.0), ("c", 2.5))
    ]
    best = found.lines[0]
    assert_allclose([best.ari, best.beats_best, best.beats_mean], [0.65, 0.5, 1.0])
    assert np.isnan(best.beats_reference)
    assert (found.seeds, found.repeats) == (["0", "1"], [])
    assert found.sets == ["one (9)", "two (9)"]


def test_only_seeds_that_all_methods_have_seen_count():
    aris = {"k-means": 0.3, "a": 0.5, "b": 0.2, "c": 0.1}
    rows = [
        row_of(method, name, ari, seed=0)
        for method, ari in aris.items()
        for name in ("one", "two")
    ]
    # The second seed turns everything round, but was stopped before its last set.
    rows += [row_of(method, "one", 0.6 - ari, seed=1) for method, ari in aris.items()]
    found = leagues.league(rows)
    assert found.seeds == ["0"]
    assert [line.method for line in found.lines] == ["a", "k-means", "b", "c"]
    assert [line.beats_reference for line in found.lines[::2]] == [1.0, 0.0]
    assert np.isnan(found.lines[1].beats_reference)
    (again,) = found.repeats
    assert (again.seed, again.n_methods, again.n_sets) == ("1", 4, 1)
    assert_allclose(again.correlation, -1.0)
    assert_allclose(again.difference, np.mean([0.0, 0.4, 0.2, 0.4]))


def test_the_page_says_what_the_test_tells_apart_from_k_means():
    rows = [
        row_of(method, f"set{at}", ari)
        for method, ari in {"up": 0.9, "k-means": 0.5, "near": 0.4, "low": 0.1}.items()
        for at in range(8)  # a critical difference of 1.66
    ]
    text = everything_page._told(leagues.league(rows))
    assert "4 methods on 8 data sets. One seed (number 0) counts" in text
    assert "apart from k-means as better: none; as worse: low." in text


def test_what_fails_is_last_and_told():
    rows = [
        row_of("a", "one", 0.1),
        row_of("b", "one", 0.9, status="timed out"),
        row_of("a", "two", 0.1),
        row_of("b", "two", 0.9),
    ]
    found = leagues.league(rows)
    assert {line.method: line.rank for line in found.lines} == {"a": 1.5, "b": 1.5}
    assert {line.method: line.n_failed for line in found.lines} == {"a": 0, "b": 1}
    assert leagues.failures(rows) == [("b", "timed out", ["one"], "no")]


def test_methods_that_were_not_tried_everywhere_have_no_rank():
    methods = [f"m{at}" for at in range(10)]
    rows = [row_of(method, "one", 0.5) for method in methods]
    rows += [row_of(method, "two", 0.5) for method in methods[:9]]
    rows += [row_of(method, "three", 0.5) for method in methods[:2]]
    found = leagues.league(rows)
    assert found.sets == ["one (9)", "two (9)"]
    assert found.unranked == ["m9"]
    assert len(found.lines) == 9


def test_a_changed_method_stands_beside_what_it_was(tmp_path):
    counts = {"n_clusters": "3", "n_found": "3"}
    before = [
        {**row_of(method, name, ari), **counts}
        for method, aris in {"a": (0.1, 0.2), "b": (0.4, 0.1), "c": (0.3, 0.3)}.items()
        for name, ari in zip(("one", "two"), aris, strict=True)
    ]
    before[1]["n_found"] = "2"
    after = [
        {**row_of("a", "one", 0.5), **counts, "commit": "1f"},
        {**row_of("a", "two", 0.2), **counts, "commit": "1f"},
        {**row_of("b", "one", 0.0, status="timed out"), **counts, "commit": "2e"},
        {**row_of("c", "three", 0.9), **counts, "commit": "1f"},  # nothing to compare
    ]
    a, b = changed.changes(before, after)
    assert (a.method, a.commit, a.n_fits) == ("a", "1f", 2)
    assert_allclose([a.ari, a.rank, a.fewer], [(0.15, 0.35), (2.5, 1.5), (0.5, 0)])
    assert (b.n_fits, b.n_late) == (1, (0, 1))
    assert np.isnan(b.ari).all()
    assert changed.changed(tmp_path) == ""
    for name, rows in (("everything", before), ("everything_changed", after)):
        write(tmp_path / f"{name}.csv", [*rows[0]], rows)
    text = changed.changed(tmp_path)
    assert "0.150 → 0.350" in text
    assert "50 → 0" in text


def test_rows_of_a_run_join_those_of_the_changed_methods(tmp_path):
    def run(name, rows):
        folder = tmp_path / name
        folder.mkdir()
        write(folder / "everything.csv", [*rows[0]], rows)
        (folder / "everything.json").write_text(json.dumps({"runs": [{"rows": 2}]}))
        return folder

    results = tmp_path / "results"
    results.mkdir()
    first = [
        row_of("b", "one", 0.1),
        row_of("a", "one", 0.2),
        row_of("k-means", "one", 0.5),
    ]
    changed.merge(run("first", first), "1f", results)
    again = run("again", [row_of("b", "one", 0.3), row_of("b", "two", 0.4)])
    changed.main([str(again), "--commit=2e", f"--results={results}", "--what=in haste"])
    rows = {
        (row["method"], row["data"]): (row["ari"], row["commit"])
        for row in read(results / changed.TABLE)
    }
    assert rows == {
        ("a", "one"): ("0.2", "1f"),
        ("b", "one"): ("0.3", "2e"),
        ("b", "two"): ("0.4", "2e"),
    }
    note = json.loads((results / "everything_changed.json").read_text())
    told = [one["what"] for one in note["runs"]]
    assert told == ["code of 1f", "code of 2e, in haste"]


def test_methods_with_constraints_have_a_league_of_their_own():
    rows = [
        row_of(method, "one", 0.5, kind="single")
        for method in ("k-means", "lwea", "woce")
    ]
    found = leagues.leagues(rows)
    names = {name: {line.method for line in one.lines} for name, one in found.items()}
    assert names == {
        "single": {"k-means", "lwea"},
        "constraints": {"k-means", "woce"},
    }


def test_runs_with_the_same_versions_tell_them_once(tmp_path):
    run = {
        "rows": 5,
        "date": "2026-11-15T22:14+00:00",
        "cores": 2,
        "time_limit": 20.0,
        "memory_limit": 2000.0,
        "max_objects": 300,
        "versions": {"numpy": "2.5"},
    }
    runs = [run, {**run, "rows": 1, "what": "lwea", "max_objects": None}]
    (tmp_path / "part.json").write_text(json.dumps({"runs": runs}))
    limits = "on 2026-11-15, 2 cores, 20 s and 2000 MB for a job"
    assert pages.about(tmp_path, "part") == (
        f"*5 rows {limits}, at most 300 objects; 1 rows [lwea] {limits} (numpy 2.5).*\n"
    )
    assert pages.about(tmp_path, "other") == ""
