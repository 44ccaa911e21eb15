"""What comitia raises and warns with.

Every error is a ``ValueError`` that names the argument, what was found and what
would do, so that ``except ValueError`` keeps working for people who do not know us.
"""

__all__ = [
    "ComitiaError",
    "ComitiaWarning",
    "DataTypeError",
    "EnsembleFileError",
    "FolderInUseError",
    "MemoryBudgetError",
]


class ComitiaError(ValueError):
    """Base class of the errors that comitia raises on bad input."""


class DataTypeError(ComitiaError, TypeError):
    """Something that is not a table of numbers was given as one."""


class EnsembleFileError(ComitiaError):
    """A file or folder is not an ensemble that comitia wrote, or is damaged."""


class FolderInUseError(ComitiaError):
    """Another process or thread is writing to the folder."""


class MemoryBudgetError(ComitiaError):
    """A step would need more memory than the budget allows."""


class ComitiaWarning(UserWarning):
    """Something was handled that the user may want to know about."""
