"""The table of real tables: the command that is shown is the one that runs."""

import csv

from benchmarks import real_tables


def test_a_simulated_table_is_written_run_and_scored(tmp_path, monkeypatch):
    given = []
    monkeypatch.setattr(real_tables.subprocess, "run", lambda *a, **k: _done(given, *a))
    code = real_tables.main(
        ["--only", "mixed, simulated", "--out", f"{tmp_path}/t.csv"]
    )
    assert code == 0
    with (tmp_path / "t.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["command"] == "comitia fit customers.csv -k 3 --truth class"
    assert given[0][2:] == ["comitia", *row["command"].split()[1:], "--json"]
    assert row["ari"] == "0.5"
    assert float(row["ari_kmeans"]) > 0.3


def _done(given, words):
    given.append(words)
    text = '{"scores": {"truth_adjusted_rand": 0.5}}'
    return type("Done", (), {"stdout": text})


def test_what_is_real_is_left_out_without_its_folder(tmp_path, monkeypatch):
    monkeypatch.delenv("COMITIA_DATA", raising=False)
    assert real_tables.main(["--only", "counts", "--out", f"{tmp_path}/t.csv"]) == 0
    assert not (tmp_path / "t.csv").exists()
