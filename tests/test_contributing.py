"""The example of CONTRIBUTING.md is a method: two files, and it is one of us."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def files_of_the_guide():
    """Path and text of each file that CONTRIBUTING.md shows."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return dict(
        re.findall(r"^`([\w/]+\.py)`:\n\n```python\n(.*?)```", text, re.S | re.M)
    )


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """Lay out a copy of the sources and tests with the two files of the example."""
    folder = tmp_path_factory.mktemp("clone")
    for part in ("src", "tests"):
        # With the compiled kernels, or the test would wait for the compiler.
        shutil.copytree(ROOT / part, folder / part)
    for name in ("pyproject.toml", "CONTRIBUTING.md"):
        shutil.copy2(ROOT / name, folder / name)
    for path, text in files_of_the_guide().items():
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def run(folder, *command):
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.fspath(folder / "src")},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_guide_shows_a_method_and_its_test():
    method, test = files_of_the_guide()
    assert method.startswith("src/comitia/methods/")
    assert Path(test).name == f"test_{Path(method).name}"


def test_two_files_make_a_method_that_passes_what_every_method_must(clone):
    method, test = files_of_the_guide()
    done = run(
        clone,
        "pytest",
        *("-q", "-p", "no:cacheprovider", "-p", "no:xdist"),
        *("-k", f"{Path(method).stem} or AgreeableEAC"),
        *(method, test, "tests/test_common.py", "tests/test_catalogue.py"),
    )
    assert done.returncode == 0, done.stdout[-3000:]
    passed = int(re.search(r"(\d+) passed", done.stdout)[1])
    # Its own two tests and its example, scikit-learn's checks and ours.
    assert passed > 40, done.stdout[-3000:]


def test_the_files_of_the_guide_are_in_our_style(clone):
    pytest.importorskip("ruff")
    for command in (["format", "--check"], ["check"]):
        done = run(clone, "ruff", *command, *files_of_the_guide())
        assert done.returncode == 0, done.stdout


def test_changes_are_what_people_notice_and_not_one_file_for_each_method():
    names = {path.name for path in (ROOT / "changes").glob("*.md")} - {"README.md"}
    kind = r"(\d+|\+[\w-]+)\.(added|changed|fixed|removed)(\.\d+)?\.md"
    assert [name for name in names if not re.fullmatch(kind, name)] == []
    added = {name[1:].split(".")[0] for name in names if ".added." in name}
    methods = {path.stem for path in (ROOT / "src/comitia/methods").rglob("*.py")}
    assert added.isdisjoint(methods)
