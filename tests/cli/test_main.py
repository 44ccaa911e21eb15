"""The entry point: help, exit codes, and how failures are told."""

import os
import subprocess
import sys

import pytest

import comitia
from comitia.cli import _run_command

COMMANDS = [
    "demo",
    "fit",
    "combine",
    "compare",
    "choose-k",
    "recommend",
    "methods",
    "report",
]


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_help_names_every_command(arguments, run):
    code, out, _ = run(*arguments)
    assert code == 0
    for command in COMMANDS:
        assert f"\n  {command}" in out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command, run):
    code, out, err = run(command, "--help")
    assert code == 0
    assert f"comitia {command}" in out
    assert not err


def test_version_is_printed(run):
    assert run("--version") == (0, f"comitia {comitia.__version__}\n", "")


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from comitia.cli import main; main(['--help']); "
        "heavy = {'cyclopts', 'rich', 'numba', 'sklearn', 'scipy', 'numpy'}; "
        "sys.exit(bool(heavy & {name.partition('.')[0] for name in sys.modules}))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["demmo"], "'demmo' is not a command; did you mean demo?"),
        (["xyzzy"], "'xyzzy' is not a command; see comitia --help."),
        (["demo", "--fast"], "demo does not know '--fast'"),
        (["demo", "-o"], "-o needs a folder"),
        (["demo", "--out="], "--out needs a folder"),
        (["fit"], "DATA requires an argument"),
        (["fit", "x.csv", "--scal", "none"], "Did you mean --scale?"),
        (["fit", "x.csv", "--scale", "wrong"], ("wrong", "--scale", "robust")),
        (["fit", "x.csv", "-k", "many"], "-k many is no number of clusters"),
        (["fit", "x.csv", "-k", "0"], "-k 0 is no number of clusters"),
        (["fit", "x.csv", "-k", "9-2"], "-k 9-2 is no number of clusters"),
        (["fit", "x.csv", "-m", "lwg"], "did you mean lwgp?"),
        (["fit", "x.csv", "--param", "theta"], "'theta' is not NAME=VALUE"),
        (["fit", "x.csv", "-m", "lwgp", "--param", "theta_=1"], "did you mean theta?"),
        (["fit", "x.csv", "-m", "lwgp", "--param", "z=1"], "it has n_init, norm"),
        (["fit", "x.csv", "--param", "n_clusters=3"], "use -k"),
        (["fit", "x.csv", "--generator", "magic"], ("magic", "--generator", "tree")),
        (["fit", "x.csv", "-m", "abc", "--generator", "kmeans"], "its own way"),
        (["fit", "x.csv", "-m", "mic"], "needs several views"),
        (["fit", "x.csv", "--memory", "lots"], "'lots' is not a size"),
        (["combine", "x.csv", "-m", "abc"], "use comitia fit"),
        (["combine", "x.csv", "-m", "wohb"], "--data FILE"),
        (["choose-k", "x.csv", "-k", "3"], "write a range"),
        (["compare", "x.csv", "-m", "eac", "--panel", "quick"], "not both"),
        (["compare", "x.csv", "-m", "eac,nonesuch"], "no method with the id"),
        (["methods", "--weighs", "gold"], "weighs='gold' is not known"),
        (["methods", "show", "lwg"], "did you mean lwgp"),
    ],
)
def test_what_is_not_understood_is_refused_in_one_line(arguments, words, run, tmp_path):
    (tmp_path / "x.csv").touch()
    code, out, err = run(*arguments)
    assert code == 2
    # What cyclopts says has other quotes, and another order, in other versions.
    said = err.replace('"', "")
    assert all(one in said for one in ([words] if isinstance(words, str) else words))
    assert err.count("\n") == 1
    assert not out
    assert [*tmp_path.iterdir()] == [tmp_path / "x.csv"]


def test_the_line_begins_with_the_command(run):
    code, _, err = run("fit", "nowhere.csv")
    assert code == 1
    assert err == "comitia fit: there is no file nowhere.csv.\n"


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (KeyboardInterrupt(), 130, "interrupted."),
        (_run_command.Terminated("kept"), 143, "terminated; kept"),
        (MemoryError(), 1, "memory"),
        (PermissionError(13, "Permission denied", "there"), 1, "there: Permission"),
        (ImportError("pip install 'comitia[cli]'."), 1, "comitia[cli]"),
        (ZeroDivisionError("oops"), 1, "ZeroDivisionError: oops"),
    ],
)
def test_no_failure_shows_a_traceback(error, code, words, run, tmp_path, monkeypatch):
    (tmp_path / "x.csv").touch()

    def fail(*_):
        raise error

    monkeypatch.delenv("COMITIA_TRACEBACK", raising=False)
    monkeypatch.setattr(_run_command, "_app", fail)
    got, out, err = run("fit", "x.csv")
    assert got == code
    assert words in err
    assert err.startswith("comitia fit: ")
    assert err.count("\n") == 1
    assert not out


def test_without_cyclopts_the_extra_is_named(run, tmp_path, monkeypatch):
    (tmp_path / "x.csv").touch()
    monkeypatch.setitem(sys.modules, "cyclopts", None)
    code, _, err = run("fit", "x.csv")
    assert code == 1
    assert "pip install 'comitia[cli]'" in err


def test_a_reader_that_stops_early_is_no_failure():
    done = subprocess.run(
        f"{sys.executable} -m comitia methods | head -1",
        shell=True,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "NUMBA_NUM_THREADS": "1"},
    )
    assert done.stdout.split()[:2] == ["id", "weighs"]
    assert not done.stderr
