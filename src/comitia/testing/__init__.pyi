# Written by tools/make_stubs.py from __init__.py; do not edit.

from comitia.testing.all_checks import check_method as check_method
from comitia.testing.all_checks import method_checks as method_checks
from comitia.testing.all_checks import parametrize_with_checks as parametrize_with_checks
from comitia.testing.easy_inputs import planted as planted
from comitia.testing.easy_inputs import quick_method as quick_method
from comitia.testing.easy_inputs import same_partition as same_partition

__all__ = [
    "check_method",
    "method_checks",
    "parametrize_with_checks",
    "planted",
    "quick_method",
    "same_partition",
]
