"""Clients in front of a few slots, first come, first served, in virtual time."""
from collections import deque

from swift_lb.sim.agenda import Agenda


class Slots(Agenda):
    """A number of slots and a queue; `in_flight` counts requests."""

    def __init__(self, slots):
        super().__init__()
        self.in_flight, self._free, self._waiting = 0, slots, deque()

    def plan(self, at, what):
        """Plan a call of `what(at)` at the instant `at`."""
        self.at(at, what, at)

    def come(self, at, size, done):
        """Take a request of `size` seconds of service; `done(at)` is called when it is served."""
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
