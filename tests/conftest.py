"""Settings that all tests share."""

from hypothesis import settings

# The first call of a kernel compiles it, which no deadline forgives; and a suite that
# fails should fail again.
settings.register_profile("comitia", deadline=None, derandomize=True)
settings.load_profile("comitia")
