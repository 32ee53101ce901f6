"""Counters as rates: the mean of the last seconds, lest one more or less is a leap. Pure."""
from collections import deque
from itertools import islice

OVER = 5.0          # seconds over which is counted


class Rates:
    """How much each of several counters, which only grow, grows per second."""

    def __init__(self):
        self._looks = deque()   # (instant, counts): the newest, and those of the last OVER seconds

    def at(self, now, counts):
        """Return {name: rate} of {name: count}; None of None, after which it begins anew."""
        if counts is None or self._is_another(counts):
            self._looks.clear()
        if counts is None:
            return None
        self._looks.append((now, counts))
        while len(self._looks) > 2 and self._looks[1][0] <= now - OVER:
            self._looks.popleft()
        return {name: self._rate(name, count, now) for name, count in counts.items()}

    def _is_another(self, counts):
        """Return whether a count has gone back: what counts has been made anew."""
        return bool(self._looks) and any(
            counts.get(name, 0) < count for name, count in self._looks[-1][1].items())

    def _rate(self, name, count, now):
        """Return how much a count has grown per second since the first look that had it.

        Of who has just come it is not known since when it has been counted.
        """
        for at, before in islice(self._looks, len(self._looks) - 1):
            if name in before and now > at:
                return (count - before[name]) / (now - at)
        return 0.0
