"""Names that are imported when they are first used."""

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from functools import cached_property

__all__ = ["attach", "cached_property"]


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


if not TYPE_CHECKING:

    class cached_property:
        """A property that is computed once, without a lock.

        That of Python 3.11 holds one lock for all instances while it computes. Whoever
        waits there for a worker thread that asks another instance waits for ever.
        Computed twice at the same time, the value is the same.

        Parameters
        ----------
        function : callable
            Computes the value of an instance.
        """

        def __init__(self, function: Callable[[Any], Any]) -> None:
            self.function = function
            self.__doc__ = function.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self.name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            value = instance.__dict__[self.name] = self.function(instance)
            return value
