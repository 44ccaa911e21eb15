"""Write where comitia is published, and who answers, into every file that says so.

    make release REPOSITORY=https://host/owner/comitia DOCS=https://host/docs \\
        CONTACT='Name <name@host>'

That is the whole decision. The files below have it between two marks called "places",
and are to be committed; a second call with other places writes over the first.
"""

import argparse
import re
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
_MARK = re.compile(r"(<!-- /?places -->|[ ]*# places\n|[ ]*# /places\n)")


class Places(NamedTuple):
    """What a person decides."""

    repository: str
    docs: str
    name: str
    mail: str


def places(repository: str, docs: str, contact: str) -> Places:
    """Check what was given; a ValueError says in a sentence what does not fit."""
    if not re.fullmatch(r"https://[\w.-]+/[\w.-]+/[\w.-]*\w", repository):
        raise ValueError(
            f"REPOSITORY={repository!r} must be like https://host/owner/comitia."
        )
    if not re.fullmatch(r"https://[\w.-]+(/[\w./-]*)?", docs):
        raise ValueError(f"DOCS={docs!r} must be like https://host/docs.")
    found = re.fullmatch(r"([^<>\"\\]*\w) <([\w.+-]+@[\w.-]+\w)>", contact)
    if not found:
        raise ValueError(f"CONTACT={contact!r} must be like 'Name <name@host>'.")
    return Places(repository, docs, *found.groups())


def texts(at: Places) -> dict[str, list[str]]:
    """What stands between the marks of each file, in their order."""
    tests = f"{at.repository}/actions/workflows/tests.yml"
    return {
        "pyproject.toml": [
            f'maintainers = [{{ name = "{at.name}", email = "{at.mail}" }}]\n',
            _lines(
                f'Repository = "{at.repository}"',
                f'Documentation = "{at.docs}"',
                f'Issues = "{at.repository}/issues"',
                f'Changelog = "{at.repository}/blob/main/CHANGELOG.md"',
            ),
        ],
        "CITATION.cff": [
            _lines(
                f'repository-code: "{at.repository}"',
                f'url: "{at.docs}"',
                "contact:",
                f'  - name: "{at.name}"',
                f"    email: {at.mail}",
            )
        ],
        "recipe/recipe.yaml": [
            _lines(
                f"  homepage: {at.docs}",
                f"  repository: {at.repository}",
                f"  documentation: {at.docs}",
            )
        ],
        "README.md": [
            _lines(
                "", f"[![tests]({tests}/badge.svg)]({tests})", f"[Guides]({at.docs})"
            )
        ],
        "SECURITY.md": [
            (
                f"Write to {at.name} (<{at.mail}>), or use the private report (<"
                f"{at.repository}/security/advisories/new>)"
            )
        ],
        "SUPPORT.md": [
            (
                f"Issues are at <{at.repository}/issues>, guides at <{at.docs}>; in "
                f"private write to {at.name} (<{at.mail}>). Nobody"
            )
        ],
    }


def _lines(*each: str) -> str:
    return "".join(f"{line}\n" for line in each)


def write_places(at: Places, root: Path = ROOT) -> list[str]:
    """Fill all of the files; their names."""
    new = texts(at)
    for name, parts in new.items():
        path = root / name
        # Before the first mark, between two of a pair, between two pairs, and so on.
        cut = _MARK.split(path.read_text(encoding="utf-8"))
        if len(cut) != 4 * len(parts) + 1:
            raise ValueError(f"{name} must have {len(parts)} pairs of marks.")
        cut[2::4] = parts
        path.write_text("".join(cut), encoding="utf-8")
    return [*new]


def undecided(root: Path = ROOT) -> list[str]:
    """What of the decision is not in the metadata yet, in words."""
    text = (root / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    wanted = ("Repository", "Documentation", "Issues")
    lacking = [f"the address of {url}" for url in wanted if url not in project["urls"]]
    if not any("email" in each for each in project["maintainers"]):
        lacking.append("a person who answers")
    return lacking


def main() -> int:
    """Write what was given, or do nothing if nothing was."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("--repository", "--docs", "--contact"):
        parser.add_argument(name, default="")
    given = vars(parser.parse_args())
    if any(given.values()):
        try:
            names = write_places(places(**given))
        except ValueError as error:
            print(error)
            return 1
        print(f"The places stand in {', '.join(names)}; commit them.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
