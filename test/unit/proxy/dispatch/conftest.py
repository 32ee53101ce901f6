"""Fixtures of the tests of dispatchers: a peer, and a clock that moves only when a test sets it."""
import pytest
from support.scripted_server import REPLY, ScriptedServer, always

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
    still_clock = StillClock()
    monkeypatch.setattr(clock, 'monotonic', still_clock)
    return still_clock


@pytest.fixture
def peer(proxy):
    """Yield a ScriptedServer that answers `hello`, the only peer in the Instruction of `proxy`."""
    with ScriptedServer(always(REPLY)) as server:
        proxy.tell(server)
        yield server
