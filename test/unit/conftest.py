"""What holds for all unit tests."""
from hypothesis import HealthCheck, settings

# The same examples each time, and no clock: a run fails for what has changed, and not for chance or
# for a slow machine. `pytest --hypothesis-profile=default` looks further.
settings.register_profile('same', deadline=None, derandomize=True,
                          suppress_health_check=[HealthCheck.too_slow])
settings.load_profile('same')
