"""What a release must be, whatever is in it."""

import ast
import importlib
import importlib.metadata
import importlib.resources
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import get_args

import pytest
import yaml

import comitia
from comitia.catalogue import Weighs

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted((ROOT / "src" / "comitia").rglob("*.py"))


def modules_after(code):
    """Names of the top-level modules that a fresh interpreter has after the code."""
    report = "import sys; print(*{m.partition('.')[0] for m in sys.modules})"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"],
        capture_output=True,
        text=True,
        check=True,
    )
    return {*done.stdout.split()}


@pytest.mark.parametrize(
    "code", ["import comitia", "import comitia.cli", "import comitia.methods"]
)
def test_import_brings_neither_numba_nor_sklearn_nor_scipy(code):
    assert not {"numba", "sklearn", "scipy"} & modules_after(code)


def test_an_ensemble_needs_numpy_alone():
    code = "from comitia import Ensemble; Ensemble([[0, 1], [1, 1]]).labels"
    assert not {"numba", "sklearn", "scipy", "pandas"} & modules_after(code)


def test_version_is_that_of_the_metadata():
    assert comitia.__version__ == importlib.metadata.version("comitia")


def test_citation_has_the_version_and_the_licence():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == comitia.__version__
    assert citation["license"] == "BSD-3-Clause"


def test_the_recipe_asks_for_what_the_package_asks_for():
    recipe = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text())
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    project, backend = settings["project"], settings["build-system"]["requires"]
    extras = project["optional-dependencies"]
    needed = [*project["dependencies"], *extras["cli"], *extras["report"]]
    # METIS, which has no package for every system, is a choice there, as extras are.
    metis = [each.partition(";")[0] for each in needed if each.startswith("pymetis")]
    needed = [each for each in needed if not each.startswith("pymetis")]
    requirements = recipe["requirements"]
    python, *asked = requirements["run"]
    assert sorted(asked) == sorted(each.replace(">=", " >=") for each in needed)
    chosen = [each.replace("-base", "") for each in requirements["run_constraints"]]
    known = [*metis, *extras["plot"], *extras["io"]]
    assert {*chosen} <= {each.replace(">=", " >=") for each in known}
    assert {each.replace(">=", " >=") for each in backend} <= {*requirements["host"]}
    assert recipe["context"] == {
        "version": comitia.__version__,
        "python_min": project["requires-python"].removeprefix(">="),
    }
    assert python == "python >=${{ python_min }}"
    (script,) = project["scripts"].items()
    assert recipe["build"]["python"]["entry_points"] == [" = ".join(script)]
    assert recipe["about"]["summary"] == project["description"]
    assert recipe["about"]["license"] == project["license"]


def test_actions_are_pinned_by_commit():
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        for used in re.findall(r"uses: (.*)", path.read_text(encoding="utf-8")):
            assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", used), used


def packages():
    folders = sorted(path.parent for path in SOURCES if path.name == "__init__.py")
    return [".".join(folder.relative_to(ROOT / "src").parts) for folder in folders]


@pytest.mark.parametrize("name", packages())
def test_every_name_a_package_promises_is_there(name):
    package = importlib.import_module(name)
    promised = getattr(package, "__all__", [])
    assert [*promised] == sorted(promised)
    assert len(promised) == len({*promised})
    for each in promised:
        assert getattr(package, each) is not None
    assert {*promised} <= {*dir(package)}


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        comitia.no_such_name  # noqa: B018


def test_types_are_shipped():
    assert importlib.resources.files("comitia").joinpath("py.typed").is_file()


def private_sklearn_names(tree):
    """Yield what a module imports from scikit-learn that begins with an underscore."""
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            first, *rest = name.split(".")
            if first == "sklearn" and any(part.startswith("_") for part in rest):
                yield name


def test_a_private_name_is_noticed():
    tree = ast.parse("from sklearn.utils._param_validation import Interval")
    assert [*private_sklearn_names(tree)]


