"""How many more of one worker's reads another cluster serves now than usual. Pure.

    more    reads there now - usual
    usual   += (seen - usual) / SUMMARIES, at each summary
    seen    mean of the reads there, over the decisions between two summaries

A summary's seconds include the reads that were there when it was made, and those that have ended
since are gone, so only the difference changes them (in-flight debit, as `ours` of
dispatch/outlook.py). If each read counted that was sent since the summary, a cluster that serves a
hundred a second would look worse and worse until its next one, and reads would come in waves of an
interval: in `swift-lb sim sites`, spill, the mean was 2.7 times the oracle's.

`more` is negative if fewer are there. With 0 at least, a cluster where many reads have ended looks
full until its next summary, and reads wait here: 1.22 times the oracle's mean, and 1.12 without.

The number at the instant at which a summary comes varies by chance; so summaries, too, tell the
time for a mean number in flight (dispatch/served_times.py). And the forecast of their seconds is
mostly a mean of several:

    SUMMARIES = 5       with 1, the reads that went to each of two clusters with the same load
                        turned by 5 points twice a minute in some runs (many-3); with 4 to 8 once

The end of a fetched read is seen. A redirected one is there for as long as was predicted.
"""
from collections import Counter
from heapq import heappop, heappush

SUMMARIES = 5


class ReadsAway:
    """The number of one worker's reads in each other cluster, now and usually."""

    def __init__(self):
        self._there = Counter()     # cluster -> reads there now
        self._usual = {}            # cluster -> UsualReads
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
        """Return how many more reads are in `cluster` now than usual when its last `summary` came.

        It is to be called for each decision: the reads that it finds there are `seen`.
        """
        there, last = self._there[cluster], (summary.epoch, summary.sequence)
        usual = self._usual.get(cluster)
        if usual is None:
            usual = self._usual[cluster] = UsualReads(there, last)
        return there - usual.of(there, last)


class UsualReads:
    """The reads that decisions usually find in one cluster."""

    __slots__ = ('_last', '_seen', '_times', '_usual')

    def __init__(self, there, last):
        """Begin with the reads that are `there`; `last` identifies the last summary."""
        self._usual, self._last, self._seen, self._times = float(there), last, 0, 0

    def of(self, there, last):
        """Return the usual number when the summary `last` came; a decision finds `there` reads."""
        if self._last != last:
            self._usual += (self._seen / self._times - self._usual) / SUMMARIES
            self._last, self._seen, self._times = last, 0, 0
        self._seen += there
        self._times += 1
        return self._usual
