"""What every method promises, whatever it computes: one suite over all of them."""

import pytest

from comitia.catalogue import method_classes
from comitia.testing import parametrize_with_checks


# There may be fewer clusters than were asked for; who asked is told.
@pytest.mark.filterwarnings("ignore:only .* of n_clusters:UserWarning")
@parametrize_with_checks(method_classes())
def test_a_method_keeps_what_all_methods_promise(cls, check):
    check(cls)