def test_one_module_alone_imports_private_names_of_sklearn():
    guilty = {
        path.relative_to(ROOT).as_posix()
        for path in SOURCES
        if [*private_sklearn_names(ast.parse(path.read_text()))]
    }
    assert guilty <= {"src/comitia/_sklearn.py"}


def text_files():
    """Yield what is in the repository, or will be: no build output, nothing ignored."""
    done = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip("not a git checkout")
    for name in done.stdout.splitlines():
        path = ROOT / name
        if path.is_file():
            try:
                yield name, path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue


def test_no_file_names_a_registry_or_a_path_of_a_machine():
    # Put together here, so that this file does not name them either.
    hosts = ("py" + "pi.org", "python" + "hosted", "anaconda" + ".org")
    home = re.compile(r"(?<![\w.])/" + r"(home|Users|root|work|opt)/\w")
    found = [
        f"{name}: {line.strip()[:80]}"
        for name, text in text_files()
        for line in text.splitlines()
        if any(host in line for host in hosts) or home.search(line)
    ]
    assert not found


def test_the_extra_all_holds_every_extra_for_users():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = settings["project"]["optional-dependencies"]
    # The others are for those who work on comitia; umap makes each report slower.
    wanted = {*extras} - {"all", "bench", "dev", "docs", "umap"}
    (entry,) = extras["all"]
    assert {*entry.removeprefix("comitia[").removesuffix("]").split(",")} == wanted


def test_ci_script_can_be_run():
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def readme_table():
    """What the README says each method weighs: pairs of id and what."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\w+) \|.*\| ([^|]*)\|$", text, re.M)
    known = {*get_args(Weighs)}
    return {
        (method, what)
        for what, methods in rows
        if what in known
        for method in re.findall(r"`(\w+)`", methods)
    }


def test_the_examples_of_the_readme_weigh_what_it_says():
    there = {(card.id, card.weighs) for card in comitia.methods()}
    assert readme_table() <= there
    # Some for everything that is weighed; the whole list is comitia.methods().
    assert {weighs for _, weighs in readme_table()} == {weighs for _, weighs in there}


def test_python_of_the_readme_runs():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    assert len(blocks) == 2
    names = {}
    for block in blocks:
        exec(block, names)
    assert len({*names["labels"]}) == 3
    assert len(names["lwea"].labels_) == 5


def test_a_function_with_the_name_of_its_module_is_the_function():
    # Python binds each module it imports to its name in the package, so the order in
    # which things are imported must be tried from nothing.
    code = """
import importlib, pkgutil, types, comitia
for each in pkgutil.walk_packages(comitia.__path__, "comitia."):
    if "__main__" not in each.name:
        importlib.import_module(each.name)
folders = [each.name for each in pkgutil.iter_modules(comitia.__path__) if each.ispkg]
for folder in folders:
    package = importlib.import_module("comitia." + folder)
    if folder == "scanpy":  # tl and pl are modules there, as scanpy's own are
        continue
    for name in getattr(package, "__all__", []):
        if isinstance(getattr(package, name), types.ModuleType):
            print(package.__name__, name)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert not done.stdout


def test_the_paper_cites_what_its_bibliography_has():
    text = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")
    listed = re.findall(r"@\w+\{(\w+),", (ROOT / "paper" / "paper.bib").read_text())
    assert {*re.findall(r"@(\w+\d{4})\b", text)} == {*listed}
    assert (ROOT / "paper" / "figure.png").is_file()


def test_every_system_can_hold_the_names_of_the_files():
    names = [name for name, _ in text_files()]
    assert len({name.casefold() for name in names}) == len(names)
    reserved = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)|.*[<>:\"|?*\\]|.*[ .]$")
    for name in names:
        assert len(name) <= 100  # Windows has 260 for a path, folders above included
        assert not any(reserved.match(part.lower()) for part in name.split("/")), name
