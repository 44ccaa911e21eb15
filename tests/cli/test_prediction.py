"""``comitia predict``: new rows of a table with the clusters of an earlier result."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

from comitia import method
from comitia.generate import KMeansGenerator
from comitia.io import Result, read_table
from tests.cli.conftest import read

FAST = ("-m", "lwgp", "-k", "3", "--n-clusterings", "5", "--no-report", "--quiet")


def customers(n, seed):
    rng = np.random.RandomState(seed)
    kind = rng.randint(3, size=n)
    return pd.DataFrame(
        {
            "customer": [f"K{seed}-{i}" for i in range(n)],
            "age": np.where(rng.rand(n) < 0.05, np.nan, rng.randn(n) + 9 * kind),
            "income": rng.randn(n) - 9 * kind,
            "member": np.where(rng.rand(n) < 0.5, "yes", "no"),
            "region": rng.choice(["north", "south", "west"], n),
            "class": kind,
        }
    )


@pytest.fixture
def fitted(run):
    customers(90, 0).to_csv("train.csv", index=False)
    code, _, error = run("fit", "train.csv", *FAST, "--truth", "class")
    assert code == 0, error
    return "result"


def test_rows_of_the_fitted_table_get_what_predict_gives_them(fitted, run, tmp_path):
    table = read_table("train.csv", truth="class")
    own = method("lwgp")(3, generator=KMeansGenerator(5), random_state=0).fit(table.X)
    code, out, error = run("predict", fitted, "train.csv", "--truth", "class")
    assert code == 0, error
    assert "to class" in out
    rows = read(tmp_path / "predicted.csv")
    assert [int(row["cluster"]) for row in rows] == own.predict(table.X).tolist()
    shares = [[float(row[f"votes_{c}"]) for c in range(3)] for row in rows]
    assert np.array_equal(shares, own.predict_proba(table.X))
    assert [row["object"] for row in rows] == table.object_names


def test_what_is_new_in_new_rows_is_said(fitted, run):
    new = customers(5, 1).assign(extra=1.5)
    new.loc[0, "region"] = "mars"
    new.loc[1, "age"] = np.nan
    new[["income", "extra", "region", "age", "member"]].to_csv("new.csv", index=False)
    code, out, _ = run("predict", fitted, "new.csv", "--json")
    said = json.loads(out)
    assert code == 0
    assert sum(said["sizes"]) == 5
    assert any("'mars'" in note and "'region'" in note for note in said["notes"])
    assert any("missing value" in note for note in said["notes"])
    assert any("left out: 'extra'" in note for note in said["notes"])


def test_famd_of_the_default_is_left_to_kmeans_and_predicts(run, tmp_path):
    # A rotated yes/no no longer has two values, and a graph would follow its gap.
    table = customers(90, 0)
    table["region"] = np.array(["north", "south", "west"])[table["class"]]
    table.to_csv("train.csv", index=False)
    few = ("-k", "3", "--n-clusterings", "6", "--no-report", "--quiet")
    options = ("--categorical", "famd", "--truth", "class")
    code, _, error = run("fit", "train.csv", *few, *options)
    assert code == 0, error
    result = Result.load(tmp_path / "result")
    assert {*result.ensemble.groups.tolist()} == {"samples"}
    assert result.scores["truth_adjusted_rand"] > 0.9
    assert run("predict", "result", "train.csv", "--quiet")[0] == 0
    found = [int(row["cluster"]) for row in read(tmp_path / "predicted.csv")]
    assert adjusted_rand_score(found, result.labels) > 0.9


def test_one_row_is_enough_and_parquet_is_written_with_its_name(fitted, run):
    customers(1, 7).to_parquet("one.parquet")
    code, _, error = run("predict", fitted, "one.parquet", "-o", "out.parquet")
    assert code == 0, error
    found = pd.read_parquet("out.parquet")
    assert found["object"].tolist() == ["K7-0"]
    assert found.filter(like="votes").sum(axis=1).round(9).tolist() == [1.0]


def test_columns_that_are_missing_are_named_and_nothing_is_written(
    fitted, run, tmp_path
):
    customers(5, 1)[["customer", "member"]].to_csv("new.csv", index=False)
    code, _, error = run("predict", fitted, "new.csv")
    assert code == 1
    assert "no column 'age', 'income', 'region'" in error
    assert not (tmp_path / "predicted.csv").exists()


def test_what_is_there_is_not_overwritten(fitted, run, tmp_path):
    (tmp_path / "predicted.csv").write_text("mine")
    assert run("predict", fitted, "train.csv")[0] == 1
    assert (tmp_path / "predicted.csv").read_text() == "mine"
    assert run("predict", fitted, "train.csv", "--force", "--quiet")[0] == 0
    assert run("predict", fitted, "train.csv", "-o", "new.txt")[0] == 2


def test_a_result_of_clusterings_labels_no_rows(run):
    pd.DataFrame({"a": [0, 0, 1, 1, 2], "b": [0, 1, 1, 1, 2]}).to_csv("v.csv")
    assert run("combine", "v.csv", "--columns", "a,b", *FAST[:4], "--quiet")[0] == 0
    code, _, error = run("predict", "result", "v.csv")
    assert code == 1
    assert "cannot label rows of a table" in error
