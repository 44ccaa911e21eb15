"""What works where a system is not a Unix: what Windows lacks is taken away here."""

import json
import os
import subprocess
import sys

import pytest

# The sitecustomize of processes that are started here, and of those that they start.
# Packages of others ask for the modules of Unix in ways of their own and keep them.
NOT_A_UNIX = """
import builtins, os, shutil, sys, types, warnings
from contextlib import suppress

real_import = builtins.__import__

def lock(handle, how, n_bytes):
    import fcntl
    assert os.lseek(handle, 0, os.SEEK_CUR) > 4096  # what is locked cannot be read
    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

def import_as_windows_does(name, globals=None, *rest, **more):
    if (globals or {}).get("__name__", "").startswith("comitia"):
        if name in {"fcntl", "grp", "pwd", "resource", "termios"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        if name == "msvcrt":
            return types.SimpleNamespace(LK_NBLCK=2, locking=lock)
    return real_import(name, globals, *rest, **more)

def is_asked_by_us():
    frame = sys._getframe(2)
    for _ in range(3):  # through a function or two of the standard library
        if frame is None or frame.f_globals is globals():
            return False
        if frame.f_globals.get("__name__", "").startswith("comitia"):
            return True
        frame = frame.f_back
    return False

def files_in_use():
    for number in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            yield os.readlink(f"/proc/self/fd/{number}")
    with open("/proc/self/maps", encoding="utf-8") as file:
        for line in file:
            if "/" in line:
                yield line.split(maxsplit=5)[5].rstrip()

def refuse(event, about):
    if event == "open" and str(about[0]).startswith(("/proc", "/sys")):
        if is_asked_by_us():
            raise FileNotFoundError(2, "No such file or directory", about[0])
    if event in ("os.rename", "os.remove", "os.rmdir"):
        for path in about[: 2 if event == "os.rename" else 1]:
            full = os.path.realpath(os.fsdecode(path))
            for used in files_in_use():
                if used == full or used.startswith(full + os.sep):
                    raise PermissionError(13, "another process is using it", str(path))

builtins.__import__ = import_as_windows_does
for name in ("fork", "getpgrp", "killpg", "umask"):
    delattr(os, name)
shutil._use_fd_functions = False  # folders are deleted by names, and not held open
sys.addaudithook(refuse)
# Text without its encoding is another text there.
warnings.filterwarnings("error", category=EncodingWarning, module="comitia")
"""

# Locks as Windows has them; without these lines a file system has none.
WINDOWS_LOCKS = """
import socket, sys
sys.platform, real = "win32", sys.platform
import comitia._lock
sys.platform = real
"""

IMPORTS = """
import importlib, pkgutil, comitia
for each in pkgutil.walk_packages(comitia.__path__, "comitia."):
    if "__main__" not in each.name:
        importlib.import_module(each.name)
"""

FIT_AND_RESUME = """
from pathlib import Path
from comitia import config
from comitia._lock import locked
from comitia.cli import main
from comitia.exceptions import FolderInUseError

assert config.memory_budget() > 0
command = ["fit", "table.csv", "-k", "2", "-m", "lwea", "-o", "out"]
command += ["--n-clusterings", "6", "--quiet"]
assert main(command) == 0
with locked("out"):
    try:
        with locked("out"):
            raise SystemExit("two hold one lock")
    except FolderInUseError:
        pass
with open("out/labels.csv", encoding="utf-8") as held:
    before = held.read()
    assert main([*command, "--force"]) == 1
assert Path("out/labels.csv").read_text(encoding="utf-8") == before
assert [*Path("out.partial/clusterings").glob("member-*")]
assert main([*command, "--force", "--resume"]) == 0
assert main(["report", "out"]) == 0
assert main(["predict", "out", "table.csv", "-o", "new.csv"]) == 0
"""

