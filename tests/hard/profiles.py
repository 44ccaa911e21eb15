"""How many examples Hypothesis tries: some in the suite, many at night.

``COMITIA_PROFILE=nightly`` asks for the many; ``make test-nightly`` says it.
"""

import os

from hypothesis import HealthCheck, settings

# The first call of a kernel compiles it, which no deadline forgives. The suite tries
# the same examples in every run; the night looks for new ones.
settings.register_profile(
    "suite",
    max_examples=200,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile(
    "nightly",
    settings.get_profile("suite"),
    max_examples=20_000,
    derandomize=False,
    print_blob=True,
)

PROFILE = settings.get_profile(os.environ.get("COMITIA_PROFILE", "suite"))


def share_of(n_tests):
    """Settings for one of several tests that share the examples of the profile."""
    return settings(PROFILE, max_examples=max(1, PROFILE.max_examples // n_tests))
