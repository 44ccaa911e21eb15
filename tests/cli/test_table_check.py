"""comitia check: what would be done with a table, and why."""

import json

import numpy as np
import pytest

from comitia import method
from comitia.cli._fitting import draw_variables
from comitia.cli._options import parse_kinds
from comitia.cli._run_command import UsageError
from comitia.io import Result
from tests.cli.conftest import read, write


@pytest.fixture
def customers(tmp_path):
    """Numbers, yes/no, a category, a date, an id, holes, a constant and the class."""
    rng = np.random.RandomState(0)
    y = np.repeat([0, 1, 2], 20)
    X = rng.randn(60, 2) + 8 * np.array([[0, 0], [1, 0], [0, 1]])[y]
    write(
        tmp_path / "customers.csv",
        ["id", "age", "income", "member", "region", "since", "country", "class"],
        (
            [
                f"C{i}",
                "" if i == 43 else repr(x[0]),
                repr(x[1]),
                rng.choice(["yes", "no"]),
                rng.choice(["north", "south", "east"]),
                f"2024-02-{1 + i % 28:02d}",
                "here",
                "uvw"[y[i]],
            ]
            for i, x in enumerate(X.tolist())
        ),
    )
    return tmp_path / "customers.csv"


def test_every_column_has_a_line(run, customers, tmp_path):
    code, out, err = run("check", customers, "--truth", "class")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].split()[:3] == ["column", "read", "as"]
    kinds = {line.split()[0]: line.split()[1] for line in lines[1:8]}
    assert kinds == {
        "id": "id",
        "age": "numeric",
        "income": "numeric",
        "member": "boolean",
        "region": "category",
        "since": "date",
        "country": "constant",
    }
    assert "60 objects, 4 of 7 columns used" in out
    assert [*tmp_path.iterdir()] == [customers]


def test_json_has_everything(run, customers):
    code, out, err = run("check", customers, "--truth", "class", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["problems"] == []
    assert found["n_objects"] == 60
    age = found["columns"][1]
    assert (age["column"], age["n_missing"], age["used"]) == ("age", 1, True)


def test_all_problems_are_told_and_the_code_is_1(run, tmp_path):
    (tmp_path / "bad.csv").write_text("a,b,c\n1,inf,\n2,3,5\n4,1,6\n")
    code, out, err = run("check", "bad.csv", "--impute", "refuse")
    assert code == 1
    assert "column 'b' has 1 infinite value" in err
    assert "column 'c' has 1 missing value" in err
    assert "for 2 reasons" in err
    assert "what will be done" in out
    assert "bad.csv cannot" not in run("check", "bad.csv", "--drop", "b,c")[2]
    assert "there is no file nowhere.csv" in run("check", "nowhere.csv")[2]


def test_what_was_decided_is_done_said_and_replayed(run, customers, tmp_path):
    options = ["-k", "3", "--truth", "class", "--n-clusterings", "5"]
    code, out, err = run("fit", customers, *options)
    assert (code, err) == (0, "")
    assert "2 numbers, 1 yes/no, 1 category; left out: 'id' (id, names the rows)" in out
    result = Result.load(tmp_path / "result")
    assert result.scores["truth_adjusted_rand"] == 1.0
    assert result.object_names[:2].tolist() == ["C0", "C1"]
    assert result.feature_names[2] == "member=yes"
    rows = [{**row} for row in read(customers)][:4]
    names = ["id", "age", "income", "member", "region", "since", "country"]
    table = np.array([[row[name] for name in names] for row in rows], dtype=object)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(table, columns=names)
    frame[["age", "income"]] = frame[["age", "income"]].apply(pandas.to_numeric)
    X = result.prepare(frame)
    assert X.shape == (4, 6)
    page = (tmp_path / "result" / "report.html").read_text()
    assert "What was done with each column" in page
    assert "text that is different in every row" in page


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--kinds", "age=category,region=drop"], "1 category, 1 number, 1 yes/no"),
        (["--dates", "cyclic"], "1 date"),
        (["--categorical", "drop"], "'member' (two values)"),
        (["--kinds", "region=north<east<south"], "1 ordinal"),
    ],
)
def test_each_decision_has_an_option(options, words, run, customers):
    code, out, _ = run("check", customers, "--truth", "class", *options)
    assert code == 0
    assert words in out


def test_kinds_are_read():
    given = ["age=numeric, size=S<M<L", "a=b=drop"]
    expected = {"age": "numeric", "size": ["S", "M", "L"], "a=b": "drop"}
    assert parse_kinds(given) == expected
    for wrong in ("age", "=numeric", "age="):
        with pytest.raises(UsageError, match="is no NAME=KIND"):
            parse_kinds([wrong])


def test_subspaces_are_drawn_from_variables():
    groups = np.array([0, 1, 2, 2, 2])
    drawing = method("dias")(3)
    draw_variables(drawing, groups)
    assert drawing.generator.features.groups is groups
    plain = method("lwgp")(3)
    draw_variables(plain, groups)
    assert plain.generator is None


def test_columns_that_look_like_clusterings_are_named(run, tmp_path):
    rows = [f"{i % 3},{(i + 1) % 3},{(i + 2) % 3}" for i in range(30)]
    (tmp_path / "runs.csv").write_text("\n".join(["p,q,r", *rows]))
    code, out, _ = run("check", "runs.csv")
    assert code == 0
    assert "look like clusterings; comitia combine reads them so" in out


def test_numbers_with_signs_are_no_identifiers(run, tmp_path):
    signs = "$€"
    rows = [f'{i % 7},"{signs[i % 2]}{1000 + i}.5{i % 10}",{i * i}%' for i in range(30)]
    (tmp_path / "t.csv").write_text("\n".join(["a,amount,share", *rows]))
    code, out, _ = run("check", "t.csv")
    assert code == 0
    assert "without the unit: 'share' (%)" in out
    # Of two currencies nobody knows how many of the one are one of the other.
    assert "numbers with a sign, such as '$1000.50'; write them without" in out
