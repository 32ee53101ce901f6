"""Who is asked by this host's dispatchers to serve what they hand on: read from their book."""
from collections import Counter, deque
from itertools import islice

from swift_lb.load.table import ERRORS, SUCCESSES, TIMEOUTS, Table
from swift_lb.wire.node_report import LEAST_RATE, MOST_FLOWS, MOST_RATE, NAME

ENDED = (SUCCESSES, ERRORS, TIMEOUTS)
OVER = 5.0          # seconds over which requests are counted, lest one more or less is a leap


def handed_on(buffer, _alive):
    """Return {node: requests it was ever asked by dispatchers that are over}, well or badly.

    `buffer` is a table whose records are peers: load/table.py. A node may have had two addresses.
    """
    found, counts = Table(buffer), Counter()
    for index in range(found.count):
        peer, words = found.name(index), found.words(index)[1]
        if peer is not None and NAME.fullmatch(peer.device):
            counts[peer.device] += sum(words[field] for field in ENDED)
    return counts


class Flows:
    """The requests per second that are handed on to each node."""

    def __init__(self, counts):
        """`counts()` returns what handed_on() does, or None: there is no book."""
        self._counts = counts
        self._looks = deque()   # (instant, counts): the newest, and those of the last OVER seconds

    def __call__(self, now):
        """Return ((node, rate), ...), the largest first, None where there is no book."""
        counts = self._counts()
        if counts is None or self._is_another(counts):
            self._looks.clear()
        if counts is None:
            return None
        self._looks.append((now, counts))
        while len(self._looks) > 2 and self._looks[1][0] <= now - OVER:
            self._looks.popleft()
        rates = {node: self._rate(node, count, now) for node, count in counts.items()}
        told = [(node, rate) for node, rate in rates.items() if LEAST_RATE <= rate <= MOST_RATE]
        return tuple(sorted(told, key=lambda one: (-one[1], one[0]))[:MOST_FLOWS])

    def _is_another(self, counts):
        """Return whether a count has gone back: the book has been made anew."""
        return bool(self._looks) and any(
            counts[node] < count for node, count in self._looks[-1][1].items())

    def _rate(self, node, count, now):
        """Return how much its count has grown per second since the first look that had it.

        Of who has just come it is not known since when it has been asked.
        """
        for at, before in islice(self._looks, len(self._looks) - 1):
            if node in before and now > at:
                return (count - before[node]) / (now - at)
        return 0.0
