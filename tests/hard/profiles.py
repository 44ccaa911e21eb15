"""How many examples Hypothesis tries: some in the suite, many at night.

``COMITIA_PROFILE=nightly`` asks for the many, a shard of them at a time:
``COMITIA_SHARD`` says which, and ``COMITIA_EXAMPLES`` how many it has for a method.
``make test-nightly`` runs shard after shard; see :mod:`tests.hard.nightly`.
"""

import os
import zlib

from hypothesis import HealthCheck, seed, settings

# The first call of a kernel compiles it, which no deadline forgives. The suite tries
# the same examples in every run; so does a shard, and no two shards try the same.
settings.register_profile(
    "suite",
    max_examples=60,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile(
    "nightly",
    settings.get_profile("suite"),
    max_examples=int(os.environ.get("COMITIA_EXAMPLES", "1000")),
    derandomize=False,
    print_blob=True,
)

PROFILE = settings.get_profile(os.environ.get("COMITIA_PROFILE", "suite"))
SHARD = os.environ.get("COMITIA_SHARD", "0")


def share_of(n_tests, *, slow=False):
    """Settings for one of several tests that share the examples of the profile.

    The suite tries a fifth of them on what is slow; the night tries all.
    """
    if PROFILE is settings.get_profile("nightly"):
        # The test, with the method in brackets: no other test or shard has this seed.
        drawn = seed_of(os.environ["PYTEST_CURRENT_TEST"], SHARD)
        share = settings(PROFILE, max_examples=-(-PROFILE.max_examples // n_tests))
        return lambda test: drawn(share(test))
    n = PROFILE.max_examples // n_tests
    return settings(PROFILE, max_examples=n // 5 if slow else n)


def seed_of(*words):
    """A seed that is the same in every run."""
    return seed(zlib.crc32(" ".join(words).encode()))
