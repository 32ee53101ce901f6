"""What is kept of one operation of one driver while it runs, and what is sent of it at the end."""
from array import array
from collections import Counter
from typing import NamedTuple

from hdrh.histogram import HdrHistogram

LONGEST = 3_600_000_000   # microseconds: an hour; what takes longer is counted as this
DIGITS = 3                # of precision in the histogram


def new_histogram():
    """Return an empty histogram of response times, 1 microsecond to 1 hour, three digits."""
    return HdrHistogram(1, LONGEST, DIGITS)


class OpCounts(NamedTuple):
    """What one driver counted of one operation; small, and pickles."""

    successes: int
    failures: int
    bytes: int
    response_time: float
    transfer_time: float
    throughput: float
    bandwidth: float
    histogram: bytes          # HdrHistogram's own encoding, empty buckets left out
    buckets: dict
    reasons: dict
    unfinished: int
    resent: int


class Sums:
    """Sums over samples of one operation."""

    __slots__ = ('bytes', 'failures', 'response_time', 'successes', 'transfer_time')

    def __init__(self):
        """Start at nothing."""
        self.successes = self.failures = self.bytes = 0
        self.response_time = self.transfer_time = 0.0

    def sums(self):
        """Return the sums in the order of Progress."""
        return (self.successes, self.failures, self.bytes,
                self.response_time, self.transfer_time)


class CountedSums(Sums):
    """The sums of what was inside the window, with all that is told about it at the end."""

    __slots__ = ('_histogram', 'buckets', 'reasons', 'record', 'resent', 'unfinished',
                 'worker_bytes', 'worker_successes')

    def __init__(self, workers):
        """Start at nothing, with a place for each of the workers."""
        super().__init__()
        self._histogram = new_histogram()
        self.record = self._histogram.record_value   # of microseconds
        self.buckets, self.reasons, self.unfinished, self.resent = Counter(), Counter(), 0, 0
        self.worker_successes = array('q', [0]) * workers
        self.worker_bytes = array('q', [0]) * workers

    def counts(self, windows):
        """Return the OpCounts, given each worker's window in seconds.

        What each worker did is folded into the rates: a worker lives in one driver only.
        """
        return OpCounts(*self.sums(), _rate(self.worker_successes, windows),
                        _rate(self.worker_bytes, windows), self._histogram.encode(),
                        dict(self.buckets), dict(self.reasons), self.unfinished, self.resent)


def _rate(amounts, windows):
    """Return the sum over workers of amount per second.

    A window of no length, where COSBench has infinity, adds nothing: no rate can be told from it.
    """
    return sum(amount / window for amount, window in zip(amounts, windows, strict=True)
               if amount and window > 0)
