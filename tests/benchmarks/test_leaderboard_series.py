"""Series are scored in a drawn order, and the page says which sets they are not."""

import numpy as np

from benchmarks.evaluation.leaderboards import series
from benchmarks.evaluation.store import Options


def by_first_value(given, k, seed):
    return np.array([int(one[0, 0]) for one in given])


def write_set(folder, name, n, length):
    (folder / "temporal").mkdir(exist_ok=True)
    y = np.arange(n) % 3
    X = np.repeat(y.astype(float), length).reshape(n, 1, length)
    np.savez(folder / "temporal" / f"{name}.npz", X=X, y=y)


def test_labels_belong_to_the_rows_that_were_shuffled(tmp_path, monkeypatch):
    write_set(tmp_path, "three", 30, 8)
    seen = []
    monkeypatch.setitem(
        series.METHODS,
        "first",
        lambda X, k, seed: seen.append(by_first_value(X, k, seed)) or seen[-1],
    )
    for seed in range(2):
        found = series.fit("three", "first", seed, "choose", tmp_path)
        assert (found["ari"], found["k"], found["n_objects"]) == (1.0, 3, 30)
    assert not np.array_equal(seen[0], seen[1])


def test_what_takes_long_has_small_sets_and_all_seeds(tmp_path):
    write_set(tmp_path, "small", 30, 8)
    write_set(tmp_path, "long", 30, 1000)
    options = Options(data=tmp_path, seeds=(0, 1))
    made = [job.key for job in series._jobs(options, list(series.METHODS))]
    tried = {
        method: [(key["data"], key["seed"]) for key in made if key["method"] == method]
        for method in series.METHODS
    }
    for method in (series.SHAPE_DBA, series.WARPED):
        assert tried[method] == [("small", 0), ("small", 1)]
    assert len(tried[series.DEFAULT]) == len(tried["tslearn k-shape"]) == 4


def test_peers_of_absent_packages_are_left_out():
    ours = set(series.METHODS) - set(series.TSLEARN) - set(series.AEON)
    assert set(series._methods(set())) == set(series._methods({"aeon"})) == ours
    assert set(series._methods({"tslearn"})) == ours | set(series.TSLEARN)
    assert series._methods({"tslearn", "aeon"}) == list(series.METHODS)


def test_the_page_says_that_the_published_sets_are_others(tmp_path):
    series.run(Options(results=tmp_path, smoke=True))
    text = series.page(tmp_path, tmp_path)
    assert "sets are not the 93 of the published means" in text
    assert "0.258" in text
    assert "leaderboard_series.csv" in text
    assert "scikit-learn k-means, the best peer" in series.answer(tmp_path)


def test_a_peer_of_both_says_how_the_sets_compare():
    row = {"data": "a", "method": "tslearn k-shape", "ari": "0.5", "status": "ok"}
    told = series._easier([row, {**row, "data": "b", "ari": "0.7"}])
    assert "These 2 sets" in told
    assert "k-shape has 0.600 here and 0.239 there" in told
