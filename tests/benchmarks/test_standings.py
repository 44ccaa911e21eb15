"""Methods stand where the means of their rows say."""

import numpy as np
import pytest

from benchmarks.evaluation.leaderboards import standings


def row(data, method, ari, seed=0, status="ok", half="confirm"):
    cells = {"data": data, "method": method, "seed": str(seed), "half": half}
    scores = {"ari": "" if ari is None else str(ari), "nmi": "", "seconds": "0.5"}
    return {**cells, **scores, "peak_mb": "2", "status": status, "message": ""}


ROWS = [
    row("a", "ours", 0.5),
    row("a", "ours", 0.7, seed=1),
    row("b", "ours", 0.4, half="choose"),
    row("a", "theirs", -0.1),
    row("b", "theirs", None, status="failed", half="choose"),
    row("a", "partial", 0.9),
]


def test_a_set_has_the_mean_of_its_seeds_and_a_failure_the_worst_score():
    found = standings.means(ROWS)
    assert found["ours"] == pytest.approx({"a": 0.6, "b": 0.4})
    # Nobody is below zero on b.
    assert found["theirs"] == pytest.approx({"a": -0.1, "b": 0.0})
    worse = [*ROWS, row("b", "partial", -0.3)]
    assert standings.means(worse)["theirs"]["b"] == pytest.approx(-0.3)


def test_methods_are_compared_on_the_sets_of_both():
    both = standings.compared(ROWS, "ours", "partial")
    assert (both.n_sets, both.won, both.lost) == (1, 0, 1)
    assert both.gain == pytest.approx(-0.3)
    assert standings.compared(ROWS, "ours", "nobody") is None


def test_the_best_is_one_that_was_tried_everywhere():
    assert standings.best_of(ROWS, ("theirs", "partial")) == "theirs"
    assert standings.best_of(ROWS, ("partial",)) == ""
    assert standings.best_of([], ("theirs",)) == ""


def test_the_table_tells_sets_failures_and_what_was_kept_aside():
    text = standings.table(ROWS, "ours", memory=True)
    lines = [part.split("\n     - ") for part in text.split("* - ")[1:]]
    ours, theirs = (
        next(line for line in lines if line[0].strip() == name)
        for name in ("**ours**", "theirs")
    )
    assert [cell.strip() for cell in ours[1:5]] == ["2", "2", "0.500", "0.600"]
    assert theirs[-3].strip() == "1"  # without a result
    assert theirs[6].strip() == "+0.550"
    assert theirs[-1].strip() == "2.0"


def test_objects_without_a_class_are_not_scored():
    y = np.array([0, 0, 1, 1, -1])
    found = standings.scores(np.array([5, 5, 7, 7, 5]), y)
    assert found == {"n_clusters": 2, "ari": 1.0, "nmi": 1.0}
