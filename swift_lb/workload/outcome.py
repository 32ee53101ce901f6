"""The outcome of an operation in the measured window, for tables and plots."""
import math
from typing import NamedTuple

from swift_lb.workload.figures import figures_of_tick, percentiles
from swift_lb.workload.labels import labels_of
from swift_lb.workload.result import OpResult

COLUMNS = ('p50', 'p75', 'p90', 'p95', 'p99', 'p99.9', 'max')


class Outcome(NamedTuple):
    """Figures of one operation: seconds, operations and bytes per second, fractions.

    NaN is unknown.
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
        """Return the response time at p50, p99.9, max ...; NaN if none was recorded."""
        return self.percentiles.get(name, math.nan)


def outcomes_of(result):
    """Return an Outcome for each operation of a StageResult that was carried out.

    Computing percentiles is slow: call it once.
    """
    ops = [(work, op) for work in result.works for op in work.ops]
    return [_outcome(label, work.work, op, work.window)
            for label, (work, op) in zip(labels_of(result.stage), ops, strict=False)]


def _outcome(label, work, op, window):
    figures = figures_of_tick(op, window)
    timed = op.histogram is not None and work.histogram
    return Outcome(label, work.workers, op, figures.throughput, figures.bandwidth,
                   math.nan if figures.response_time is None else figures.response_time,
                   percentiles(op.histogram) if timed else {}, success_ratio(op))


def success_ratio(sums):
    """Return successes / all that ended; NaN if nothing ended, 0 if nothing succeeded."""
    done = sums.successes + sums.failures
    return sums.successes / done if done else math.nan
