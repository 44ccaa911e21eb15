"""Two runs and one result folder: one goes on, the other is refused in words."""

import os
import subprocess
import sys
from pathlib import Path
from threading import Thread
from types import SimpleNamespace

import numpy as np
import pytest

from comitia import Ensemble
from comitia.cli._folder import write_obs
from comitia.exceptions import FolderInUseError
from comitia.io import Result
from tests.fixtures import E6

QUICK = ["--n-clusterings", "5", "--no-report", "--id", "name", "--truth", "class"]

# A run that stops after some clusterings until it is told to go on.
HELD = """
import sys
from comitia.cli import main
from comitia.generate import KMeansGenerator
make, left = KMeansGenerator.fit_member, [int(sys.argv[1])]
def stop(generator, X, plan):
    left[0] -= 1
    if left[0] == -1:
        print("held", flush=True)
        input()
    return make(generator, X, plan)
KMeansGenerator.fit_member = stop
sys.exit(main(sys.argv[2:]))
"""


class Neighbor:
    """Another process that runs a command, and waits in the middle of it."""

    def __init__(self, n_made, *arguments):
        self.process = subprocess.Popen(
            [sys.executable, "-c", HELD, str(n_made), *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"NUMBA_NUM_THREADS": "1"},
        )

    def __enter__(self):
        assert self.process.stdout.readline() == "held\n", self.process.stderr.read()
        return self

    def __exit__(self, *error):
        self.process.kill()
        self.process.communicate()

    def goes_on(self):
        _, err = self.process.communicate("go on\n", timeout=120)
        return self.process.returncode, err


def files_of(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


@pytest.fixture
def votes(tmp_path):
    Ensemble(E6).save(tmp_path / "votes.npz")
    return tmp_path / "votes.npz"


def test_no_run_disturbs_another_one_in_the_same_folder(run, blobs, votes, tmp_path):
    fit = ["fit", blobs, "-k", "3", *QUICK, "-m", "lwgp"]
    assert run(*fit, "--seed", "1", "-o", "whole")[0] == 0
    assert run(*fit)[0] == 0
    old = files_of("result")
    with Neighbor(3, *fit, "--seed", "1", "--force", "--quiet") as neighbor:
        partial = {path for path in tmp_path.rglob("*") if ".partial" in str(path)}
        for command in (
            fit,
            [*fit, "--force"],
            [*fit, "--resume"],
            [*fit, "--block-rows", "20", "--force"],
            ["combine", votes, "--force", "--no-report"],
            ["compare", votes, "-m", "eac", "-o", "result", "--force", "--no-report"],
            ["demo", "-o", "result", "--force", "--no-report"],
            ["report", "result"],
        ):
            code, out, err = run(*command)
            assert (code, out) == (1, "")
            who = f"result is being written by process {neighbor.process.pid} on "
            assert f"comitia {command[0]}: {who}" in err
            assert "; wait for it, or give another folder" in err
            assert err.count("\n") == 1
        with pytest.raises(FolderInUseError, match="is being written by process"):
            Result.load("whole").save("result", force=True)
        # What was there is there, and can be read without asking anybody.
        assert files_of("result") == old
        assert {path for path in tmp_path.rglob("*") if ".partial" in str(path)} == (
            partial
        )
        Result.load("result")
        assert run("report", "result", "-o", "elsewhere.html")[0] == 0
        assert neighbor.goes_on() == (0, "")
    assert files_of("result")["labels.csv"] == files_of("whole")["labels.csv"]
    names = {"blobs.csv", "elsewhere.html", "result", "votes.npz", "whole"}
    assert {path.name for path in tmp_path.iterdir()} == names


def test_of_two_that_resume_one_goes_on_and_the_other_is_refused(run, blobs, tmp_path):
    fit = ["fit", blobs, "-k", "3", *QUICK, "-m", "lwgp"]
    assert run(*fit, "-o", "whole")[0] == 0
    with Neighbor(3, *fit) as killed:
        killed.process.kill()
        killed.process.wait()
    assert (tmp_path / ".result.comitia-lock").exists()
    with Neighbor(1, *fit, "--resume") as neighbor:
        for how in ("--resume", "--force"):
            code, _, err = run(*fit, how)
            assert code == 1
            assert f"by process {neighbor.process.pid} on " in err
        members = tmp_path / "result.partial" / "clusterings"
        assert len([*members.glob("member-*")]) == 4
        code, err = neighbor.goes_on()
    assert code == 0
    who = f"comitia: result was being written by process {killed.process.pid} on "
    assert who in err
    assert "which ended before it was done; its lock is taken over.\n" in err
    assert files_of("result")["labels.csv"] == files_of("whole")["labels.csv"]
    assert Result.load("result").notes == Result.load("whole").notes
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"blobs.csv", "result", "whole"}


def test_columns_that_two_runs_write_into_one_file_are_both_there():
    anndata = pytest.importorskip("anndata")
    anndata.AnnData(np.ones((4, 2), dtype=np.float32)).write_h5ad("cells.h5ad")
    result = SimpleNamespace(labels=np.arange(4), confidence=np.ones(4))
    read = anndata.io.read_elem
    second = Thread(target=write_obs, args=("cells.h5ad", "second", result))

    def slowly(element):
        patch.undo()
        found = read(element)
        second.start()
        second.join(0.2)  # it comes to its end now only if it does not wait
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(anndata.io, "read_elem", slowly)
        write_obs("cells.h5ad", "first", result)
    second.join()
    assert {"first", "second"} <= {*anndata.read_h5ad("cells.h5ad").obs}
