"""Figures computed from counts: COSBench's, the true percentiles, and whether a stage failed.

Times are seconds, except COSBench's percentiles, which are edges of its buckets in milliseconds.
None is COSBench's N/A.
"""
import math
from bisect import bisect_left
from itertools import compress
from operator import itemgetter
from typing import NamedTuple

from swift_lb.drawing.text import printable
from swift_lb.wire.cosbench.buckets import percentiles as bucket_percentiles
from swift_lb.workload.limits import limits
from swift_lb.workload.result import OpResult

PERCENTILES = {'p50': 0.5, 'p75': 0.75, 'p90': 0.9, 'p95': 0.95, 'p99': 0.99, 'p99.9': 0.999,
               'max': 1.0}
MILLION = 1_000_000


class CosbenchFigures(NamedTuple):
    """The figures of one operation, as COSBench defines them."""

    successes: int
    bytes: int
    response_time: float | None     # the mean over the successes
    processing_time: float | None   # response_time without the transfer of the body
    percentiles: tuple              # 60 80 90 95 99 100 %: upper edges in milliseconds
    throughput: float               # operations/s
    bandwidth: float                # bytes/s
    success_ratio: float | None     # None if nothing succeeded


def figures(op, percentiles=True):
    """Return the CosbenchFigures of an OpResult.

    `percentiles` is false for a work with histogram=false, for which none are computed. COSBench
    truncates each time to whole milliseconds before it computes the mean; swift-lb does not.
    """
    return CosbenchFigures(op.successes, op.bytes, *_means(op),
                           bucket_percentiles(op.buckets if percentiles else {}),
                           op.throughput, op.bandwidth, _ratio(op))


def figures_of_tick(progress, seconds):
    """Return the CosbenchFigures of the sums in a Progress over `seconds`, without percentiles."""
    return CosbenchFigures(progress.successes, progress.bytes, *_means(progress), (),
                           rate(progress.successes, seconds), rate(progress.bytes, seconds),
                           _ratio(progress))


def rate(amount, seconds):
    """Return `amount` per second, 0 if `seconds` is 0."""
    return amount / seconds if seconds > 0 else 0.0


def _means(sums):
    if not sums.successes:
        return None, None
    return (sums.response_time / sums.successes,
            max(0.0, sums.response_time - sums.transfer_time) / sums.successes)


def _ratio(sums):
    return sums.successes / (sums.successes + sums.failures) if sums.successes else None


def operations_of(stage):
    """Return [(work, operation)] of all works of a Workstage, in the order of timeline columns."""
    return [(work, operation) for work in stage.works for operation in work.operations]


def op_name(operation):
    """Return the name of an Operation in COSBench's result files: read, init-write, 1-read-read."""
    name = operation.name or operation.type
    return name if name == operation.sample_type else f'{name}-{operation.sample_type}'


def percentiles(histogram):
    """Return {'p50': seconds, ..., 'p99.9': ..., 'max': ...} of a histogram; {} if it is empty."""
    steps = list(times(histogram))
    return {name: nearest_rank(steps, fraction)
            for name, fraction in PERCENTILES.items()} if steps else {}


def nearest_rank(steps, fraction):
    """Return the shortest time, in s, that at least `fraction` of the successes did not exceed.

    `steps` is a list of times(): (response time in s, number of successes up to it). All
    percentiles except those of COSBench's files, which are edges of its buckets, are computed here.
    """
    rank = math.ceil(round(steps[-1][1] * fraction, 6))  # 0.999 * 3000 exceeds 2997 a little
    return steps[bisect_left(steps, max(1, rank), key=itemgetter(1))][0]


def times(histogram):
    """Yield (response time in seconds, number of successes up to it) of a histogram, ascending."""
    # Most of the 23,552 counters are 0. Its own iterators take ten times as long, at least.
    total, counts = 0, histogram.counts[:]
    for index in compress(range(len(counts)), counts):
        total += counts[index]
        value = histogram.get_value_from_index(index)
        yield histogram.get_highest_equivalent_value(value) / MILLION, total


def stage_fault(stage):
    """Return a sentence that says why a StageResult failed; '' if the stage succeeded.

    As in COSBench a work may have `afr` failures per million, and each operation that was tried
    must have succeeded at least once. Unlike COSBench, at least one operation must have ended, and
    a work that only totalBytes limits must have transferred these bytes.
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
    bound, size = limits(work, 0.0), sum(op.bytes for op in result.ops)
    if bound.only_bytes and size < bound.bytes * work.workers:   # see Worker.normal
        yield (f'work {work.name}: given up after {size:,} of {work.total_bytes:,} bytes '
               '(totalBytes)')
    cut_off = sum(op.unfinished for op in result.ops)
    if cut_off and not total:
        yield f'work {work.name}: none of {cut_off:,} operations ended in the measured window'


def labels_of(stage):
    """Return a tuple of labels, one for each operation of a Workstage: `read`, or `small/read`.

    The label contains the name of the work if the stage has several.
    """
    labels = ((work.name, operation.name or operation.type)
              for work, operation in operations_of(stage))
    return tuple(printable('/'.join(label) if len(stage.works) > 1 else label[1])
                 for label in labels)


class Outcome(NamedTuple):
    """The rates, response times and success ratio of one operation of a stage, and its counts.

    Units are seconds, operations per second, bytes per second, fractions. NaN is unknown.
    """

    label: str
    workers: int
    op: OpResult
    throughput: float       # successes per second of the window
    bandwidth: float
    mean: float             # response time of the successes
    percentiles: dict       # 'p50' -> response time of the successes
    success_ratio: float

    def percentile(self, name):
        """Return the response time, in s, at `name`: p50, p99.9, max; NaN if none was recorded."""
        return self.percentiles.get(name, math.nan)


def outcomes_of(result):
    """Return a list of Outcomes, one for each operation of a StageResult that was carried out.

    Call it once for a stage: the percentiles take time to compute.
    """
    outcomes, labels = [], iter(labels_of(result.stage))
    for work in result.works:
        for op in work.ops:
            means = figures_of_tick(op, work.window)
            timed = op.histogram is not None and work.work.histogram
            outcomes.append(Outcome(
                next(labels), work.work.workers, op, means.throughput, means.bandwidth,
                math.nan if means.response_time is None else means.response_time,
                percentiles(op.histogram) if timed else {}, success_ratio(op)))
    return outcomes


def success_ratio(sums):
    """Return successes / (successes + failures) of a Progress or OpResult; NaN if both are 0."""
    done = sums.successes + sums.failures
    return sums.successes / done if done else math.nan
