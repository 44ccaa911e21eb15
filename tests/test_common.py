"""What every method promises, whatever it computes: one suite over all of them."""

from comitia.catalogue import method_classes
from comitia.testing import parametrize_with_checks


@parametrize_with_checks(method_classes())
def test_a_method_keeps_what_all_methods_promise(cls, check):
    check(cls)
