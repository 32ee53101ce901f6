"""Shares of the last minutes: those given to new clients, and those intended."""
from collections import deque

WINDOW = 300.0      # seconds
STEP = 10.0         # seconds between two points


class Recent:
    """Counts of answers as they were some minutes ago."""

    def __init__(self):
        self._points = deque([(float('-inf'), {}, {})])     # (instant, given, expected)

    def note(self, totals, now):
        """Keep the Totals of the instant `now`."""
        if now - self._points[-1][0] < STEP:
            return
        self._points.append((now, dict(totals.given), dict(totals.expected)))
        while self._points[1][0] <= now - WINDOW:
            self._points.popleft()

    def shares(self, totals):
        """Return ({(family, node): share given}, {(family, node): share intended}) within WINDOW.

        An answer has several addresses of which a client uses any one; so a node with a fraction of
        all given addresses gets that fraction of the clients.
        """
        _at, given, expected = self._points[0]
        return shares(since(given, totals.given)), shares(since(expected, totals.expected))


def since(before, now):
    """Return the difference of two counts."""
    return {key: count - before.get(key, 0) for key, count in now.items()}


def shares(counts):
    """Return {(family, node): fraction of its family}; families without answers are omitted."""
    sums = dict.fromkeys((family for family, _node in counts), 0)
    for (family, _node), count in counts.items():
        sums[family] += count
    return {key: count / sums[key[0]] for key, count in counts.items() if sums[key[0]] > 0}
