"""What works where a system is not a Unix: its modules and calls are hidden here."""

import subprocess
import sys

# Only from our own code: packages of others ask for them in ways of their own.
HIDDEN = """
import builtins, os, sys
real_import = builtins.__import__

def hide(name, globals=None, *rest, **more):
    ours = (globals or {}).get("__name__", "").startswith("comitia")
    if ours and name in {"fcntl", "grp", "pwd", "resource", "termios"}:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    return real_import(name, globals, *rest, **more)

builtins.__import__ = hide
for name in ("killpg", "umask"):
    delattr(os, name)
"""

IMPORTS = """
import importlib, pkgutil, comitia
for each in pkgutil.walk_packages(comitia.__path__, "comitia."):
    if "__main__" not in each.name:
        importlib.import_module(each.name)
"""

TWO_RUNS = """
from comitia import config
from comitia._lock import locked
from comitia.cli import main
from comitia.exceptions import FolderInUseError

assert config.memory_budget() > 0
command = ["combine", "votes.csv", "-k", "2", "-m", "voting", "-o", "out"]
assert main(command) == 0
with locked("out"):
    try:
        with locked("out"):
            raise SystemExit("two hold one lock")
    except FolderInUseError:
        pass
assert main([*command, "--force"]) == 0
"""


def without_unix(code, folder):
    done = subprocess.run(
        [sys.executable, "-c", HIDDEN + code],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_every_module_is_imported_without_the_modules_of_unix(tmp_path):
    without_unix(IMPORTS, tmp_path)


def test_a_result_is_written_and_locked_without_the_modules_of_unix(tmp_path):
    (tmp_path / "votes.csv").write_text("a,b,c\n0,0,1\n0,0,1\n1,1,0\n1,1,0\n1,0,0\n")
    without_unix(TWO_RUNS, tmp_path)
    assert (tmp_path / "out" / "labels.csv").is_file()
    assert not [*tmp_path.rglob(".*lock")]
