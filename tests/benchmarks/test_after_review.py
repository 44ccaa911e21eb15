"""The methods after the review on pools: draws, halves and a table that goes on."""

import numpy as np

from benchmarks import after_review
from tests.fixtures import planted


def pools(folder):
    for seed, name in enumerate(["one", "two"]):
        members, gt = planted(60, 3, 25, noise=0.2, seed=seed)
        np.savez(folder / f"{name}.npz", members=members, gt=gt)
    return folder


def test_a_draw_shuffles_rows_and_draws_members():
    members, gt = planted(500, 3, 25, noise=0.2, seed=0)
    one, again = (after_review.draw({"members": members, "gt": gt}, 1) for _ in "ab")
    assert one.labels.shape == (after_review.MAX_OBJECTS, after_review.N_MEMBERS)
    assert np.array_equal(one.labels, again.labels)
    assert (np.diff(one.truth) < 0).any()


def test_each_pool_is_in_one_half():
    half = after_review.halves(list("abcde"))
    assert sorted(half.values()) == ["confirm"] * 2 + ["explore"] * 3
    assert half == after_review.halves(list("edcba"))


def test_rows_are_appended_once(tmp_path, monkeypatch):
    monkeypatch.setattr(after_review, "N_DRAWS", 1)
    results = tmp_path / "table.csv"
    folder = pools(tmp_path)
    first = list(after_review.run(folder, results, 60.0, ["eac", "lwgp"]))
    assert len(first) == 2 * 2
    assert all(row["nmi"] > 0.8 for row in first)
    more = list(after_review.run(folder, results, 60.0, ["eac", "lwgp", "lwea"]))
    assert {row["method"] for row in more} == {"lwea"}
    after_review.main(["table", "--results", str(results)])


def test_nothing_begins_when_time_is_over(tmp_path):
    assert not list(after_review.run(pools(tmp_path), tmp_path / "t.csv", -1.0))


def test_methods_with_fewer_fits_are_not_compared():
    rows = [
        {"method": m, "half": half, "nmi": 0.5, "ari": 0.4, "cpu_seconds": 1}
        for m, half in [("eac", "explore"), ("eac", "confirm"), ("lwea", "explore")]
    ]
    text = after_review.table(rows)
    assert "eac" in text
    assert "lwea" not in text


def test_pools_are_won_and_lost_by_the_means_of_their_draws():
    def row(method, data, draw, nmi):
        half = {"half": "explore", "ari": nmi}
        return {"method": method, "data": data, "draw": draw, "nmi": nmi, **half}

    gaps = {"a": [0.3, -0.1], "b": [0.2, 0.2], "c": [-0.05, -0.05]}
    rows = [
        row(method, data, draw, 0.5 + (gap if method == "lce" else 0.0))
        for data, some in gaps.items()
        for draw, gap in enumerate(some)
        for method in ("lwgp", "lce")
    ]
    rows.append(row("lce", "d", 0, 0.9))  # LWGP has no such draw
    told = after_review.against(rows, ["lce", "pta"]).splitlines()
    # Means of 0.1, 0.2 and -0.05: ranks 2 and 3 are won, 1 is lost.
    assert told[1].split() == [
        *("lce", "explore", "3", "+0.083", "2", "1", "0.50", "+0.67")
    ]
    assert len(told) == 2


def test_weights_of_lwgp_in_its_cut_are_lwgp(tmp_path, monkeypatch):
    mine = {"weights": ("consensus", {"weighting": "lwgp"})}
    monkeypatch.setattr(after_review, "METHODS", after_review.METHODS | mine)
    monkeypatch.setattr(after_review, "N_DRAWS", 1)
    asked = ["lwgp", "weights"]
    rows = [*after_review.run(pools(tmp_path), tmp_path / "t.csv", 60.0, asked)]
    by_method = [[r["nmi"] for r in rows if r["method"] == one] for one in asked]
    assert by_method[0] == by_method[1]
