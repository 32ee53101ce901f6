"""Hedging: a read that has waited for longer than its device's p95 is sent to a second one too.

    after     tail_time of the first device (load/tail_time.py); whichever answers first is taken
    where     the next of the order, if no more than `limit` reads of this host are queued there,
              and the node is asked to decline if it has more than `limit` requests, those that
              stream to this host not counted
    limit     LIMIT, and one more for each further tail_time that it takes: after one it may be
              chance, and is worth the time of a device that idles; after three it is none, and any
              queue that is shorter than that is worth it
    budget    a token for each hedge. Each request to a device earns 1/21 of one: of 21 requests one
              may be a hedge, 5 % more than without. At most CAP are kept, none at first

Dean and Barroso, "The tail at scale", CACM 2013: a second request after the 95th percentile is
some 5 % of load and takes most of the tail. A hedge is to use capacity that idles: where it makes
others wait, hedging feeds on itself, so it stops by itself as the devices get busy.

    LIMIT = 0       requests. With 1, three clients on three devices get 1 to 3 % less; a limit that
                    does not grow leaves a read behind a pause of 500 ms where nobody idles
                    (swift-lb sim, five seeds)
    RETRY = 10 ms   at least, and an eighth of the time waited, before a hedge that was refused is
                    tried again: where everything is late, trying is all a worker would do
    CAP = 10        tokens: gRPC's, which throttles retries with a bucket of ten. One disk of three
                    pauses: with 1 the p99.9 is a third greater, 100 changes nothing (swift-lb sim)
"""

LIMIT = 0
RETRY = 0.010      # seconds
CAP = 10.0
EARNED = 1.0 / 21.0     # a request


class HedgeBudget:
    """The tokens of one book."""

    __slots__ = ('_tokens',)

    def __init__(self, tokens=None):
        """`tokens` is where they are kept, a mutable sequence of one number."""
        self._tokens = [0.0] if tokens is None else tokens

    def earn(self):
        """Account for a request to a device."""
        tokens = self._tokens[0] + EARNED
        if not EARNED <= tokens <= CAP:     # or it is what nobody wrote, where memory is shared
            tokens = CAP if tokens > CAP else 0.0
        self._tokens[0] = tokens

    def spend(self):
        """Take a token for a hedge; return whether there was one."""
        tokens = self._tokens[0]
        if not 1.0 <= tokens <= CAP:
            return False
        self._tokens[0] = tokens - 1.0
        return True


def delay_of(book, node, size_class):
    """Return after how many seconds a read of `node` may be hedged, None where that is unknown."""
    return book.tail_time(node, size_class)


def hedge(book, node, waited, delay):
    """Return (the most requests that `node` may have and be asked now as a second one, None).

    That has taken a token. If it may not be asked, (None, after how many seconds to try again).
    """
    limit = LIMIT + max(0, round(waited / delay) - 1)
    if book.queued(node) <= limit and book.hedges.spend():
        return limit + book.snapshot((node,)).of(node).streaming, None
    return None, max(delay, RETRY, waited / 8)
