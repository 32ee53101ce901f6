"""What is derived from the counts: the figures COSBench prints, the real percentiles, the verdict.

Times are seconds, but for COSBench's percentiles, which are the edges of its buckets in
milliseconds. None is COSBench's N/A.
"""
from bisect import bisect_left
from operator import itemgetter
from typing import NamedTuple

from swift_lb.wire.cosbench.buckets import percentiles as bucket_percentiles

PERCENTILES = {'p50': 500, 'p75': 750, 'p90': 900, 'p95': 950, 'p99': 990, 'p99.9': 999}
MILLION = 1_000_000


class Figures(NamedTuple):
    """One operation as COSBench tells of it."""

    successes: int
    bytes: int
    response_time: float | None     # mean over the successes
    processing_time: float | None   # of it, what was not the transfer of the body
    percentiles: tuple              # 60 80 90 95 99 100 %: upper edges in milliseconds
    throughput: float               # operations/s
    bandwidth: float                # bytes/s
    success_ratio: float | None     # none where nothing succeeded


def figures(op, percentiles=True):
    """Return the Figures of an OpResult; a work with histogram=false has no percentiles.

    COSBench truncates each time to whole milliseconds before it takes the mean; we do not.
    """
    return Figures(op.successes, op.bytes, *_means(op),
                   bucket_percentiles(op.buckets if percentiles else {}),
                   op.throughput, op.bandwidth, _ratio(op))


def figures_of_tick(progress, seconds):
    """Return the Figures of what a Progress says happened in `seconds`, without percentiles."""
    return Figures(progress.successes, progress.bytes, *_means(progress), (),
                   rate(progress.successes, seconds), rate(progress.bytes, seconds),
                   _ratio(progress))


def rate(amount, seconds):
    """Return `amount` per second: for an OpResult's successes and WorkResult.window, ours.

    0 where no time has passed.
    """
    return amount / seconds if seconds > 0 else 0.0


def _means(sums):
    if not sums.successes:
        return None, None
    return (sums.response_time / sums.successes,
            max(0.0, sums.response_time - sums.transfer_time) / sums.successes)


def _ratio(sums):
    return sums.successes / (sums.successes + sums.failures) if sums.successes else None


def operations_of(stage):
    """Return (work, operation) for each column of a Workstage's timeline."""
    return [(work, operation) for work in stage.works for operation in work.operations]


def op_name(operation):
    """Return what COSBench calls an Operation in its files: read, init-write, 1-read-read."""
    name = operation.name or operation.type
    return name if name == operation.sample_type else f'{name}-{operation.sample_type}'


def percentiles(histogram):
    """Return {'p50': seconds, ... 'p99.9': ..., 'max': ...} of a histogram; {} for an empty one.

    A percentile is the least time that at least so many of the requests did not exceed (nearest
    rank), to three digits.
    """
    total, steps = histogram.get_total_count(), list(times(histogram))
    if not total:
        return {}
    ranks = {name: -(-total * permille // 1000) for name, permille in PERCENTILES.items()}
    return {name: steps[bisect_left(steps, rank, key=itemgetter(1))][0]
            for name, rank in {**ranks, 'max': total}.items()}


def times(histogram):
    """Yield (seconds, how many took no longer) for each time a histogram has recorded, rising."""
    total = 0   # its own iterators take ten times as long
    for index, count in enumerate(histogram.counts):
        if count:
            total += count
            value = histogram.get_value_from_index(index)
            yield histogram.get_highest_equivalent_value(value) / MILLION, total


def stage_fault(stage):
    """Return in one sentence why a StageResult failed; '' where it did what it was to do.

    As COSBench: a work may fail `afr` times in a million, and each of its operations must have
    succeeded at least once if it was tried. And not as COSBench: something must have ended.
    """
    return '; '.join(fault for result in stage.works for fault in _faults(result))


def _faults(result):
    work, failures = result.work, sum(op.failures for op in result.ops)
    total = failures + sum(op.successes for op in result.ops)
    if failures * MILLION > total * work.afr:
        yield (f'work {work.name}: {failures:,} of {total:,} operations failed, '
               f'acceptable are {work.afr:,} in a million (afr)')
    for op in result.ops:
        if op.failures and not op.successes:
            yield f'work {work.name}: none of {op.failures:,} {op_name(op.operation)} succeeded'
    cut_off = sum(op.unfinished for op in result.ops)
    if cut_off and not total:
        yield f'work {work.name}: none of {cut_off:,} operations ended in the measured window'
