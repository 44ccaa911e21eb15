# Written by tools/make_stubs.py from __init__.py; do not edit.

from comitia.prepare.table_preparer import TablePreparer as TablePreparer

__all__ = [
    "TablePreparer",
]
