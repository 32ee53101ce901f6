"""The result of one run: the figures of each operation, and the reads of each node over time."""
from collections import Counter
from dataclasses import dataclass, field

from hdrh.histogram import HdrHistogram

from swift_lb.evaluation.plan import EvaluationStep
from swift_lb.workload.figures import nearest_rank, times
from swift_lb.workload.tally import new_histogram


@dataclass(frozen=True)
class OpFigures:
    """The figures of one operation (read, write) of a run; times in seconds, rates per second.

    COSBench counts operations that began and ended in the measured window, and so omits long ones
    more often than short ones. "By the clock" counts those that ended in the window, whenever they
    began. If response times are short compared with the window, both counts are nearly equal.
    """

    count: int = 0               # successes, as COSBench counts them
    failures: int = 0            # likewise
    response_time: float = 0.0   # the sum over `count`
    histogram: str = ''          # of `count`, microseconds, HdrHistogram V2
    reasons: dict = field(default_factory=dict)     # reason of failures: count
    cosbench_throughput: float = 0.0
    ended: int = 0               # successes, by the clock
    waited: float = 0.0          # the sum of the response times of `ended`
    throughput: float = 0.0      # of `ended`

    @property
    def mean(self):
        """The mean response time of successes that ended in the window, in s; None if none did."""
        return self.waited / self.ended if self.ended else None


@dataclass(frozen=True)
class EvaluationRun:
    """The result of one run of an EvaluationStep: its operations' figures, each node's reads."""

    step: EvaluationStep
    ops: dict = field(default_factory=dict)      # 'read', 'write' -> OpFigures
    reads: tuple = ()            # (seconds since the start, {node: reads since the last entry})
    window: tuple = (0.0, 0.0)   # begin and end of the measured window, in seconds
    began: str = ''              # ISO time of the start
    took: float = 0.0            # seconds of the whole run
    fault: str | None = None     # why there are no figures


def percentile(figures, per_cent):
    """Return the seconds that `per_cent` % of the successes did not exceed; None if there are none.

    `figures` are the OpFigures of several runs. Their histograms are added, because the mean of the
    percentiles of runs has no meaning.
    """
    pooled = new_histogram()
    for one in figures:
        if one.histogram:
            pooled.add(HdrHistogram.decode(one.histogram))
    steps = list(times(pooled))
    return nearest_rank(steps, per_cent / 100) if steps else None


def figures_of(stage):
    """Return {operation's type: OpFigures} of the single work of `stage`, a StageResult."""
    [work] = stage.works
    begin = work.work.rampup
    sums, seconds = by_the_clock(stage.timeline, begin, begin + work.work.runtime)
    figures = {}
    for op, (ended, waited) in zip(work.ops, sums or [(0, 0.0)] * len(work.ops), strict=True):
        figures[op.operation.type] = OpFigures(
            op.successes, op.failures, op.response_time,
            op.histogram.encode().decode() if op.histogram else '', dict(Counter(op.reasons)),
            op.throughput, ended, waited, ended / seconds if seconds else 0.0)
    return figures


def by_the_clock(timeline, begin, end):
    """Return (sums, seconds covered) of the Ticks of a stage from second `begin` to `end`.

    A Tick of `timeline` has the operations that ended in one interval; it counts if the middle of
    the interval is in the window. `sums` has (successes, total of their response times in seconds)
    for each operation; it is [] if no Tick counts.
    """
    inside, now = [], 0.0
    for tick in timeline:
        if begin < now + tick.seconds / 2 < end:  # not the last, in which workers end
            inside.append(tick)
        now += tick.seconds
    columns = zip(*(tick.ops for tick in inside), strict=True)
    return ([(sum(line.successes for line in column), sum(line.response_time for line in column))
             for column in columns], sum(tick.seconds for tick in inside))