BLOCKS = """
import numpy as np
from comitia import Ensemble
from comitia.cli import main

X = np.loadtxt("table.csv", delimiter=",", skiprows=1, encoding="utf-8")
np.save("rows.npy", X)
command = ["fit", "rows.npy", "-k", "2", "-m", "lwgp", "-o", "out"]
command += ["--n-clusterings", "6", "--quiet"]
for again in ([], ["--force"]):
    assert main([*command, "--block-rows", "10", *again]) == 0
votes = Ensemble(np.repeat([[0, 0], [1, 1], [1, 2]], 10, axis=0))
votes.save("votes", block_rows=10)
opened = Ensemble.open("votes")
assert Ensemble.grow("votes", np.zeros((5, 2)), axis="objects").n_objects == 35
assert Ensemble.grow("votes", np.zeros((35, 1))).n_clusterings == 3
assert opened.n_objects == 30
opened.save("copy", block_rows=30)
"""

PROCESSES = """
import multiprocessing
import joblib, numpy as np
import comitia
from comitia.generate import KMeansGenerator

def labels(n_jobs):
    X = np.loadtxt("table.csv", delimiter=",", skiprows=1, encoding="utf-8")
    generator = KMeansGenerator(n_clusterings=4, n_jobs=n_jobs)
    method = comitia.method("lwea")(2, generator=generator, random_state=0)
    return method.fit_predict(X).tolist()

if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    expected = labels(1)
    assert labels(2) == expected
    with joblib.parallel_backend("multiprocessing"):
        assert labels(2) == expected
    votes = comitia.Ensemble(np.array([[0, 0], [0, 1], [1, 1], [1, 1]]))
    (row,) = comitia.compare(votes, ["lwea"], n_clusters=2, n_resamples=2).rows
    assert row.status == "ok", row.message
"""

CHECK = """
from comitia.cli import main

assert main(["check", "table.csv"]) == 0
assert main(["check", "table.csv", "--json"]) == 0
"""


@pytest.fixture
def without_unix(tmp_path):
    """Runs code in a folder with a table, where the system is not a Unix."""
    if not os.path.exists("/proc/self/maps"):
        pytest.skip("Linux alone says which files are in use")
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(NOT_A_UNIX)
    folder = tmp_path / "folder"
    folder.mkdir()
    rows = [f"{i % 5},{9 * (i % 2) + i % 3 / 10}" for i in range(30)]
    table = "\n".join(["größe,身高", *rows])
    (folder / "table.csv").write_text(table, encoding="utf-8")

    def run(code, **settings):
        (folder / "script.py").write_text(code, encoding="utf-8")
        paths = [str(site), *filter(None, sys.path)]
        done = subprocess.run(
            [sys.executable, "-X", "warn_default_encoding", "script.py"],
            cwd=folder,
            env=os.environ
            | {"PYTHONPATH": os.pathsep.join(paths), "PYTHONWARNINGS": "ignore"}
            | settings,
            capture_output=True,
        )
        assert done.returncode == 0, done.stderr.decode(errors="replace")
        return done.stdout

    return run


def test_every_module_is_imported_without_the_modules_of_unix(without_unix):
    without_unix(IMPORTS)


@pytest.mark.parametrize("locks", [WINDOWS_LOCKS, ""], ids=["windows", "none"])
def test_a_result_is_replaced_and_a_run_goes_on(locks, without_unix, tmp_path):
    without_unix(locks + FIT_AND_RESUME)
    left = {each.name for each in (tmp_path / "folder").iterdir()}
    assert left == {"table.csv", "script.py", "out", "new.csv"}
    assert not [*tmp_path.rglob("*lock")]


def test_rows_in_blocks_are_fitted_and_grow_while_they_are_mapped(
    without_unix, tmp_path
):
    without_unix(WINDOWS_LOCKS + BLOCKS)
    left = {each.name for each in (tmp_path / "folder").iterdir()}
    assert left == {"table.csv", "script.py", "rows.npy", "out", "votes", "copy"}


def test_processes_that_are_spawned_find_the_same(without_unix):
    without_unix(PROCESSES)


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8"])
def test_what_is_printed_reaches_a_file_of_any_encoding(encoding, without_unix):
    said = without_unix(CHECK, PYTHONIOENCODING=encoding)
    table, brace, found = said.partition(b"{")
    words = table.decode(encoding).split()
    assert {"größe", "身高" if encoding == "utf-8" else r"\u8eab\u9ad8"} <= {*words}
    columns = json.loads(brace + found)["columns"]
    assert [each["column"] for each in columns] == ["größe", "身高"]
