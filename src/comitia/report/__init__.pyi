# Written by tools/make_stubs.py from __init__.py; do not edit.

from comitia.report._alerts import Alert as Alert
from comitia.report._alerts import result_alerts as result_alerts
from comitia.report.write import write_comparison as write_comparison
from comitia.report.write import write_report as write_report

__all__ = [
    "Alert",
    "result_alerts",
    "write_comparison",
    "write_report",
]
