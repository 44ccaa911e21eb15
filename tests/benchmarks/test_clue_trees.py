"""The comparison of trees with R's clue computes what it says; R need not be there."""

import csv

from benchmarks import clue_trees


def test_what_is_kept_is_not_above_clue():
    with clue_trees.RESULTS.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["variant"] for row in rows} == {*clue_trees.OBJECTIVES, "majority"}
    assert all(float(row["gap"]) <= 1e-6 for row in rows)


def test_a_higher_objective_and_other_classes_are_told(tmp_path, monkeypatch):
    first = next(clue_trees.cases())
    monkeypatch.setattr(clue_trees, "cases", lambda: iter([first]))
    classes = [
        " ".join(str(i + 1) for i in one) for one in clue_trees.our_classes(first)
    ]
    # What R has for it.
    says = {"euclidean": ["38.5772524929"], "manhattan": ["21.2985"]}
    says["majority"] = classes
    monkeypatch.setattr(clue_trees, "clue_says", lambda case, variant: says[variant])
    asked = ["--results", str(tmp_path / "values.csv")]
    assert clue_trees.main(asked) == 0
    says["euclidean"] = ["38.0"]
    assert clue_trees.main(asked) == 1
    says["euclidean"], says["majority"] = ["38.58"], classes[1:]
    assert clue_trees.main(asked) == 1
