"""The tools of a release; that it builds is seen by ``make release`` itself."""

import hashlib
import shutil
import sys
import tomllib

import pytest
import yaml

from tools import check_links, places, release


def test_what_to_upload_is_named_with_its_digest(tmp_path):
    file = tmp_path / "comitia-9.whl"
    file.write_bytes(b"wheel")
    text = release.page([file], ["- Python 3.11: tried"])
    assert f"`{hashlib.sha256(b'wheel').hexdigest()}`" in text
    assert "- Python 3.11: tried" in text
    assert "Nothing was uploaded." in text


def test_a_python_that_does_not_run_is_none(tmp_path):
    shim = tmp_path / "python3.99"
    shim.write_text("#!/bin/sh\nexit 127\n")
    shim.chmod(0o755)
    assert release.runs(sys.executable)
    assert not release.runs(str(shim))
    assert not release.runs(str(tmp_path / "absent"))


def test_links_to_files_and_places_that_are_not_there_are_dead(tmp_path):
    (tmp_path / "other.html").write_text("<p id='here'>")
    good = "other.html other.html#here #top https://example.org/none mailto:a@b.c"
    bad = ["absent.html", "#nowhere", "other.html#nowhere"]
    links = "".join(f'<a href="{link}">' for link in [*good.split(), *bad])
    (tmp_path / "index.html").write_text(f"<p id='top'>{links}")
    assert check_links.dead_links(tmp_path) == [
        f"index.html: {link}" for link in sorted(bad)
    ]


HERE = places.places(
    "https://example.org/somebody/comitia",
    "https://example.org/docs",
    "Ada Example <ada@example.org>",
)


@pytest.fixture
def tree(tmp_path):
    """The files that say where comitia is, as nobody has decided on it."""
    (tmp_path / "recipe").mkdir()
    for name in places.texts(HERE):
        shutil.copy(places.ROOT / name, tmp_path / name)
    return tmp_path


def test_one_decision_fills_every_file_that_says_where_comitia_is(tree):
    names = places.write_places(HERE, tree)
    project = tomllib.loads((tree / "pyproject.toml").read_text())["project"]
    assert project["maintainers"] == [{"name": HERE.name, "email": HERE.mail}]
    assert project["urls"]["Repository"] == HERE.repository
    assert project["urls"]["Review"].endswith("1910.02433")
    citation = yaml.safe_load((tree / "CITATION.cff").read_text())
    assert citation["repository-code"] == HERE.repository
    assert citation["contact"] == [{"name": HERE.name, "email": HERE.mail}]
    recipe = yaml.safe_load((tree / "recipe" / "recipe.yaml").read_text())
    assert recipe["about"]["documentation"] == HERE.docs
    for name in ("SECURITY.md", "SUPPORT.md"):
        assert HERE.mail in (tree / name).read_text()
    assert "badge.svg" in (tree / "README.md").read_text()
    assert places.undecided(tree) == []
    written = {name: (tree / name).read_text() for name in names}
    places.write_places(HERE._replace(name="Bob", docs="https://example.org/b"), tree)
    places.write_places(HERE, tree)
    assert {name: (tree / name).read_text() for name in names} == written


def test_a_release_says_what_nobody_has_decided(tree):
    assert len(places.undecided(tree)) in (0, 4)  # nothing is decided by halves
    places.write_places(HERE, tree)
    settings = (tree / "pyproject.toml").read_text()
    (tree / "pyproject.toml").write_text(settings.replace("Documentation = ", "Not = "))
    assert places.undecided(tree) == ["the address of Documentation"]


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ({"repository": "example.org/comitia"}, "REPOSITORY"),
        ({"docs": ""}, "DOCS"),
        ({"contact": "ada@example.org"}, "CONTACT"),
        ({"contact": 'A"da <ada@example.org>'}, "CONTACT"),
    ],
)
def test_a_place_that_is_none_is_refused(changed, name):
    given = {
        "repository": HERE.repository,
        "docs": HERE.docs,
        "contact": f"{HERE.name} <{HERE.mail}>",
    }
    with pytest.raises(ValueError, match=f"{name}=.* must be like"):
        places.places(**given | changed)
