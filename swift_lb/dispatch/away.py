"""How many of one worker's reads another cluster serves now, beyond those in its summary. Pure.

    more    reads there now - reads there when the cluster's last summary came; 0 at least

A summary has the seconds of a read beside those that were there when it was made. So only what has
been added since makes a read later than the summary says (as `ours` of dispatch/outlook.py). If
each read counted that was sent since the summary, a cluster that serves a hundred a second would
look worse and worse until its next one, and reads would come in waves of an interval: in
`swift-lb sim sites`, spill, the mean was 2.7 times the oracle's, and is 1.3.

The end of a fetched read is seen. A redirected one is there for as long as was predicted.
"""
from collections import Counter
from heapq import heappop, heappush


class ReadsAway:
    """The number of one worker's reads in each other cluster, now and at its last summary."""

    def __init__(self):
        self._there = Counter()     # cluster -> reads there now
        self._then = {}             # cluster -> (which summary, reads there when it came)
        self._redirected = []       # a heap: (instant of the predicted end, cluster)

    def began(self, cluster, until=None):
        """Count a read that `cluster` serves from now on.

        It counts until the instant `until`, as one that is redirected, or until ended() is called.
        """
        self._there[cluster] += 1
        if until is not None:
            heappush(self._redirected, (until, cluster))

    def ended(self, cluster):
        """Note that a read has ended, or that `cluster` has not answered it."""
        self._there[cluster] -= 1

    def forget(self, now):
        """Count redirected reads no longer whose instant `until` has passed at `now`."""
        while self._redirected and self._redirected[0][0] <= now:
            self.ended(heappop(self._redirected)[1])

    def more(self, cluster, summary):
        """Return how many more reads are in `cluster` than when its last `summary` came."""
        last = summary.epoch, summary.sequence
        if self._then.get(cluster, (None,))[0] != last:
            self._then[cluster] = last, self._there[cluster]
        return max(0, self._there[cluster] - self._then[cluster][1])
