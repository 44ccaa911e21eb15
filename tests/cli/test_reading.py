"""Files as people have them, at the command line."""

import json
import subprocess
import sys

import numpy as np
import pytest

from comitia.cli import _meter
from tests.cli.conftest import read

QUICK = ["--n-clusterings", "4", "--no-report"]

ABSENT = """
import sys
from comitia.cli import main
code = main(sys.argv[1:])
heavy = {"numpy", "scipy", "sklearn", "numba", "pandas", "pyarrow", "cyclopts", "rich"}
print(code, len(sys.modules), sorted(heavy & {*sys.modules}))
"""


@pytest.mark.parametrize("command", ["fit", "combine", "compare", "choose-k"])
def test_a_file_that_is_not_there_is_told_before_anything_is_loaded(command):
    done = subprocess.run(
        [sys.executable, "-c", ABSENT, command, "nowhere.csv", "-k", "3"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == f"comitia {command}: there is no file nowhere.csv.\n"
    code, n_modules, heavy = done.stdout.split(maxsplit=2)
    assert (code, heavy.strip()) == ("1", "[]")
    assert int(n_modules) < 250


def test_options_before_the_file_do_not_hide_that_it_is_not_there(run, tmp_path):
    for command in ("fit", "combine", "compare", "choose-k"):
        code, _, err = run(command, "--quiet", "no.csv")
        assert code == 1
        assert "there is no file no.csv" in err
    assert not [*tmp_path.iterdir()]


def test_a_european_table_is_read_and_said(run, tmp_path):
    rng = np.random.RandomState(0)
    X = 1000 * (rng.randn(40, 2) + np.repeat([[0, 0], [9, 9]], 20, axis=0))
    lines = ["Name;Größe;Gewicht"]
    for i, row in enumerate(X):
        cells = [f"{v:,.2f}".translate(str.maketrans(",.", ".,")) for v in row]
        lines.append(";".join([f"o{i}", *cells]))
    (tmp_path / "t.csv").write_bytes("\n".join(lines).encode("cp1252"))
    code, out, err = run("fit", "t.csv", "--id", "Name", "-k", "2", *QUICK)
    assert code == 0, err
    printed = " ".join(out.split())
    assert "read as Windows-1252" in printed
    assert "decimal commas and points between thousands" in printed
    labels = [row["cluster"] for row in read(tmp_path / "result/labels.csv")]
    assert len({*labels[:20]}) == len({*labels[20:]}) == 1
    code, _, err = run("fit", "t.csv", "--decimal", "x", "-o", "other")
    assert code == 1
    assert "decimal='x' must be '.' or ','" in err


def test_rows_of_features_are_turned_round(run, tmp_path):
    rng = np.random.RandomState(0)
    X = rng.randn(5, 30) + np.repeat([[0, 9]], 15, axis=1)
    lines = ["gene," + ",".join(f"s{i}" for i in range(30))]
    lines += [f"g{j}," + ",".join(map(repr, row)) for j, row in enumerate(X.tolist())]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    code, out, err = run("fit", "t.csv", "--transpose", "-k", "2", *QUICK)
    assert code == 0, err
    assert "30 objects" in out
    rows = read(tmp_path / "result/labels.csv")
    assert [row["object"] for row in rows] == [f"s{i}" for i in range(30)]


def test_columns_of_obs_are_combined_and_written(run, tmp_path):
    anndata = pytest.importorskip("anndata")
    data = anndata.AnnData(np.ones((6, 2)))
    data.obs_names, data.var_names = [*"abcdef"], ["g1", "g2"]
    data.obs["leiden_0.5"] = [*"000111"]
    data.obs["leiden_1.0"] = [*"001122"]
    data.write_h5ad(tmp_path / "cells.h5ad")
    options = ["--columns", "leiden_0.5,leiden_1.0", "-k", "2", "--no-report"]
    code, out, err = run(
        "combine", "cells.h5ad", *options, "--write-obs", "consensus", "-m", "eac"
    )
    assert code == 0, err
    assert ".obs['consensus'] of cells.h5ad" in out
    found = anndata.read_h5ad(tmp_path / "cells.h5ad").obs["consensus"]
    assert found.tolist() == [
        r["cluster"] for r in read(tmp_path / "result/labels.csv")
    ]
    assert len({*found[:3]}) == 1
    code, _, err = run("combine", "cells.h5ad", "-k", "2", "-o", "other")
    assert code == 1
    assert "say with --columns which columns of .obs" in err
    code, _, err = run(
        "combine", "cells.h5ad", *options, "--write-obs", "consensus", "-o", "other"
    )
    assert code == 1
    assert "has a column 'consensus' already" in err


def test_every_stage_has_a_name(run, blobs, monkeypatch):
    stages = []
    note = _meter.Meter.on_progress

    def noting(self, stage, done, total):
        stages.append(stage)
        note(self, stage, done, total)

    monkeypatch.setattr(_meter.Meter, "on_progress", noting)
    options = ["--id", "name", "--truth", "class", "-k", "3", "--n-clusterings", "4"]
    code, out, err = run("fit", blobs, *options, "--json")
    assert code == 0, err
    assert json.loads(out)["n_objects"] == 60
    assert stages[0] == "read"
    assert [*dict.fromkeys(stages)][-3:] == ["collect", "write", "report"]
    assert {*stages} <= {*_meter._WORDS}
