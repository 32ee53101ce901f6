"""Who is asked by this host's dispatchers to serve what they hand on: read from their book."""
from collections import Counter

from swift_lb.load.table import ERRORS, SUCCESSES, TIMEOUTS, Table
from swift_lb.plan.smoothing import Rates
from swift_lb.wire.node_report import MOST_RATE, NAME

ENDED = (SUCCESSES, ERRORS, TIMEOUTS)


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
        self._counts, self._rates = counts, Rates()

    def __call__(self, now):
        """Return {node: rate} of all that are asked anything, None where there is no book."""
        rates = self._rates.at(now, self._counts())
        return rates and {node: rate for node, rate in rates.items() if 0 < rate <= MOST_RATE}
