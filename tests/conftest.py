"""Settings that all tests share."""

import math

import pytest
from hypothesis import settings

from comitia.cli import _meter

# The first call of a kernel compiles it, which no deadline forgives; and a suite that
# fails should fail again.
settings.register_profile("comitia", deadline=None, derandomize=True)
settings.load_profile("comitia")


@pytest.fixture(autouse=True, scope="session")
def no_progress_by_the_clock():
    """Commands say how far they are when they take long, which a busy machine does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_meter, "_SECONDS_BETWEEN_LINES", math.inf)
        yield
