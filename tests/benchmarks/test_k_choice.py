"""The study of k: planted data, its constants and its table."""

import numpy as np
import pytest

from benchmarks import k_choice
from comitia.partition.k_probabilities import SOME, WEIGHTS, KEvidence


@pytest.mark.parametrize("kind", ["blobs", "shapes", "none", "bent"])
@pytest.mark.parametrize("seed", range(5))
def test_planted_data_are_standardized_and_repeat(kind, seed):
    case, again = (k_choice.planted(seed, kind) for _ in range(2))
    assert np.array_equal(case.X, again.X)
    assert np.allclose(case.X.std(axis=0), 1.0)
    assert (case.k == 1) == (kind == "none")


def test_constants_follow_what_tells():
    ks = np.array([2, 3, 4])
    told = [
        k_choice.Told(KEvidence(ks, np.zeros(3), 1.0 * (ks == k), 0.2), k)
        for k in (2, 3, 3, 4)
    ] + [k_choice.Told(KEvidence(ks, np.zeros(3), np.zeros(3), -0.2), 1)] * 2
    weights, some = k_choice.fit(3 * told)
    assert weights[1] > 1
    assert some[1] > 1


def test_every_half_has_half_of_the_tables():
    halves = k_choice.HALVES.read_text(encoding="utf-8").split()
    assert sum(line.endswith(",explore") for line in halves) == 39
    assert sum(line.endswith(",confirm") for line in halves) == 39


def test_the_constants_are_those_that_the_file_gives(capsys):
    k_choice.main(["fit"])
    told = f"WEIGHTS {np.array(WEIGHTS)} SOME {np.array(SOME)}"
    assert capsys.readouterr().out.split() == told.split()


def test_a_run_goes_on_where_it_was_stopped_and_is_told(capsys, tmp_path, monkeypatch):
    monkeypatch.delenv("COMITIA_DATA", raising=False)
    rows = tmp_path / "rows.csv"
    for _ in range(2):
        k_choice.main(["measure", "--most", "1", "--file", str(rows)])
    lines = rows.read_text(encoding="utf-8").splitlines()
    assert len({line.split(",")[0] for line in lines}) == 3
    k_choice.main(["score", "--file", str(rows)])
    out = capsys.readouterr().out
    assert all(rule in out for rule in k_choice.RULES)
