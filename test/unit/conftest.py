"""Set up all unit tests: http.client comes before eventlet, Hypothesis repeats its examples."""
import http.client  # noqa: F401

from hypothesis import HealthCheck, settings

# http.client is imported here, before any test imports Swift: where eventlet is the first to import
# it, it keeps eventlet's socket, to which a refused connection is ECONNREFUSED, for all tests.

# The same examples each time, and no clock: a run fails for what has changed, and not for chance or
# for a slow machine. `pytest --hypothesis-profile=default` looks further.
settings.register_profile('same', deadline=None, derandomize=True,
                          suppress_health_check=[HealthCheck.too_slow])
settings.load_profile('same')
