"""comitia combine: label columns in, the consensus out."""

import numpy as np
import pytest

from comitia import Ensemble, method
from comitia.io import Result
from tests.cli.conftest import read, write

# Three clusterings of eight objects by name; one blank, one NA.
VOTES = [
    ["p", "a", "x", "1"],
    ["q", "a", "x", "1"],
    ["r", "a", "", "1"],
    ["s", "a", "x", "2"],
    ["t", "b", "y", "2"],
    ["u", "b", "y", "NA"],
    ["v", "b", "y", "2"],
    ["w", "b", "x", "2"],
]
HEAD = ["name", "one", "two", "three"]


@pytest.fixture
def votes(tmp_path):
    write(tmp_path / "votes.csv", HEAD, VOTES)
    return tmp_path / "votes.csv"


def clusters(folder="result"):
    return {row["object"]: int(row["cluster"]) for row in read(folder / "labels.csv")}


def test_labels_are_names_and_blanks_are_missing(run, votes, tmp_path):
    code, out, err = run("combine", votes, "--id", "name", "-k", "2", "--no-report")
    assert (code, err) == (0, "")
    assert "3 clusterings of 8 objects" in out
    labels = np.array([row[1:] for row in VOTES], dtype=object)
    labels[(labels == "") | (labels == "NA")] = None
    fitted = method()(2, random_state=0).fit(Ensemble(labels))
    found = clusters(tmp_path / "result")
    assert [*found] == [row[0] for row in VOTES]
    assert [*found.values()] == fitted.labels_.tolist()
    result = Result.load(tmp_path / "result")
    assert result.ensemble.kind == "partial"
    assert result.ensemble.clustering_names.tolist() == HEAD[1:]


def test_names_in_the_place_of_labels_are_refused(run, votes):
    code, _, err = run("combine", votes, "-k", "2")
    assert code == 1
    assert "column 'name' of" in err
    assert "say --id name" in err


def test_columns_are_chosen_and_one_is_known(run, votes, tmp_path):
    options = ["--id", "name", "--columns", "2-4", "--truth", "one", "--no-report"]
    code, out, _ = run("combine", votes, "-k", "2", *options)
    assert code == 0
    assert "2 clusterings of 8 objects" in out
    assert "to one" in out


def test_files_are_joined_by_name(run, votes, tmp_path):
    # The second file has its objects in another order, and one fewer.
    other = [[row[0], row[1]] for row in VOTES[::-1] if row[0] != "q"]
    write(tmp_path / "more.csv", ["name", "four"], other)
    code, out, _ = run(
        *("combine", votes, "more.csv", "--id", "name", "-k", "2", "--no-report")
    )
    assert code == 0
    assert "4 clusterings of 8 objects" in out
    assert "1 object not in more.csv" in out
    ensemble = Result.load(tmp_path / "result").ensemble
    assert ensemble.object_names.tolist() == [row[0] for row in VOTES]
    assert ensemble.labels[:, 3].tolist() == [0, -1, 0, 0, 1, 1, 1, 1]


def test_files_without_names_must_have_the_same_rows(run, tmp_path):
    write(tmp_path / "one.csv", ["a"], [[0], [0], [1]])
    write(tmp_path / "two.csv", ["b"], [[0], [1]])
    code, _, err = run("combine", "one.csv", "two.csv")
    assert code == 1
    assert "one.csv has 3 rows and two.csv has 2" in err


def test_a_saved_ensemble_and_a_result_are_labels_too(run, votes, tmp_path):
    run("combine", votes, "--id", "name", "-k", "2", "--no-report", "-o", "first")
    for source in ("first", "first/ensemble.npz"):
        options = ["-m", "eac", "-k", "2", "--no-report", "--force"]
        code, out, _ = run("combine", source, *options)
        assert code == 0
        assert "3 clusterings of 8 objects" in out
    assert [*clusters(tmp_path / "result")] == [row[0] for row in VOTES]


def test_data_are_put_into_the_order_of_the_labels(run, votes, tmp_path):
    rows = [[row[0], 9.0 * (i < 4), i % 3] for i, row in enumerate(VOTES)]
    write(tmp_path / "data.csv", ["name", "f", "g"], rows[::-1])
    options = ["--id", "name", "-m", "wohb", "-k", "2", "--no-report"]
    code, out, err = run("combine", votes, "--data", "data.csv", *options)
    assert (code, err) == (0, "")
    assert "data of data.csv, 2 columns, standardised" in out
    result = Result.load(tmp_path / "result")
    assert result.feature_names == ("f", "g")
    # In original units: the left half lies at 9, the right one at 0.
    means = {int(result.labels[0]): 9.0, int(result.labels[-1]): 0.0}
    for c, mean in means.items():
        assert result.profile.means[c][0] == pytest.approx(mean, abs=3.0)
    write(
        tmp_path / "data.csv", ["name", "f"], [["zz", 1.0]] + [r[:2] for r in rows[1:]]
    )
    code, _, err = run("combine", votes, "--data", "data.csv", *options, "--force")
    assert code == 1
    assert "only the label file has 'p', only data.csv has 'zz'" in err


def test_arrays_of_labels_are_read(run, tmp_path):
    np.save(tmp_path / "votes.npy", [[0, 0], [0, 0], [1, 1], [1, -1]])
    code, out, _ = run("combine", "votes.npy", "-k", "2", "--no-report")
    assert code == 0
    assert "2 clusterings of 4 objects" in out


def test_data_in_the_place_of_labels_are_refused(run, tmp_path):
    write(tmp_path / "data.csv", ["x"], [[0.5], [1.5], [0.5]])
    code, _, err = run("combine", "data.csv", "-k", "2")
    assert code == 1
    assert "give cluster labels, not data" in err
    assert not (tmp_path / "result").exists()
