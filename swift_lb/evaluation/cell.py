"""What one run came to: each operation's figures, and which node answered when."""
from collections import Counter
from dataclasses import dataclass, field

from hdrh.histogram import HdrHistogram

from swift_lb.evaluation.plan import Step
from swift_lb.workload.figures import nearest_rank, times
from swift_lb.workload.tally import new_histogram


@dataclass(frozen=True)
class OpFigures:
    """One operation of a cell. Times are seconds, rates per second.

    COSBench counts what began and ended in the measured window, and so leaves out long operations
    sooner than short ones. The clock counts what ended in it, whenever it began; where response
    times are small against the window they are the same.
    """

    count: int = 0               # successes, as COSBench counts
    failures: int = 0            # likewise
    response_time: float = 0.0   # of `count`, summed
    histogram: str = ''          # of `count`, microseconds, HdrHistogram V2
    reasons: dict = field(default_factory=dict)     # why failures failed: how many
    cosbench_throughput: float = 0.0
    ended: int = 0               # successes, by the clock
    waited: float = 0.0          # response times of `ended`, summed
    throughput: float = 0.0      # of `ended`

    @property
    def mean(self):
        """The mean response time by the clock, or None where nothing was answered."""
        return self.waited / self.ended if self.ended else None


@dataclass(frozen=True)
class Cell:
    """One run: of which step, what each operation came to, and which node answered when."""

    step: Step
    ops: dict = field(default_factory=dict)      # 'read', 'write' -> OpFigures
    reads: tuple = ()            # (second since it began, {node: reads served since the last})
    window: tuple = (0.0, 0.0)   # of these seconds, those that were measured
    began: str = ''              # ISO time
    took: float = 0.0            # seconds, all in all
    fault: str | None = None     # why there are no figures


def percentile(figures, per_cent):
    """Return a percentile of all successes of several OpFigures, seconds; None without any.

    The histograms are added up: percentiles of runs have no mean.
    """
    pooled = new_histogram()
    for one in figures:
        if one.histogram:
            pooled.add(HdrHistogram.decode(one.histogram))
    steps = list(times(pooled))
    return nearest_rank(steps, per_cent / 100) if steps else None


def figures_of(stage):
    """Return {operation's type: OpFigures} of the one work of the StageResult `stage`."""
    [work] = stage.works
    begin = work.work.rampup
    sums, seconds = by_the_clock(stage.timeline, begin, begin + work.work.runtime)
    found = {}
    for op, (ended, waited) in zip(work.ops, sums or [(0, 0.0)] * len(work.ops), strict=True):
        found[op.operation.type] = OpFigures(
            op.successes, op.failures, op.response_time,
            op.histogram.encode().decode() if op.histogram else '', dict(Counter(op.reasons)),
            op.throughput, ended, waited, ended / seconds if seconds else 0.0)
    return found


def by_the_clock(timeline, begin, end):
    """Return what ended between two seconds of a timeline, and how many seconds that is.

    Of each operation (successes, their response times summed); [] where no line lies in between.
    """
    inside, now = [], 0.0
    for tick in timeline:
        if begin < now + tick.seconds / 2 < end:  # not the last, in which workers end one by one
            inside.append(tick)
        now += tick.seconds
    columns = zip(*(tick.ops for tick in inside), strict=True)
    return ([(sum(line.successes for line in column), sum(line.response_time for line in column))
             for column in columns], sum(tick.seconds for tick in inside))
