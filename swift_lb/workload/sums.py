"""The sums of one operation in one driver during a run, and their form for sending."""
from array import array
from collections import Counter
from typing import NamedTuple

from hdrh.histogram import HdrHistogram

LONGEST = 3_600_000_000   # microseconds: an hour; longer times are recorded as an hour
DIGITS = 3                # significant digits in the histogram


def new_histogram():
    """Return an empty histogram of response times, 1 microsecond to 1 hour, three digits."""
    return HdrHistogram(1, LONGEST, DIGITS)


class OpCounts(NamedTuple):
    """One driver's counts of one operation; small enough to send through a pipe."""

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
    """The sums over samples of one operation."""

    __slots__ = ('bytes', 'failures', 'response_time', 'successes', 'transfer_time')

    def __init__(self):
        """Start at zero."""
        self.successes = self.failures = self.bytes = 0
        self.response_time = self.transfer_time = 0.0

    def sums(self):
        """Return the sums in the order of Progress."""
        return (self.successes, self.failures, self.bytes,
                self.response_time, self.transfer_time)


class CountedSums(Sums):
    """The sums inside the measured window, with what the result needs beside them."""

    __slots__ = ('_histogram', 'buckets', 'reasons', 'record', 'resent', 'unfinished',
                 'worker_bytes', 'worker_successes')

    def __init__(self, workers):
        """Start at zero, with a place for each of the workers."""
        super().__init__()
        self._histogram = new_histogram()
        self.record = self._histogram.record_value   # of microseconds
        self.buckets, self.reasons, self.unfinished, self.resent = Counter(), Counter(), 0, 0
        self.worker_successes = array('q', [0]) * workers
        self.worker_bytes = array('q', [0]) * workers

    def counts(self, windows):
        """Return the OpCounts, given each worker's window in seconds.

        The rates of the workers are added up here, because each worker lives in one driver only.
        """
        return OpCounts(*self.sums(), _rate(self.worker_successes, windows),
                        _rate(self.worker_bytes, windows), self._histogram.encode(),
                        dict(self.buckets), dict(self.reasons), self.unfinished, self.resent)


def _rate(amounts, windows):
    """Return the sum over workers of amount per second.

    A window of length 0, for which COSBench computes infinity, adds nothing.
    """
    return sum(amount / window for amount, window in zip(amounts, windows, strict=True)
               if amount and window > 0)
