"""The pages that are made from the code; ``make docs`` builds all of them."""

import importlib.util
import re
from pathlib import Path

import pytest

from benchmarks.evaluation.store import read
from comitia.catalogue import PROMISES, method_classes
from comitia.evaluate.recommendation import measured_leagues

DOCS = Path(__file__).parent.parent / "docs"


@pytest.fixture(scope="module")
def pages():
    spec = importlib.util.spec_from_file_location("pages", DOCS / "pages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def written(pages, tmp_path_factory):
    folder = tmp_path_factory.mktemp("docs")
    pages.write_all(folder)
    return folder


def test_every_method_has_a_page_and_a_place_in_the_taxonomy(written):
    taxonomy = (written / "generated/tables/taxonomy.rst").read_text()
    listed = (written / "generated/methods.rst").read_text()
    for cls in method_classes():
        page = (written / f"generated/methods/{cls.card.id}.rst").read_text()
        assert f"autoclass:: {cls.__module__}.{cls.__name__}" in page
        assert f"</generated/methods/{cls.card.id}>" in taxonomy
        assert f"<methods/{cls.card.id}>" in listed


def test_a_page_says_what_a_missing_label_means(written):
    for cls in method_classes():
        page = (written / f"generated/methods/{cls.card.id}.rst").read_text()
        assert ("a missing label" in page) == ("labels" in cls.card.needs)


def test_a_page_says_what_was_measured_of_its_method(written):
    page = (written / "generated/methods/lwgp.rst").read_text()
    rank, index = measured_leagues()["tables"]["methods"]["lwgp"]
    assert f"     - {rank:.1f} of 90\n     - {index:.2f}\n" in page
    rivals = read(DOCS.parent / "benchmarks/results/evaluation/default_rivals.csv")
    wins = [float(row["lwgp"]) > float(row["k-means"]) for row in rivals]
    assert f"     - {sum(wins) / len(wins):.0%}\n" in page
    answer = (written / "generated/tables/evaluation_answer.rst").read_text()
    assert "``consensus``" in answer
    assert (written / "generated/evaluation/answer.svg").is_file()


def test_everything_the_pages_include_is_made(written):
    for page in [*DOCS.glob("*.rst"), *DOCS.glob("evaluation/**/*.rst")]:
        for name in re.findall(r"\.\. include:: /?(\S+)", page.read_text()):
            assert (written / name).is_file(), (page.name, name)


def test_a_page_says_what_its_method_does_not_promise(written):
    for cls in method_classes():
        text = (written / "generated" / "methods" / f"{cls.card.id}.rst").read_text()
        assert ("not promised" in text) == bool(cls.card.exempt)
        for name, reason in cls.card.exempt.items():
            assert f"   * - {PROMISES.get(name, name)}\n     - {reason}\n" in text


def test_every_test_that_a_promise_names_is_there():
    text = (DOCS / "reliability.rst").read_text()
    named = re.findall(r"``(tests/[\w/]+\.py)(?:::(\w+))?``", text)
    assert len(named) > 30
    for path, name in named:
        source = (DOCS.parent / path).read_text()
        assert not name or f"def {name}(" in source, (path, name)


def test_every_erratum_names_a_method(written):
    ids = {cls.card.id for cls in method_classes()}
    named = re.findall(r"<generated/methods/(\w+)>", (DOCS / "errata.rst").read_text())
    assert len(named) == 27
    assert {*named} <= ids


def test_a_table_is_a_list_table(pages):
    text = pages.table(("a", "b"), [("1", ""), ("3", "4")])
    assert text.splitlines() == [
        ".. list-table::",
        "   :header-rows: 1",
        "",
        "   * - a",
        "     - b",
        "   * - 1",
        "     -",
        "   * - 3",
        "     - 4",
    ]


def test_what_was_not_measured_is_not_made_up(pages, tmp_path):
    assert pages.measured(tmp_path / "nothing.csv") == "*Not measured yet.*\n"


def test_the_pages_that_machines_are_shown_are_there():
    text = (DOCS / "llms.txt").read_text(encoding="utf-8")
    for name in re.findall(r"\]\((\w+)\.html\)", text):
        assert (DOCS / f"{name}.rst").is_file(), name
