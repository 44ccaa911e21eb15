"""Write ``__init__.pyi`` for the packages whose names are imported on first use.

A type checker cannot follow ``comitia._lazy.attach``: to it every name is ``Any``, and
a function that bears the name of its module, such as
``comitia.represent.coassociation``, a module that cannot be called. ``make format``
writes the stubs; ``make lint`` runs this with ``--check``.
"""

import ast
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src"


def homes(path: Path) -> dict[str, list[str]]:
    """Read the table that a package gives to ``attach``; empty if it does not."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "attach":
            return dict(ast.literal_eval(node.args[1]))
    return {}


def stub(path: Path) -> str:
    """Text of the stub of a package; empty when it needs none."""
    package = ".".join(path.parent.relative_to(SOURCE).parts)
    table = homes(path)
    names = sorted(name for names in table.values() for name in names)
    if not names:
        return ""
    lines = ["# Written by tools/make_stubs.py from __init__.py; do not edit.", ""]
    for module in sorted(table):
        lines += [
            f"from {package}.{module} import {name} as {name}"
            for name in sorted(table[module])
        ]
    lines += ["", "__all__ = [", *(f'    "{name}",' for name in names), "]", ""]
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Write the stubs, or with ``--check`` say which are out of date."""
    check = "--check" in arguments
    stale = 0
    for path in sorted(SOURCE.rglob("__init__.py")):
        wanted, place = stub(path), path.with_suffix(".pyi")
        there = place.read_text(encoding="utf-8") if place.exists() else ""
        if there == wanted:
            continue
        stale += 1
        if check:
            print(f"{place.relative_to(SOURCE.parent)} is out of date; run make format")
        elif wanted:
            place.write_text(wanted, encoding="utf-8")
        else:
            place.unlink()
    return int(check and stale > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
