"""From tables to numbers: what a column is, how it counts, and what was decided."""

from comitia._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {"table_preparer": ["TablePreparer"]},
)
