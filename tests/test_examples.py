"""The tutorials run as they stand, and each ends with a decision a person takes."""

import os
import runpy
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
TUTORIALS = [
    "plot_1_first_consensus",
    "plot_7_views",
    "plot_9a_cells",
    "plot_9b_customers",
    "plot_9c_subtypes",
    "plot_9d_many_rows",
]


@pytest.mark.parametrize("name", TUTORIALS)
def test_a_tutorial_ends_with_a_decision(name, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    matplotlib.use("Agg")
    with warnings.catch_warnings():
        # The loss of a window, and what a tutorial itself may warn of.
        warnings.simplefilter("ignore")
        runpy.run_path(str(EXAMPLES / f"{name}.py"))
    plt.close("all")
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("Decision: ")


def has_reticulate():
    if shutil.which("Rscript") is None:
        return False
    # Older ones, such as that of Debian 12, know NumPy 1 only.
    code = "quit(status = !(packageVersion('reticulate') >= '1.38'))"
    return not subprocess.run(["Rscript", "-e", code], capture_output=True).returncode


@pytest.mark.skipif(
    not has_reticulate(), reason="R or reticulate, 1.38 or newer, is absent"
)
def test_r_combines_its_own_clusterings():
    done = subprocess.run(
        ["Rscript", str(EXAMPLES / "from_r.R")],
        env={**os.environ, "RETICULATE_PYTHON": sys.executable},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "labels: 150 weights: 20" in done.stdout
