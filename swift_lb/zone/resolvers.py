"""The number of resolvers that ask in a TTL: a few resolvers cannot follow shares closely. Pure.

A resolver asks once a TTL for a name that its clients use, so a window of one TTL sees every
resolver in use. Windows begin at the multiples of the TTL.

    MAX_RESOLVERS = 10_000      more are counted as 10,000: a thousand are enough for shares that
                                are exact to a thousandth or so
"""
from math import inf

MAX_RESOLVERS = 10_000


class Resolvers:
    """The resolvers that asked in this window of one TTL, and their number in the window before."""

    __slots__ = ('_before', '_end', '_seen', '_ttl', '_window')

    def __init__(self, ttl):
        """Take `ttl`, the length of a window in seconds."""
        self._ttl = ttl
        self._seen, self._before = set(), 0
        self._window, self._end = -inf, -inf

    def note(self, ip, now):
        """Note a query from the resolver `ip` at `now` (monotonic seconds)."""
        if now >= self._end:
            self._start_window(now)
        if len(self._seen) < MAX_RESOLVERS:
            self._seen.add(ip)

    def count(self, now):
        """Return how many resolvers asked in the last whole TTL, or in this one if more did."""
        if now >= self._end:
            self._start_window(now)
        return max(self._before, len(self._seen))

    def _start_window(self, now):
        """Start the window that contains `now`; of the last window only the number is kept."""
        window = now // self._ttl
        self._before = len(self._seen) if window == self._window + 1 else 0
        self._window, self._end, self._seen = window, (window + 1) * self._ttl, set()
