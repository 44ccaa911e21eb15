"""Names that are imported when they are first used."""

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

__all__ = ["attach"]


def attach(
    package: str, homes: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Make ``__getattr__``, ``__dir__`` and ``__all__`` of a package.

    Parameters
    ----------
    package : str
        The ``__name__`` of the package.

    homes : dict of str to sequence of str
        For each module of the package the names it provides.

    Returns
    -------
    getattr, dir, all : callable, callable, list of str
        To be assigned to the names of the same meaning in the package.
    """
    module_of = {name: module for module, names in homes.items() for name in names}

    class Package(ModuleType):
        def __setattr__(self, name: str, value: Any) -> None:
            # Python binds a module that it has imported to its name in the package. A
            # function may bear the name of its module; the function is what is meant.
            if module_of.get(name) == name and isinstance(value, ModuleType):
                value = getattr(value, name)
            super().__setattr__(name, value)

    def __getattr__(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{package}.{module_of[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    sys.modules[package].__class__ = Package
    names = sorted(module_of)
    return __getattr__, lambda: names, names
