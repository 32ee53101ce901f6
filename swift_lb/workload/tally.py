"""The counters of a driver's workers, and the sums over all drivers.

This is the hot path of the runner: plain numbers in slots and arrays, and no allocation for an
operation where it can be avoided. Not safe for threads; a driver has one.
"""
from array import array
from collections import Counter
from math import inf

from hdrh.histogram import HdrHistogram

from swift_lb.wire.cosbench import buckets
from swift_lb.workload.result import OpResult, Progress, WorkResult

MAX_MICROSECONDS = 3_600_000_000   # microseconds: an hour; longer times are recorded as an hour
DIGITS = 3                # significant digits in the histogram


def new_histogram():
    """Return an empty HdrHistogram of response times: 1 us to 1 hour, three significant digits."""
    return HdrHistogram(1, MAX_MICROSECONDS, DIGITS)


class Sums:
    """The sums over all ended operations of one kind: successes, failures, bytes, seconds."""

    __slots__ = ('bytes', 'failures', 'response_time', 'successes', 'transfer_time')

    def __init__(self):
        self.successes = self.failures = self.bytes = 0
        self.response_time = self.transfer_time = 0.0

    def sums(self):
        """Return the sums as a tuple, in the order of the fields of Progress."""
        return (self.successes, self.failures, self.bytes, self.response_time, self.transfer_time)


class CountedSums(Sums):
    """The sums inside the measured window, with histograms, reasons and each worker's counts."""

    __slots__ = ('_histogram', 'buckets', 'reasons', 'record', 'resent', 'unfinished',
                 'worker_bytes', 'worker_successes')

    def __init__(self, workers):
        super().__init__()
        self._histogram = new_histogram()
        self.record = self._histogram.record_value   # of microseconds
        self.buckets, self.reasons, self.unfinished, self.resent = Counter(), Counter(), 0, 0
        self.worker_successes = array('q', [0]) * workers
        self.worker_bytes = array('q', [0]) * workers

    def counts(self, windows):
        """Return a dict of the counts, to be sent through a pipe; `windows`: each worker's seconds.

        The rates of the workers are added up here, because each worker belongs to one driver. The
        histogram has HdrHistogram's own encoding, which omits empty buckets.
        """
        return {**Progress(*self.sums())._asdict(),
                'throughput': _rate(self.worker_successes, windows),
                'bandwidth': _rate(self.worker_bytes, windows),
                'unfinished': self.unfinished, 'resent': self.resent,
                'histogram': self._histogram.encode(), 'buckets': dict(self.buckets),
                'reasons': dict(self.reasons)}


def _rate(amounts, windows):
    """Return the sum of all workers' rates: each one's amount / the seconds of its window.

    A window of length 0, for which COSBench computes infinity, adds nothing.
    """
    return sum(amount / window for amount, window in zip(amounts, windows, strict=True)
               if amount and window > 0)


BUCKET, LAST_BUCKET = buckets.WIDTH * 1000, buckets.LAST   # microseconds; 500 s and longer


class WorkTally:
    """The counts of one driver's workers for one work.

    `progress()` includes all operations that ended; `counts()` only those in the measured window:
    begin <= began < end and begin < ended <= end. As in COSBench, operations that cross a border of
    the window are omitted.
    """

    def __init__(self, operations, workers, begin, end):
        """Take the number of operations of the work, that of the workers, and the measured window.

        `begin` and `end` of the window are instants of the monotonic clock; `end` may be infinite.
        """
        self._begin, self._end = begin, end
        self._inside = tuple(CountedSums(workers) for _ in range(operations))
        self._outside = tuple(Sums() for _ in range(operations))
        self._first = array('d', [inf]) * workers   # a worker's window, over its operations
        self._last = array('d', [-inf]) * workers

    def success(self, operation, worker, began, ended, transfer_time, size, resent=0):
        """Count an operation that succeeded.

        `operation` and `worker` are numbers from 0; `began` and `ended` are instants;
        `transfer_time` is the time of the body's transfer in seconds, `size` its bytes, `resent`
        the number of requests that were sent twice for it.
        """
        response_time = ended - began
        if self._begin <= began < self._end and self._begin < ended <= self._end:
            sums = self._inside[operation]
            microseconds = int(response_time * 1e6 + 0.5)
            bucket = microseconds // BUCKET
            sums.buckets[bucket if bucket < LAST_BUCKET else LAST_BUCKET] += 1
            sums.record(1 if microseconds < 1 else
                        microseconds if microseconds < MAX_MICROSECONDS else MAX_MICROSECONDS)
            sums.worker_successes[worker] += 1
            sums.worker_bytes[worker] += size
            sums.resent += resent
            if began < self._first[worker]:
                self._first[worker] = began
            if ended > self._last[worker]:
                self._last[worker] = ended
        else:
            sums = self._outside[operation]
            self.unfinished(operation, began)
        sums.successes += 1
        sums.bytes += size
        sums.response_time += response_time
        sums.transfer_time += transfer_time

    def failure(self, operation, worker, began, ended, reason, resent=0):
        """Count an operation that failed; it is not timed, but extends its worker's window.

        A `reason` names a kind of failure, "HTTP 503" or "connection reset", never an object,
        because every different reason is kept. The other arguments are those of success().
        """
        if self._begin <= began < self._end and self._begin < ended <= self._end:
            sums = self._inside[operation]
            sums.reasons[reason] += 1
            sums.resent += resent
            self._first[worker] = min(self._first[worker], began)
            self._last[worker] = max(self._last[worker], ended)
        else:
            sums = self._outside[operation]
            self.unfinished(operation, began)
        sums.failures += 1

    def unfinished(self, operation, began, many=1):
        """Count `many` operations that began in the window, at `began`, and did not end in it.

        These are the slowest operations: with many of them, the other figures are too good.
        """
        self._inside[operation].unfinished += many * (self._begin <= began < self._end)

    def progress(self):
        """Return a tuple, the Progress of each operation of the work: the sums since its start."""
        return tuple(Progress(*map(sum, zip(inside.sums(), outside.sums(), strict=True)))
                     for inside, outside in zip(self._inside, self._outside, strict=True))

    def counts(self):
        """Return a tuple of dicts, the CountedSums.counts() of each operation of the work."""
        windows = [last - first for first, last in zip(self._first, self._last, strict=True)]
        return tuple(counted.counts(windows) for counted in self._inside)


def merge(work, index, counts):
    """Return the WorkResult of a Work, the `index`-th of its stage, from 1.

    `counts` holds what WorkTally.counts() returns, for each driver; they are added up.
    """
    ops = [OpResult(operation, histogram=new_histogram()) for operation in work.operations]
    for driver in counts:
        for op, op_counts in zip(ops, driver, strict=True):
            _add(op, op_counts)
    return WorkResult(work, index, ops)


def _add(op, counts):
    for name in ('successes', 'failures', 'bytes', 'response_time', 'transfer_time',
                 'throughput', 'bandwidth', 'unfinished', 'resent'):
        setattr(op, name, getattr(op, name) + counts[name])
    if counts['successes']:
        op.histogram.decode_and_add(counts['histogram'])
    op.buckets.update(counts['buckets'])
    op.reasons.update(counts['reasons'])
