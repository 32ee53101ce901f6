"""COSBench's histogram of response times: buckets of ten whole milliseconds, up to 500 seconds."""
from itertools import chain

from swift_lb.wire.cosbench.cells import line, percent

WIDTH = 10            # milliseconds
LAST = 50_000         # the bucket of all that took 500 s or longer
ENDLESS = 2**63 - 1   # its upper edge, as COSBench prints it
PERCENTILES = (0.60, 0.80, 0.90, 0.95, 0.99)   # and the last


def percentiles(buckets):
    """Return COSBench's 60, 80, 90, 95, 99 and 100 % in milliseconds; Nones without a count.

    `buckets` maps a bucket to its count. Each is the upper edge of the first bucket by whose end
    int(n * p) have been counted; where that is 0 it is the first bucket's, counted or not.
    """
    total = sum(buckets.values())
    if not total:
        return (None,) * (len(PERCENTILES) + 1)
    wanted = [*(int(total * share) for share in PERCENTILES), total]
    return tuple(_upper_edge(_reached(buckets, count)) for count in wanted)


def _reached(buckets, count):
    below = 0
    for bucket in sorted(buckets) if count else ():
        below += buckets[bucket]
        if below >= count:
            return bucket
    return 0


def _upper_edge(bucket):
    return ENDLESS if bucket >= LAST else (bucket + 1) * WIDTH


def table(columns):
    """Yield the lines of the histogram's file, from (name, buckets) pairs.

    Each becomes two columns, the counts and the percentage up to and including the line; where
    buckets are None their cells are empty.
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
        else:  # most lines: all that changes is the label
            rest = rest or line(['', *chain.from_iterable(
                column.cells(bucket) for column in columns)])
            yield label + rest


class _Column:
    """The counts of one operation, told line by line."""

    def __init__(self, buckets):
        self.buckets, self._missing = buckets or {}, buckets is None
        self._total, self._below = sum(self.buckets.values()), 0

    def cells(self, bucket):
        """Return the count of `bucket` and the share up to it, which is asked for in order."""
        if self._missing:
            return '', ''
        count = self.buckets.get(bucket, 0)
        self._below += count
        return count, percent(self._below / self._total if self._total else 0)
