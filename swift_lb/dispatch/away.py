"""How many more of one worker's reads another cluster serves now than usual. Pure.

Parts of images are counted apart, by the seconds of work that they give to the decoders there.

    more    reads there now - usual
    usual   += (seen - usual) / SUMMARIES, at each summary
    seen    mean of the reads there, over the decisions between two summaries

The seconds that a summary tells include the reads that were there when it was made. Since then some
of these have ended and others have come, so only the difference changes the seconds (in-flight
debit, as `ours` of dispatch/outlook.py). If every read counted that was sent since the summary, a
cluster that serves a hundred a second would look worse and worse until its next one, and reads
would come in waves of an interval: in `swift-lb sim sites`, spill, the mean is then 2.7 times the
oracle's.

`more` is negative if fewer are there. If it were 0 at least, a cluster where many reads have ended
would look full until its next summary, and reads would wait here: 1.22 times the oracle's mean,
instead of 1.12.

`usual` is a mean over several summaries, since the number at the instant at which one comes varies
by chance. Summaries, too, tell the seconds for a mean number in flight (dispatch/served_times.py),
and the forecast of these is mostly a mean of several.

    SUMMARIES = 5       with 1, the fractions of reads that went to each of two clusters with the
                        same load rose and fell by 5 % of all reads, twice a minute in some runs
                        (many-3); with 4 to 8, once

A fetched read counts until its end is seen, a redirected one for as long as was predicted.

A summary tells of decoders the seconds until one is free, at an instant: that is the work there,
not a mean, and jobs are done one after another. So of parts of images count

    there   seconds of a decoder, as predicted, of those that have not ended
    more    there - what it was when the last summary came. The summary is older than that: what
            this worker has sent meanwhile is not in it. So `there` is a lower bound of the work

They count as seconds, not as reads: a part of 4,194,304 pixels is eight times as much work as one
of 262,144.
"""
from collections import Counter
from heapq import heappop, heappush

SUMMARIES = 5


class Away:
    """What one worker has in each other cluster now, in any unit, such as reads."""

    def __init__(self):
        self._there = Counter()     # cluster -> what is there now
        self._redirected = []       # a heap: (instant of the predicted end, cluster, amount)

    def began(self, cluster, until=None, amount=1):
        """Count a read that `cluster` serves from now on.

        A redirected read counts until the instant `until`, monotonic seconds, at which its end is
        predicted; a fetched one, without `until`, until ended() is called with the same `amount`.
        """
        self._there[cluster] += amount
        if until is not None:
            heappush(self._redirected, (until, cluster, amount))

    def ended(self, cluster, amount=1):
        """Note that a read has ended, or that `cluster` has not answered it."""
        self._there[cluster] -= amount

    def forget(self, now):
        """Stop counting the redirected reads whose instant `until` has passed at `now`."""
        while self._redirected and self._redirected[0][0] <= now:
            self.ended(*heappop(self._redirected)[1:])


class ReadsAway(Away):
    """The number of one worker's reads in each other cluster, now and usually."""

    def __init__(self):
        super().__init__()
        self._usual = {}            # cluster -> UsualReads

    def more(self, cluster, summary):
        """Return how many more reads are in `cluster` now than usual when its last `summary` came.

        `summary` is a ClusterSummary. Call this once for each decision: the mean of the reads that
        these calls find there is `seen`.
        """
        there, last = self._there[cluster], (summary.epoch, summary.sequence)
        usual = self._usual.get(cluster)
        if usual is None:
            usual = self._usual[cluster] = UsualReads(there, last)
        return there - usual.of(there, last)


class WorkAway(Away):
    """The seconds of work that one worker's parts of images are for the decoders of clusters."""

    def __init__(self):
        super().__init__()
        self._then = {}             # cluster -> (its last summary, what was there when it came)

    def there_and_more(self, cluster, summary):
        """Return (there, more) in seconds, of a cluster whose last ClusterSummary is `summary`.

        Call this once for each decision.
        """
        there, last = max(0.0, self._there[cluster]), (summary.epoch, summary.sequence)
        known, then = self._then.get(cluster, (None, 0.0))
        if known != last:
            then = there
            self._then[cluster] = last, there
        return there, there - then


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
