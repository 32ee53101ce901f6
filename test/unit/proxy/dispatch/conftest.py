"""A clock for the tests of dispatchers that moves only when a test sets it."""
import pytest

from swift_lb import clock


class StillClock:
    """Stands still unless `now` is set; begins at the machine's time, as an Instruction does."""

    def __init__(self):
        self.now = clock.monotonic()

    def __call__(self):
        return self.now


@pytest.fixture
def still(monkeypatch):
    """Return the StillClock of all dispatchers that are made from now on."""
    found = StillClock()
    monkeypatch.setattr(clock, 'monotonic', found)
    return found
