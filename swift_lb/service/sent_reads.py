"""What the proxies of one host have sent to other clusters in the last WINDOW seconds. Pure."""
from collections import deque
from typing import NamedTuple

from swift_lb.wire.observations import SentReads

WINDOW = 60.0       # seconds, in which a read every few seconds still counts some times


class SentRates(NamedTuple):
    """The reads that one host sends to another cluster; None if none was measured."""

    fetched: float              # per second
    redirected: float           # per second
    predicted: float | None     # mean seconds of fetched ones, from the decision to the end
    measured: float | None      # mean seconds that the same reads took


class RecentReads:
    """Keeps SentReads for WINDOW seconds, and makes rates of them."""

    def __init__(self):
        self._recent = deque()      # (instant, SentReads), the oldest first

    def add(self, sent, now):
        """Add SentReads that were told at `now`, monotonic seconds."""
        self._recent.extend((now, one) for one in sent)
        self._forget(now)

    def _forget(self, now):
        while self._recent and now - self._recent[0][0] > WINDOW:
            self._recent.popleft()

    def of(self, cluster, now):
        """Return the SentRates to `cluster` at `now`, monotonic seconds."""
        self._forget(now)
        rows = [one[1:] for _at, one in self._recent if one.cluster == cluster]
        fetched, redirected, measured, predicted, taken = map(
            sum, zip(*rows, SentReads(cluster)[1:], strict=True))
        return SentRates(fetched / WINDOW, redirected / WINDOW,
                         predicted / measured if measured else None,
                         taken / measured if measured else None)
