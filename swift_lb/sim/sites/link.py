"""A simulated link between clusters, one direction: all bodies share its rate equally."""
from heapq import heappop, heappush


class SharedLink:
    """Sends bodies by processor sharing: each of n bodies gets 1/n of the rate."""

    def __init__(self, agenda, rate):
        self.rate = rate            # bytes per second; 0: it does not work
        self._agenda, self._number = agenda, 0
        self._due = 0               # number of the last wait; earlier ones are void
        self._each, self._at = 0.0, 0.0     # bytes that each body got since the start, until when
        self._bodies = []           # a heap: (value of _each at which it is sent, number, done)

    def set_rate(self, rate):
        """Change the rate, bytes per second, from now on; 0: nothing is sent."""
        self._advance()
        self.rate = rate
        self._wait()

    def send(self, size, done):
        """Send a body of `size` bytes; call done() when its last byte is sent."""
        self._advance()
        self._number += 1
        heappush(self._bodies, (self._each + size, self._number, done))
        self._wait()

    def seconds(self, size):
        """Return the seconds until `size` bytes would be sent, if no other body came."""
        self._advance()
        last, seconds, each = self._each + size, 0.0, self._each
        ends = sorted(end for end, _number, _done in self._bodies if end < last)
        others = len(self._bodies) + 1
        for place, end in enumerate([*ends, last]):
            seconds += (end - each) * (others - place)
            each = end
        return seconds / self.rate if self.rate else float('inf')

    def _advance(self):
        now = self._agenda.now
        if self._bodies:
            self._each += (now - self._at) * self.rate / len(self._bodies)
        self._at = now

    def _wait(self):
        """Have _look() called when the next body is sent; earlier waits are void."""
        if self._bodies and self.rate:
            left = max(0.0, self._bodies[0][0] - self._each)
            self._number += 1
            self._due = self._number
            self._agenda.at(self._at + left * len(self._bodies) / self.rate, self._look, self._due)

    def _look(self, due):
        if due != self._due or not self.rate:
            return
        self._advance()
        self._each = self._bodies[0][0]     # exactly: rounding must not delay it again
        _end, _number, done = heappop(self._bodies)
        self._wait()
        done()
