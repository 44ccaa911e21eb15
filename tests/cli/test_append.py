"""comitia combine --append: a result that grows."""

import json

import numpy as np
import pytest

from comitia import Ensemble, method
from comitia._lock import locked
from comitia.cli import _folder
from comitia.io import Result
from tests.cli.conftest import read, write

HEAD = ["name", "one", "two", "three"]
# Labels that are not 0..k-1, in two clear clusters.
ROWS = [[f"o{i}", *(["b", "y", 7] if i % 2 else ["a", "x", 9])] for i in range(8)]


@pytest.fixture
def result(run, tmp_path):
    write(tmp_path / "votes.csv", HEAD, ROWS)
    options = ["--id", "name", "-k", "2", "-m", "lwgp", "--no-report"]
    assert run("combine", "votes.csv", *options)[0] == 0
    return tmp_path / "result"


def append(run, *more):
    return run("combine", "new.csv", "--append", "result", "--id", "name", *more)


def test_new_objects_go_to_the_clusters_of_their_labels(run, result, tmp_path):
    new = [["p", "b", 7, "y"], ["q", "a", 9, ""]]
    write(tmp_path / "new.csv", ["name", "one", "three", "two"], new)
    code, out, err = append(run, "--no-report")
    assert (code, err) == (0, "")
    assert "2 new, 0 gone" in out
    found = {row["object"]: row["cluster"] for row in read(result / "labels.csv")}
    assert (found["p"], found["q"]) == ("1", "0")
    rows = read(result / "drift.csv")
    assert [(row["what"], row["new"]) for row in rows] == [("kept", "1")] * 2
    grown = Result.load(result)
    assert grown.object_names.tolist() == [*(row[0] for row in ROWS), "p", "q"]
    fresh = method("lwgp")(2, random_state=0).fit(Ensemble(grown.ensemble.labels))
    np.testing.assert_array_equal(grown.labels, fresh.labels_)


def test_new_clusterings_find_their_objects_by_name(run, result, tmp_path):
    write(tmp_path / "new.csv", ["name", "four"], [[r[0], r[1]] for r in ROWS[::-1]])
    code, out, err = append(run, "--json", "--no-report")
    assert (code, err) == (0, "")
    about = json.loads(out)
    assert about["n_clusterings"] == 4
    assert [row["what"] for row in about["drift"]] == ["kept", "kept"]
    ensemble = Result.load(result).ensemble
    assert ensemble.clustering_names.tolist() == [*HEAD[1:], "four"]
    np.testing.assert_array_equal(ensemble.labels[:, 0], ensemble.labels[:, 3])


def test_a_result_stays_when_growing_it_fails(run, result, tmp_path, monkeypatch):
    before = {path.name: path.read_bytes() for path in result.iterdir()}
    write(tmp_path / "new.csv", HEAD, [["o1", "a", "x", 9]])
    code, _, err = append(run)
    assert code == 1
    assert "has 'o1' already" in err
    write(tmp_path / "new.csv", HEAD[:3], [["p", "a", "x"]])
    code, _, err = append(run)
    assert code == 1
    assert "'three' is missing" in err
    write(tmp_path / "new.csv", HEAD, [["p", "a", "x", 9]])

    def fails(*given):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("comitia.io.csv_cells.write_csv", fails)
    assert append(run)[0] == 1
    assert {path.name: path.read_bytes() for path in result.iterdir()} == before
    assert _folder.ResultFolder("result", force=True).kept == ""


def test_a_result_in_use_is_left_alone(run, result, tmp_path):
    write(tmp_path / "new.csv", HEAD, [["p", "a", "x", 9]])
    with locked(result, beside=True):
        code, _, err = append(run)
    assert code == 1
    assert "is being written" in err


@pytest.mark.parametrize("option", [["-k", "3"], ["-m", "kcc"], ["-o", "other"]])
def test_what_the_result_decides_is_not_an_option(run, result, tmp_path, option):
    write(tmp_path / "new.csv", HEAD, [["p", "a", "x", 9]])
    code, _, err = append(run, *option)
    assert code == 2
    assert f"leave out {option[0]}" in err
