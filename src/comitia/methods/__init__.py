"""The published methods, one short file each, in folders that follow the review.

``comitia.methods.LWGP`` is a class; calling the module, ``comitia.methods()``, lists
the cards of all of them.
"""

import sys
from types import ModuleType
from typing import Any

from comitia.catalogue import find_methods, iter_classes


class _Methods(ModuleType):
    """A module that can be called: the folder of methods and their list in one."""

    __call__ = staticmethod(find_methods)


def __getattr__(name: str) -> Any:
    if name.startswith("_"):  # what Python asks of a module is no method
        raise AttributeError(f"module 'comitia.methods' has no attribute {name!r}")
    for cls in iter_classes():
        globals()[cls.__name__] = cls
        if cls.__name__ == name:
            return cls
    raise AttributeError(f"module 'comitia.methods' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [cls.__name__ for cls in iter_classes()]


sys.modules[__name__].__class__ = _Methods
