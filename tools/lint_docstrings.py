"""Hold every public docstring of comitia to numpydoc's rules.

``numpydoc lint`` reads source and takes a property for a function that returns nothing
and the fields of a dataclass for unknown parameters. This asks numpydoc about the
imported objects instead, with the checks of ``[tool.numpydoc_validation]``. An example
(EX01) is asked of the functions that the public packages export and of the methods of
the classes in ``CALLED``, which is what people call; steps of generators, clusterers
that do what scikit-learn's do, and our own parts have one where it is small.
"""

import dataclasses
import importlib
import inspect
import pkgutil
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from numpydoc.docscrape import get_doc_object
from numpydoc.validate import ERROR_MSGS, validate

ROOT = Path(__file__).resolve().parent.parent
# Classes whose methods people call, inherited ones included.
CALLED = (
    "ConsensusClustering",
    "Ensemble",
    "Result",
    "catalogue.MethodList",
    "cluster.ConstraintSet",
    "evaluate.KChoice",
)


def checks() -> set[str]:
    """The codes to report: all of them less those the configuration names."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    first, *others = settings["tool"]["numpydoc_validation"]["checks"]
    if first != "all":
        return {first, *others}
    return {*ERROR_MSGS} - {*others}


def modules(package: str) -> Iterator[ModuleType]:
    """Import the package and its public modules, and yield them."""
    root = importlib.import_module(package)
    yield root
    for found in pkgutil.iter_modules(root.__path__, f"{package}."):
        # A name with an underscore is nobody's business but ours.
        if found.name.rpartition(".")[2].startswith("_"):
            continue
        module = importlib.import_module(found.name)
        if not found.ispkg:
            yield module
        elif getattr(module, "__all__", None) != []:  # exporting nothing, it is ours
            yield from modules(found.name)


def objects(module: ModuleType) -> Iterator[str]:
    """Yield the address of each public object that the module defines."""
    names = getattr(module, "__all__", None) or [*vars(module)]
    for name in names:
        value = vars(module).get(name)
        mine = getattr(value, "__module__", None) == module.__name__
        if name.startswith("_") or not mine or not callable(value):
            continue
        address = f"{module.__name__}.{name}"
        yield address
        if inspect.isclass(value):
            yield from (f"{address}.{member}" for member in _members(value))


def _members(owner: type) -> Iterator[str]:
    for name, value in vars(owner).items():
        described = inspect.isroutine(value) or hasattr(value, "__get__")
        if not name.startswith("_") and described and _has_source(value):
            yield name


def _has_source(member: Any) -> bool:
    """False for what dataclasses and named tuples make of their fields."""
    return not inspect.ismemberdescriptor(member) and (
        type(member).__name__ != "_tuplegetter"
    )


def _is_record(address: str) -> bool:
    """True for a dataclass or named tuple whose fields are described as attributes."""
    module, _, name = address.rpartition(".")
    made = getattr(sys.modules.get(module), name, None)
    if not (dataclasses.is_dataclass(made) or hasattr(made, "_fields")):
        return False
    described = {field.name for field in get_doc_object(made)["Attributes"]}
    return {*inspect.signature(made).parameters} <= described


def exported_functions(package: str) -> set[str]:
    """Addresses of the functions that the package and its public packages export."""
    root = importlib.import_module(package)
    found = set()
    for name in dir(root):
        for owner in (root, getattr(root, name)):
            for export in getattr(owner, "__all__", ()):
                value = getattr(owner, export)
                if inspect.isfunction(value):
                    found.add(f"{value.__module__}.{value.__qualname__}")
    return found


def without_example(package: str) -> Iterator[str]:
    """Yield the addresses of methods in ``CALLED`` that show no use of themselves."""
    for address in CALLED:
        where, _, name = f"{package}.{address}".rpartition(".")
        owner = getattr(importlib.import_module(where), name)
        for member, value in inspect.getmembers(owner, callable):
            ours = (getattr(value, "__module__", None) or "").startswith(package)
            shown = "Examples\n----" in (inspect.getdoc(value) or "")
            if ours and not shown and not member.startswith("_"):
                yield f"{package}.{address}.{member}"


def main(package: str = "comitia") -> int:
    """Print what is wrong, one line each; 1 when there is something."""
    wanted = checks()
    exported = exported_functions(package)
    wrong = n_objects = 0
    for module in modules(package):
        if not module.__doc__:
            wrong += 1
            print(f"{module.__file__}:1: GL08 {module.__name__} has no docstring")
        for address in objects(module):
            n_objects += 1
            report = validate(address)
            for code, message in report["errors"]:
                asked = code in wanted or (code == "EX01" and address in exported)
                if asked and not (code == "PR01" and _is_record(address)):
                    wrong += 1
                    place = f"{report.get('file')}:{report.get('file_line')}"
                    print(f"{place}: {code} {address}: {message}")
    for address in without_example(package):
        wrong += 1
        print(f"EX01 {address}: {ERROR_MSGS['EX01']}")
    print(f"{n_objects} public docstrings checked, {wrong} complaints")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
