"""The comparison with R's clue computes what it says; R need not be there."""

from numpy.testing import assert_allclose

from benchmarks import clue_values


def test_both_are_given_rows_on_the_simplex_and_a_weight_for_each():
    for case in clue_values.cases():
        assert len(case.members) == len(case.weights)
        for B in case.members:
            assert_allclose(B.sum(axis=1), 1.0)


def test_a_higher_objective_of_ours_is_told(tmp_path, monkeypatch):
    first = next(clue_values.cases())
    monkeypatch.setattr(clue_values, "cases", lambda: iter([first]))
    monkeypatch.setattr(clue_values, "VARIANTS", ("SE", "HE"))
    # What R has for it.
    values = {"SE": 11 / 9, "HE": 4 / 3}
    monkeypatch.setattr(clue_values, "clue_value", lambda case, name: values[name])
    asked = ["--results", str(tmp_path / "values.csv")]
    assert clue_values.main(asked) == 0
    values["HE"] = 1.0
    assert clue_values.main(asked) == 1
    last = (tmp_path / "values.csv").read_text().splitlines()[-1]
    assert last.startswith("e6,HE,2,")
    assert last.endswith(",3.3e-01")
