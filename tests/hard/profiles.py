"""How many examples Hypothesis tries: some in the suite, many at night.

``COMITIA_PROFILE=nightly`` asks for the many; ``make test-nightly`` says it.
``COMITIA_EXAMPLES`` is another number of them, for a night that is short.
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
    max_examples=int(os.environ.get("COMITIA_EXAMPLES", "20000")),
    derandomize=False,
    print_blob=True,
)

PROFILE = settings.get_profile(os.environ.get("COMITIA_PROFILE", "suite"))


def share_of(n_tests, *, slow=False):
    """Settings for one of several tests that share the examples of the profile.

    The suite tries a fifth of them on what is slow; the night tries all.
    """
    n = PROFILE.max_examples // n_tests
    if slow and PROFILE is settings.get_profile("suite"):
        n //= 5
    return settings(PROFILE, max_examples=max(1, n))
