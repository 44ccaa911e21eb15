"""Mutants: code with one thing changed, and tests for each module."""

import ast
import random
from pathlib import Path

import pytest

from tools import mutants

ROOT = Path(__file__).parents[1]


def test_all_kernels_and_weights_have_tests_to_be_judged_by():
    source = ROOT / "src/comitia"
    files = [*source.glob("_kernels/*.py"), *source.glob("weigh/*.py")]
    plain = {f"{file.parent.name}/{file.stem}" for file in files}
    plain -= {"_kernels/__init__", "_kernels/_njit", "weigh/__init__"}
    assert {*mutants.TESTS} == plain | {"engine/compiled"}
    for tests in mutants.TESTS.values():
        assert all((ROOT / file).is_file() for file in tests)


@pytest.mark.parametrize("module", ["_kernels/moves", "weigh/groups"])
def test_a_mutant_is_the_code_with_one_thing_changed(module):
    text = (ROOT / f"src/comitia/{module}.py").read_text()
    plain = ast.unparse(ast.parse(text)).splitlines()
    sites = mutants.sites_of(module)
    assert len(sites) > 30
    for site in random.Random(0).sample(sites, 30):
        assert site["before"] != site["after"]
        changed = mutants.mutated(site).splitlines()
        assert sum(a != b for a, b in zip(plain, changed, strict=True)) == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a < b", "a <= b"),
        ("a == b", "a != b"),
        ("a + b", "a - b"),
        ("a // b", "a * b"),
        ("not a", "a"),
        ("-a", "a"),
        ("a and b", "a or b"),
        ("1", "2"),
        ("0.0", "1.0"),
        ("True", "False"),
        ("max", "min"),
        ("np.argmin", "np.argmax"),
        ("a", None),
        ("'words'", None),
    ],
)
def test_what_is_changed_into_what(before, after):
    new = mutants.changed(ast.parse(before, mode="eval").body)
    assert (None if new is None else ast.unparse(new)) == after


def test_equivalent_mutants_are_of_code_that_is_there():
    modules = {module for module, *_ in mutants.EQUIVALENT}
    sites = [site for module in modules for site in mutants.sites_of(module)]
    assert {*mutants.EQUIVALENT} <= {mutants._key(site) for site in sites}


def test_equivalent_mutants_are_not_counted():
    rows = [{"outcome": each} for each in ("killed", "killed", "survived")]
    rows.append({"outcome": "equivalent"})
    assert mutants.summary(rows) == "2 of 3 killed; 1 more are equivalent;"
