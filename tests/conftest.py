"""Settings that all tests share."""

import functools
import math

import pytest
from hypothesis import settings
from sklearn.base import BaseEstimator

from comitia.cli import _meter

# The first call of a kernel compiles it, which no deadline forgives; and a suite that
# fails should fail again.
settings.register_profile("comitia", deadline=None, derandomize=True)
settings.load_profile("comitia")

# scikit-learn reads the signature of a class anew whenever it is asked for parameters,
# which is a tenth of the time of thousands of fits of a few objects.
_names_of_parameters = functools.cache(BaseEstimator._get_param_names.__func__)
BaseEstimator._get_param_names = classmethod(lambda cls: [*_names_of_parameters(cls)])


@pytest.fixture(autouse=True, scope="session")
def no_progress_by_the_clock():
    """Commands say how far they are when they take long, which a busy machine does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_meter, "_SECONDS_BETWEEN_LINES", math.inf)
        yield
