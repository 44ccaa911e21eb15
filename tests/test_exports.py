"""The public names, and why a part is one of them.

``tests/exports/<package>.txt`` has the names that a package exports, each with its
reason. A part of a stage package is public when it has ``two users`` in modules of
other packages, or when a page of the documentation names it; what the other packages
export is ``for users``. ``comitia.txt`` has what stands at the top: names and packages.
Together they are what ``docs/stability.rst`` promises to keep.
"""

import ast
import importlib
import re
from functools import cache
from pathlib import Path

import pytest

import comitia

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "comitia"
LISTS = sorted((Path(__file__).parent / "exports").glob("*.txt"))
FOR_USERS = "for users"

# What all stage packages together may export.
MOST_NAMES = 133


def listed(path):
    """The names of a package and why each is exported."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return dict(line.split(maxsplit=1) for line in lines if line)


STAGES = [path for path in LISTS if FOR_USERS not in {*listed(path).values()}]


@cache
def imported_by():
    """For each (package, name) the modules of other packages that import it."""
    found = {}
    for path in SOURCE.rglob("*.py"):
        own = path.relative_to(SOURCE).parts[0]
        for package, name in imported_names(ast.parse(path.read_text())):
            if package != own:
                found.setdefault((package, name), set()).add(path)
    return found


def imported_names(tree):
    """Yield what a module takes from packages of comitia, as (package, name)."""
    package_of = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            head, *rest = node.module.split(".")
            for alias in node.names if head == "comitia" else ():
                package, *_ = [*rest, alias.name]
                package_of[alias.asname or alias.name] = package
                yield package, alias.name
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            owner = getattr(node.value, "id", None)
            if owner in package_of:
                yield package_of[owner], node.attr


def test_both_ways_to_import_are_seen():
    code = "from comitia import a as x\nfrom comitia.b.c import d, e\nx.f(d, e.g)"
    found = {*imported_names(ast.parse(code))}
    assert found == {("a", "a"), ("a", "f"), ("b", "d"), ("b", "e"), ("b", "g")}


def each(paths):
    return pytest.mark.parametrize("path", paths, ids=lambda path: path.stem)


def test_every_public_package_has_a_list():
    # The methods are listed by their cards.
    packages = {*dir(comitia)} - {*comitia.__all__} | {"config", "exceptions"}
    assert {path.stem for path in LISTS} == packages - {"methods"} | {"comitia"}


def test_the_top_has_the_names_and_packages_that_are_listed():
    assert dir(comitia) == sorted(listed(Path(__file__).parent / "exports/comitia.txt"))


@each([path for path in LISTS if path.stem != "comitia"])
def test_a_package_exports_what_is_listed(path):
    package = importlib.import_module(f"comitia.{path.stem}")
    assert sorted(package.__all__) == sorted(listed(path))


@each(STAGES)
def test_every_export_has_two_users_or_a_page(path):
    unwanted = []
    for name, reason in listed(path).items():
        if reason == "two users":
            wanted = len(imported_by().get((path.stem, name), ())) >= 2
        else:
            page = (ROOT / reason).read_text(encoding="utf-8")
            wanted = re.search(rf"\b{name}\b", page) is not None
        if not wanted:
            unwanted.append((name, reason))
    assert not unwanted


def test_the_stage_packages_export_few_names():
    assert sum(len(listed(path)) for path in STAGES) <= MOST_NAMES
