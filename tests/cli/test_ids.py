"""Names of objects, from the table they come in to every file that they go out to."""

import csv

import numpy as np
import pandas as pd
import pytest

from comitia import Ensemble, method
from comitia.io import Result, read_pairs, read_table, read_votes
from tests.cli.conftest import read, write

IDS = [
    *("=1+1", "\t=1+1", "'=1+1", "''=1+1", "+1", "-1", "@x", "'", "''"),
    *("\r", "\n", "\r=1", "\n=1", "a\rb", "a\nb", "a\r\nb"),
    *('say "hi"', '"', "a,b", "a;b", "a\tb"),
    *("x", " x", "x ", "", " ", "NA", "nan", "None", "?", "null"),
    *("ü", "u\u0308", "\u202eltr", "=ü", "日本"),
    *("1", "1.0", "01", "9007199254740992", "9007199254740993"),
]
X = np.random.RandomState(0).randn(len(IDS), 2) + 9 * (np.arange(len(IDS)) % 2)[:, None]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    write(path, ["name", "a", "b"], ([i, *x] for i, x in zip(IDS, X, strict=True)))
    return path


def test_names_are_read_as_they_are_written(table, tmp_path):
    assert read_table(table, id="name").object_names == IDS
    frame = pd.DataFrame({"name": IDS, "a": X[:, 0], "b": X[:, 1]})
    frame.to_parquet(tmp_path / "table.parquet")
    assert read_table(tmp_path / "table.parquet", id="name").object_names == IDS
    frame.set_index("name").rename_axis(None).to_parquet(tmp_path / "named.parquet")
    assert read_table(tmp_path / "named.parquet").object_names == IDS
    np.savez(tmp_path / "table.npz", X=X, object_names=IDS)
    assert read_table(tmp_path / "table.npz").object_names == IDS


def test_whole_numbers_beyond_the_last_exact_one_are_names_that_differ(tmp_path):
    frame = pd.DataFrame({"name": [2**53, 2**53 + 1, 2**53 + 2], "a": [1.0, 2.0, 4.0]})
    frame.to_parquet(tmp_path / "t.parquet")
    names = read_table(tmp_path / "t.parquet", id="name").object_names
    assert names == [str(2**53 + i) for i in range(3)]


def test_blanks_around_names_that_differ_without_them_go(tmp_path):
    (tmp_path / "t.csv").write_text("a, name\n1, x\n2, y \n4,z\n")
    assert read_table(tmp_path / "t.csv", id="name").object_names == ["x", "y", "z"]
    (tmp_path / "pairs.csv").write_text("x , y\n")
    assert read_pairs(tmp_path / "pairs.csv", 3, ["x", "y", "z"]).tolist() == [[0, 1]]
    (tmp_path / "pairs.csv").write_text('" x",x\n')
    assert read_pairs(tmp_path / "pairs.csv", 2, ["x", " x"]).tolist() == [[1, 0]]


def test_every_name_has_a_cell_of_its_own_and_comes_back(tmp_path):
    votes = Ensemble(np.arange(len(IDS))[:, None] % [2, 3], object_names=IDS)
    result = Result.from_estimator(method("eac")(2).fit(votes), truth=IDS)
    folder = result.save(tmp_path / "result")
    cells = [line["object"] for line in read(folder / "labels.csv")]
    assert len({*cells}) == len(IDS)
    assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in cells)
    assert Result.load(folder).object_names.tolist() == IDS
    assert Result.load(folder).truth.tolist() == IDS
    again = read_votes(folder / "labels.csv", id="object", columns="cluster")
    assert again.ensemble.object_names.tolist() == IDS
    assert read_votes(folder).ensemble.object_names.tolist() == IDS


def test_names_come_through_fit_compare_and_combine(run, table, tmp_path):
    few = ["--n-clusterings", "3", "--no-report"]
    code, *_ = run("fit", table, "--id", "name", "-k", "2", "-o", "fitted", *few)
    assert code == 0
    assert Result.load(tmp_path / "fitted").object_names.tolist() == IDS
    asked = ["--id", "name", "-k", "2", "-m", "eac,lwea", "-o", "compared"]
    code, *_ = run("compare", table, *asked, *few)
    assert code == 0
    cells = [line["object"] for line in read(tmp_path / "compared" / "labels.csv")]
    assert len({*cells}) == len(IDS)
    both = [tmp_path / "compared" / "labels.csv", "-k", "2", "-o", "combined"]
    code, *_ = run("combine", *both, "--id", "object", "--no-report")
    assert code == 0
    assert Result.load(tmp_path / "combined").object_names.tolist() == IDS


def test_marks_of_text_are_kept_where_others_wrote_the_file(tmp_path):
    ids = ["'=1+1", "=1+1", "'x"]
    with (tmp_path / "t.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["object", "a"], *zip(ids, [1, 2, 4], strict=True)])
    assert read_table(tmp_path / "t.csv", id="object").object_names == ids
