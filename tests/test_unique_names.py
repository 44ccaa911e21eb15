"""One name, one thing: no two modules define the same public class or function."""

import ast
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src" / "comitia"


def defined(tree):
    """The public classes and functions that a module defines at its top."""
    return [
        node.name
        for node in tree.body
        if isinstance(node, ast.ClassDef | ast.FunctionDef)
        and not node.name.startswith("_")
    ]


def homes():
    """For each name the modules that define it.

    Kernels are left out: one bears the name of the function that calls it, and its
    twin on a device the same. So are commands, which bear that of the function they
    call, and ``comitia.scanpy``, where as in scanpy ``pl`` draws what the function of
    the same name in ``tl`` wrote.
    """
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        module = path.relative_to(SOURCE)
        if module.parts[0] not in ("_kernels", "cli", "scanpy"):
            for name in defined(ast.parse(path.read_text(encoding="utf-8"))):
                found.setdefault(name, []).append(module.as_posix())
    return found


def test_definitions_are_found():
    tree = ast.parse("class A: ...\ndef b(): ...\ndef _c(): ...\nd = 1")
    assert defined(tree) == ["A", "b"]
    assert homes()["Ensemble"] == ["ensemble.py"]


def test_public_names_are_unique():
    assert {name: where for name, where in homes().items() if len(where) > 1} == {}
