"""Print the oldest versions that pyproject.toml promises to work with, for pip -c.

    python tools/lower_bounds.py cli report > constraints.txt

The words are extras whose packages are listed with the core dependencies.
"""

import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
_BOUND = re.compile(r"([\w.-]+)(?:\[[\w,]+\])?>=([\w.]+)")


def lower_bounds(extras: Sequence[str]) -> Iterator[str]:
    """The requirements, each pinned to its lower bound."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    optional = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(r for e in extras for r in optional[e])]
    for requirement in wanted:
        found = _BOUND.match(requirement)
        if found:
            yield f"{found[1]}=={found[2]}"


if __name__ == "__main__":
    print(*lower_bounds(sys.argv[1:]), sep="\n")
