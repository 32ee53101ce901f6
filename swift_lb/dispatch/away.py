"""The reads of one worker that other clusters serve now, and how many more since a summary. Pure.

    more    reads there now - reads there when the cluster's last summary came; 0 at least

A summary counts the reads that were there when it was made, and those that have ended since are
gone, so only the difference adds to the seconds that it foretells (in-flight debit, as `ours` of
dispatch/outlook.py). If each read counted that was sent since the summary, a cluster that serves a
hundred a second would look worse and worse until its next one, and reads would come in waves of an
interval: in `swift-lb sim sites`, spill, the mean was 2.7 times the oracle's, and is 1.3.

The end of a fetched read is seen. A redirected one is there for as long as was predicted.
"""
from collections import Counter
from heapq import heappop, heappush


class ReadsAway:
    """Counts the reads of one worker in each other cluster."""

    def __init__(self):
        self._there = Counter()     # cluster -> reads there now
        self._then = {}             # cluster -> (which summary, reads there when it came)
        self._redirected = []       # a heap: (instant of the predicted end, cluster)

    def began(self, cluster, until=None):
        """Count a read that `cluster` serves from now on; `until` is its end if it is redirected.

        Any other one counts until ended() is called.
        """
        self._there[cluster] += 1
        if until is not None:
            heappush(self._redirected, (until, cluster))

    def ended(self, cluster):
        """Note that a read has ended, or that `cluster` has not answered it."""
        self._there[cluster] -= 1

    def forget(self, now):
        """Let redirected reads end whose predicted seconds have passed."""
        while self._redirected and self._redirected[0][0] <= now:
            self.ended(heappop(self._redirected)[1])

    def more(self, cluster, summary):
        """Return how many more reads are there than when `summary`, the last one, came."""
        last = summary.epoch, summary.sequence
        if self._then.get(cluster, (None,))[0] != last:
            self._then[cluster] = last, self._there[cluster]
        return max(0, self._there[cluster] - self._then[cluster][1])
