# Written by tools/make_stubs.py from __init__.py; do not edit.

from comitia.report.write import write_comparison as write_comparison
from comitia.report.write import write_report as write_report

__all__ = [
    "write_comparison",
    "write_report",
]
