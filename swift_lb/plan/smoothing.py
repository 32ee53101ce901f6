"""How a node smooths what it reports: dampened loads, rates, and a ramp after a start. Pure.

    load = dampening x previous load + (1 - dampening) x new load

is Cygnus' dampening (section 3.4): "The higher the value, the lower the percentage of the newly
reported load is taken into account".
"""
from collections import deque
from itertools import islice

RATE_SECONDS = 5.0  # a rate is the mean of so many: one request more or less is then no leap
DAMPENING = 0.1     # weight of the load before, unless a conf has another
BEGIN = 0.1         # fraction of its weight that a node begins with


def dampened(before, reported, dampening):
    """Return the weighted mean of two loads; `dampening`, 0 to 1, is the weight of `before`.

    If `before` or `reported` is None, returns `reported`.
    """
    if reported is None or before is None:
        return reported
    return dampening * before + (1 - dampening) * reported


def ramp(seconds, whole):
    """Return the fraction of its weight that a node gets `seconds` after its start, BEGIN to 1.

    It grows linearly, and is 1 after `whole` seconds.
    """
    if seconds >= whole or whole <= 0:
        return 1.0
    return BEGIN + (1 - BEGIN) * max(0.0, seconds) / whole


class Rates:
    """Growth per second of counters over 5 s; if a count is less than before, all start again."""

    def __init__(self):
        self._looks = deque()   # (instant, counts): the newest, and those of RATE_SECONDS before it

    def at(self, now, counts):
        """Return {name: growth per second} of the counters {name: count} at the instant `now`.

        Returns None if `counts` is None; counting then starts again.
        """
        if counts is None or self._is_restarted(counts):
            self._looks.clear()
        if counts is None:
            return None
        self._looks.append((now, counts))
        while len(self._looks) > 2 and self._looks[1][0] <= now - RATE_SECONDS:
            self._looks.popleft()
        return {name: self._rate(name, count, now) for name, count in counts.items()}

    def _is_restarted(self, counts):
        return bool(self._looks) and any(
            counts.get(name, 0) < count for name, count in self._looks[-1][1].items())

    def _rate(self, name, count, now):
        """Return the growth per second since the first count of `name`; 0 if this is the first."""
        for at, before in islice(self._looks, len(self._looks) - 1):
            if name in before and now > at:
                return (count - before[name]) / (now - at)
        return 0.0
