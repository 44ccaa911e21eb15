"""Packages that are installed with an extra, imported where they are used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["import_optional"]


def import_optional(module: str, asking: str, extra: str) -> Any:
    """Import a module of an optional package, or say who needs it and how to get it.

    Parameters
    ----------
    module : str
        The module, such as "pyarrow.parquet".

    asking : str
        What needs it, for the message.

    extra : str
        The extra of comitia that installs it.

    Returns
    -------
    module : module
        What was imported.
    """
    package = module.partition(".")[0]
    try:
        import_module(package)
        return import_module(module)
    except ImportError:
        raise ImportError(
            f"{asking} needs {package}; pip install 'comitia[{extra}]'."
        ) from None
