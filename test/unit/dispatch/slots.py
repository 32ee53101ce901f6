"""A server with a few slots, first come, first served, simulated in virtual time."""
from collections import deque

from swift_lb.sim.agenda import Agenda


class Slots(Agenda):
    """Serves `slots` requests at a time; others wait in a queue. `in_flight` counts both."""

    def __init__(self, slots):
        super().__init__()
        self.in_flight, self._free, self._waiting = 0, slots, deque()

    def plan(self, at, what):
        """Plan a call of `what(at)` at the instant `at`, in virtual seconds."""
        self.at(at, what, at)

    def come(self, at, size, done):
        """Take a request at `at` for `size` s of service; call done(instant) when it is served."""
        self.in_flight += 1
        self._waiting.append((size, done))
        self._serve(at)

    def _serve(self, at):
        while self._free and self._waiting:
            size, done = self._waiting.popleft()
            self._free -= 1
            self.plan(at + size, lambda at, done=done: self._end(at, done))

    def _end(self, at, done):
        self.in_flight -= 1
        self._free += 1
        done(at)
        self._serve(at)
