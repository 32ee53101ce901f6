"""Clients in front of a few slots, first come, first served, in virtual time."""
import heapq
from collections import deque


class Slots:
    """A number of slots and a queue; `agenda` is a heap of events, `in_flight` counts requests."""

    def __init__(self, slots):
        self.in_flight = 0
        self.agenda, self._free, self._waiting, self._turn = [], slots, deque(), 0

    def plan(self, at, what):
        """Plan a call of `what(at)` at the instant `at`."""
        self._turn += 1
        heapq.heappush(self.agenda, (at, self._turn, what))

    def run(self, until):
        """Run all that is planned before `until`."""
        while self.agenda and self.agenda[0][0] < until:
            at, _turn, what = heapq.heappop(self.agenda)
            what(at)

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
