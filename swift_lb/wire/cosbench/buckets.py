"""COSBench's histogram of response times: buckets of 10 ms, up to 500 s."""
from bisect import bisect_left
from itertools import accumulate, chain

from swift_lb.wire.cosbench.cells import line, percent

WIDTH = 10            # milliseconds
LAST = 50_000         # the bucket of response times of 500 s and more
ENDLESS = 2**63 - 1   # its upper edge, as COSBench prints it
PERCENTILES = (0.60, 0.80, 0.90, 0.95, 0.99)   # and the last


def percentiles(buckets):
    """Return COSBench's 60, 80, 90, 95, 99 and 100 % percentiles in ms, each None without samples.

    `buckets` is {number of a bucket: count of samples}. The percentile p of n samples is the upper
    edge of the first bucket at which the cumulative count reaches int(n * p); if int(n * p) is 0,
    it is the upper edge of bucket 0, even if that is empty.
    """
    total = sum(buckets.values())
    if not total:
        return (None,) * (len(PERCENTILES) + 1)
    ordered = sorted(buckets)
    reached = list(accumulate(buckets[bucket] for bucket in ordered))
    counts = (*(int(total * share) for share in PERCENTILES), total)
    wanted = [ordered[bisect_left(reached, count)] if count else 0 for count in counts]
    return tuple(ENDLESS if bucket >= LAST else (bucket + 1) * WIDTH for bucket in wanted)


def table(columns):
    """Yield the lines of COSBench's histogram file; `columns` are (operation name, buckets) pairs.

    Each pair becomes two columns: the count of a bucket, and the percentage of all samples up to
    and including this bucket. The cells are empty for a pair whose buckets are None.
    """
    yield line(['ResTime', *chain.from_iterable((name, '(%)') for name, _ in columns)])
    columns = [_Column(buckets) for _, buckets in columns]
    busy = set().union(*(column.buckets for column in columns))
    rest = ''
    for bucket in range(LAST + 1):
        edge = '+INF' if bucket == LAST else (bucket + 1) * WIDTH
        label = f'{bucket * WIDTH}~{edge}'
        if bucket in busy:
            yield line([label, *chain.from_iterable(column.cells(bucket) for column in columns)])
            rest = ''
        else:  # as in most lines, only the label changes
            rest = rest or line(['', *chain.from_iterable(
                column.cells(bucket) for column in columns)])
            yield label + rest


class _Column:
    """The response time counts of one operation, read bucket by bucket in ascending order."""

    def __init__(self, buckets):
        self.buckets, self._missing = buckets or {}, buckets is None
        self._total, self._below = sum(self.buckets.values()), 0

    def cells(self, bucket):
        """Return (count, cumulative percentage) of `bucket`; to be called in ascending order."""
        if self._missing:
            return '', ''
        count = self.buckets.get(bucket, 0)
        self._below += count
        return count, percent(self._below / self._total if self._total else 0)
