"""The progress of a stage: its state, its time, its operations so far."""
from math import prod
from typing import NamedTuple

from swift_lb.drawing.numbers import clock_time, milliseconds, percent, three_digits
from swift_lb.workload.figures import figures_of_tick
from swift_lb.workload.labels import labels_of
from swift_lb.workload.outcome import success_ratio
from swift_lb.workload.result import Progress


class OpProgress(NamedTuple):
    """The rate of one operation at present, and its sums since the stage began."""

    label: str
    throughput: float             # successes per second since the last Tick
    response_time: float | None   # mean seconds since the last Tick; None: nothing succeeded
    sums: Progress

    def texts(self):
        """Return op/s, response time in ms, success %, successes and failures as texts."""
        return (three_digits(self.throughput),
                '-' if self.response_time is None else milliseconds(self.response_time),
                percent(success_ratio(self.sums)), f'{self.sums.successes:,}',
                f'{self.sums.failures:,}')


def advance(result, so_far):
    """Return the OpProgress of each operation after the last Tick of a StageResult.

    `so_far` holds those after the Tick before it, () for the first.
    """
    tick, progress = result.timeline[-1], []
    labels = labels_of(result.stage)
    for number, (label, latest) in enumerate(zip(labels, tick.ops, strict=True)):
        sums = Progress(*map(sum, zip(so_far[number].sums, latest, strict=True))
                        ) if so_far else latest
        now = figures_of_tick(latest, tick.seconds)
        progress.append(OpProgress(label, now.throughput, now.response_time, sums))
    return tuple(progress)


def planned(stage, state):
    """Return the planned seconds of a Workstage in this state, None if unknown."""
    if state == 'sleeping':
        return stage.closuredelay
    if state != 'running' or not stage.works or not all(work.runtime for work in stage.works):
        return None
    return max(work.rampup + work.runtime + work.rampdown for work in stage.works)


def done(stage, operations, elapsed, seconds):
    """Return the fraction done, of `seconds` or of the planned operations; None if unknown.

    `elapsed` is the time so far in seconds, `operations` are the stage's OpProgress.
    """
    if seconds:
        return min(elapsed / seconds, 1.0)
    total = sum(map(_operations, stage.works))
    if not all(map(_operations, stage.works)) or not total:
        return None
    return min(sum(one.sums.successes + one.sums.failures for one in operations) / total, 1.0)


def _operations(work):
    """Return the number of operations that a Work carries out, 0 if unknown."""
    if work.type == 'normal':
        return work.total_ops
    return sum(_chosen(operation.type, operation.target) for operation in work.operations)


def _chosen(kind, target):
    """Return the number of containers or objects that a work visits."""
    selectors = [target.containers, *([] if kind in ('init', 'dispose') else [target.objects])]
    return prod(selector.high - selector.low + 1 if selector else 1 for selector in selectors)


def time_of(elapsed, seconds):
    """Return elapsed time and planned time as text: `0:15 of 5:00`."""
    return f'{clock_time(elapsed)} of {clock_time(seconds)}' if seconds else clock_time(elapsed)
